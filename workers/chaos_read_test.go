package workers_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// reader asks all the while, and knows what must not be shown any more: it follows FP_DOCS.
type reader struct {
	mu         sync.Mutex
	known      map[doc.ID]seen
	finds      atomic.Int64
	shown, old atomic.Int64
}

// seen is a record, and since when each build shows what it shows there.
type seen struct {
	ledger.Record
	since map[uint32]time.Time
}

// staleMost is how long a version may be shown after its successor became current.
const staleMost = 5 * time.Second

func (r *reader) run(ctx context.Context, x *storm) {
	r.known = map[doc.ID]seen{}
	docs, err := x.inside.KV(ctx, wire.DocsBucket)
	for err != nil && ctx.Err() == nil { // the server may be killed at this moment
		_ = sleepFor(ctx, 50*time.Millisecond)
		docs, err = x.inside.KV(ctx, wire.DocsBucket)
	}
	if err != nil {
		return
	}
	go func() { _ = docs.Watch(ctx, "", nil, func(_ string, v []byte, _ uint64) { r.note(v) }) }()
	rng := rand.New(rand.NewPCG(x.plan.Seed, 30))
	for ctx.Err() == nil {
		if w := x.anyWord(rng); w != "" {
			r.find(ctx, x, docs, w)
		}
		_ = sleepFor(ctx, 5*time.Millisecond)
	}
}

func (r *reader) note(v []byte) {
	var rec ledger.Record
	if json.Unmarshal(v, &rec) != nil || rec.DocID == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before, ok := r.known[rec.DocID]
	now := seen{rec, map[uint32]time.Time{}}
	for b := uint32(1); b < 200; b++ {
		now.since[b] = time.Now()
		if ok && before.In(b).Current == rec.In(b).Current {
			now.since[b] = before.since[b]
		}
	}
	r.known[rec.DocID] = now
}

// anyWord is a word that some text held once.
func (x *storm) anyWord(rng *rand.Rand) (w string) {
	n := rng.IntN(200)
	x.texts.Range(func(k, _ any) bool {
		w = k.(string)
		n--
		return n > 0
	})
	return w
}

// find asks, and judges each place by what was known before it asked; what changed meanwhile is not judged.
func (r *reader) find(ctx context.Context, x *storm, docs bus.KV, w string) {
	r.mu.Lock()
	before := make(map[doc.ID]seen, len(r.known))
	for id, s := range r.known {
		before[id] = s
	}
	r.mu.Unlock()
	start := time.Now()
	b, err := json.Marshal(api.FindRequest{Question: w, K: 3, Mode: "words"})
	if err != nil {
		return
	}
	ask, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	out, err := x.tenant.Request(ask, api.Subject("default", api.Find), b)
	var rep api.FindReply
	if err != nil || json.Unmarshal(out, &rep) != nil {
		return
	}
	r.finds.Add(1)
	for _, s := range rep.Sections {
		if was, ok := before[s.DocID]; ok {
			r.judge(ctx, x, docs, was, rep.Build, s, start)
		}
	}
}

func (r *reader) judge(ctx context.Context, x *storm, docs bus.KV, was seen, build uint32, s api.Section, start time.Time) {
	at := was.In(build)
	gone := at.State == doc.Deleted
	stale := !gone && at.CurrentVersion != s.Version && start.Sub(was.since[build]) > staleMost
	if !gone && !stale {
		return
	}
	v, _, err := docs.Get(ctx, "default."+string(s.DocID))
	var now ledger.Record
	if err != nil || json.Unmarshal(v, &now) != nil || now.Generation != was.Generation || now.In(build).Current != at.Current {
		return
	}
	if gone {
		r.shown.Add(1)
	} else {
		r.old.Add(1)
	}
	x.t.Logf("%s of build %d is shown: version %.12s; generation %d, current %d (%.12s), %s", s.Key, build, s.Version, now.Generation, at.Current, at.CurrentVersion, at.State)
}
