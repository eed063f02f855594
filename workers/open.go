package workers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/gateway"
	"github.com/fingerpost/fingerpost/pkg/blob/s3"
	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/bus"
	busnats "github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/embedded"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/pkg/source"
	"github.com/fingerpost/fingerpost/pkg/telemetry"
	"github.com/fingerpost/fingerpost/pkg/trail"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/sqlite"
	"github.com/fingerpost/fingerpost/pkg/vector/weaviate"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/query"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

// System is everything a process holds: the only place that knows which vendor stands behind a port.
type System struct {
	Config    Config
	Addresses Addresses
	Keys      Keys
	Builds    *build.Registry
	Blobs     blob.Store
	Bus       bus.Bus
	Index     vector.Index
	Embedder  embedding.Embedder
	LLM       llm.Model // who writes answers; nil: code alone
	Ledger    *ledger.Ledger
	Artefacts artefact.Store
	Log       *slog.Logger
	// Seen, if set before Run, is told of every settled job.
	Seen func(pipeline.Settled)

	query    atomic.Pointer[query.Desk] // once Run has opened it
	closers  []func() error             // in order of opening
	gateway  *gateway.Server
	roles    []Role
	way      giveWay
	from     stock
	kits     kits
	watch    stopwatch
	walks    bus.KV // how far the reconciler is
	tasks    bus.KV // of re-indexes
	stats    func(vector.Build, doc.Tenant) vector.Stats
	metrics  *telemetry.Metrics
	tracer   *telemetry.Tracer // nil: no spans
	pulse    pulse
	trails   atomic.Pointer[trail.Writer]
	rounds   atomic.Pointer[rounds]
	rebuilds atomic.Pointer[reindex.Worker]
	last     atomic.Value // map[string]bool: the parts, when health was last asked
}

// Own replaces parts of the embedded default, for tests.
type Own struct {
	Embedder embedding.Embedder
	LLM      llm.Model
	// Second is another embedder, which a re-index asks for as "second".
	Second embedding.Embedder
	// Rules is a version of the rules of parsing and cutting, and Read what they do to an object; unset: the program's.
	Rules string
	Read  func(context.Context, string, []byte) (source.Source, error)
	// Events stands between the gateway and FP_EVENTS: what it hands to publish is stored.
	Events func(ctx context.Context, body []byte, publish func(context.Context, []byte) error) error
}

// Open starts the embedded servers and opens clients of all servers that the roles need: bus, state, build, index,
// objects. On an error what was opened is closed.
func Open(ctx context.Context, c Config, own Own, log *slog.Logger, roles ...Role) (*System, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if len(roles) == 0 {
		roles = Roles
	}
	s := &System{Config: c, Log: log, roles: roles}
	s.measure()
	s.pulse.beat()
	for _, step := range []func(context.Context, Own) error{s.openTracer, s.openData, s.openBus, s.patiently(s.openState), s.openLLM, s.openIndex, s.openObjects, s.makeBuckets, s.writeAddresses} {
		if err := step(ctx, own); err != nil {
			return nil, errors.Join(advised(err), s.Close())
		}
	}
	return s, nil
}

// embedsBus and embedsObjects say which servers run in this process.
func (s *System) embedsBus() bool     { return len(s.Config.Servers.NATS.URLs) == 0 }
func (s *System) embedsObjects() bool { return s.Config.Servers.S3.Endpoint == "" }

// patiently repeats a step while the bus does not answer, for about a minute: a cluster that has just started, or lost
// its leader, takes some seconds to choose one, more when every worker starts at the same moment.
func (s *System) patiently(step func(context.Context, Own) error) func(context.Context, Own) error {
	return func(ctx context.Context, own Own) (err error) {
		policy := retry.Policy{Tries: 20, First: 100 * time.Millisecond, Most: 2 * time.Second}
		away := retry.Do(ctx, policy, func() error {
			if err = step(ctx, own); errors.Is(err, bus.ErrAway) {
				s.Log.Warn("the bus does not answer yet", "err", err)
				return err
			}
			return nil
		})
		if away != nil {
			return away
		}
		return err
	}
}

// Close closes in reverse order. Safe to call twice.
func (s *System) Close() error {
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.closers[i]())
	}
	s.closers = nil
	return errors.Join(errs...)
}

func (s *System) onClose(f func() error) { s.closers = append(s.closers, f) }

func (s *System) openData(context.Context, Own) (err error) {
	if !s.embedsBus() && !s.embedsObjects() {
		return nil // nothing of this process lies in a folder
	}
	s.Keys, err = openFolder(s.Config.Data)
	return err
}

func (s *System) openBus(ctx context.Context, _ Own) error {
	o := s.Config.Servers.NATS.options()
	if s.embedsBus() {
		var err error
		if o, err = s.embedBus(); err != nil {
			return err
		}
	}
	o.Log = s.Log
	b, err := busnats.Connect(ctx, o)
	if err != nil {
		return err
	}
	s.Bus = b
	s.onClose(b.Close)
	return nil
}

// embedBus starts the NATS server of this process.
func (s *System) embedBus() (o busnats.Options, err error) {
	host, port, err := splitAddr("nats", s.Config.NATS)
	if err != nil {
		return o, err
	}
	srv, err := embedded.Start(embedded.Options{Dir: filepath.Join(s.Config.Data, "nats"), Host: host, Port: port,
		Tenants: s.Config.Tenants(), Log: s.Log})
	if err != nil {
		return o, err
	}
	s.onClose(srv.Stop)
	s.Addresses.NATS = srv.Addr()
	return srv.Client(), nil
}

func splitAddr(what, addr string) (string, int, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, fmt.Errorf("address of %s: %w; want host:port", what, err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return "", 0, fmt.Errorf("address of %s: port %q is no number", what, port)
	}
	return host, n, nil
}

func (s *System) openState(ctx context.Context, own Own) (err error) {
	docs, err := s.Bus.KV(ctx, wire.DocsBucket)
	if err != nil {
		return err
	}
	prefixes, err := s.Bus.KV(ctx, wire.PrefixesBucket)
	if err != nil {
		return err
	}
	if s.walks, err = s.Bus.KV(ctx, wire.WalkBucket); err != nil {
		return err
	}
	if s.tasks, err = s.Bus.KV(ctx, wire.ReindexBucket); err != nil {
		return err
	}
	if err := checkState(ctx, s.tasks); err != nil {
		return err
	}
	if s.Builds, err = build.Open(ctx, s.Bus); err != nil {
		return err
	}
	s.from = stock{own.Embedder, own.Second, s.Config.Servers, own.Rules, own.Read}
	if _, s.Embedder, err = openBuild(ctx, s.Builds, s.Config, s.from); err != nil {
		return err
	}
	s.Ledger = ledger.New(docs, prefixes, func(ctx context.Context, t doc.Tenant, id doc.ID) (doc.Generation, error) {
		return s.Artefacts.Highest(ctx, t, id)
	}).WithKin(s.Builds.Kin).Following(s.Builds.Live)
	ss, cs := streams(s.stages(), s.Config.Limits.StreamBytes, s.embedsBus())
	return s.Bus.Declare(ctx, ss, cs)
}

func (s *System) openIndex(ctx context.Context, _ Own) error {
	if !slices.ContainsFunc(s.roles, Role.NeedsIndex) {
		return nil
	}
	if !s.embedsBus() && s.Config.Servers.Weaviate.URL == "" {
		return fmt.Errorf("roles index, query and reconcile need the index, which a running `up` holds alone; name a Weaviate (servers.weaviate.url) or leave them to it")
	}
	if w := s.Config.Servers.Weaviate; w.URL != "" {
		ix, err := weaviate.Open(ctx, weaviate.Config{URL: w.URL, GRPC: w.GRPC, APIKey: w.APIKey})
		if err != nil {
			return err
		}
		s.Index, s.stats = ix, ix.Stats
		s.onClose(ix.Close)
		return nil
	}
	ix, err := sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(s.Config.Data, "index.db"), MaxEntries: s.Config.Limits.IndexEntries})
	if err != nil {
		return err
	}
	s.Index, s.stats = ix, ix.Stats
	s.onClose(ix.Close)
	return nil
}

// openObjects opens the object store: the one that is named, else the gateway of this process.
func (s *System) openObjects(ctx context.Context, own Own) error {
	conf := s.Config.Servers.S3.config()
	if s.embedsObjects() {
		if err := s.openGateway(ctx, own); err != nil {
			return err
		}
		conf = s3.Config{Endpoint: s.Addresses.S3, AccessKey: s.Keys.AccessKey, SecretKey: s.Keys.SecretKey}
	}
	store, err := s3.New(conf)
	if err != nil {
		return err
	}
	s.onClose(func() error { store.Close(); return nil })
	s.Blobs, s.Artefacts = store, artefact.Store{Blobs: store}
	return nil
}

// openGateway starts the S3 gateway; each change of an object is an event in FP_EVENTS before its client is answered.
func (s *System) openGateway(ctx context.Context, own Own) error {
	notify := s.notify
	if own.Events != nil {
		notify = func(ctx context.Context, body []byte) error { return own.Events(ctx, body, s.notify) }
	}
	gctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	srv, err := gateway.Start(gctx, gateway.Config{Addr: s.Config.S3, Dir: filepath.Join(s.Config.Data, "objects"),
		AccessKey: s.Keys.AccessKey, SecretKey: s.Keys.SecretKey, Protected: []string{artefact.Bucket}, Notify: notify})
	if err != nil {
		cancel()
		return err
	}
	s.gateway = srv
	s.onClose(func() error { cancel(); return srv.Wait() })
	s.Addresses.S3 = srv.Addr()
	return nil
}

func (s *System) makeBuckets(ctx context.Context, _ Own) error {
	names := []string{artefact.Bucket}
	for _, src := range s.Config.Sources {
		names = append(names, src.Bucket)
	}
	for _, n := range names {
		err := retry.Do(ctx, retry.Client, func() error { return s.Blobs.MakeBucket(ctx, n) })
		if err != nil {
			return fmt.Errorf("bucket %s: %w", n, err)
		}
	}
	return nil
}

// notify puts an event of the gateway into FP_EVENTS and returns when it is stored.
func (s *System) notify(ctx context.Context, body []byte) error {
	ctx, span := pipeline.Span(ctx, s.tracer, "put", telemetry.Producer, pipeline.Trace(ctx))
	err := s.Bus.Publish(ctx, bus.Message{Subject: wire.EventSubject + ".gateway", Data: body, Header: map[string]string{bus.TraceHeader: pipeline.Trace(ctx)}})
	span.End(map[bool]string{true: "failed"}[err != nil])
	return err
}

func (s *System) writeAddresses(context.Context, Own) error {
	if !s.embedsBus() && !s.embedsObjects() {
		return nil
	}
	s.Addresses.PID = os.Getpid()
	s.Addresses.HTTP = s.Config.HTTP
	file := filepath.Join(s.Config.Data, "up.json")
	s.onClose(func() error { return ignoreMissing(os.Remove(file)) })
	return writeJSON(file, s.Addresses)
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// embedders is how many texts pass the model at once: one a core but one, so that a question never waits
// for the background.
func (s *System) embedders() int {
	if s.Config.Workers > 0 {
		return s.Config.Workers
	}
	return max(1, runtime.NumCPU()-1)
}
