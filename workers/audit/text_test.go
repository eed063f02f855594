package audit_test

import (
	"context"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/audit"
	"github.com/fingerpost/fingerpost/workers/intake"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// Text that was changed, cut or lost behind the system's back is named and made anew from the original.
func TestKnown61DamagedTextIsFoundAndRestored(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	id := h.Put("a.md", text)
	h.Settle()
	ref := artefact.Ref{Tenant: workertest.Tenant, Doc: id, Generation: 1}
	sound, err := h.Artefacts.Source(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	w := worker(h, h.Intake.Sources...)
	w.Restore = func(ctx context.Context, r ledger.Record) error {
		r, err := h.Ledger.Again(ctx, r.Tenant, r.DocID, r.Generation)
		if err != nil {
			return err
		}
		return pipeline.Publish(ctx, h.Bus, wire.Live, pipeline.Next{Stage: wire.Parse, Job: intake.Job(r, uint32(workertest.Build), wire.Dropped)})
	}
	for name, damage := range map[string]string{
		"a letter": strings.Replace(string(sound), "a", "b", 1),
		"cut":      string(sound[:len(sound)/2]),
		"empty":    "",
	} {
		if err := h.Artefacts.PutSource(t.Context(), ref, []byte(damage)); err != nil {
			t.Fatal(err)
		}
		if rep := runWith(t, w, audit.Options{}); !rep.OK() {
			t.Errorf("%s: without reading texts: %+v", name, rep)
		}
		rep := runWith(t, w, audit.Options{Text: true, Repair: true})
		if len(rep.Differences) != 1 || rep.Differences[0].Kind != audit.Damaged || rep.Differences[0].Key != "a.md" || rep.Repaired != 1 {
			t.Errorf("%s: %+v", name, rep)
		}
		h.Settle()
		if rep := runWith(t, w, audit.Options{Text: true}); !rep.OK() {
			t.Errorf("%s: afterwards %+v", name, rep)
		}
	}
}
