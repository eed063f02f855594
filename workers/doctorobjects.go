package workers

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/s3"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// store is the object store with what only S3 can be asked.
type store interface {
	blob.Store
	blob.Ruler
	Buckets(ctx context.Context) ([]string, error)
	Queues(ctx context.Context) ([]s3.Queue, error)
}

// objects asks the store anything at all.
func (d *doctor) objects(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	err := d.openObjects(ctx, Own{})
	if err == nil {
		err = listable(ctx, d.Blobs, artefact.Bucket)
	}
	if err == nil || errors.Is(err, blob.ErrNoBucket) || errors.Is(err, blob.ErrDenied) && !errors.Is(err, blob.ErrKeys) && !errors.Is(err, blob.ErrSkew) {
		return true // what is wrong with the bucket is said below
	}
	d.fail("objects", err)
	return false
}

// listable asks for the first key of a bucket: unlike a HEAD it has an answer that says what is wrong.
func listable(ctx context.Context, s blob.Store, bucket string) error {
	for _, err := range s.List(ctx, bucket, "", "") {
		return err
	}
	return nil
}

func (d *doctor) lookAtObjects(ctx context.Context, messages bool) {
	s, ok := d.Blobs.(store)
	if !ok {
		return
	}
	d.buckets(ctx)
	d.clock(ctx)
	d.lookAtRules(ctx, s, messages)
	d.unmapped(ctx, s)
	var err error
	if d.queues, err = s.Queues(ctx); err != nil && !errors.Is(err, blob.ErrUnsupported) {
		d.fail("queues of the store", err)
	}
}

// buckets looks at each bucket of the configuration.
func (d *doctor) buckets(ctx context.Context) {
	for _, name := range d.Config.sourceBuckets() {
		if err := listable(ctx, d.Blobs, name); err != nil {
			d.fail("bucket "+name, err)
			continue
		}
		_, err := d.Blobs.Head(ctx, name, "fingerpost-doctor-no-such-key")
		if err != nil && !errors.Is(err, blob.ErrNotFound) {
			d.fail("bucket "+name, err)
			continue
		}
		d.say("bucket "+name, true, "can be listed and read")
	}
}

// skewMost is how far clocks may be apart; times in records would mislead beyond it.
const skewMost = 30 * time.Second

// clock compares the store's clock with ours by an object of the derived bucket.
func (d *doctor) clock(ctx context.Context) {
	const key = "_doctor/clock"
	before := time.Now()
	_, err := d.Blobs.Put(ctx, artefact.Bucket, key, strings.NewReader("."), 1, blob.PutOptions{})
	if err != nil {
		d.fail("derived bucket", err)
		return
	}
	defer func() { _ = d.Blobs.Delete(ctx, artefact.Bucket, key) }()
	info, err := d.Blobs.Head(ctx, artefact.Bucket, key)
	if err != nil {
		d.fail("derived bucket", err)
		return
	}
	if skew := info.Modified.Sub(before).Abs(); skew > skewMost {
		d.say("clock of the store", false, "is %s away from this machine's; set both by NTP", skew.Round(time.Second))
		return
	}
	d.say("derived bucket", true, "can be written and read; clocks agree")
}

// lookAtRules looks whether each source's bucket tells of its changes, whether a stream takes what is told, and whether the derived
// bucket keeps silent.
func (d *doctor) lookAtRules(ctx context.Context, s store, messages bool) {
	if d.Config.Servers.S3.joined {
		return // the gateway tells by itself
	}
	derived, err := s.Rules(ctx, artefact.Bucket)
	switch {
	case errors.Is(err, blob.ErrUnsupported):
		return // versitygw and its like: the probe shows whether changes are told
	case err != nil && !errors.Is(err, blob.ErrNoBucket):
		d.fail("rules", err)
		return
	}
	d.rules = true
	for _, r := range derived {
		if d.ours(r.Target) {
			d.say("rules of "+artefact.Bucket, false, "the bucket of our own artefacts has a rule for %s, so each document would make events without end: `fingerpost setup` takes it off", r.Target)
		}
	}
	told := false
	for _, name := range d.Config.sourceBuckets() {
		told = d.bucketRules(ctx, s, name) || told
	}
	if told && messages {
		d.streamBeforeRule(ctx)
	}
}

// bucketRules says whether a source's bucket has a rule of ours.
func (d *doctor) bucketRules(ctx context.Context, s store, name string) bool {
	rules, err := s.Rules(ctx, name)
	if errors.Is(err, blob.ErrNoBucket) {
		return false // said of the bucket
	}
	if err != nil {
		d.fail("rules of "+name, err)
		return false
	}
	rules = slices.DeleteFunc(rules, func(r blob.Rule) bool { return !d.ours(r.Target) })
	if len(rules) == 0 && d.Config.Servers.S3.Listen {
		return false
	}
	whole := slices.ContainsFunc(rules, func(r blob.Rule) bool {
		return r.Prefix == "" && r.Suffix == "" && tells(r, "s3:ObjectRemoved:") && tells(r, "s3:ObjectCreated:")
	})
	switch {
	case len(rules) == 0:
		d.say("rules of "+name, false, "the bucket has no notification rule of ours, so changes are found by the walk only, every %s: run `fingerpost setup`; if the store knows no target, set MINIO_NOTIFY_NATS_* as deploy/minio/minio.env does (a target whose queue_dir it cannot write is refused at its start)", d.Config.ReconcileEvery)
	case !whole:
		d.say("rules of "+name, false, "no rule tells of everything that is made and removed, without a filter: `fingerpost setup` replaces ours")
	default:
		d.say("rules of "+name, true, "%d", len(rules))
	}
	return len(rules) > 0
}

// tells reports whether a rule is about all events that begin so.
func tells(r blob.Rule, begin string) bool {
	return slices.Contains(r.Events, begin+"*") || slices.Contains(r.Events, "s3:*")
}

// ours reports whether a target is one of those that setup uses.
func (d *doctor) ours(target string) bool {
	named := d.Config.Servers.S3.Targets
	if len(named) == 0 {
		named = slices.Concat(ourTargets, otherTargets)
	}
	_, id, _ := strings.Cut(target, ":sqs:") // a store may add its region
	return slices.ContainsFunc(named, func(n string) bool {
		_, want, ok := strings.Cut(n, ":sqs:")
		return n == target || ok && want[strings.Index(want, ":")+1:] == id[strings.Index(id, ":")+1:]
	})
}

// streamBeforeRule says when rules tell a subject that no stream keeps: then events are lost, or wait in the store's queue.
func (d *doctor) streamBeforeRule(ctx context.Context) {
	n, ok := d.Bus.(nats)
	if !ok {
		return
	}
	found, err := n.Compare(ctx, []bus.Stream{{Name: wire.EventStream, Subjects: []string{wire.EventSubject + ".>"}, MaxBytes: d.Config.Limits.StreamBytes}}, nil, nil)
	if err == nil && len(found) == 1 && found[0].Missing {
		d.say("rules", false, "buckets tell their changes and the stream %s that should keep them is missing, so events are lost: run `fingerpost setup`, which makes the stream first; a walk then finds what was missed", wire.EventStream)
	}
}

// unmapped names buckets that no source maps.
func (d *doctor) unmapped(ctx context.Context, s store) {
	names, err := s.Buckets(ctx)
	if err != nil {
		return // keys of a few buckets only need not list all
	}
	mapped := append(d.Config.sourceBuckets(), artefact.Bucket)
	for _, name := range names {
		if slices.Contains(mapped, name) {
			continue
		}
		if d.Config.Servers.S3.joined {
			d.say("bucket "+name, false, "no source maps it, so nothing in it is ever found: add it to sources, or remove it")
			continue
		}
		rules, err := s.Rules(ctx, name)
		if err == nil && slices.ContainsFunc(rules, func(r blob.Rule) bool { return d.ours(r.Target) }) {
			d.say("bucket "+name, false, "tells us its changes and no source maps it, so nothing in it is ever found: add it to sources, or take its rule off")
		}
	}
}

// queuesAfter compares the store's queues with what they were before the probes.
func (d *doctor) queuesAfter(ctx context.Context) {
	s, ok := d.Blobs.(store)
	if !ok || len(d.queues) == 0 {
		return
	}
	after, err := s.Queues(ctx)
	if err != nil {
		d.fail("queues of the store", err)
		return
	}
	for _, q := range after {
		before := s3.Queue{}
		if i := slices.IndexFunc(d.queues, func(x s3.Queue) bool { return x.Target == q.Target }); i >= 0 {
			before = d.queues[i]
		}
		switch {
		case before.Length > 0 && q.Length >= before.Length:
			d.say("queue of "+q.Target, false, "%d events wait in the store's queue and do not get fewer: if NATS is reached from the store, a file at the head of its queue_dir is torn and blocks the rest: remove the oldest file that is no whole JSON; a walk finds what it told", q.Length)
		case q.Failed > before.Failed:
			d.say("queue of "+q.Target, false, "%d events could not be sent while doctor looked: does the store reach NATS, with the right user, and has the stream room?", q.Failed-before.Failed)
		case q.Failed > 0 || q.Skipped > 0:
			d.say("queue of "+q.Target, false, "%d events could not be sent and %d were dropped since the store started: `fingerpost reconcile` finds what they told; use a target with queue_dir, and JETSTREAM=on", q.Failed, q.Skipped)
		default:
			d.say("queue of "+q.Target, true, "%d events wait, none failed", q.Length)
		}
	}
}
