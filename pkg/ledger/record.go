// Package ledger keeps the state of every document: one record a document in the KV bucket
// FP_DOCS under <tenant>.<doc_id>, written by compare-and-set only. The record's Generation is
// the fence: a transition that names an older one is refused as superseded.
package ledger

import (
	"time"

	"github.com/fingerpost/fingerpost/pkg/cost"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Record is what is known of one document.
type Record struct {
	Tenant doc.Tenant `json:"tenant"`
	DocID  doc.ID     `json:"doc_id"`
	Bucket string     `json:"bucket"`
	Key    string     `json:"key"`

	Generation doc.Generation `json:"generation"` // the accepted one: the fence

	Version   doc.Version       `json:"version"` // of Generation
	VersionID string            `json:"version_id,omitempty"`
	ETag      string            `json:"etag,omitempty"`
	Size      int64             `json:"size"` // bytes
	Language  string            `json:"language,omitempty"`
	Meta      map[string]string `json:"meta,omitempty"` // the object's own metadata

	Standing // in the build that the ledger looks at

	Epoch int `json:"epoch,omitempty"` // replays and repairs so far

	Made  int        `json:"made"`           // embeddings made for this document since it was first seen
	Saved int        `json:"saved"`          // embeddings taken from the cache instead
	Spent cost.Spent `json:"spent,omitzero"` // what models took for this document since it was first seen

	Dropped time.Time `json:"dropped"` // the event of Generation came in
	Updated time.Time `json:"updated"`

	// Home is the build whose standing is written at the top (0: the first); Builds are those of the other builds. In a
	// record that was read for a build its own standing stands at the top and Builds holds all others.
	Home   uint32              `json:"home,omitempty"`
	Builds map[uint32]Standing `json:"builds,omitempty"`

	view uint32   // the build it was read for; 0: Home
	kin  []uint32 // builds with the same artefacts as that one
}

// Standing is what one build of the index holds of a document, and how far its work is there.
type Standing struct {
	Current        doc.Generation `json:"current"`         // the one that finds show; 0 is none
	CurrentVersion doc.Version    `json:"current_version"` // of Current
	Vectors        doc.Generation `json:"vectors"`         // newest generation whose vectors artefact is whole; 0 is none

	State    doc.State `json:"state"`
	Level    doc.Level `json:"level"` // of Generation
	Class    doc.Class `json:"class,omitempty"`
	Reason   string    `json:"reason,omitempty"`
	Notes    []string  `json:"notes,omitempty"`    // what is weaker than usual: "12 chunks found by words only"
	Attempts int       `json:"attempts,omitempty"` // failed tries since the last success
	Purged   bool      `json:"purged,omitempty"`   // of a tombstone: the purge was read back

	Facts     map[string]string `json:"facts,omitempty"`     // title and what else is known of it
	IndexedAt time.Time         `json:"indexed_at,omitzero"` // Current was set
}

// Shown reports whether finds may show generation g of the document.
func (r *Standing) Shown(g doc.Generation) bool { return r.Current == g && g != 0 }

// Ended reports whether the accepted generation has ended without being found: skipped, failed or deleted.
func (r *Standing) Ended() bool {
	return r.State == doc.Skipped || r.State == doc.Failed || r.State == doc.Deleted
}

// Object is what intake read of an object.
type Object struct {
	Tenant          doc.Tenant
	Bucket, Key     string
	Version         doc.Version
	VersionID, ETag string
	Size            int64
	Language        string
	Meta            map[string]string
	Dropped         time.Time
	// Seen is the accepted generation (0: none) that was known before the bucket was looked at; Accept is refused with
	// ErrMoved when another one stands there by now, for then what was seen may be old. Nil: not asked.
	Seen *doc.Generation
}

// ID is the object's doc_id.
func (o Object) ID() doc.ID { return doc.NewID(o.Tenant, o.Bucket, o.Key) }
