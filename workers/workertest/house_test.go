package workertest_test

import (
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// A document goes the whole way, by hand and by the runner.
func TestTheWholeWay(t *testing.T) {
	for name, drive := range map[string]func(*workertest.House, doc.ID){
		"by hand": func(h *workertest.House, _ doc.ID) { h.Settle() },
		"by the runner": func(h *workertest.House, id doc.ID) {
			h.Start(nil)
			h.Until("full", func() bool { return h.Record(id).Level == doc.LevelFull })
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := workertest.Open(t, workertest.Config{})
			id := h.Put("a.md", "# Paper\n\nOpening.\n\n## Part\n\nThe word is zebra.\n")
			drive(h, id)
			rep, err := h.Query.Find(t.Context(), workertest.Tenant, api.FindRequest{Question: "zebra", K: 1})
			if err != nil || len(rep.Sections) != 1 || !strings.Contains(rep.Sections[0].Text, "zebra") {
				t.Errorf("found %+v, %v", rep.Sections, err)
			}
		})
	}
}
