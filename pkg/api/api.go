// Package api is what services and clients say to each other on fingerpost.<tenant>.<verb>: one
// request and one reply type a verb, JSON by the schemas of the same names in schemas/.
// Lines and pages count from 1, both ends included; bytes are half-open.
package api

import (
	"github.com/fingerpost/fingerpost/pkg/cost"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Verb is an endpoint.
type Verb string

// The verbs of a tenant.
const (
	Find      Verb = "find"
	Ask       Verb = "ask"
	Read      Verb = "read"
	Tree      Verb = "tree"
	Documents Verb = "documents"
	Status    Verb = "status"
	GetCell   Verb = "cell"
	Compare   Verb = "compare"
	AskParts  Verb = "ask_parts" // Ask in several replies: AskPart, the last one flagged
)

// Subject is where a tenant asks for a verb.
func Subject(t doc.Tenant, v Verb) string { return "fingerpost." + string(t) + "." + string(v) }

// Limits of a request.
const (
	MaxQuestion = 4000 // bytes
	MaxK        = 100
	DefaultK    = 5
	DefaultPage = 100
	MaxPage     = 1000
	MaxAlso     = 20
	MaxChosen   = 20
)

// FindRequest asks where something stands.
type FindRequest struct {
	Question string   `json:"question"`
	K        int      `json:"k,omitempty"`       // places wanted, 1..MaxK; 0 is DefaultK
	Keys     []string `json:"keys,omitempty"`    // only these documents, by key
	Explain  bool     `json:"explain,omitempty"` // each part of the score
	Mode     string   `json:"mode,omitempty"`    // "" is all there is; "words" leaves vectors out
	Build    uint32   `json:"build,omitempty"`   // another build than the live one, to compare them
}

// FindReply is always k places, or as many as the tenant has.
type FindReply struct {
	Question string     `json:"question"`
	Route    Route      `json:"route"`
	Build    uint32     `json:"build"`
	Took     Took       `json:"took_ms"`
	Sections []Section  `json:"sections"`
	Spent    cost.Spent `json:"spent,omitzero"` // what models took for it
}

// SetSpent notes what models took.
func (r *FindReply) SetSpent(s cost.Spent) { r.Spent = s }

// Route is how the question was read.
type Route struct {
	Terms []string `json:"terms"`
	Refs  []string `json:"refs,omitempty"`  // structural references: "note:15"
	Keys  []string `json:"keys,omitempty"`  // documents the search was limited to
	Named []string `json:"named,omitempty"` // the words by which the question names documents: only these were searched first
	Kind  string   `json:"kind,omitempty"`  // table_cell, definition, structural, comparison, factual, summary
	Note  string   `json:"note,omitempty"`  // what could not be told of the documents meant
	// Chosen are the documents that were chosen by owner, period and form, and why.
	Chosen []Chosen `json:"chosen,omitempty"`
	Adds   *Adds    `json:"adds,omitempty"` // with Explain
}

// Chosen is the documents of one owner that the question is about.
type Chosen struct {
	Owner     string           `json:"owner"`
	Word      string           `json:"word"`      // as the question writes it
	How       string           `json:"how"`       // name, one letter off, blend
	Documents []ChosenDocument `json:"documents"` // best first, at most MaxChosen
	Reason    string           `json:"reason"`
	RunnerUp  string           `json:"runner_up,omitempty"` // the best document that is not the first
}

// ChosenDocument is one of them with what it is and what that adds to the score of its places.
type ChosenDocument struct {
	Key   string  `json:"key"`
	What  string  `json:"what"`
	Prior float64 `json:"prior"`
}

// Adds is what the rules and the vocabulary add to a question: analysed words and titles of the places where such things
// stand, statements of a report that are wanted, and the halves of a question in several parts.
type Adds struct {
	Words      []string   `json:"words,omitempty"`
	Same       []string   `json:"same,omitempty"` // other words for what the question says
	Titles     []string   `json:"titles,omitempty"`
	Statements []string   `json:"statements,omitempty"`
	Halves     [][]string `json:"halves,omitempty"`
}

// Took is milliseconds.
type Took struct {
	Vector  float64 `json:"vector"` // the question's vector
	Search  float64 `json:"search"` // search and ranking
	Resolve float64 `json:"resolve"`
}

// Section is a place: what a Pointer names, read back from the Source and verified by hash.
type Section struct {
	Rank       int         `json:"rank"` // from 1
	Score      float64     `json:"score"`
	Bucket     string      `json:"bucket"`
	Key        string      `json:"key"`
	DocID      doc.ID      `json:"doc_id"`
	Version    doc.Version `json:"version"`
	NodeID     doc.NodeID  `json:"node_id"`
	Anchor     string      `json:"anchor"`
	Title      string      `json:"title"`
	Breadcrumb []string    `json:"breadcrumb"`
	Lines      doc.Lines   `json:"lines"`
	Span       doc.Lines   `json:"span"`
	Bytes      doc.Bytes   `json:"bytes"`
	Pages      *doc.Pages  `json:"pages"`
	Pointer    string      `json:"pointer"`
	Text       string      `json:"text"`  // verbatim Source, under the budget
	Shown      string      `json:"shown"` // its rendering; the budget counts it
	Cut        bool        `json:"cut"`   // parts are left out
	Spots      []Spot      `json:"spots"`
	// Also are the keys of other documents with the same bytes, at most MaxAlso: their places are not shown again.
	Also []string `json:"also,omitempty"`
	Why  any      `json:"why,omitempty"` // with Explain
}

// Spot is an exact place inside a section.
type Spot struct {
	Kind    string    `json:"kind"` // line, row, cell, ...
	Pointer string    `json:"pointer"`
	Lines   doc.Lines `json:"lines"`
	Row     string    `json:"row,omitempty"`
	Column  string    `json:"column,omitempty"`
	Value   string    `json:"value,omitempty"`
	Text    string    `json:"text"`
}

// ReadRequest follows a pointer.
type ReadRequest struct {
	Pointer string `json:"pointer"`
	Offset  int    `json:"offset,omitempty"` // bytes into the text, for pages of a long section
}

// ReadReply is the verbatim lines of the pointer.
type ReadReply struct {
	Pointer    string     `json:"pointer"`
	Bucket     string     `json:"bucket"`
	Key        string     `json:"key"`
	Title      string     `json:"title"`
	Breadcrumb []string   `json:"breadcrumb"`
	Lines      doc.Lines  `json:"lines"`
	Pages      *doc.Pages `json:"pages"`
	Text       string     `json:"text"`
	SHA256     string     `json:"sha256"`         // of the bytes that were read and verified: the node's, or its window's
	Next       int        `json:"next,omitempty"` // Offset of the next page; 0 at the end
}

// TreeRequest names a document by key (and bucket, where the key is not unique) or doc_id.
type TreeRequest struct {
	Bucket string `json:"bucket,omitempty"`
	Key    string `json:"key,omitempty"`
	DocID  doc.ID `json:"doc_id,omitempty"`
	Cursor int    `json:"cursor,omitempty"` // first node
	Limit  int    `json:"limit,omitempty"`
}

// TreeReply is (a page of) tree.json.
type TreeReply struct {
	doc.Tree
	Key  string `json:"key"`
	Next int    `json:"next,omitempty"` // Cursor of the next page; 0 at the end
}

// DocumentsRequest lists documents in order of bucket and key.
type DocumentsRequest struct {
	Prefix string    `json:"prefix,omitempty"` // of the key
	State  doc.State `json:"state,omitempty"`
	Cursor string    `json:"cursor,omitempty"` // as the last page gave it
	Limit  int       `json:"limit,omitempty"`
}

// DocumentsReply is a page.
type DocumentsReply struct {
	Documents []Document `json:"documents"`
	Next      string     `json:"next,omitempty"` // Cursor of the next page; "" at the end
}

// Document is one line of `documents --json`.
type Document struct {
	Bucket     string         `json:"bucket"`
	Key        string         `json:"key"`
	DocID      doc.ID         `json:"doc_id"`
	Version    doc.Version    `json:"version"`
	Generation doc.Generation `json:"generation"`
	State      doc.State      `json:"state"`
	Level      doc.Level      `json:"level"`
	Class      doc.Class      `json:"class"`
	Reason     string         `json:"reason"`
	Notes      []string       `json:"notes,omitempty"`
	// Facts are what is known of it; metadata of the same name overrides.
	Facts map[string]string `json:"facts"`
	Meta  map[string]string `json:"meta,omitempty"` // the object's own metadata: x-amz-meta-*, without that prefix
}

// StatusReply is the tenant's counters. Levels are exclusive: a document counts at the highest it has.
type StatusReply struct {
	Addresses  map[string]string `json:"addresses,omitempty"` // s3, nats, http: added by a client that knows them
	Documents  Counts            `json:"documents"`
	Levels     Levels            `json:"levels"`
	Embeddings Embeddings        `json:"embeddings"`
	Index      map[string]int64  `json:"index,omitempty"` // entries by kind, bytes in memory
	Embedder   string            `json:"embedder"`
	Questions  Questions         `json:"questions,omitzero"`
	Notes      []string          `json:"notes,omitempty"` // what is weaker than usual, by document
	Sources    []Place           `json:"sources,omitempty"`
}

// Place is where the tenant's documents are read from: the keys of a bucket that begin with a prefix, "" for all.
type Place struct {
	Bucket string `json:"bucket"`
	Prefix string `json:"prefix"`
}

// Questions is what finds and asks took of models, by the query worker that tells it, since it started.
type Questions struct {
	Asked int        `json:"asked"`
	Spent cost.Spent `json:"spent"`
}

// Counts is documents by state; the three lists and what is on its way.
type Counts struct {
	Indexed int `json:"indexed"`
	Pending int `json:"pending"`
	Skipped int `json:"skipped"`
	Failed  int `json:"failed"`
}

// Levels is indexed documents by level.
type Levels struct {
	Words    int `json:"words"`
	Sections int `json:"sections"`
	Full     int `json:"full"`
}

// Embeddings is what vectors cost since the data folder began.
type Embeddings struct {
	Made  int        `json:"made"`
	Saved int        `json:"saved"`
	Spent cost.Spent `json:"spent,omitzero"` // calls of the model for them
}
