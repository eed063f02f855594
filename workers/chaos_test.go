package workers_test

import (
	"context"
	"encoding/json"
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
	"github.com/fingerpost/fingerpost/pkg/blob/s3"
	"github.com/fingerpost/fingerpost/pkg/bus"
	busnats "github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/workers"
	"github.com/fingerpost/fingerpost/workers/admin"
)

// stormPlan is what scripts/chaos asks for, in FINGERPOST_CHAOS as JSON. Without it the storm is a short one.
type stormPlan struct {
	Seed    uint64 `json:"seed"`
	Seconds int    `json:"seconds"`
	Keys    int    `json:"keys"`   // different keys
	Report  string `json:"report"` // file that the last line is written to
	Keep    string `json:"keep"`   // folder instead of one of the test, left as it is
}

// stormReport is the storm's last line.
type stormReport struct {
	Seed      uint64 `json:"seed"`
	Seconds   int    `json:"seconds"`
	Kills     int    `json:"kills"` // kills, pauses and cuts
	Pauses    int    `json:"pauses"`
	Cuts      int    `json:"cuts"`
	Turns     int64  `json:"turns"`   // builds promoted and rolled back
	Changes   int64  `json:"changes"` // objects put or deleted
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

// storm is the embedded default with two worker processes behind proxies, and all that happens to it.
type storm struct {
	t       *testing.T
	plan    stormPlan
	rng     *rand.Rand
	main    *system
	hands   []*system
	nats    *cutter
	objects *cutter

	blobs    blob.Store
	tenant   bus.Bus
	operator bus.Bus
	inside   bus.Bus
	report   stormReport
	texts    sync.Map // word -> key that held it
	turns    atomic.Int64
	changes  atomic.Int64
	reader   reader
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
	x := &storm{t: t, plan: plan, rng: rand.New(rand.NewPCG(plan.Seed, 3))}
	x.report.Seed, x.report.Seconds = plan.Seed, plan.Seconds
	x.open()
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

func (x *storm) open() {
	c := testConfig(x.t)
	if x.plan.Keep != "" {
		c.Data = x.plan.Keep
	}
	c.S3, c.NATS = free(x.t), free(x.t) // a restart listens there again
	c.Lease, c.Grace, c.ReconcileEvery, c.Reindex.Lease = 600*time.Millisecond, 300*time.Millisecond, 3*time.Second, time.Second
	c.Limits.StreamBytes, c.Limits.GoneShare, c.Limits.BulkOver = 16<<20, 1, 20
	x.main = &system{t: x.t, alone: true, conf: systemConfig{Config: c, Scripted: true, Scramble: x.plan.Seed, Roles: []workers.Role{"intake", "index", "query", "reconcile"}}}
	x.main.up()
	x.nats, x.objects = cut(x.t, c.NATS), cut(x.t, c.S3)
	for range 2 {
		h := &system{t: x.t, conf: systemConfig{Config: c, Scripted: true, Join: true, Via: &via{x.nats.addr, x.objects.addr}, Roles: []workers.Role{"parse", "chunk", "embed"}}}
		h.up()
		x.hands = append(x.hands, h)
	}
	x.t.Cleanup(func() {
		for _, s := range append(x.hands, x.main) {
			_ = s.cmd.Process.Signal(syscall.SIGCONT)
			s.kill(syscall.SIGTERM)
		}
		if x.t.Failed() {
			x.t.Logf("the system said:\n%s", tail(x.main.log.String(), 6000))
		}
	})
	x.clients(c)
}

// clients reach the system by its own ports; they outlive its restarts.
func (x *storm) clients(c workers.Config) {
	k, err := workers.ReadKeys(c.Data)
	if err != nil {
		x.t.Fatal(err)
	}
	if x.blobs, err = s3.New(s3.Config{Endpoint: c.S3, AccessKey: k.AccessKey, SecretKey: k.SecretKey}); err != nil {
		x.t.Fatal(err)
	}
	for name, b := range map[string]*bus.Bus{"default.creds": &x.tenant, "operator.creds": &x.operator, ".internal.creds": &x.inside} {
		if *b, err = busnats.Connect(x.t.Context(), busnats.Options{URLs: []string{"nats://" + c.NATS}, CredsFile: filepath.Join(c.Data, "nats", name)}); err != nil {
			x.t.Fatal(err)
		}
		x.t.Cleanup(func() { _ = (*b).Close() })
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
	hand := x.hands[x.rng.IntN(len(x.hands))]
	lease := x.main.conf.Config.Lease
	switch n := x.rng.IntN(100); {
	case n < 45:
		hand.kill(syscall.SIGKILL)
		hand.up()
		x.report.Kills++
	case n < 60:
		x.main.kill(syscall.SIGKILL)
		x.main.up()
		x.report.Kills++
	case n < 80:
		pause(x.t, hand, lease*3/2)
		x.report.Kills, x.report.Pauses = x.report.Kills+1, x.report.Pauses+1
	case n < 88:
		pause(x.t, x.main, lease/2)
		x.report.Kills, x.report.Pauses = x.report.Kills+1, x.report.Pauses+1
	default:
		c := x.nats
		if n%2 == 0 {
			c = x.objects
		}
		c.cut(time.Duration(100+x.rng.IntN(900)) * time.Millisecond)
		x.report.Kills, x.report.Cuts = x.report.Kills+1, x.report.Cuts+1
	}
}

// write changes objects of its own keys until ctx ends. A request that is not answered is made again.
func (x *storm) write(ctx context.Context, part, parts int) {
	rng := rand.New(rand.NewPCG(x.plan.Seed, uint64(10+part)))
	held, before := map[string]string{}, map[string]string{}
	key := func() string { return fmt.Sprintf("d %d/k+%03d%%.md", part, rng.IntN(max(1, x.plan.Keys/parts))) }
	for ctx.Err() == nil {
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

// turn starts re-indexes, promotes, rolls back and drops, whatever may be done at the moment.
func (x *storm) turn(ctx context.Context) {
	rng := rand.New(rand.NewPCG(x.plan.Seed, 20))
	for ctx.Err() == nil {
		req := admin.ReindexRequest{Do: "promote", Force: true}
		switch n := rng.IntN(100); {
		case n < 20:
			req.Do = "start"
		case n < 40:
			req.Do = "rollback"
		case n < 42:
			req.Do = "drop"
		}
		if req.Do == "start" {
			req.From = []string{"parse", "chunk", "embed"}[rng.IntN(3)]
		}
		if _, err := x.operate(ctx, req); err == nil && (req.Do == "promote" || req.Do == "rollback") {
			x.turns.Add(1)
		}
		_ = sleepFor(ctx, 300*time.Millisecond)
	}
}

func (x *storm) operate(ctx context.Context, req admin.ReindexRequest) (rep admin.ReindexReply, err error) {
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
