package query_test

import (
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// Tables as they come: each has a defined answer.
func TestTablesThatAreNotAsTheyShouldBe(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	h.Put("bare.md", "# Zqbarexv stock\n\n| Zqhammersxv | 12 |\n| Zqnailsxv | 4,500 |\n| Zqsawsxv | 7 |\n")
	h.Put("ragged.md", "# Zqraggedxv yields\n\n| Field | 2024 | 2023 |\n|---|---|---|\n| Zqnorthxv field | 31 |\n| Zqsouthxv field | 42 | 40 | 38 |\n")
	h.Put("scales.md", "# Zqscalesxv figures\n\n| Item | Zqsalesxv (in millions) | Zqcardsxv (thousands) |\n|---|---|---|\n| Zqeastxv | 5.5 | 7 |\n")
	h.Put("russian.md", "# Показатели завода\n\nВ тыс. рублей\n\n| Показатель | 2024 | 2023 |\n|---|---|---|\n| Зквыручка | 1 234,5 | 998 |\n")
	h.Settle()
	for _, c := range []struct{ question, value, number string }{
		{"How many zqnailsxv are in stock?", "4,500", "4500"},
		{"What is the yield of the zqnorthxv field in 2024?", "31", "31"},
		{"What is the yield of the zqsouthxv field in 2023?", "40", "40"},
		{"How much is the zqsalesxv of zqeastxv?", "5.5", "5500000"},
		{"How many zqcardsxv has zqeastxv?", "7", "7000"},
		{"Сколько составила зквыручка в 2024?", "1 234,5", "1234500"},
	} {
		rep := answerOf(t, h, c.question)
		if !rep.Found || rep.Form != api.FormCell || rep.Citations[0].Cell == nil || rep.Citations[0].Cell.Text != c.value || rep.Citations[0].Cell.Number != c.number {
			t.Errorf("%s: %s %q %+v", c.question, rep.Form, rep.Answer, rep.Citations)
		}
	}
	for _, empty := range []string{"", "   "} {
		_, err := ask[api.AskReply](t, h, api.Ask, api.AskRequest{Question: empty})
		if err == nil {
			t.Errorf("the question %q is answered", empty)
		}
	}
}

// What differs in scale is converted; what differs in currency is laid side by side and not reckoned.
func TestCompareConvertsOrRefuses(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	table := func(unit, value string) string {
		return "# Zqbooksxv\n\nFigures " + unit + "\n\n| Item | 2024 |\n|---|---|\n| Zqturnoverxv | " + value + " |\n| Zqcostxv | 3 |\n"
	}
	h.Put("a.md", table("(in millions of dollars)", "5"))
	h.Put("b.md", table("(in thousands of dollars)", "10,000"))
	h.Put("c.md", table("(in millions of euros)", "4"))
	h.Put("d.md", "# Zqbooksxv\n\nNothing is said here of it.\n")
	h.Settle()
	two := func(keys ...string) api.CompareReply {
		t.Helper()
		rep, err := ask[api.CompareReply](t, h, api.Compare, api.CompareRequest{Question: "zqturnoverxv", Keys: keys})
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	rep := two("a.md", "b.md")
	if len(rep.Rows) != 1 || len(rep.Rows[0].Changes) != 2 || rep.Rows[0].Changes[0].Number != "5000000" || rep.Rows[0].Changes[1].Value != "2.00" {
		t.Errorf("scales: %+v", rep)
	}
	rep = two("a.md", "c.md")
	if len(rep.Rows) != 1 || rep.Rows[0].Changes != nil || len(rep.Notes) != 1 || !strings.Contains(rep.Notes[0], "USD") {
		t.Errorf("currencies: %+v", rep)
	}
	rep = two("a.md", "d.md")
	if len(rep.Rows) != 1 || len(rep.Rows[0].Missing) != 1 || rep.Rows[0].Cells[1] != nil {
		t.Errorf("missing: %+v", rep)
	}
	_, err := ask[api.CompareReply](t, h, api.Compare, api.CompareRequest{Question: "zqturnoverxv", Keys: []string{"a.md"}})
	refused(t, "one side", err, 400, "two documents or two periods")
	_, err = ask[api.CompareReply](t, h, api.Compare, api.CompareRequest{Question: "zqturnoverxv", Keys: []string{"a.md", "zz.md"}})
	refused(t, "a key of no document", err, 404, "zz.md")
}

// What is asked of a part of the whole is reckoned from the cells of its table.
func TestPartsAreReckoned(t *testing.T) {
	h := demoLibrary(t)
	for question, want := range map[string]string{
		"What is the revenue growth of the Field Services segment of Larkmoor from fiscal 2024 to fiscal 2025?": "14.1%",
		"What share of Larkmoor's revenue came from Marine Sensing in fiscal 2025?":                             "51.7%",
	} {
		rep := answerOf(t, h, question)
		if rep.Form != api.FormComputed || len(rep.Computed) != 1 || rep.Computed[0].Value != want || len(rep.Computed[0].Cells) != 2 || len(rep.Citations) != 2 {
			t.Errorf("%s: %s %q", question, rep.Form, rep.Answer)
		}
	}
}
