// Package intake turns store notifications into jobs: one job an object version. Events are hints:
// whatever an event is called, intake reads the object's HEAD and works on what is there.
package intake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/notice"
	"github.com/fingerpost/fingerpost/pkg/origin"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/telemetry"
	"github.com/fingerpost/fingerpost/pkg/trail"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// Source maps objects to a tenant.
type Source struct {
	Bucket, Prefix string
	Tenant         doc.Tenant
	Language       string        // "" is detected
	Exclude        []string      // key suffixes or path prefixes that are skipped by rule
	Events         notice.Source // how this store writes its events; "" is told from the bytes
}

// Where is the bucket and the prefix in it.
func (s Source) Where() (bucket, prefix string) { return s.Bucket, s.Prefix }

// Target is a build that changes are written to.
type Target struct {
	Build  uint32
	Lead   bool // its parse, chunk and embed are those of its kin too: of builds with the same artefacts one leads
	Behind bool // it is still being brought in: its work waits behind live work
}

// Worker is the intake.
type Worker struct {
	Sources []Source
	Blobs   blob.Store
	Ledger  *ledger.Ledger
	Bus     bus.Bus
	Log     *slog.Logger
	Build   uint32 // of the jobs, when Targets is nil
	// Targets are the builds that every change is written to.
	Targets func() []Target
	MaxSize int64 // bytes of one object
	// List asks for a walk of the buckets: a store did not say which object changed.
	List func(ctx context.Context) error
	// BulkOver: when more jobs of a tenant than this wait for parse in the live lane, further ones of it go to bulk.
	BulkOver uint64
	Grace    time.Duration     // how long events in hand may go on after the stop; 0: 10 s
	Trail    *trail.Writer     // is told of every event and decision; nil: nobody is
	Tracer   *telemetry.Tracer // nil: no spans
	// Seen, if set, is told of every event: the time it took, the time it waited, and what went wrong.
	Seen func(took, waited time.Duration, err error)

	floods floods
}

// Handle does the work of one event. What of it cannot be read is told in the log and is done:
// the bucket is the truth, and the walk finds what it spoke of.
func (w *Worker) Handle(ctx context.Context, body []byte, src notice.Source) error {
	notices, err := notice.Decode(body, src)
	if err != nil {
		w.Log.Warn("event not understood", "readable", len(notices), "err", err)
	}
	for _, n := range notices {
		if err := w.notice(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// notice looks at the object; at its other reading too when only that one exists; at the whole bucket when
// the store did not say which object it was.
func (w *Worker) notice(ctx context.Context, n notice.Notice) error {
	if n.List {
		return w.List(bus.WithTrace(ctx, "")) // each document that it finds has a trace of its own
	}
	ctx = ofEvent(ctx, n.Name)
	if n.Other != "" {
		if _, err := w.Blobs.Head(ctx, n.Bucket, n.Key); errors.Is(err, blob.ErrNotFound) {
			if _, err := w.Blobs.Head(ctx, n.Bucket, n.Other); err == nil {
				if err := w.Object(ctx, n.Bucket, n.Other); err != nil {
					return err
				}
			}
		}
	}
	return w.Object(ctx, n.Bucket, n.Key)
}

// looks is how often an object is looked at because it changed while it was.
const looks = 5

// Object makes the ledger agree with what the bucket holds under the key, now. What was known before the look is the
// condition of the decision: when another one was made meanwhile, what was seen may be old, and it looks again.
func (w *Worker) Object(ctx context.Context, bucket, key string) (err error) {
	s, ok := w.source(bucket, key)
	if !ok {
		level := slog.LevelWarn
		if bucket == artefact.Bucket { // a store that tells of every bucket tells of our own writing as well
			level = slog.LevelDebug
		}
		w.Log.Log(ctx, level, "no source maps this object", "bucket", bucket, "key", key)
		return nil
	}
	if pipeline.Trace(ctx) == "" {
		var span telemetry.Span // a document's way begins here
		ctx, span = pipeline.Span(ctx, w.Tracer, "look", telemetry.Producer, "")
		defer func() { span.End(failure(err)) }()
	}
	for range looks {
		err = w.look(ctx, s, key)
		if !errors.Is(err, ledger.ErrMoved) && !errors.Is(err, blob.ErrPrecondition) && !errors.Is(err, blob.ErrNotFound) {
			return err
		}
	}
	return fmt.Errorf("%s/%s changed during each of %d looks: %w", bucket, key, looks, err)
}

// look decides once about an object.
func (w *Worker) look(ctx context.Context, s Source, key string) error {
	old, err := w.Ledger.Get(ctx, s.Tenant, doc.NewID(s.Tenant, s.Bucket, key))
	if err != nil && !errors.Is(err, bus.ErrNoKey) {
		return err
	}
	info, err := w.Blobs.Head(ctx, s.Bucket, key)
	switch {
	case err == nil:
		return w.upsert(ctx, s, info, old)
	case errors.Is(err, blob.ErrNotFound):
		return w.remove(ctx, s, key, old.Generation)
	case errors.Is(err, blob.ErrNoBucket):
		w.Log.Warn("bucket is gone: nothing is removed on its account", "bucket", s.Bucket, "key", key)
		return nil
	}
	return fmt.Errorf("head of %s/%s: %w", s.Bucket, key, err)
}

// source is the source with the longest prefix that holds the object.
func (w *Worker) source(bucket, key string) (Source, bool) {
	i := origin.Of(w.Sources, bucket, key)
	if i < 0 || bucket == artefact.Bucket {
		return Source{}, false
	}
	return w.Sources[i], true
}

// upsert accepts the present version and publishes its job when there is work.
func (w *Worker) upsert(ctx context.Context, s Source, info blob.Info, old ledger.Record) error {
	o := ledger.Object{Tenant: s.Tenant, Bucket: info.Bucket, Key: info.Key, VersionID: info.VersionID, ETag: info.ETag,
		Size: info.Size, Language: s.Language, Meta: info.Meta, Dropped: time.Now().UTC(), Seen: &old.Generation}
	if l := words.Language(strings.ToLower(info.Meta["language"])); l.Known() { // any other word would be a language to every question
		o.Language = string(l)
	}
	verdict := w.admit(s, info)
	var err error
	if o.Version, err = w.version(ctx, info, old, verdict != nil); err != nil {
		return err
	}
	r, change, err := w.Ledger.Accept(ctx, o)
	if v, class := fault.Of(err); v == fault.Fail { // no record can hold it: the letter is all there is
		w.Log.Error("object refused", "bucket", info.Bucket, "key", info.Key, "err", err)
		return pipeline.Bury(ctx, w.Bus, "intake", wire.Job{Tenant: o.Tenant, DocID: o.ID(), Bucket: o.Bucket, Key: o.Key, Version: o.Version, Kind: wire.Dropped}, class, err)
	}
	if err != nil {
		return err
	}
	w.tell(ctx, r, decisions[change], change != ledger.Nothing)
	return w.accepted(ctx, r, change, verdict)
}

// accepted does what a change asks for. A refused version's purge is asked for again whenever it is seen: an
// earlier try may have died before it could.
func (w *Worker) accepted(ctx context.Context, r ledger.Record, change ledger.Change, verdict error) error {
	work := change == ledger.Fresh || change == ledger.Again
	switch {
	case verdict != nil && work:
		return w.refuse(ctx, r, verdict)
	case verdict != nil:
		return w.publish(ctx, r, wire.Index, wire.Removed)
	case work:
		return w.publish(ctx, r, wire.Parse, wire.Dropped)
	}
	return nil
}

// admit says why an object is not read at all; nil when it is.
func (w *Worker) admit(s Source, info blob.Info) error {
	if info.Sealed {
		return fault.Failf(doc.Encrypted, "object is encrypted by a key that only its writer has (SSE-C): it cannot be read; store it with the store's own encryption")
	}
	if strings.HasSuffix(info.Key, "/") && info.Size == 0 {
		return fault.Skipf(doc.Excluded, "folder marker")
	}
	for _, x := range s.Exclude {
		if strings.HasSuffix(info.Key, x) || strings.HasPrefix(info.Key, x) {
			return fault.Skipf(doc.Excluded, "excluded by the rule %q of its source", x)
		}
	}
	if info.Size > w.MaxSize {
		return fault.Failf(doc.TooLarge, "object has %d bytes, over the limit of %d (max_size); raise it or split the file", info.Size, w.MaxSize)
	}
	return nil
}

// refuse ends the version in its list at once; a failed one leaves a dead letter.
func (w *Worker) refuse(ctx context.Context, r ledger.Record, verdict error) error {
	v, class := fault.Of(verdict)
	state := doc.Skipped
	if v == fault.Fail {
		state = doc.Failed
		if err := pipeline.Bury(ctx, w.Bus, "intake", Job(r, w.targets()[0].Build, wire.Dropped), class, verdict); err != nil {
			return err
		}
	}
	reason := pipeline.Cut(verdict.Error())
	for _, t := range w.targets() {
		if err := w.Ledger.For(t.Build).End(ctx, r.Tenant, r.DocID, r.Generation, state, class, reason); err != nil {
			return err
		}
	}
	w.tell(ctx, r, string(state)+": "+reason, true)
	return w.publish(ctx, r, wire.Index, wire.Removed) // what an older version left behind
}

// version is the SHA-256 of the object. The bytes are not read again when the store says they are
// the ones we know: an equal ETag means equal bytes (an unequal one means nothing). A refused object is never
// read: its version is made of ETag and size, so that it is a new one when rule or limit change.
func (w *Worker) version(ctx context.Context, info blob.Info, old ledger.Record, unread bool) (doc.Version, error) {
	if unread {
		return unreadVersion(info), nil
	}
	if info.ETag != "" && old.ETag == info.ETag && old.Size == info.Size && old.State != doc.Deleted && old.Version != unreadVersion(info) {
		return old.Version, nil
	}
	rc, _, err := w.Blobs.Get(ctx, info.Bucket, info.Key, blob.GetOptions{IfMatch: info.ETag, VersionID: info.VersionID})
	if err != nil {
		return "", err
	}
	defer rc.Close()
	h := sha256.New()
	if _, err := io.Copy(h, rc); err != nil {
		return "", fmt.Errorf("read %s/%s: %w", info.Bucket, info.Key, err)
	}
	return doc.Version(hex.EncodeToString(h.Sum(nil))), nil
}

func unreadVersion(info blob.Info) doc.Version {
	return doc.VersionOf(fmt.Appendf(nil, "%s %d", info.ETag, info.Size))
}

// remove writes the tombstone and publishes the purge.
func (w *Worker) remove(ctx context.Context, s Source, key string, seen doc.Generation) error {
	r, found, err := w.Ledger.RemoveSeen(ctx, s.Tenant, doc.NewID(s.Tenant, s.Bucket, key), time.Now().UTC(), seen)
	if err != nil || !found {
		return err
	}
	w.tell(ctx, r, "gone: a tombstone", true)
	return w.publish(ctx, r, wire.Index, wire.Removed)
}

// Job is the message about a record's accepted generation.
func Job(r ledger.Record, build uint32, k wire.Kind) wire.Job {
	return wire.Job{Tenant: r.Tenant, DocID: r.DocID, Bucket: r.Bucket, Key: r.Key, Generation: r.Generation, Version: r.Version,
		VersionID: r.VersionID, ETag: r.ETag, Build: build, Kind: k, Epoch: r.Epoch, Dropped: r.Dropped}
}

// publish hands a change on to every build, the live one first: parsing once for those that share artefacts, purging in
// each.
func (w *Worker) publish(ctx context.Context, r ledger.Record, s wire.Stage, k wire.Kind) error {
	for _, t := range w.targets() {
		if s == wire.Parse && !t.Lead {
			continue
		}
		lane, err := w.lane(ctx, r.Tenant, s)
		if err != nil {
			return err
		}
		if t.Behind && s == wire.Parse {
			lane = wire.Bulk
		}
		if err := pipeline.Publish(ctx, w.Bus, lane, pipeline.Next{Stage: s, Job: Job(r, t.Build, k)}); err != nil {
			return err
		}
	}
	return nil
}

func (w *Worker) targets() []Target {
	if w.Targets == nil {
		return []Target{{Build: w.Build, Lead: true}}
	}
	return w.Targets()
}
