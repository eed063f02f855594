package index_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob/faulty"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding/scripted"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// moment runs f once, in the middle of a stage's work.
type moment struct {
	armed atomic.Bool
	f     func()
}

func (m *moment) come() {
	if m.armed.CompareAndSwap(true, false) {
		m.f()
	}
}

// interrupted is an index in whose Put the moment comes.
type interrupted struct {
	vector.Index
	*moment
}

func (x interrupted) Put(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, all []vector.Entry) error {
	x.come()
	return x.Index.Put(ctx, b, t, k, all)
}

// A document is deleted, or replaced, and purged while a stage works on it: what the stage writes afterwards is taken
// back, so that nothing of it stays behind.
func TestKnown43DeletedWhileItIsWorkedOn(t *testing.T) {
	for _, stage := range wire.Stages {
		for _, how := range []string{"deleted", "replaced"} {
			t.Run(fmt.Sprint(how, " during ", stage), func(t *testing.T) {
				m := &moment{}
				h := workertest.Open(t, workertest.Config{
					Embedder: scripted.New(scripted.Failing(func(int, []string) error {
						if stage == wire.Embed {
							m.come()
						}
						return nil
					})),
					Index: func(ix vector.Index) vector.Index {
						if stage == wire.Index {
							return interrupted{ix, m}
						}
						return ix
					}})
				h.Fail(func(op faulty.Op, _, key string) faulty.Fault {
					if op == faulty.Put && (stage == wire.Parse && strings.HasSuffix(key, "g1/"+artefact.Pipeline+"/source.md") || stage == wire.Chunk && strings.HasSuffix(key, "g1/"+artefact.Pipeline+"/chunks.jsonl")) {
						m.come()
					}
					return faulty.Fault{}
				})
				id := h.Put("a.md", paper(5, nil))
				var j wire.Job
				for _, s := range wire.Stages {
					if j = h.Take(s); s == stage {
						break
					}
					if err := h.Do(s, j); err != nil {
						t.Fatal(err)
					}
				}
				m.f = func() {
					if h.Delete("a.md"); how == "replaced" {
						h.Put("a.md", paper(3, nil))
					}
					h.Settle()
				}
				m.armed.Store(true)
				err := h.Do(stage, j)
				if v, _ := fault.Of(err); v != fault.Superseded || m.armed.Load() {
					t.Fatalf("%v", err)
				}
				if n := h.Entries(id, 1); len(n) != 0 {
					t.Errorf("entries are left: %v", n)
				}
				want := map[string]string{"deleted": "[]", "replaced": "[3]"}[how]
				if g := fmt.Sprint(generations(h, id)); g != want {
					t.Errorf("artefacts of %s are left, want %s", g, want)
				}
			})
		}
	}
}
