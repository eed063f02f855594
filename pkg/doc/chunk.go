package doc

// Kind says what an index entry stands for.
type Kind string

// The kinds; each is a class (Weaviate) or a table (SQLite) of its own.
const (
	KindNode   Kind = "node"   // one a node: title and breadcrumb, the proxy map; found by words
	KindWindow Kind = "window" // about 4,000 characters of one node's own text; found by words
	KindRow    Kind = "row"    // one table row; found by words
	KindChunk  Kind = "chunk"  // about 190 tokens of one node's own text; found by its vector
)

// Kinds is every Kind, in the order in which they are written.
var Kinds = []Kind{KindNode, KindWindow, KindRow, KindChunk}

// Chunk is a proxy: it is searched and never shown. One line of chunks.jsonl.
// (Kind, Node, Ordinal) is unique within a version.
type Chunk struct {
	Kind    Kind  `json:"kind"`
	Node    int   `json:"node"`    // node number, from 0
	Ordinal int   `json:"ordinal"` // within node and kind, from 0
	Lines   Lines `json:"lines"`   // the lines of the Source it stands for
	// Crumb is the breadcrumb "A > B > C", the node's own title last.
	Crumb string `json:"crumb"`
	// Text, by kind. Node: the title. Window and chunk: the node's own text (clean of tags,
	// tables as pipe rows), without the breadcrumb. Row: label, label again, header, values.
	Text string `json:"text"`
	// Refs, of nodes only: structural references that lead here, in canonical form: "note:15",
	// "item:7a", "table:a2.1.1"; prefix "=" exact, "+" next sibling of an empty heading,
	// "^" table or figure caption inside, "~" an ancestor matches.
	Refs  []string `json:"refs,omitempty"`
	Flags Flags    `json:"flags,omitempty"`
}

// Flags of a node, carried in the EntryID of each of its entries so that ranking needs no read.
type Flags uint8

// The flags.
const (
	FlagNoise Flags = 1 << iota // contents, exhibits, signatures ...: ranked down
	FlagShort                   // own text under 40 characters
	FlagAside                   // a table of a part, of another one or on another basis, where the whole is printed too
	FlagWhole                   // a main statement, or another table of the whole
)

// EmbedText is the text that is embedded for a chunk: "[A > B > C]\n" + text.
func (c Chunk) EmbedText() string {
	if c.Crumb == "" {
		return c.Text
	}
	return "[" + c.Crumb + "]\n" + c.Text
}
