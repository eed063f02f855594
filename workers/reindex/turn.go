package reindex

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/workers/audit"
)

// Counts is documents of a build by state.
type Counts struct {
	Indexed int `json:"indexed"`
	Pending int `json:"pending"`
	Skipped int `json:"skipped"`
	Failed  int `json:"failed"`
}

// Comparison is the live build beside another one.
type Comparison struct {
	Live        uint32           `json:"live"`
	Build       uint32           `json:"build"`
	LiveCounts  Counts           `json:"live_counts"`
	BuildCounts Counts           `json:"build_counts"`
	Behind      int              `json:"behind"` // documents whose version here is older than in the live build
	Worse       int              `json:"worse"`  // documents that are found in the live build and have ended here
	Entries     map[doc.Kind]int `json:"entries"`
	AuditOK     bool             `json:"audit_ok"`
	Differences []string         `json:"differences,omitempty"` // of the audit, the first few
}

// Compare counts both builds and audits the other one.
func (w *Worker) Compare(ctx context.Context, seq uint32) (Comparison, error) {
	if seq == 0 {
		t, ok, err := w.Task(ctx)
		if err != nil {
			return Comparison{}, err
		}
		if !ok {
			return Comparison{}, refuse(409, "there is no build to compare with; start a re-index")
		}
		seq = t.Build
	}
	c := Comparison{Live: w.Builds.Live(), Build: seq}
	if err := w.counts(ctx, &c); err != nil {
		return c, err
	}
	a, err := w.Audit(ctx, seq)
	if err != nil {
		return c, err
	}
	rep, err := a.Run(ctx, audit.Options{})
	if err != nil {
		return c, err
	}
	c.Entries, c.AuditOK = rep.Entries, rep.OK()
	for _, d := range rep.Differences[:min(len(rep.Differences), 20)] {
		c.Differences = append(c.Differences, fmt.Sprintf("%s: %s/%s %s", d.Kind, d.Bucket, d.Key, d.Detail))
	}
	return c, nil
}

func (w *Worker) counts(ctx context.Context, c *Comparison) error {
	return w.Ledger.For(c.Live).Each(ctx, "", func(r ledger.Record) error {
		other := r.In(c.Build)
		c.LiveCounts.add(r.State)
		c.BuildCounts.add(other.State)
		if r.Current != 0 && other.Current != r.Current {
			if other.Ended() {
				c.Worse++
			} else {
				c.Behind++
			}
		}
		return nil
	})
}

func (c *Counts) add(s doc.State) {
	switch s {
	case doc.Indexed:
		c.Indexed++
	case doc.Pending:
		c.Pending++
	case doc.Skipped:
		c.Skipped++
	case doc.Failed:
		c.Failed++
	}
}

// settle is how long a promotion waits for the last changes to come to the new build.
const settle = 20 * time.Second

// Promote makes the task's build live when it is ready, has every document, and its audit adds up; force leaves the
// last two out.
func (w *Worker) Promote(ctx context.Context, force bool) (Comparison, error) {
	t, ok, err := w.Task(ctx)
	if err != nil {
		return Comparison{}, err
	}
	if !ok || t.State != Ready {
		return Comparison{}, refuse(409, "no build is ready to be promoted; the re-index is %q", t.State)
	}
	c := Comparison{Live: w.Builds.Live(), Build: t.Build}
	if !force {
		if c, err = w.Compare(ctx, t.Build); err != nil {
			return c, err
		}
		if !c.AuditOK || c.Worse > 0 {
			return c, refuse(409, "build %d is not promoted: %d documents that are found now would not be; audit ok: %v %s", t.Build, c.Worse, c.AuditOK, strings.Join(c.Differences, "; "))
		}
	}
	if err := w.level(ctx, &c); err != nil {
		return c, err
	}
	if err := w.Builds.Promote(ctx, c.Live, c.Build); err != nil {
		return c, refuse(409, "%v", err)
	}
	w.Log.Info("promoted", "build", c.Build, "before", c.Live)
	return c, w.tidy(ctx)
}

// level waits for a moment at which no document is behind, which makes the turn one that nobody can see. Under a
// steady stream of changes there may be none: then the few that are behind follow within moments.
func (w *Worker) level(ctx context.Context, c *Comparison) error {
	caught := false
	for end := time.Now().Add(settle); ; {
		now := Comparison{Live: c.Live, Build: c.Build}
		if !caught && time.Until(end) < settle*3/4 { // a process that knew nothing of the build may have taken a change
			caught = true
			if err := w.catchUp(ctx, c.Build); err != nil {
				return err
			}
		}
		if err := w.counts(ctx, &now); err != nil {
			return err
		}
		c.Behind = now.Behind
		if now.Behind == 0 || time.Now().After(end) {
			return nil
		}
		if err := retry.Wait(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// catchUp hands every document that a build lacks to the chain once more.
func (w *Worker) catchUp(ctx context.Context, seq uint32) error {
	rec, err := w.Builds.Get(ctx, seq)
	if err != nil {
		return err
	}
	// From parse on: the build that it began beside may be gone, and with it what a later stage would begin with.
	x := &sweep{Worker: w, dense: rec.Vectors.Dimensions > 0, task: Task{Build: seq, Parent: rec.Parent, From: FromParse, Pass: 2, Window: w.Window, Started: time.Now()}}
	var lacks []ledger.Record
	err = w.Ledger.For(seq).Each(ctx, "", func(r ledger.Record) error {
		if !has(r) {
			lacks = append(lacks, ledger.Record{Tenant: r.Tenant, DocID: r.DocID})
		}
		return nil
	})
	for _, r := range lacks {
		if err == nil {
			err = x.document(ctx, r.Tenant, r.DocID)
		}
	}
	return err
}

// Rollback makes the build live again that was so before the present one: the same write.
func (w *Worker) Rollback(ctx context.Context) (Comparison, error) {
	c := Comparison{Build: w.Builds.Live()}
	live, err := w.Builds.Get(ctx, c.Build)
	if err != nil {
		return c, err
	}
	before, err := w.Builds.Get(ctx, live.Parent)
	if err != nil {
		return c, refuse(409, "there is no build to go back to: build %d began beside build %d, which is gone", live.Sequence, live.Parent)
	}
	c.Live, c.Build = live.Sequence, before.Sequence
	if err := w.level(ctx, &c); err != nil {
		return c, err
	}
	if err := w.Builds.Promote(ctx, live.Sequence, before.Sequence); err != nil {
		return c, refuse(409, "%v", err)
	}
	w.Log.Info("rolled back", "build", before.Sequence, "before", live.Sequence)
	return c, w.tidy(ctx)
}

// Drop gives a build up: 0 is the task's. It is removed by who holds the lease.
func (w *Worker) Drop(ctx context.Context, seq uint32) error {
	if seq == 0 {
		t, ok, err := w.Task(ctx)
		if err != nil {
			return err
		}
		if !ok {
			return refuse(409, "there is no re-index to drop")
		}
		seq = t.Build
	}
	if seq == w.Builds.Live() {
		return refuse(409, "build %d is live; promote another one, or roll back, first", seq)
	}
	if _, err := w.Builds.Get(ctx, seq); err != nil {
		return refuse(404, "%v", err)
	}
	if _, err := w.Builds.Change(ctx, seq, func(r *build.Record) bool {
		r.State = build.Dropping
		return true
	}); err != nil {
		return err
	}
	_, err := w.change(ctx, func(t *Task) error {
		if t.Build == seq {
			t.State, t.Note = Ended, ""
		}
		return nil
	})
	return err
}

// tidy notes which builds are of the past, gives those up whose time is over, and removes what was given up. Each step
// may be cut off and done again.
func (w *Worker) tidy(ctx context.Context) error {
	live := w.Builds.Live()
	if err := w.follow(ctx, live); err != nil {
		return err
	}
	task, _, err := w.Task(ctx)
	if err != nil {
		return err
	}
	for _, rec := range w.Builds.All() {
		past := rec.Sequence < live
		if rec.Sequence != live && nobodys(rec, task) {
			if err := w.Drop(ctx, rec.Sequence); err != nil {
				return err
			}
			rec.State = build.Dropping
		}
		if rec.Open() && rec.Retired.IsZero() == past {
			var err error
			if rec, err = w.Builds.Change(ctx, rec.Sequence, func(r *build.Record) bool { retire(r, past); return true }); err != nil {
				return err
			}
		}
		if rec.Open() && past && w.Keep > 0 && time.Since(rec.Retired) > w.Keep {
			if err := w.Drop(ctx, rec.Sequence); err != nil {
				return err
			}
			rec.State = build.Dropping
		}
		if rec.State == build.Dropping {
			if err := w.give(ctx, rec); err != nil {
				return fmt.Errorf("drop of build %d: %w", rec.Sequence, err)
			}
		}
	}
	return nil
}

// give removes a build that was given up, or takes it back when a promotion was faster: nothing of it is removed yet,
// and it gets the changes of the meantime.
func (w *Worker) give(ctx context.Context, rec build.Record) error {
	err := w.Builds.Fence(ctx, rec.Sequence)
	if err == nil {
		return w.remove(ctx, rec)
	}
	if !errors.Is(err, build.ErrLive) {
		return err
	}
	if _, err := w.Builds.Change(ctx, rec.Sequence, func(r *build.Record) bool {
		r.State = build.Ready
		return true
	}); err != nil {
		return err
	}
	w.Log.Warn("a build was given up while it was promoted; it stays", "build", rec.Sequence)
	return w.catchUp(ctx, rec.Sequence)
}

// unclaimed is how long a build that a re-index has made may be without a task that names it: the two are written one
// after the other, and between them its process may have been killed.
const unclaimed = time.Minute

// nobodys reports whether a build was begun by a re-index that has never come to be, or was too slow.
func nobodys(rec build.Record, task Task) bool {
	return rec.State == build.Building && rec.From != "" && rec.Sequence != task.Build && time.Since(rec.Created) > unclaimed
}

// retire notes since when a build is of the past, or that it is not.
func retire(r *build.Record, past bool) {
	r.Retired = time.Time{}
	if past {
		r.Retired = time.Now().UTC()
	}
}

// follow has the task agree with what is live.
func (w *Worker) follow(ctx context.Context, live uint32) error {
	t, ok, err := w.Task(ctx)
	if err != nil || !ok {
		return err
	}
	want := t.State
	rec, err := w.Builds.Get(ctx, t.Build)
	switch {
	case errors.Is(err, build.ErrGone):
		want = Ended
	case err != nil:
		return err
	case t.Build == live:
		want = Promoted
	case t.State == Promoted && rec.Sequence > live:
		want = Ready // rolled back: it may be promoted again
	}
	if want == t.State {
		return nil
	}
	_, err = w.change(ctx, func(now *Task) error {
		if now.Build == t.Build {
			now.State = want
		}
		return nil
	})
	return err
}

// remove takes a build out of index, derived bucket and records, and then marks it as gone.
func (w *Worker) remove(ctx context.Context, rec build.Record) error {
	if err := w.Index.DropBuild(ctx, vector.Build(rec.Sequence)); err != nil {
		return err
	}
	if err := retry.Wait(ctx, w.Late); err != nil {
		return err
	}
	if err := w.Index.DropBuild(ctx, vector.Build(rec.Sequence)); err != nil {
		return err
	}
	if !slices.ContainsFunc(w.Builds.Open(), func(b build.Record) bool { return b.In() == rec.In() }) {
		if err := w.folder(ctx, rec.In()); err != nil {
			return err
		}
	}
	live := w.Builds.Live()
	var ids []ledger.Record
	err := w.Ledger.For(live).Each(ctx, "", func(r ledger.Record) error {
		ids = append(ids, ledger.Record{Tenant: r.Tenant, DocID: r.DocID})
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range ids {
		if err := w.Ledger.Forget(ctx, r.Tenant, r.DocID, rec.Sequence, live); err != nil {
			return err
		}
	}
	// Builds of one folder share their jobs, which carry the number of one of them: those of this one have come to nothing.
	for _, b := range w.Builds.Open() {
		if err := w.catchUp(ctx, b.Sequence); err != nil {
			return err
		}
	}
	_, err = w.Builds.Change(ctx, rec.Sequence, func(r *build.Record) bool { r.State = build.Dropped; return true })
	w.Log.Info("build is gone", "build", rec.Sequence)
	return err
}

// folder removes the artefacts of a folder that no build names any more.
func (w *Worker) folder(ctx context.Context, name string) error {
	for info, err := range w.Blobs.List(ctx, artefact.Bucket, "", "") {
		if err != nil {
			return fmt.Errorf("bucket %s: %w", artefact.Bucket, err)
		}
		f := strings.SplitN(info.Key, "/", 5)
		if len(f) != 5 || f[3] != name {
			continue
		}
		if err := w.Blobs.Delete(ctx, artefact.Bucket, info.Key); err != nil && !errors.Is(err, blob.ErrNotFound) {
			return err
		}
	}
	return nil
}
