package query_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/blob/faulty"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// Tables that are not as they should be, side by side: the cells that are there are compared, what is missing is said.
func TestCompareOfTablesThatAreNotAsTheyShouldBe(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	for key, text := range map[string]string{
		"bare-a.md":   "# Zqbarexv stock of 2024\n\n| Zqhammersxv | 12 |\n| Zqnailsxv | 4,500 |\n| Zqsawsxv | 7 |\n",
		"bare-b.md":   "# Zqbarexv stock of 2025\n\n| Zqhammersxv | 15 |\n| Zqnailsxv | 9,000 |\n| Zqsawsxv | 8 |\n",
		"ragged-a.md": "# Zqraggedxv yields\n\n| Field | 2024 | 2023 |\n|---|---|---|\n| Zqnorthxv field | 31 |\n| Zqsouthxv field | 42 | 40 | 38 |\n",
		"ragged-b.md": "# Zqraggedxv yields\n\n| Field | 2024 | 2023 |\n|---|---|---|\n| Zqnorthxv field | 62 | 60 |\n",
		"scales-a.md": "# Zqscalesxv figures\n\n| Item | Zqsalesxv (in millions) | Zqcardsxv (thousands) |\n|---|---|---|\n| Zqeastxv | 5.5 | 7 |\n",
		"scales-b.md": "# Zqscalesxv figures\n\n| Item | Zqsalesxv (in thousands) | Zqcardsxv |\n|---|---|---|\n| Zqeastxv | 11,000 | 14,000 |\n",
		"ru-a.md":     "# Показатели завода\n\nВ тыс. рублей\n\n| Показатель | 2024 |\n|---|---|\n| Зквыручка | 1 234,5 |\n| Зкзатраты | 900 |\n",
		"ru-b.md":     "# Показатели завода\n\nВ млн рублей\n\n| Показатель | 2024 |\n|---|---|\n| Зквыручка | 2,469 |\n| Зкзатраты | 1 |\n",
	} {
		h.Put(key, text)
	}
	h.Settle()
	for _, c := range []struct{ name, question, a, b, first, second string }{
		{"table without header", "zqnailsxv", "bare-a.md", "bare-b.md", "4500", "9000"},
		{"ragged rows", "zqnorthxv field 2024", "ragged-a.md", "ragged-b.md", "31", "62"},
		{"two scales in one table", "zqsalesxv of zqeastxv", "scales-a.md", "scales-b.md", "5500000", "11000000"},
		{"another language", "зквыручка 2024", "ru-a.md", "ru-b.md", "1234500", "2469000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rep, err := ask[api.CompareReply](t, h, api.Compare, api.CompareRequest{Question: c.question, Keys: []string{c.a, c.b}})
			if err != nil || len(rep.Rows) == 0 || len(rep.Rows[0].Cells) != 2 || rep.Rows[0].Cells[0] == nil || rep.Rows[0].Cells[1] == nil {
				t.Fatalf("%v: %+v", err, rep)
			}
			if r := rep.Rows[0]; r.Cells[0].Number != c.first || r.Cells[1].Number != c.second {
				t.Errorf("%s and %s", r.Cells[0].Number, r.Cells[1].Number)
			}
		})
	}
	for _, empty := range []string{"", "  "} {
		if _, err := ask[api.CompareReply](t, h, api.Compare, api.CompareRequest{Question: empty, Keys: []string{"bare-a.md", "bare-b.md"}}); err == nil {
			t.Errorf("the question %q is compared", empty)
		}
	}
}

// Currencies that differ are named in an answer, and not reckoned with.
func TestAskDoesNotReckonAcrossCurrencies(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	h.Put("zqalphaxv.md", "# Zqalphaxv report\n\nFigures (in millions of dollars)\n\n| Item | 2024 |\n|---|---|\n| Zqturnoverxv | 5 |\n")
	h.Put("zqbetaxv.md", "# Zqbetaxv report\n\nFigures (in millions of euros)\n\n| Item | 2024 |\n|---|---|\n| Zqturnoverxv | 4 |\n")
	h.Settle()
	rep, err := ask[api.AskReply](t, h, api.Ask, api.AskRequest{Question: "Compare zqturnoverxv in 2024", Keys: []string{"zqalphaxv.md", "zqbetaxv.md"}})
	if err != nil || !rep.Found || len(rep.Computed) != 0 || !strings.Contains(rep.Answer, "5") || !strings.Contains(rep.Answer, "4") {
		t.Errorf("%s %q %+v", rep.Form, rep.Answer, rep.Computed)
	}
	if rep.Comparison != nil {
		for _, r := range rep.Comparison.Rows {
			if r.Changes != nil {
				t.Errorf("reckoned: %+v", r.Changes)
			}
		}
	}
}

// A document that changes between ranking and reading: the answer and the comparison are of the newer version, never of a
// mixture.
func TestAskAndCompareOfAChangedDocument(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	text := func(v string) string {
		return "# Zqworksxv\n\n| Item | 2024 | 2023 |\n|---|---|---|\n| Zqturnoverxv | " + v + " | 70 |\n| Zqcostxv | 3 | 2 |\n"
	}
	h.Put("a.md", text("81"))
	h.Put("b.md", text("60"))
	h.Settle()
	change := func(v string) {
		var once atomic.Bool
		h.Fail(func(op faulty.Op, _, key string) faulty.Fault {
			if op == faulty.Get && strings.HasSuffix(key, "source.md") && once.CompareAndSwap(false, true) {
				h.Put("a.md", text(v))
				h.Settle()
			}
			return faulty.Fault{}
		})
	}
	change("92")
	rep, err := ask[api.AskReply](t, h, api.Ask, api.AskRequest{Question: "How much was zqturnoverxv in 2024?", Keys: []string{"a.md"}})
	if err != nil || !strings.Contains(rep.Answer, "92") || strings.Contains(rep.Answer, "81") {
		t.Errorf("%v: %q", err, rep.Answer)
	}
	change("93")
	c, err := ask[api.CompareReply](t, h, api.Compare, api.CompareRequest{Question: "zqturnoverxv 2024", Keys: []string{"a.md", "b.md"}})
	if err != nil || len(c.Rows) == 0 || c.Rows[0].Cells[0] == nil || c.Rows[0].Cells[0].Number != "93" {
		t.Errorf("%v: %+v", err, c)
	}
}
