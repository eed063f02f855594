package workers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/workers/admin"
)

// stormPlan is what scripts/chaos asks for, in FINGERPOST_CHAOS as JSON. Without it the storm is a short one.
type stormPlan struct {
	Seed    uint64 `json:"seed"`
	Seconds int    `json:"seconds"`
	Keys    int    `json:"keys"`   // different keys
	Stack   string `json:"stack"`  // "" the embedded default; real: NATS, versitygw and Weaviate, each a process
	Report  string `json:"report"` // file that the last line is written to
	Keep    string `json:"keep"`   // folder instead of one of the test, left as it is
	Disk    bool   `json:"disk"`   // Keep is on a disk of its own, which is filled now and then
}

// stormReport is the storm's last line.
type stormReport struct {
	Seed      uint64 `json:"seed"`
	Seconds   int    `json:"seconds"`
	Stack     string `json:"stack,omitempty"`
	Kills     int    `json:"kills"`  // and pauses
	Pauses    int    `json:"pauses"` // among them
	Cuts      int    `json:"cuts"`
	Full      int    `json:"full,omitempty"`  // times that the disk had no room
	Jumps     int    `json:"jumps,omitempty"` // of a process's clock
	Turns     int64  `json:"turns"`           // builds promoted and rolled back
	Changes   int64  `json:"changes"`         // objects put or deleted
	Finds     int64  `json:"finds"`
	Documents int    `json:"documents"` // in the bucket at the end
	Lost      int    `json:"lost"`      // documents that lack an entry or an artefact
	Duplicate int    `json:"duplicate"`
	Stale     int    `json:"stale"` // documents with an entry that a clean build does not have
	Orphans   int    `json:"orphans"`
	Letters   int    `json:"letters"`
	Shown     int64  `json:"shown_after_tombstone"`
	Old       int64  `json:"shown_stale"`
}

// storm is a site and all that happens to it.
type storm struct {
	*site
	plan    stormPlan
	rng     *rand.Rand
	report  stormReport
	texts   sync.Map // word -> key that held it
	turns   atomic.Int64
	changes atomic.Int64
	lull    atomic.Bool // no document changes: a re-index may become ready
	reader  reader
}

// The storm: documents are put, overwritten, renamed, deleted and restored while events are lost, doubled, reordered,
// invented and escaped twice, processes are killed and paused, connections cut, and builds promoted and rolled back. In
// the end the index is what a clean build of the bucket is, and at no moment was anything shown that must not be.
func TestStorm(t *testing.T) {
	plan := stormPlan{Seed: 1, Seconds: 5, Keys: 40}
	if raw := os.Getenv("FINGERPOST_CHAOS"); raw != "" {
		if err := json.Unmarshal([]byte(raw), &plan); err != nil {
			t.Fatalf("FINGERPOST_CHAOS: %v", err)
		}
	}
	x := &storm{plan: plan, rng: rand.New(rand.NewPCG(plan.Seed, 3))}
	x.report.Seed, x.report.Seconds, x.report.Stack = plan.Seed, plan.Seconds, plan.Stack
	x.site = x.open(t, plan.Seed)
	if jumps {
		x.blows = append(x.blows, blow{weight: 20, jump: 1, strike: func(r *rand.Rand) { jump(x.any(r)) }})
		if x.main != nil {
			x.blows = append(x.blows, blow{weight: 10, jump: 1, strike: func(*rand.Rand) { jump(x.main) }})
		}
	}
	x.rage()
	x.calm()
	x.judge()
	line, _ := json.Marshal(x.report)
	t.Logf("%s", line)
	if plan.Report != "" {
		if err := os.WriteFile(plan.Report, append(line, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := x.report
	if r.Lost+r.Duplicate+r.Stale+r.Orphans+r.Letters > 0 || r.Shown+r.Old > 0 {
		t.Errorf("%s", line)
	}
}

// free is a port that nobody listens on at this moment.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// open opens a site of the plan's stack. Events are lost, doubled, swapped and invented by the seed; 0: none is.
func (x *storm) open(t *testing.T, seed uint64) *site {
	if x.plan.Stack == "real" {
		return realSite(t, seed)
	}
	c := testConfig(t)
	if x.plan.Keep != "" && seed != 0 {
		c.Data = x.plan.Keep
	}
	site := embeddedSite(t, c, seed)
	if x.plan.Disk && seed != 0 {
		site.blows = append(site.blows, blow{weight: 25, full: 1, strike: func(r *rand.Rand) { fill(t, x.plan.Keep, r); again(site.main) }})
	}
	return site
}

// jumps is whether clocks can be made to jump here; see chaos_clock_test.go.
var jumps bool

// jump has a process's clock jump, by up to ten minutes to either side.
func jump(s *system) { _ = s.cmd.Process.Signal(syscall.SIGUSR1) }

// fill leaves no room on the disk of a folder for a while. NATS gives its store up then, so that the system needs a restart, as
// its /readyz says.
func fill(t *testing.T, dir string, r *rand.Rand) {
	t.Helper()
	name := filepath.Join(filepath.Dir(dir), "filler")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	for block := make([]byte, 1<<20); err == nil; {
		_, err = f.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	_ = sleepFor(t.Context(), time.Duration(300+r.IntN(1500))*time.Millisecond)
	if err := errors.Join(f.Close(), os.Remove(name)); err != nil {
		t.Fatal(err)
	}
}

// rage is the storm itself.
func (x *storm) rage() {
	ctx, stop := context.WithCancel(x.t.Context())
	var all sync.WaitGroup
	for w := range 2 {
		all.Go(func() { x.write(ctx, w, 2) })
	}
	all.Go(func() { x.reader.run(ctx, x) })
	all.Go(func() { x.turn(ctx) })
	for end := time.Now().Add(time.Duration(x.plan.Seconds) * time.Second); time.Now().Before(end); {
		x.strike()
		wait := time.NewTimer(time.Duration(20+x.rng.IntN(200)) * time.Millisecond) // the rhythm of the storm
		<-wait.C
	}
	stop()
	all.Wait()
	x.report.Turns, x.report.Changes, x.report.Finds = x.turns.Load(), x.changes.Load(), x.reader.finds.Load()
	x.report.Shown, x.report.Old = x.reader.shown.Load(), x.reader.old.Load()
}

// strike kills, pauses or cuts something.
func (x *storm) strike() {
	sum := 0
	for _, b := range x.blows {
		sum += b.weight
	}
	n := x.rng.IntN(sum)
	for _, b := range x.blows {
		if n -= b.weight; n < 0 {
			b.strike(x.rng)
			x.report.Kills += 1 - b.cut - b.full - b.jump
			x.report.Pauses += b.pause
			x.report.Cuts += b.cut
			x.report.Full += b.full
			x.report.Jumps += b.jump
			return
		}
	}
}

// write changes objects of its own keys until ctx ends. A request that is not answered is made again.
func (x *storm) write(ctx context.Context, part, parts int) {
	rng := rand.New(rand.NewPCG(x.plan.Seed, uint64(10+part)))
	held, before := map[string]string{}, map[string]string{}
	key := func() string { return fmt.Sprintf("d %d/k+%03d%%.md", part, rng.IntN(max(1, x.plan.Keys/parts))) }
	for ctx.Err() == nil {
		if x.lull.Load() {
			_ = sleepFor(ctx, 20*time.Millisecond)
			continue
		}
		k := key()
		switch n := rng.IntN(10); {
		case n < 5 || held[k] == "":
			w := word(rng.IntN(1 << 30))
			x.texts.Store(w, k)
			x.put(ctx, held, before, k, note(k, w, rng.IntN(8)))
		case n < 7:
			x.remove(ctx, held, before, k)
		case n < 8: // renamed
			text := held[k]
			x.put(ctx, held, before, key(), text)
			x.remove(ctx, held, before, k)
		case before[k] != "": // restored
			x.put(ctx, held, before, k, before[k])
		default: // the same bytes again
			x.put(ctx, held, before, k, held[k])
		}
		_ = sleepFor(ctx, time.Duration(rng.IntN(60))*time.Millisecond)
	}
}

func (x *storm) put(ctx context.Context, held, before map[string]string, key, text string) {
	x.insist(ctx, func(ctx context.Context) error {
		_, err := x.blobs.Put(ctx, "documents", key, strings.NewReader(text), int64(len(text)), blob.PutOptions{})
		return err
	})
	before[key], held[key] = held[key], text
}

func (x *storm) remove(ctx context.Context, held, before map[string]string, key string) {
	x.insist(ctx, func(ctx context.Context) error { return x.blobs.Delete(ctx, "documents", key) })
	before[key], held[key] = held[key], ""
}

// insist makes a request until it is answered, or the storm is over.
func (x *storm) insist(ctx context.Context, f func(context.Context) error) {
	for ctx.Err() == nil {
		try, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := f(try)
		cancel()
		if err == nil {
			x.changes.Add(1)
			return
		}
		_ = sleepFor(ctx, 50*time.Millisecond)
	}
}

func sleepFor(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// turn starts re-indexes, promotes, rolls back and drops, in this order as far as it may be, now and then in any.
func (x *storm) turn(ctx context.Context) {
	rng := rand.New(rand.NewPCG(x.plan.Seed, 20))
	steps := []string{"start", "promote", "rollback", "promote", "drop"}
	for at := 0; ctx.Err() == nil; {
		do := steps[at%len(steps)]
		if rng.IntN(8) == 0 {
			do = steps[rng.IntN(len(steps))]
		}
		x.lull.Store(do == "promote" && time.Now().Unix()%10 < 6)
		done := x.step(ctx, do, rng)
		patience := 5
		if do == "promote" && at%len(steps) == 1 {
			patience = 150
		}
		if late := rng.IntN(patience) == 0; done || late { // what may never be is left out
			at++
		}
		_ = sleepFor(ctx, 200*time.Millisecond)
	}
}

// step asks for one, and reports whether it was done. Drop is of all builds that are not live.
func (x *storm) step(ctx context.Context, do string, rng *rand.Rand) bool {
	req := admin.ReindexRequest{Do: do, Force: do == "promote"}
	switch do {
	case "start":
		req.From = []string{"parse", "chunk", "embed"}[rng.IntN(3)]
	case "drop":
		rep, err := x.operate(ctx, admin.ReindexRequest{Do: "status"})
		for _, b := range rep.Builds {
			if b.Sequence != rep.Live && err == nil {
				_, err = x.operate(ctx, admin.ReindexRequest{Do: "drop", Build: b.Sequence})
			}
		}
		return err == nil
	}
	_, err := x.operate(ctx, req)
	if err == nil && (do == "promote" || do == "rollback") {
		x.turns.Add(1)
	}
	return err == nil
}

func (x *site) operate(ctx context.Context, req admin.ReindexRequest) (rep admin.ReindexReply, err error) {
	b, err := json.Marshal(req)
	if err != nil {
		return rep, err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	out, err := x.operator.Request(ctx, "fingerpost.admin.reindex", b)
	if err != nil {
		return rep, err
	}
	return rep, json.Unmarshal(out, &rep)
}
