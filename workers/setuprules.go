package workers

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/retry"
)

// ourTargets are MinIO's notification targets as deploy/minio/minio.env names them: one keeps events in a queue on disk
// while NATS is away and is about two seconds behind, one is there at once and loses them.
var ourTargets = []string{"arn:minio:sqs::SAFE:nats", "arn:minio:sqs::FAST:nats"}

// otherTargets are the names that MinIO's documentation uses, tried when neither of ours is known.
var otherTargets = []string{"arn:minio:sqs::PRIMARY:nats", "arn:minio:sqs::1:nats", "arn:minio:sqs::_:nats"}

// known is how long a target that is not known may only need time: MinIO answers requests a moment before it knows its
// targets. Shorter than the wait for a server, for a target that was never set up will not come.
var known = retry.Policy{Tries: 4, First: 50 * time.Millisecond, Most: 500 * time.Millisecond, Total: 5 * time.Second}

// rules has each source's bucket tell of its changes, and takes rules to our targets off the derived bucket: a rule there
// would have every artefact tell of itself.
func (u *setup) rules(ctx context.Context) {
	store, ok := u.Blobs.(blob.Ruler)
	if !ok {
		return
	}
	if u.Config.Servers.S3.joined {
		u.say("rules", "found", "the embedded gateway tells of every change by itself")
		return
	}
	targets := u.Config.Servers.S3.Targets
	named := len(targets) > 0
	if !named {
		targets = ourTargets
	}
	if !u.clear(ctx, store, targets) {
		return
	}
	for _, bucket := range u.sourceBuckets() {
		set, ok := u.bucketRules(ctx, store, bucket, targets, known)
		if ok && set == 0 && !named && !u.o.DryRun { // by now the store knows all that it will ever know
			set, ok = u.bucketRules(ctx, store, bucket, otherTargets, retry.Policy{Tries: 1})
		}
		if !ok {
			return // the same would be said of every bucket
		}
		u.judge(bucket, set, named)
	}
}

// clear takes rules to our targets off the derived bucket. False: the store has no rules, or may not be asked.
func (u *setup) clear(ctx context.Context, store blob.Ruler, targets []string) bool {
	var there []blob.Rule
	err := u.patient(ctx, u.o.Patience, func() (err error) {
		there, err = store.Rules(ctx, artefact.Bucket)
		return err
	})
	if errors.Is(err, blob.ErrUnsupported) {
		u.silent()
		return false
	}
	if errors.Is(err, blob.ErrNoBucket) && u.o.DryRun {
		return true
	}
	if !u.fail("rules", err, setS3, "the keys must be allowed to read and set the notification rules of a bucket") {
		return false
	}
	for _, t := range targets {
		n := 0
		if u.o.DryRun {
			for _, r := range there {
				if r.Target == t {
					n++
				}
			}
		} else if n, err = store.RemoveRules(ctx, artefact.Bucket, t); !u.fail("rules of "+artefact.Bucket, err, setS3, "take them off by hand: artefacts must not tell of themselves") {
			return false
		}
		if n > 0 {
			u.say("rules of "+artefact.Bucket, u.did("changed"), "%d rules for %s taken off: artefacts must not tell of themselves", n, t)
		}
	}
	return true
}

// silent says what to do where the store has no notification rules.
func (u *setup) silent() {
	how := "have it publish its own events to a subject fp.events.<name> (versitygw: --event-nats-url, --event-nats-topic fp.events.versitygw; AWS: by a queue and its own rules), or set servers.s3.listen where it offers MinIO's listening"
	if u.Config.Servers.S3.Listen {
		how = "servers.s3.listen is set: the role reconcile listens to it"
	}
	u.say("rules", "note", "this store takes no notification rules from us (501); %s; without either the walk of the buckets finds changes every %s", how, u.Config.ReconcileEvery)
}

// bucketRules sets a rule for each target and returns how many there are now. False ends it for every bucket.
func (u *setup) bucketRules(ctx context.Context, store blob.Ruler, bucket string, targets []string, wait retry.Policy) (set int, ok bool) {
	if u.o.DryRun {
		return u.wouldSet(ctx, store, bucket, targets)
	}
	for _, t := range targets {
		part := "rule of " + bucket + " for " + t
		var changed bool
		err := u.patient(ctx, wait, func() (err error) {
			changed, err = store.AddRule(ctx, bucket, t)
			return err
		}, blob.ErrNoTarget)
		switch {
		case errors.Is(err, blob.ErrNoTarget):
			u.say(part, "note", "%v", err)
			continue
		case errors.Is(err, blob.ErrUnsupported):
			u.silent()
			return 0, false
		case !u.fail(part, err, setS3, "the keys must be allowed to set the notification rules of the bucket"):
			return 0, false
		case changed:
			u.say(part, "made", "")
		default:
			u.say(part, "found", "")
		}
		set++
	}
	return set, true
}

func (u *setup) wouldSet(ctx context.Context, store blob.Ruler, bucket string, targets []string) (int, bool) {
	rules, err := store.Rules(ctx, bucket)
	if errors.Is(err, blob.ErrNoBucket) {
		err = nil
	}
	if !u.fail("rules of "+bucket, err, setS3, "the keys must be allowed to read the notification rules of the bucket") {
		return 0, false
	}
	for _, t := range targets {
		did := "missing"
		for _, r := range rules {
			if r.Target == t {
				did = "found"
			}
		}
		u.say("rule of "+bucket+" for "+t, did, "")
	}
	return len(targets), true
}

// judge says what the rules that a bucket has are worth.
func (u *setup) judge(bucket string, set int, named bool) {
	switch {
	case set == 0 && named:
		u.say("rules of "+bucket, "failed", "the store knows none of the targets in servers.s3.targets; `mc admin info --json` lists its ARNs (sqsARN)")
	case set == 0:
		u.say("rules of "+bucket, "failed", "the store knows none of the targets %s; set MINIO_NOTIFY_NATS_* as deploy/minio/minio.env does and restart it, or name its ARNs in servers.s3.targets",
			strings.Join(append(ourTargets, otherTargets...), ", "))
	case set == 1:
		u.say("rules of "+bucket, "note", "one target only: with a queue on disk events come two seconds late, without one those are lost that happen while NATS is away; deploy/minio/minio.env has both")
	}
}
