package query_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// Contracts and manuals are asked in other words than theirs: what is found is answered, not refused, and what they do not
// say is not answered. Words only; the sets and documents are those of package bench.
func TestAskedInOtherWords(t *testing.T) {
	testenv.Slow(t, "ninety questions")
	dir := filepath.Join(testenv.Root(), "pkg", "eval", "bench", "testdata")
	docs := map[string][]byte{}
	for _, name := range []string{"brackwater-processing-agreement.md", "tannery-row-lease.md", "ferrow-shipping-api.md"} {
		b, err := os.ReadFile(filepath.Join(dir, "fields", name))
		if err != nil {
			t.Fatal(err)
		}
		docs[name] = b
	}
	h := library(t, docs)
	got := map[string]int{}
	for _, set := range []string{"processing", "lease", "shipping"} {
		b, err := os.ReadFile(filepath.Join(dir, set+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			question, gold, ok := strings.Cut(strings.TrimSpace(line), " | ")
			if !ok || question[0] == '#' {
				continue
			}
			rep := answerOf(t, h, question)
			if got[set+" asked"]++; rep.Found {
				got[set+" answered"]++
			}
			for _, c := range rep.Citations {
				if strings.Contains(c.Quote, strings.Split(gold, " | ")[0]) {
					got[set+" with the line"]++
					break
				}
			}
		}
	}
	for _, q := range []string{"What colour must the office doors have?", "Which airline may the sub-processor use?", "How many kilowatts does the charging station deliver?",
		"Who won the football match?", "What is the chemical formula of the coolant?", "Does the API support quantum encryption?", "What is the recipe of the canteen's soup?",
		"How tall is the lighthouse?"} {
		if rep := answerOf(t, h, q); rep.Found {
			t.Logf("%s: %q", q, rep.Answer)
		} else {
			got["not in them, said so"]++
		}
	}
	floors(t, got, map[string]int{"processing answered": 15, "lease answered": 20, "shipping answered": 21, "processing with the line": 8,
		"lease with the line": 9, "shipping with the line": 15, "not in them, said so": 7})
}
