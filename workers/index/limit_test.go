package index_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/faulty"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// An index at its limit fails the document that does not fit, with a sentence that says what to do; what it had
// written of it is purged, and documents that fit go on.
func TestAFullIndex(t *testing.T) {
	h := workertest.Open(t, workertest.Config{Index: func(vector.Index) vector.Index { return mem.New(100) }})
	h.Start(nil)
	small := h.Put("small.md", paper(3, nil))
	h.Until("the small one is full", func() bool { return h.Record(small).Level == doc.LevelFull })
	large := h.Put("large.md", paper(200, nil))
	h.Until("the large one has failed and is purged", func() bool {
		return h.Record(large).State == doc.Failed && len(h.Entries(large, 1)) == 0
	})
	if r := h.Record(large); r.Class != doc.ResourceLimit || !strings.Contains(r.Reason, "Weaviate") {
		t.Errorf("%s: %s", r.Class, r.Reason)
	}
	next := h.Put("next.md", paper(3, nil))
	h.Until("the next one is full", func() bool { return h.Record(next).Level == doc.LevelFull })
	letters := h.Letters() // two, when words and vectors met the limit side by side
	for _, l := range letters {
		if l.Job.Key != "large.md" || l.Class != doc.ResourceLimit {
			t.Errorf("letter %+v", l)
		}
	}
	if len(letters) == 0 {
		t.Error("no letter")
	}
}

// A full disk is waited out: no document fails on its account.
func TestAFullDiskIsWaitedOut(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	var full atomic.Int64
	full.Store(6)
	h.Fail(func(op faulty.Op, _, key string) faulty.Fault {
		if op == faulty.Put && strings.HasPrefix(key, string(workertest.Tenant)+"/") && full.Add(-1) >= 0 {
			return faulty.Fault{Err: blob.ErrFull}
		}
		return faulty.Fault{}
	})
	outages := make(chan pipeline.Settled, 100)
	h.Start(func(s pipeline.Settled) {
		if s.Outcome == "outage" {
			outages <- s
		}
	})
	id := h.Put("a.md", paper(3, nil))
	h.Until("full", func() bool { return h.Record(id).Level == doc.LevelFull })
	if r := h.Record(id); len(outages) < 2 || r.Attempts != 0 || r.Reason != "" {
		t.Errorf("%d outages, %d attempts, reason %q", len(outages), r.Attempts, r.Reason)
	}
}
