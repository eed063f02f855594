// Package audit proves that what the system holds adds up: every object of every source is indexed, skipped or failed
// and nothing else is known; each index entry and each artefact has its owner; each document has the entries its
// manifest lists. A difference is named; Repair mends it by the ordinary ways.
//
// What belongs to a tenant, or to a bucket, that no source names is named and never mended: a source that was taken out of
// the configuration, perhaps by mistake, loses nothing.
//
// Work goes on beside an audit. A document whose record changed between its beginning and its end is not judged, and each
// repair looks at the record once more.
//
// An audit holds 75 to 150 bytes a document (64 of them say what is known of it, the rest is the table that finds it),
// whatever the length of keys and records, and at most 10,000 differences.
package audit

import (
	"context"
	"fmt"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/origin"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Worker audits.
type Worker struct {
	Sources   []origin.Source
	Blobs     blob.Store
	Artefacts artefact.Store
	Ledger    *ledger.Ledger
	Index     vector.Index
	Build     uint32 // whose entries and artefacts are judged; Ledger and Artefacts are as it sees them
	// Other reports whether a folder of artefacts is another build's, which an audit of that build judges; nil: none is.
	Other func(folder string) bool
	// Look hands an object to intake; Rewrite has a document's index entries written again.
	Look    func(ctx context.Context, bucket, key string) error
	Rewrite func(ctx context.Context, r ledger.Record) error
	// Restore has a document's artefacts made anew from its original.
	Restore func(ctx context.Context, r ledger.Record) error
}

// Kind says what does not add up.
type Kind string

// The kinds of differences.
const (
	Unknown  Kind = "unknown object"   // in the bucket, in no list
	Stale    Kind = "stale document"   // the bucket holds other bytes
	Pending  Kind = "pending document" // on its way: not at rest
	Gone     Kind = "gone object"      // in a list, not in the bucket
	Unpurged Kind = "unpurged deletion"
	Lacking  Kind = "missing entries" // fewer or more entries than the manifest lists
	Damaged  Kind = "damaged text"    // the Source in the derived bucket is not what its tree was made of
	Orphan   Kind = "orphan entries"  // entries of no present generation
	Stray    Kind = "orphan artefact"
	Unmapped Kind = "unmapped document" // of a bucket or prefix that no source of its tenant names
	Foreign  Kind = "unknown tenant"    // of a tenant that no source names
)

// Difference is one thing that does not add up.
type Difference struct {
	Kind   Kind       `json:"kind"`
	Tenant doc.Tenant `json:"tenant"`
	Bucket string     `json:"bucket,omitempty"`
	Key    string     `json:"key,omitempty"` // of the object, or of the artefact
	DocID  doc.ID     `json:"doc_id,omitempty"`
	Detail string     `json:"detail,omitempty"`

	repair func(context.Context) (bool, error) // false: there was nothing to mend any more; nil: it is only named
}

// Report is what an audit found. At rest Objects = Indexed + Skipped + Failed and there is no difference.
type Report struct {
	Objects     int              `json:"objects"`
	Indexed     int              `json:"indexed"`
	Skipped     int              `json:"skipped"`
	Failed      int              `json:"failed"`
	Pending     int              `json:"pending"`
	Entries     map[doc.Kind]int `json:"entries"`
	Derived     int              `json:"artefacts"`         // objects of the derived bucket
	Differences []Difference     `json:"differences"`       // at most 10,000
	Unnamed     int              `json:"unnamed,omitempty"` // differences beyond those named
	Repaired    int              `json:"repaired,omitempty"`
}

// OK reports whether everything adds up.
func (r *Report) OK() bool {
	return len(r.Differences) == 0 && r.Unnamed == 0 && r.Objects == r.Indexed+r.Skipped+r.Failed
}

// Options of an audit.
type Options struct {
	Repair bool // mend what can be mended
	Text   bool // also read each document's Source back and compare it with the hashes of its tree: two reads a document
}

// run is one audit: the report and what each document owns.
type run struct {
	*Worker
	Options
	Report
	books   map[doc.Tenant]*book
	foreign map[doc.Tenant]*foreign
	strays  []string // artefacts without an owner so far
}

// foreign is what was met of a tenant that no source names.
type foreign struct{ documents, artefacts int }

// namedMost bounds the differences, and what is noted of strays.
const namedMost = 10_000

// Run audits everything.
func (w *Worker) Run(ctx context.Context, opt Options) (*Report, error) {
	x := &run{Worker: w, Options: opt, books: map[doc.Tenant]*book{}, foreign: map[doc.Tenant]*foreign{}}
	x.Entries, x.Differences = map[doc.Kind]int{}, []Difference{}
	for _, s := range w.Sources {
		x.books[s.Tenant] = newBook()
	}
	for _, step := range []func(context.Context) error{x.records, x.objects, x.entries, x.artefacts, x.again, x.judge} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if opt.Repair {
		if err := x.mend(ctx); err != nil {
			return nil, err
		}
	}
	return &x.Report, nil
}

func (x *run) mend(ctx context.Context) error {
	for _, d := range x.Differences {
		if d.repair == nil {
			continue
		}
		done, err := d.repair(ctx)
		if err != nil {
			return fmt.Errorf("repair of %s %s: %w", d.Kind, d.Key, err)
		}
		if done {
			x.Repaired++
		}
	}
	return nil
}

// differ names a difference.
func (x *run) differ(d Difference) {
	if len(x.Differences) >= namedMost {
		x.Unnamed++
		return
	}
	x.Differences = append(x.Differences, d)
}

func (x *run) met(t doc.Tenant) *foreign {
	if x.foreign[t] == nil {
		if len(x.foreign) >= namedMost {
			t = "(more)"
		}
		x.foreign[t] = &foreign{}
	}
	return x.foreign[t]
}
