package reindex

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/origin"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/workers/audit"
)

// Worker re-indexes.
type Worker struct {
	Builds    *build.Registry
	State     bus.KV // FP_REINDEX
	Bus       bus.Bus
	Ledger    *ledger.Ledger
	Blobs     blob.Store
	Artefacts artefact.Store // of all folders
	Index     vector.Index
	Sources   []origin.Source
	// Wanted is the record of a build as program and configuration would make it now, with the embedder named.
	Wanted func(ctx context.Context, embedder string) (build.Record, error)
	// Rules is what the program has beside an embedder: Pipeline, Analyzer and Chunker.
	Rules build.Record
	Audit func(ctx context.Context, build uint32) (*audit.Worker, error)
	Log   *slog.Logger

	ID      string        // of this process; one that comes back under the same ID has its lease at once
	Lease   time.Duration // after which another process goes on
	Keep    time.Duration // how long a build that was live is kept after it was replaced
	Late    time.Duration // after the drop of a build, within which a job that was in hand may still write
	Slow    time.Duration // p95 of questions above which it gives way
	Window  int           // jobs that may wait at once
	Latency func(ctx context.Context) (p95 time.Duration, asked int)

	Schedule Schedule // of re-indexes that begin by themselves

	looked  time.Time // at the schedule, by who holds the lease
	bell    bell      // rung when this process was asked to begin or to go on
	cleared time.Time // the shelf was looked over, by who holds the lease
}

// Stages at which a re-index may begin.
const (
	FromParse = "parse"
	FromChunk = "chunk"
	FromEmbed = "embed"
)

// depth orders the stages: a greater one leaves more as it is.
var depth = map[string]int{FromParse: 0, FromChunk: 1, FromEmbed: 2}

// Plan compares a build with what the program would make now: the last stage at which work may begin, and why. Nothing
// differs: embed, with no reason.
func Plan(live, want build.Record) (from, why string) {
	switch {
	case live.Pipeline != want.Pipeline:
		return FromParse, fmt.Sprintf("the rules of parsing and cutting are %s, not %s", want.Pipeline, live.Pipeline)
	case live.Chunker != want.Chunker:
		return FromChunk, fmt.Sprintf("text is cut by %s, not %s", sizes(want.Chunker), sizes(live.Chunker))
	case live.Vectors != want.Vectors:
		return FromChunk, fmt.Sprintf("the model is %s (%.12s, %d dimensions), not %s (%.12s, %d dimensions)",
			want.Vectors.Model, want.Vectors.Digest, want.Vectors.Dimensions, live.Vectors.Model, live.Vectors.Digest, live.Vectors.Dimensions)
	case live.Analyzer != want.Analyzer:
		return FromEmbed, fmt.Sprintf("words are analysed by %s, not %s", want.Analyzer, live.Analyzer)
	}
	return FromEmbed, ""
}

func sizes(c build.Chunker) string {
	s := func(n int, unit string) string {
		if n == 0 {
			return "the usual " + unit
		}
		return fmt.Sprintf("%d %s", n, unit)
	}
	return s(c.Target, "tokens") + " and " + s(c.Window, "characters")
}

func refuse(code int, format string, args ...any) error {
	return &bus.ServiceError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Start makes a new build and puts the re-index on its way. From "" is the last stage at which work may begin.
func (w *Worker) Start(ctx context.Context, from, embedder string) (Task, error) {
	return w.start(ctx, from, embedder, func(*Task) {})
}

// start is Start that sets more of the task in the same write.
func (w *Worker) start(ctx context.Context, from, embedder string, more func(*Task)) (Task, error) {
	now, ok, err := w.Task(ctx)
	if err != nil {
		return now, err
	}
	if ok && (now.State == Running || now.State == Paused || now.State == Ready) {
		return now, refuse(409, "a re-index into build %d is %s already; promote or drop it first", now.Build, now.State)
	}
	live, err := w.Builds.Get(ctx, w.Builds.Live())
	if err != nil {
		return now, err
	}
	want, err := w.Wanted(ctx, embedder)
	if err != nil {
		return now, refuse(400, "%v", err)
	}
	least, why := Plan(live, want)
	if from == "" {
		from = least
	}
	switch d, known := depth[from]; {
	case !known:
		return now, refuse(400, "from %q is not known; say parse, chunk or embed", from)
	case d > depth[least]:
		return now, refuse(409, "re-index needed from %s, not from %s: %s", least, from, why)
	}
	want.Folder = live.In()
	if from != FromEmbed {
		want.Folder = "*"
	}
	want.State, want.Parent, want.From = build.Building, live.Sequence, from
	return w.begin(ctx, want, why, more)
}

func (w *Worker) begin(ctx context.Context, want build.Record, why string, more func(*Task)) (Task, error) {
	total, err := w.count(ctx)
	if err != nil {
		return Task{}, err
	}
	rec, err := w.Builds.Make(ctx, want)
	if err != nil {
		return Task{}, err
	}
	defer w.bell.ring()
	return w.change(ctx, func(t *Task) error {
		if t.State == Running || t.State == Paused { // another one was faster; ours is collected as nobody's
			return refuse(409, "a re-index into build %d has begun this moment", t.Build)
		}
		*t = Task{Build: rec.Sequence, Parent: rec.Parent, State: Running, From: rec.From, Why: why, Pass: 1, Total: total, Window: w.Window, Started: time.Now().UTC()}
		more(t)
		return nil
	})
}

// count is how many objects the sources hold.
func (w *Worker) count(ctx context.Context) (n int, err error) {
	for _, s := range w.Sources {
		for info, err := range w.Blobs.List(ctx, s.Bucket, s.Prefix, "") {
			if err != nil {
				return n, fmt.Errorf("bucket %s: %w", s.Bucket, err)
			}
			if s.Own(info.Key) {
				n++
			}
		}
	}
	return n, nil
}

// Pause stops handing on; what is in the chain is done. Resume goes on.
func (w *Worker) Pause(ctx context.Context) (Task, error) { return w.turn(ctx, Running, Paused) }

// Resume goes on after a Pause.
func (w *Worker) Resume(ctx context.Context) (Task, error) { return w.turn(ctx, Paused, Running) }

func (w *Worker) turn(ctx context.Context, from, to State) (Task, error) {
	defer w.bell.ring()
	return w.change(ctx, func(t *Task) error {
		if t.State != from {
			return refuse(409, "no re-index is %s; the last one is %q", from, t.State)
		}
		t.State = to
		return nil
	})
}
