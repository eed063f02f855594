// Package audit proves that what the system holds adds up: every object of every source is indexed, skipped or failed
// and nothing else is known; each index entry and each artefact has its owner; each document has the entries its
// manifest lists. A difference is named; Repair mends it by the ordinary ways.
package audit

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Source is a bucket, or a prefix in it, of one tenant.
type Source struct {
	Bucket, Prefix string
	Tenant         doc.Tenant
	Own            func(key string) bool
}

// Worker audits.
type Worker struct {
	Sources   []Source
	Blobs     blob.Store
	Artefacts artefact.Store
	Ledger    *ledger.Ledger
	Index     vector.Index
	Build     uint32
	// Look hands an object to intake; Rewrite has a document's index entries written again.
	Look    func(ctx context.Context, bucket, key string) error
	Rewrite func(ctx context.Context, r ledger.Record) error
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
	Orphan   Kind = "orphan entries"  // entries of no present generation
	Stray    Kind = "orphan artefact"
)

// Difference is one thing that does not add up.
type Difference struct {
	Kind   Kind       `json:"kind"`
	Tenant doc.Tenant `json:"tenant"`
	Bucket string     `json:"bucket,omitempty"`
	Key    string     `json:"key,omitempty"` // of the object, or of the artefact
	DocID  doc.ID     `json:"doc_id,omitempty"`
	Detail string     `json:"detail,omitempty"`

	repair func(context.Context) error
}

// Report is what an audit found. At rest Objects = Indexed + Skipped + Failed and there is no difference.
type Report struct {
	Objects     int              `json:"objects"`
	Indexed     int              `json:"indexed"`
	Skipped     int              `json:"skipped"`
	Failed      int              `json:"failed"`
	Pending     int              `json:"pending"`
	Entries     map[doc.Kind]int `json:"entries"`
	Derived     int              `json:"artefacts"` // objects of the derived bucket
	Differences []Difference     `json:"differences"`
	Repaired    int              `json:"repaired,omitempty"`
}

// OK reports whether everything adds up.
func (r *Report) OK() bool {
	return len(r.Differences) == 0 && r.Objects == r.Indexed+r.Skipped+r.Failed
}

// run is one audit: the report and what each document owns.
type run struct {
	*Worker
	Report
	docs map[doc.Tenant]map[doc.Prefix]*owner
}

// owner is a known document; entries are counted by generation and kind.
type owner struct {
	record ledger.Record
	listed bool
	counts map[doc.Generation]map[doc.Kind]int
}

// Run audits everything; repair mends what it can.
func (w *Worker) Run(ctx context.Context, repair bool) (*Report, error) {
	x := &run{Worker: w, docs: map[doc.Tenant]map[doc.Prefix]*owner{}}
	x.Entries, x.Differences = map[doc.Kind]int{}, []Difference{}
	for _, step := range []func(context.Context) error{x.records, x.objects, x.entries, x.artefacts, x.judge} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if repair {
		for _, d := range x.Differences {
			if d.repair == nil {
				continue
			}
			if err := d.repair(ctx); err != nil {
				return nil, fmt.Errorf("repair of %s %s: %w", d.Kind, d.Key, err)
			}
			x.Repaired++
		}
	}
	return &x.Report, nil
}

func (x *run) tenant(t doc.Tenant) map[doc.Prefix]*owner {
	if x.docs[t] == nil {
		x.docs[t] = map[doc.Prefix]*owner{}
	}
	return x.docs[t]
}

// records loads the ledger.
func (x *run) records(ctx context.Context) error {
	for _, s := range x.Sources {
		x.tenant(s.Tenant)
	}
	for t, docs := range x.docs {
		err := x.Ledger.Each(ctx, t, func(r ledger.Record) error {
			docs[doc.PrefixOf(r.DocID)] = &owner{record: r, counts: map[doc.Generation]map[doc.Kind]int{}}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// objects walks the buckets and puts each object into its list.
func (x *run) objects(ctx context.Context) error {
	for _, s := range x.Sources {
		for info, err := range x.Blobs.List(ctx, s.Bucket, s.Prefix, "") {
			if err != nil {
				return fmt.Errorf("bucket %s: %w", s.Bucket, err)
			}
			if s.Own(info.Key) {
				x.Objects++
				x.object(s, info)
			}
		}
	}
	return nil
}

func (x *run) object(s Source, info blob.Info) {
	id := doc.NewID(s.Tenant, s.Bucket, info.Key)
	look := func(ctx context.Context) error { return x.Look(ctx, s.Bucket, info.Key) }
	d := Difference{Tenant: s.Tenant, Bucket: s.Bucket, Key: info.Key, DocID: id, repair: look}
	o := x.tenant(s.Tenant)[doc.PrefixOf(id)]
	if o == nil || o.record.State == doc.Deleted {
		d.Kind = Unknown
		x.Differences = append(x.Differences, d)
		return
	}
	o.listed = true
	x.list(o.record.State)
	switch {
	case o.record.State == doc.Pending:
		d.Kind, d.Detail = Pending, "since "+o.record.Dropped.String()
	case o.record.ETag != info.ETag || o.record.Size != info.Size:
		d.Kind, d.Detail = Stale, fmt.Sprintf("known with ETag %s, the bucket has %s", o.record.ETag, info.ETag)
	default:
		return
	}
	x.Differences = append(x.Differences, d)
}

func (x *run) list(s doc.State) {
	switch s {
	case doc.Indexed:
		x.Indexed++
	case doc.Skipped:
		x.Skipped++
	case doc.Failed:
		x.Failed++
	case doc.Pending:
		x.Pending++
	}
}

// entries counts the index's entries by owner; those of nobody are orphans.
func (x *run) entries(ctx context.Context) error {
	for t, docs := range x.docs {
		strays := map[doc.Prefix]int{}
		for _, k := range doc.Kinds {
			err := x.Index.Each(ctx, vector.Build(x.Build), t, k, func(id doc.EntryID) error {
				p := id.Place()
				x.Entries[k]++
				o := docs[p.Prefix]
				if o == nil {
					strays[p.Prefix]++
					return nil
				}
				if o.counts[p.Generation] == nil {
					o.counts[p.Generation] = map[doc.Kind]int{}
				}
				o.counts[p.Generation][k]++
				return nil
			})
			if err != nil {
				return err
			}
		}
		for p, n := range strays {
			x.Differences = append(x.Differences, Difference{Kind: Orphan, Tenant: t, Detail: fmt.Sprintf("%d entries of a document that nobody knows (%x)", n, p), repair: x.purge(t, p, 1, doc.MaxGeneration)})
		}
	}
	return nil
}

func (x *run) purge(t doc.Tenant, p doc.Prefix, from, to doc.Generation) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := x.Index.Purge(ctx, vector.Build(x.Build), t, p, from, to)
		return err
	}
}

// artefacts looks for objects of the derived bucket that belong to no generation in use.
func (x *run) artefacts(ctx context.Context) error {
	for info, err := range x.Blobs.List(ctx, artefact.Bucket, "", "") {
		if err != nil {
			return fmt.Errorf("bucket %s: %w", artefact.Bucket, err)
		}
		if strings.HasPrefix(info.Key, "_") {
			continue // the reconciler's own
		}
		x.Derived++
		if !x.owned(info.Key) {
			x.Differences = append(x.Differences, Difference{Kind: Stray, Bucket: artefact.Bucket, Key: info.Key,
				repair: func(ctx context.Context) error { return x.Blobs.Delete(ctx, artefact.Bucket, info.Key) }})
		}
	}
	return nil
}

// owned reports whether an artefact belongs to a generation in use: accepted, shown, or holding the vector cache.
func (x *run) owned(key string) bool {
	f := strings.SplitN(key, "/", 4)
	if len(f) != 4 || !strings.HasPrefix(f[2], "g") {
		return false
	}
	g, err := strconv.ParseUint(f[2][1:], 10, 24)
	o := x.docs[doc.Tenant(f[0])][doc.PrefixOf(doc.ID(f[1]))]
	if err != nil || o == nil {
		return false
	}
	r := o.record
	n := doc.Generation(g)
	return r.State != doc.Deleted && (n == r.Current || n == r.Vectors || n == r.Generation && r.State == doc.Pending)
}

// judge compares each document with the bucket and with its manifest.
func (x *run) judge(ctx context.Context) error {
	for t, docs := range x.docs {
		for p, o := range docs {
			if err := x.document(ctx, t, p, o); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *run) document(ctx context.Context, t doc.Tenant, p doc.Prefix, o *owner) error {
	r := o.record
	d := Difference{Tenant: t, Bucket: r.Bucket, Key: r.Key, DocID: r.DocID, repair: func(ctx context.Context) error { return x.Look(ctx, r.Bucket, r.Key) }}
	switch {
	case r.State == doc.Deleted && !r.Purged:
		d.Kind = Unpurged
		x.Differences = append(x.Differences, d)
	case r.State != doc.Deleted && !o.listed:
		d.Kind = Gone
		x.list(r.State)
		x.Differences = append(x.Differences, d)
	}
	for g, counts := range o.counts {
		if g == r.Current || g == r.Generation && r.State == doc.Pending {
			continue
		}
		x.Differences = append(x.Differences, Difference{Kind: Orphan, Tenant: t, Bucket: r.Bucket, Key: r.Key, DocID: r.DocID,
			Detail: fmt.Sprintf("generation %d, shown is %d: %v", g, r.Current, counts), repair: x.purge(t, p, g, g)})
	}
	if r.State != doc.Indexed || r.Current == 0 {
		return nil
	}
	return x.manifest(ctx, o)
}

// manifest compares what the index holds of the shown generation with what it should.
func (x *run) manifest(ctx context.Context, o *owner) error {
	r := o.record
	m, err := x.Artefacts.Manifest(ctx, artefact.Ref{Tenant: r.Tenant, Doc: r.DocID, Generation: r.Current})
	if err != nil && !errors.Is(err, blob.ErrNotFound) && !errors.Is(err, bus.ErrNoKey) {
		return err
	}
	var wrong []string
	for _, list := range m.Levels {
		for k, members := range list {
			if have := o.counts[r.Current][k]; have < len(members) || have > len(members) && k != doc.KindChunk {
				wrong = append(wrong, fmt.Sprintf("%s %d of %d", k, have, len(members)))
			}
		}
	}
	if err != nil {
		wrong = append(wrong, "its manifest is gone")
	}
	if len(wrong) > 0 {
		x.Differences = append(x.Differences, Difference{Kind: Lacking, Tenant: r.Tenant, Bucket: r.Bucket, Key: r.Key, DocID: r.DocID,
			Detail: strings.Join(wrong, ", "), repair: func(ctx context.Context) error { return x.Rewrite(ctx, r) }})
	}
	return nil
}
