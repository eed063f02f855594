package workers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/bus"
	busnats "github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// Step is what setup did about one thing. Did is found, made, changed, note or failed; on a dry run missing and differs
// instead of made and changed. Detail of a failure says what to do.
type Step struct {
	Part   string `json:"part"`
	Did    string `json:"did"`
	Detail string `json:"detail,omitempty"`
}

// SetupOptions say how.
type SetupOptions struct {
	DryRun   bool          // look, and change nothing
	Versions bool          // buckets that are made keep versions
	Within   time.Duration // longest wait for servers that are starting; 0: two minutes
	Say      func(s Step)  // is told of each step as it is done
	Patience retry.Policy  // between tries; zero: a second, at most Within
	Own      Own           // for tests
}

// The errors of Setup.
var (
	ErrSetup = errors.New("not everything could be set up") // each failure was told by itself
	ErrLate  = errors.New("a server did not come up in time")
)

// setup makes what the servers must hold before the first object comes.
type setup struct {
	*System
	o      SetupOptions
	start  time.Time
	failed int
	late   bool
	live   build.Record
}

// Setup makes streams, consumers, state buckets, the build with its classes, the buckets, and their notification rules,
// in this order: a rule whose stream is missing loses events. What is there already is left or mended, so that it may run
// as often as one likes. A step that fails keeps only those from being done that stand on it. Errors: ErrSetup, with
// ErrLate; of ctx.
func Setup(ctx context.Context, c Config, o SetupOptions, log *slog.Logger) error {
	if err := c.Check(); err != nil {
		return err
	}
	if len(c.Servers.NATS.URLs) == 0 || c.Servers.S3.Endpoint == "" {
		return errors.New("setup: servers.nats.urls and servers.s3.endpoint must name servers; what is embedded makes what it needs")
	}
	if o.Within <= 0 {
		o.Within = 2 * time.Minute
	}
	if o.Patience == (retry.Policy{}) {
		o.Patience = retry.Policy{Tries: 100, First: 200 * time.Millisecond, Most: 2 * time.Second, Total: o.Within}
	}
	u := &setup{System: &System{Config: c, Log: log, roles: []Role{RoleIndex}}, o: o, start: time.Now()}
	defer u.Close()
	streams := u.messages(ctx) && u.streams(ctx)
	if streams {
		u.index(ctx)
	}
	if u.objects(ctx) && u.buckets(ctx) {
		if streams || o.DryRun {
			u.rules(ctx)
		} else {
			u.say("rules", "failed", "not set: the streams that take the events are not there yet; run setup again when the step above works")
		}
	}
	if u.failed > 0 && u.late {
		return fmt.Errorf("%w: %d steps failed: %w", ErrSetup, u.failed, ErrLate)
	}
	if u.failed > 0 {
		return fmt.Errorf("%w: %d steps failed", ErrSetup, u.failed)
	}
	return ctx.Err()
}

func (u *setup) say(part, did, format string, args ...any) {
	if did == "failed" {
		u.failed++
	}
	u.o.Say(Step{part, did, fmt.Sprintf(format, args...)})
}

// fail tells a failure with what to do about it, by whether the server of the setting answers at all; true when err is nil.
func (u *setup) fail(part string, err error, setting, otherwise string) bool {
	switch {
	case err == nil:
		return true
	case isStarting(err):
		u.late = true
		u.say(part, "failed", "%v; is the server of %s running and reached from here?", err, setting)
	default:
		u.say(part, "failed", "%v; %s", err, otherwise)
	}
	return false
}

// The settings that name the servers.
const (
	setNATS     = "servers.nats.urls"
	setS3       = "servers.s3.endpoint"
	setWeaviate = "servers.weaviate.url"
)

// starting are the errors of a server that may only need time.
var starting = []error{bus.ErrAway, blob.ErrAway, vector.ErrAway}

func isStarting(err error) bool {
	return slices.ContainsFunc(starting, func(e error) bool { return errors.Is(err, e) })
}

// patient repeats f while a server starts; what else is wrong is not mended by waiting.
func (u *setup) patient(ctx context.Context, p retry.Policy, f func() error, may ...error) error {
	var last error
	err := retry.Do(ctx, p, func() error {
		last = f()
		if isStarting(last) || slices.ContainsFunc(may, func(e error) bool { return errors.Is(last, e) }) {
			return last
		}
		return nil
	})
	if err == nil {
		return last
	}
	return err
}

// messages connects to NATS.
func (u *setup) messages(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, u.o.Within)
	defer cancel()
	return u.fail("messages", u.openBus(ctx, u.o.Own), setNATS, "are user and password (or creds, nkey, token) right?")
}

// stateBuckets are the KV buckets.
var stateBuckets = []string{wire.DocsBucket, wire.PrefixesBucket, wire.WalkBucket, wire.BuildsBucket, wire.LiveBucket, wire.ReindexBucket}

// streams makes streams, consumers and KV buckets.
func (u *setup) streams(ctx context.Context) bool {
	ss, cs := streams(chain(nil, nil, nil, nil, 1, 1, u.Config.Lease), u.Config.Limits.StreamBytes, false)
	var found []busnats.Difference
	err := u.patient(ctx, u.o.Patience, func() (err error) {
		b, ok := u.Bus.(interface {
			Compare(context.Context, []bus.Stream, []bus.Consumer, []string) ([]busnats.Difference, error)
		})
		if ok {
			found, err = b.Compare(ctx, ss, cs, stateBuckets)
		}
		if err != nil || u.o.DryRun {
			return err
		}
		return u.declare(ctx, ss, cs)
	})
	if !u.fail("streams", err, setNATS, "JetStream must be on, and the user must be allowed to make streams and buckets ($JS.API.>)") {
		return false
	}
	for _, d := range found {
		switch {
		case d.Missing:
			u.say(d.What, u.did("made"), "")
		case len(d.Changes) > 0:
			u.say(d.What, u.did("changed"), "%s", strings.Join(d.Changes, ", "))
		default:
			u.say(d.What, "found", "")
		}
	}
	return true
}

func (u *setup) declare(ctx context.Context, ss []bus.Stream, cs []bus.Consumer) error {
	for _, name := range stateBuckets {
		if _, err := u.Bus.KV(ctx, name); err != nil {
			return err
		}
	}
	return u.Bus.Declare(ctx, ss, cs)
}

// did is the word for what was done, or would be.
func (u *setup) did(word string) string {
	if !u.o.DryRun {
		return word
	}
	return map[string]string{"made": "missing", "changed": "differs"}[word]
}

// index makes the first build's record, which fixes the embedder, and the classes of the live build. The embedded index
// needs none.
func (u *setup) index(ctx context.Context) {
	if u.o.DryRun {
		if !u.liveBuild(ctx) {
			return
		}
	} else {
		err := u.patient(ctx, u.o.Patience, func() error { return u.openState(ctx, u.o.Own) })
		if !u.fail("build", err, setNATS, "the embedder of the configuration must answer; in Ollama the model must be pulled") {
			return
		}
		if u.live, err = u.Builds.Get(ctx, u.Builds.Live()); !u.fail("build", err, setNATS, "its record cannot be read") {
			return
		}
		did := "found"
		if u.live.Created.After(u.start) {
			did = "made"
		}
		u.say("build", did, "%d: embedder %s, model %s, %d dimensions", u.live.Sequence, u.live.Embedder, u.live.Vectors.Model, u.live.Vectors.Dimensions)
	}
	if u.Config.Servers.Weaviate.URL == "" {
		return
	}
	err := u.patient(ctx, u.o.Patience, func() error { return u.openIndex(ctx, u.o.Own) })
	if !u.fail("index", err, setWeaviate, "is the API key right?") {
		return
	}
	x, ok := u.Index.(interface {
		Prepare(ctx context.Context, b vector.Build, dim int, dry bool) ([]string, error)
	})
	if !ok {
		return
	}
	made, err := x.Prepare(ctx, vector.Build(u.live.Sequence), u.live.Vectors.Dimensions, u.o.DryRun)
	if !u.fail("classes", err, setWeaviate, "the key must be allowed to make classes") {
		return
	}
	for _, name := range made {
		u.say("class "+name, u.did("made"), "")
	}
	if len(made) == 0 {
		u.say("classes", "found", "of build %d", u.live.Sequence)
	}
}

// liveBuild reads the live build without making anything.
func (u *setup) liveBuild(ctx context.Context) bool {
	b, ok := u.Bus.(interface {
		Compare(context.Context, []bus.Stream, []bus.Consumer, []string) ([]busnats.Difference, error)
	})
	if !ok {
		return false
	}
	d, err := b.Compare(ctx, nil, nil, []string{wire.BuildsBucket})
	if !u.fail("build", err, setNATS, "the user must be allowed to read streams") {
		return false
	}
	if d[0].Missing {
		u.say("build", "missing", "1: made with embedder %s", u.Config.Embedder)
		u.live.Sequence = 1
		return true
	}
	builds, err := build.Open(ctx, u.Bus)
	if err == nil && builds.Live() != 0 {
		u.live, err = builds.Get(ctx, builds.Live())
	}
	if err == nil && u.live.Sequence == 0 {
		u.say("build", "missing", "1: made with embedder %s", u.Config.Embedder)
		u.live.Sequence = 1
		return true
	}
	return u.fail("build", err, setNATS, "its record cannot be read")
}

// objects opens the object store.
func (u *setup) objects(ctx context.Context) bool {
	return u.fail("objects", u.openObjects(ctx, u.o.Own), setS3, "name the store in servers.s3")
}

// buckets makes the derived bucket and those of the sources.
func (u *setup) buckets(ctx context.Context) bool {
	ok := true
	for _, name := range append([]string{artefact.Bucket}, u.sourceBuckets()...) {
		ok = u.bucket(ctx, name) && ok
	}
	return ok
}

// sourceBuckets is each bucket of the sources once.
func (c *Config) sourceBuckets() (names []string) {
	for _, s := range c.Sources {
		if !slices.Contains(names, s.Bucket) {
			names = append(names, s.Bucket)
		}
	}
	return names
}

func (u *setup) sourceBuckets() []string { return u.Config.sourceBuckets() }

func (u *setup) bucket(ctx context.Context, name string) bool {
	var made bool
	err := u.patient(ctx, u.o.Patience, func() error {
		_, err := u.Blobs.Head(ctx, name, "fingerpost-setup-no-such-key")
		if made = errors.Is(err, blob.ErrNoBucket); made && !u.o.DryRun {
			return u.makeBucket(ctx, name)
		}
		if made || errors.Is(err, blob.ErrNotFound) {
			return nil
		}
		return err
	})
	if !u.fail("bucket "+name, err, setS3, "the keys must be right, and be allowed to make, list and read this bucket") {
		return false
	}
	if made {
		u.say("bucket "+name, u.did("made"), "")
	} else {
		u.say("bucket "+name, "found", "")
	}
	return true
}

func (u *setup) makeBucket(ctx context.Context, name string) error {
	if err := u.Blobs.MakeBucket(ctx, name); err != nil {
		return err
	}
	s, ok := u.Blobs.(interface {
		KeepVersions(ctx context.Context, bucket string) error
	})
	if !u.o.Versions || name == artefact.Bucket || !ok {
		return nil
	}
	err := s.KeepVersions(ctx, name)
	if errors.Is(err, blob.ErrUnsupported) {
		u.say("bucket "+name, "note", "the store keeps no versions")
		return nil
	}
	return err
}
