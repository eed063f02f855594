package workers_test

import (
	"math/rand/v2"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/s3"
	"github.com/fingerpost/fingerpost/pkg/bus"
	busnats "github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/workers"
)

// site is a running system as a storm sees it. Its clients outlive restarts.
type site struct {
	t     *testing.T
	main  *system   // of the embedded default: servers and the rest of the roles
	hands []*system // the processes of workers
	blows []blow

	blobs    blob.Store
	tenant   bus.Bus
	operator bus.Bus
	inside   bus.Bus // of the system's own account

	halt func()                            // ends the processes in order
	dump func(build uint32) map[string]int // the index as it lies, after halt
}

// blow is one thing that a storm does; weight is how often, against the others.
type blow struct {
	weight, pause, cut, full, jump int
	strike                         func(*rand.Rand)
}

// stormy is what both stacks have in common.
func stormy(c workers.Config) workers.Config {
	c.Lease, c.Grace, c.ReconcileEvery, c.Reindex.Lease = 600*time.Millisecond, 300*time.Millisecond, 3*time.Second, time.Second
	c.Limits.StreamBytes, c.Limits.GoneShare, c.Limits.BulkOver = 16<<20, 1, 20
	return c
}

// embeddedSite is the embedded default with two worker processes behind proxies.
func embeddedSite(t *testing.T, c workers.Config, seed uint64) *site {
	c.S3, c.NATS = free(t), free(t) // a restart listens there again
	c = stormy(c)
	main := &system{t: t, alone: true, conf: systemConfig{Config: c, Scripted: true, Scramble: seed, Roles: []workers.Role{"intake", "index", "query", "reconcile"}}}
	main.up()
	nats, objects := cut(t, c.NATS), cut(t, c.S3)
	x := &site{t: t, main: main}
	for range 2 {
		h := &system{t: t, conf: systemConfig{Config: c, Scripted: true, Join: true, Via: &via{nats.addr, objects.addr}, Roles: []workers.Role{"parse", "chunk", "embed"}}}
		h.up()
		x.hands = append(x.hands, h)
	}
	x.halt = func() { end(append(x.hands, main)...) }
	x.dump = func(build uint32) map[string]int { return dumpBuild(t, c.Data, build) }
	t.Cleanup(func() {
		x.halt()
		if t.Failed() {
			t.Logf("the system said:\n%s", tail(main.log.String(), 6000))
		}
	})
	x.blows = []blow{
		{weight: 45, strike: func(r *rand.Rand) { again(x.any(r)) }},
		{weight: 15, strike: func(*rand.Rand) { again(main) }},
		{weight: 20, pause: 1, strike: func(r *rand.Rand) { pause(t, x.any(r), c.Lease*3/2) }},
		{weight: 8, pause: 1, strike: func(*rand.Rand) { pause(t, main, c.Lease/2) }},
		{weight: 12, cut: 1, strike: func(r *rand.Rand) { cutOne(r, nats, objects) }},
	}
	x.clients(c)
	return x
}

// any is one of the worker processes.
func (x *site) any(r *rand.Rand) *system { return x.hands[r.IntN(len(x.hands))] }

// again kills a process and starts it.
func again(s *system) {
	s.kill(syscall.SIGKILL)
	s.up()
}

// end ends processes in order, paused ones too.
func end(all ...*system) {
	for _, s := range all {
		_ = s.cmd.Process.Signal(syscall.SIGCONT)
		s.kill(syscall.SIGTERM)
	}
}

// mostCut is how long a way is cut at most.
const mostCut = time.Second

// cutOne cuts one of the ways for a tenth of mostCut or more.
func cutOne(r *rand.Rand, ways ...*cutter) {
	ways[r.IntN(len(ways))].cut(mostCut/10 + time.Duration(r.Int64N(int64(mostCut*9/10))))
}

// clients reach the system by its own ports.
func (x *site) clients(c workers.Config) {
	k, err := workers.ReadKeys(c.Data)
	if err != nil {
		x.t.Fatal(err)
	}
	if x.blobs, err = s3.New(s3.Config{Endpoint: c.S3, AccessKey: k.AccessKey, SecretKey: k.SecretKey}); err != nil {
		x.t.Fatal(err)
	}
	as := func(who string) busnats.Options {
		return busnats.Options{URLs: []string{"nats://" + c.NATS}, CredsFile: filepath.Join(c.Data, "nats", who+".creds")}
	}
	x.tenant, x.operator, x.inside = x.connect(as("default")), x.connect(as("operator")), x.connect(as(".internal"))
}

func (x *site) connect(o busnats.Options) bus.Bus {
	b, err := busnats.Connect(x.t.Context(), o)
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(func() { _ = b.Close() })
	return b
}
