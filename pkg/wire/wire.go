// Package wire is what crosses the bus between the stages: subjects, streams and messages.
// Messages carry keys, never text. Changes are additive; a worker of version n reads messages of n-1.
package wire

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Stage is a station of a document's way. Stream FP_<STAGE> holds its input.
type Stage string

// The stages, in order.
const (
	Parse Stage = "parse"
	Chunk Stage = "chunk"
	Embed Stage = "embed"
	Index Stage = "index"
)

// Stages in the order of a document's way.
var Stages = []Stage{Parse, Chunk, Embed, Index}

// Lane separates live changes from bulk work; each has streams of its own.
type Lane string

// The lanes.
const (
	Live Lane = "live"
	Bulk Lane = "bulk"
)

// Job is the message of every stage: one document version at one stage.
type Job struct {
	Tenant     doc.Tenant     `json:"tenant"`
	DocID      doc.ID         `json:"doc_id"`
	Bucket     string         `json:"bucket"`
	Key        string         `json:"key"`
	Generation doc.Generation `json:"generation"`
	Version    doc.Version    `json:"version,omitempty"`    // absent in a removal
	VersionID  string         `json:"version_id,omitempty"` // the store's
	ETag       string         `json:"etag,omitempty"`
	Build      uint32         `json:"build"` // sequence number of the build it is for
	Kind       Kind           `json:"kind"`
	Epoch      int            `json:"epoch,omitempty"` // replays and repairs so far; part of the message id
	Dropped    time.Time      `json:"dropped"`         // when the store's event came in
}

// Kind is the past-tense name of what happened to the document.
type Kind string

// The kinds. Dropped goes to parse; Parsed to chunk; Chunked to index and to embed;
// Sectioned (the first chunk of every section has its vector) and Embedded to index;
// Removed (purge every generation up to Generation) to index.
const (
	Dropped   Kind = "dropped"
	Parsed    Kind = "parsed"
	Chunked   Kind = "chunked"
	Sectioned Kind = "sectioned"
	Embedded  Kind = "embedded"
	Removed   Kind = "removed"
)

var kinds = []Kind{Dropped, Parsed, Chunked, Sectioned, Embedded, Removed}

// Subject is where a job for the stage is published: fp.<lane>.<stage>.<tenant>.<doc_id>.
func (j Job) Subject(l Lane, s Stage) string {
	return fmt.Sprintf("fp.%s.%s.%s.%s", l, s, j.Tenant, j.DocID)
}

// ID is the deduplication id of the job for the stage.
func (j Job) ID(s Stage) string {
	return fmt.Sprintf("%s.%s.%s.%d.%d.%d", j.DocID, s, j.Kind, j.Build, j.Generation, j.Epoch)
}

// Check says why j is no job of ours: a message that a stranger wrote, or another program's.
func (j Job) Check() error {
	switch {
	case !j.Tenant.Valid():
		return fmt.Errorf("job: tenant %.40q is none", j.Tenant)
	case !j.DocID.Valid():
		return fmt.Errorf("job: doc_id %.40q is none", j.DocID)
	case j.Generation < 1 || j.Generation > doc.MaxGeneration:
		return fmt.Errorf("job: generation %d is outside 1 to %d", j.Generation, doc.MaxGeneration)
	case !slices.Contains(kinds, j.Kind):
		return fmt.Errorf("job: kind %.40q is not known", j.Kind)
	}
	return nil
}

// StreamName is the stream that holds the input of a stage: FP_PARSE, FP_PARSE_BULK.
func StreamName(l Lane, s Stage) string {
	name := "FP_" + strings.ToUpper(string(s))
	if l == Bulk {
		name += "_BULK"
	}
	return name
}

// Streams and buckets that are not a stage's.
const (
	EventStream  = "FP_EVENTS" // store notifications, subject EventSubject + "." + source
	EventSubject = "fp.events"
	DeadStream   = "FP_DEAD" // dead letters, subject fp.dead.<stage>.<tenant>.<doc_id>
	DeadSubject  = "fp.dead"
	TrailStream  = "FP_TRAIL" // what happened to each document, subject fp.trail.<tenant>.<doc_id>
	TrailSubject = "fp.trail"
	// ScheduleStream holds what the server sends by itself, subject fp.schedule.<what>.due.
	ScheduleStream  = "FP_SCHEDULE"
	ScheduleSubject = "fp.schedule"
	DocsBucket      = "FP_DOCS"
	BuildsBucket    = "FP_BUILDS"
	// ReindexBucket says how far a re-index is, and who works on it.
	ReindexBucket = "FP_REINDEX"
	LiveBucket    = "FP_LIVE"
	// WalkBucket says how far the reconciler has walked each source.
	WalkBucket = "FP_RECONCILE"
	// PrefixesBucket says which document owns an entry prefix within its tenant.
	PrefixesBucket = "FP_PREFIXES"
)
