package workers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/admin"
	"github.com/fingerpost/fingerpost/workers/audit"
	"github.com/fingerpost/fingerpost/workers/reconcile"
)

// calmMost bounds how long the system may take to be at rest again.
const calmMost = 4 * time.Minute

// calm lets everything run again, has other builds dropped, and waits until nothing is on its way.
func (x *storm) calm() {
	for _, h := range x.hands {
		h.kill(syscall.SIGKILL)
		h.up()
	}
	deadline := time.Now().Add(calmMost)
	x.until(deadline, "one build", func(ctx context.Context) string {
		rep, err := x.operate(ctx, admin.ReindexRequest{Do: "status"})
		if err != nil {
			return err.Error()
		}
		for _, b := range rep.Builds {
			if b.Sequence != rep.Live {
				_, _ = x.operate(ctx, admin.ReindexRequest{Do: "drop", Build: b.Sequence})
			}
		}
		return map[bool]string{true: fmt.Sprintf("%d builds", len(rep.Builds))}[len(rep.Builds) != 1]
	})
	x.rest(deadline)
}

// rest waits until nothing is on its way.
func (x *site) rest(deadline time.Time) {
	x.until(deadline, "rest", func(ctx context.Context) string {
		var g reconcile.Gaps
		if err := x.ask(ctx, "reconcile", admin.ReconcileRequest{Yes: true}, &g); err != nil {
			return err.Error()
		}
		return x.resting(ctx)
	})
}

// resting says what is still on its way; "" is nothing.
func (x *site) resting(ctx context.Context) string {
	b, err := x.tenant.Request(ctx, api.Subject("default", api.Status), []byte("{}"))
	var st api.StatusReply
	if err == nil {
		err = json.Unmarshal(b, &st)
	}
	if err != nil {
		return err.Error()
	}
	if st.Documents.Pending > 0 || st.Levels.Full != st.Documents.Indexed {
		return fmt.Sprintf("%+v %+v", st.Documents, st.Levels)
	}
	for _, s := range wire.Stages {
		for _, l := range []wire.Lane{wire.Live, wire.Bulk} {
			if n, _, err := x.inside.Backlog(ctx, wire.StreamName(l, s)); err != nil || n > 0 {
				return fmt.Sprintf("%d jobs wait in %s, %v", n, wire.StreamName(l, s), err)
			}
		}
	}
	var rep audit.Report
	if err := x.ask(ctx, "audit", admin.AuditRequest{}, &rep); err != nil {
		return err.Error()
	}
	for _, d := range rep.Differences {
		return fmt.Sprintf("%d differences: %s %s %s", len(rep.Differences), d.Kind, d.Key, d.Detail)
	}
	return ""
}

func (x *site) ask(ctx context.Context, verb string, req, rep any) error {
	b, err := json.Marshal(req)
	if err != nil {
		return err
	}
	out, err := x.operator.Request(ctx, "fingerpost.admin."+verb, b)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, rep)
}

// until waits until nothing keeps a fact from being one. What keeps it when the time is over is told; the comparison
// that follows says what it cost.
func (x *site) until(deadline time.Time, what string, keeps func(context.Context) string) {
	for why := "?"; why != ""; {
		ctx, cancel := context.WithTimeout(x.t.Context(), 30*time.Second)
		why = keeps(ctx)
		cancel()
		if time.Now().After(deadline) && why != "" {
			x.t.Errorf("no %s: %s", what, why)
			return
		}
		if why != "" {
			_ = sleepFor(x.t.Context(), 200*time.Millisecond)
		}
	}
}

// judge compares index and artefacts with those of a clean build of what the bucket holds.
func (x *storm) judge() {
	bucket := map[string]string{}
	ctx := x.t.Context()
	for info, err := range x.blobs.List(ctx, "documents", "", "") {
		if err != nil {
			x.t.Fatal(err)
		}
		b, _, err := blob.ReadAll(ctx, x.blobs, "documents", info.Key, blob.GetOptions{}, 1<<20)
		if err != nil {
			x.t.Fatal(err)
		}
		bucket[info.Key] = string(b)
	}
	rep, err := x.operate(ctx, admin.ReindexRequest{Do: "status"})
	if err != nil {
		x.t.Fatal(err)
	}
	if n, _, err := x.inside.Backlog(ctx, wire.DeadStream); err == nil {
		x.report.Letters = int(n)
	}
	derived := x.derived()
	x.halt()
	got := x.dump(rep.Live)

	clean := x.open(x.t, 0)
	for key, text := range bucket {
		if _, err := clean.blobs.Put(ctx, "documents", key, strings.NewReader(text), int64(len(text)), blob.PutOptions{}); err != nil {
			x.t.Fatal(err)
		}
	}
	clean.rest(time.Now().Add(calmMost))
	x.report.Documents = len(bucket)
	x.artefacts(derived, clean.derived())
	clean.halt()
	x.entries(bucket, got, clean.dump(1))
}

// entries counts what differs, a document once for each way.
func (x *storm) entries(bucket map[string]string, got, want map[string]int) {
	owners := map[string]bool{}
	for key := range bucket {
		owners[fmt.Sprintf("%x", doc.PrefixOf(doc.NewID("default", "documents", key)))] = true
	}
	lost, double, stale, orphan := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	of := func(line string) string { return strings.Fields(line)[2] }
	for line, n := range want {
		if got[line] < n {
			lost[of(line)] = true
		}
	}
	for line, n := range got {
		switch {
		case want[line] > 0 && n > want[line]:
			double[of(line)] = true
		case want[line] == 0 && owners[of(line)]:
			stale[of(line)] = true
		case want[line] == 0:
			orphan[of(line)] = true
		}
	}
	if len(want) == 0 && len(bucket) > 0 {
		x.t.Fatal("the clean build's index is empty")
	}
	r := &x.report
	r.Lost, r.Duplicate, r.Stale, r.Orphans = r.Lost+len(lost), r.Duplicate+len(double), r.Stale+len(stale), r.Orphans+len(orphan)
	if d := difference(got, want); len(lost)+len(double)+len(stale)+len(orphan) > 0 {
		x.t.Logf("the index differs: %s", d)
	}
}

// derived is the artefacts by document and name, without generation and folder, and how many there are of each.
func (x *site) derived() map[string]int {
	all := map[string]int{}
	for info, err := range x.blobs.List(x.t.Context(), artefact.Bucket, "", "") {
		if err != nil {
			x.t.Fatal(err)
		}
		if f := strings.Split(info.Key, "/"); len(f) == 5 {
			all[f[1]+"/"+f[4]]++
		} else if !strings.HasPrefix(info.Key, "_") {
			all[info.Key]++
		}
	}
	return all
}

func (x *storm) artefacts(got, want map[string]int) {
	for k, n := range want {
		if got[k] < n {
			x.report.Lost++
			x.t.Logf("artefact %s is lost", k)
		}
	}
	for k, n := range got {
		if n > want[k] {
			x.report.Orphans += n - want[k]
			x.t.Logf("artefact %s: %d, a clean build has %d", k, n, want[k])
		}
	}
}
