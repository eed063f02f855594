package query_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/workers/workertest"
)

// A chapter is named and a detail of one of its leaves is asked for: the leaf comes, not the whole chapter, and the context
// keeps to its budget.
func TestKnown63TheDetailOfALeafIsFound(t *testing.T) {
	var text strings.Builder
	text.WriteString("# Handbook\n\nFor all pumps.\n\n")
	for chapter := 1; chapter <= 3; chapter++ {
		fmt.Fprintf(&text, "## Chapter %d. Stations\n\nThis chapter is about stations and their care.\n\n", chapter)
		for part := 1; part <= 12; part++ {
			fmt.Fprintf(&text, "### %d.%d Care of station %s\n\n%s\n\n", chapter, part, word(10*chapter+part), strings.Repeat("Look after the station with care and write it down. ", 60))
			if chapter == 2 && part == 9 {
				text.WriteString("The gland packing is renewed after 4,200 hours.\n\n")
			}
		}
	}
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	h.Put("handbook.md", text.String())
	h.Settle()
	for _, k := range []int{3, 10} {
		places := find(t, h, "What does chapter 2 say about the renewal of the gland packing?", k)
		size, leaf := 0, 0
		for i, s := range places {
			size += utf8.RuneCountInString(s.Shown)
			if strings.Contains(s.Text, "4,200 hours") && leaf == 0 {
				leaf = i + 1
			}
		}
		if leaf == 0 || leaf > 3 || size > 16_000 {
			t.Errorf("k %d: the leaf is place %d, the context has %d characters", k, leaf, size)
		}
	}
}

// A statement that is printed twice in one document takes one place.
func TestAStatementPrintedTwiceTakesOnePlace(t *testing.T) {
	statement := "\n\n| | 2024 | 2023 |\n|---|---|---|\n| Goodwill of the pump business | 1,204 | 1,180 |\n| Inventories of pumps and valves | 310 | 290 |\n" +
		"| Trade receivables from customers | 512 | 498 |\n| Cash and bank balances on hand | 77 | 81 |\n\n"
	text := "# Report\n\nAbout pumps.\n\n## Balance sheet" + statement + "## Notes\n\nGoodwill of pumps is tested each year.\n\n## Balance sheet, again" + statement +
		"## Outlook\n\nPumps and goodwill will do well.\n"
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	h.Put("report.md", text)
	h.Settle()
	places, tables := find(t, h, "goodwill of the pump business", 4), 0
	for _, s := range places {
		if strings.Contains(s.Text, "1,204") {
			tables++
		}
	}
	if tables != 1 || len(places) < 3 {
		t.Errorf("the statement takes %d of %d places", tables, len(places))
	}
}

// last puts the last place first, or fails.
type last struct{ err error }

func (x last) Order(_ context.Context, _ string, paths []string) ([]int, error) {
	return []int{len(paths) - 1}, x.err
}

// A re-ranker changes the order of the places, and its fault does not.
func TestReranker(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	h.Put("a.md", paper("Paper", 8))
	h.Settle()
	question := "Paper " + word(2)
	before := find(t, h, question, 3)
	h.Query.Reranker = last{}
	if got := find(t, h, question, 3); len(got) != 3 || got[0].Pointer == before[0].Pointer || got[1].Pointer != before[0].Pointer {
		t.Errorf("%v", got)
	}
	h.Query.Reranker = last{errors.New("away")}
	if got := find(t, h, question, 3); len(got) != 3 || got[0].Pointer != before[0].Pointer {
		t.Errorf("after a fault: %v", got)
	}
}
