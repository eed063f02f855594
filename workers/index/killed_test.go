package index_test

import (
	"fmt"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// A worker is killed after a late write, before it could see that the document was deleted, or replaced, and purged: the
// job comes again, and its first step takes back what the dead one had left.
func TestKilledBetweenALateWriteAndItsFence(t *testing.T) {
	for _, stage := range wire.Stages {
		for _, how := range []string{"deleted", "replaced", "erased"} {
			t.Run(fmt.Sprint(how, " before a late ", stage), func(t *testing.T) {
				h := workertest.Open(t, workertest.Config{})
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
				if h.Delete("a.md"); how == "replaced" {
					h.Put("a.md", paper(3, nil))
				}
				h.Settle()
				if how == "erased" {
					if err := h.Docs.Delete(t.Context(), string(workertest.Tenant)+"."+string(id)); err != nil {
						t.Fatal(err)
					}
				}
				lateWrite(h, id)
				err := h.Do(stage, j)
				if v, _ := fault.Of(err); v != fault.Superseded {
					t.Errorf("%v", err)
				}
				if n := h.Entries(id, 1); stage == wire.Index && len(n) != 0 {
					t.Errorf("entries are left: %v", n)
				}
				want := map[string]string{"deleted": "[]", "erased": "[]", "replaced": "[3]"}[how]
				if g := fmt.Sprint(generations(h, id)); g != want {
					t.Errorf("artefacts of %s are left, want %s", g, want)
				}
			})
		}
	}
}

// lateWrite leaves an artefact and an entry of generation 1.
func lateWrite(h *workertest.House, id doc.ID) {
	h.T.Helper()
	if err := h.Artefacts.PutSource(h.T.Context(), artefact.Ref{Tenant: workertest.Tenant, Doc: id, Generation: 1}, []byte("late")); err != nil {
		h.T.Fatal(err)
	}
	e := vector.Entry{ID: doc.Place{Prefix: doc.PrefixOf(id), Generation: 1, Node: 1}.ID()}
	if err := h.Index.Put(h.T.Context(), workertest.Build, workertest.Tenant, doc.KindNode, []vector.Entry{e}); err != nil {
		h.T.Fatal(err)
	}
}
