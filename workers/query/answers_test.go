package query_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/workers/demo"
	"github.com/fingerpost/fingerpost/workers/query"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// These tests hold what `ask` and `compare` must answer without a model: floors over question files. The answers are
// checked by value and place, not by wording.

// library is a house that holds documents, words only, knows their names, and has the program's vocabulary.
func library(t *testing.T, docs map[string][]byte) *workertest.House {
	t.Helper()
	h := workertest.Open(t, workertest.Config{NoVectors: true, Limits: query.Limits{Concurrent: 64, Deadline: 5 * time.Minute, Trees: 64, Nodes: 2_000_000}})
	h.Query.Vocabulary = route.StandardVocabulary.Strict() // as the program has it
	for key, b := range docs {
		h.Put(key, string(b))
		h.Settle()
	}
	for key := range docs {
		look, late := time.NewTicker(time.Millisecond), time.After(time.Minute)
		for !h.Query.Knows(h.Record(workertest.ID(key))) {
			select {
			case <-look.C:
			case <-late:
				t.Fatalf("the names of %s are not known within a minute", key)
			}
		}
		look.Stop()
	}
	return h
}

func demoLibrary(t *testing.T) *workertest.House {
	t.Helper()
	docs := map[string][]byte{}
	for _, d := range demo.Corpus() {
		docs[d.Key] = d.Bytes
	}
	return library(t, docs)
}

// each decodes a file of one JSON object a line.
func each[T any](t *testing.T, path string, f func(T)) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sc := bufio.NewScanner(bytes.NewReader(b))
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		f(v)
	}
}

func answerOf(t *testing.T, h *workertest.House, question string) api.AskReply {
	t.Helper()
	rep, err := ask[api.AskReply](t, h, api.Ask, api.AskRequest{Question: question})
	if err != nil {
		t.Fatalf("%s: %v", question, err)
	}
	for _, c := range append(slices.Clone(rep.Citations), rep.Nearest...) {
		if !c.Verified {
			t.Errorf("%s: %s is cited with %q, which does not say %q", question, c.Pointer, c.Quote, c.Shown)
		}
	}
	return rep
}

// squeezed is a text without blanks and dollar signs.
func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" $\u00a0", r) {
			return -1
		}
		return r
	}, s)
}

// floors reports counts that are too low.
func floors(t *testing.T, got map[string]int, least map[string]int) {
	t.Helper()
	t.Logf("%v", got)
	for name, n := range least {
		if got[name] < n {
			t.Errorf("%s: %d, floor %d", name, got[name], n)
		}
	}
}

func TestArithmeticOverTheDemo(t *testing.T) {
	testenv.Slow(t, "forty questions over the demo")
	h := demoLibrary(t)
	got := map[string]int{}
	each(t, "testdata/arithmetic.jsonl", func(q struct{ ID, Question, Value string }) {
		rep := answerOf(t, h, q.Question)
		first, _, _ := strings.Cut(rep.Answer, "\n")
		if rep.Found && rep.Form == api.FormComputed && len(rep.Computed) > 0 && len(rep.Citations) > 0 && strings.Contains(squeezed(first), q.Value) {
			got["right"]++
		} else {
			t.Logf("%s: %q, want %s (%s)", q.ID, rep.Answer, q.Value, q.Question)
		}
	})
	floors(t, got, map[string]int{"right": 38})
}

func TestComparisonsOverTheDemo(t *testing.T) {
	testenv.Slow(t, "twenty comparisons over the demo")
	h := demoLibrary(t)
	got := map[string]int{}
	type asked struct {
		ID, Question         string
		Keys, Periods, Cells []string
	}
	each(t, "testdata/comparisons.jsonl", func(q asked) {
		rep, err := ask[api.CompareReply](t, h, api.Compare, api.CompareRequest{Question: q.Question, Keys: q.Keys, Periods: q.Periods})
		if err != nil {
			t.Errorf("%s: %v", q.ID, err)
			return
		}
		var cells []string
		for _, r := range rep.Rows {
			for _, c := range r.Cells {
				if c != nil {
					cells = append(cells, squeezed(c.Text))
				}
			}
			for _, c := range r.Citations {
				if !c.Verified {
					t.Errorf("%s: %s says %q", q.ID, c.Pointer, c.Quote)
				}
			}
		}
		if slices.Equal(cells, q.Cells) {
			got["right"]++
		} else {
			t.Logf("%s: %q, want %q (%s)", q.ID, cells, q.Cells, q.Question)
		}
	})
	floors(t, got, map[string]int{"right": 18})
}

func TestWhatTheDemoDoesNotSay(t *testing.T) {
	testenv.Slow(t, "thirty questions over the demo")
	h := demoLibrary(t)
	got := map[string]int{}
	each(t, "testdata/unanswerable.jsonl", func(q struct{ ID, Question string }) {
		if rep := answerOf(t, h, q.Question); !rep.Found && rep.Form == api.FormNone {
			got["said so"]++
		} else {
			t.Logf("%s: %q (%s)", q.ID, rep.Answer, q.Question)
		}
	})
	floors(t, got, map[string]int{"said so": 22})
	for _, q := range demo.Questions() {
		if rep := answerOf(t, h, q.Question); rep.Found == (q.Kind == "unanswerable") {
			t.Errorf("the demo shows %s as %q", q.Question, rep.Answer)
		}
	}
	refused := 0
	for _, q := range demo.Quality() {
		if rep := answerOf(t, h, q.Question); q.Kind != "unanswerable" && !rep.Found {
			refused++
			t.Logf("%s is refused: %s", q.ID, q.Question)
		}
	}
	if refused > 3 {
		t.Errorf("%d answerable questions are refused", refused)
	}
}

var devSets = []string{"fin4_comprehensive40", "fin4_financebench26", "fin4_own_dev", "papers_multimodal20", "papers_own_dev"}

// goldCell is what a question file says of a cell.
type goldCell struct {
	Value string `json:"value"`
	Line  int    `json:"line"`
}

type devQuestion struct {
	ID, Question, Kind string
	Gold               []goldPlace
}

// goldPlace is a place that answers a question, or one fact of it.
type goldPlace struct {
	DocID        string `json:"doc_id"`
	Fact         int    `json:"fact"`
	Start        int    `json:"start_line"`
	End          int    `json:"end_line"`
	SectionStart int    `json:"section_start_line"`
	SectionEnd   int    `json:"section_end_line"`
	Cell         *goldCell
}

// TestDevSets asks the development sets over all their documents.
func TestDevSets(t *testing.T) {
	testenv.Slow(t, "asks every question of the dev sets")
	docs := map[string][]byte{}
	files, err := filepath.Glob(filepath.Join(testenv.Shared(t, "bench", "docs"), "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if docs[filepath.Base(f)], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	h := library(t, docs)
	got := map[string]int{}
	for _, s := range devSets {
		each(t, testenv.Shared(t, "bench", s+".jsonl"), func(q devQuestion) {
			rep := answerOf(t, h, q.Question)
			got["asked"]++
			switch {
			case q.Kind == "unanswerable":
				count(got, "unanswerable said so", !rep.Found)
				return
			case !rep.Found:
				got["refused"]++
				t.Logf("%s is refused", q.ID)
			}
			value, lines, sides := q.held(rep)
			switch hasCell := slices.ContainsFunc(q.Gold, func(g goldPlace) bool { return g.Cell != nil }); {
			case hasCell:
				count(got, "cells", value)
			case q.Kind == "table_cell":
				count(got, "other cells", lines)
			case q.Kind == "comparison":
				count(got, "comparisons", sides)
			}
		})
	}
	floors(t, got, map[string]int{"cells": 22, "other cells": 4, "comparisons": 13, "unanswerable said so": 5})
	if got["refused"] > 6 {
		t.Errorf("%d answerable questions are refused, at most 6", got["refused"])
	}
}

func count(got map[string]int, name string, ok bool) {
	if ok {
		got[name]++
	}
}

// held reports whether the answer holds a gold cell, cited by its line; whether a gold line is cited; and whether every
// fact has a citation within its gold section.
func (q devQuestion) held(rep api.AskReply) (value, lines, sides bool) {
	facts, met := map[int]bool{}, map[int]bool{}
	for _, g := range q.Gold {
		facts[g.Fact] = true
		for _, c := range rep.Citations {
			p, _ := doc.ParsePointer(c.Pointer)
			if c.Key != g.DocID {
				continue
			}
			lines = lines || p.Lines.Start <= g.End && p.Lines.End >= g.Start
			if p.Lines.Start >= g.SectionStart && p.Lines.End <= g.SectionEnd {
				met[g.Fact] = true
			}
			if g.Cell != nil && p.Lines.Start <= g.Cell.Line && g.Cell.Line <= p.Lines.End {
				value = value || strings.Contains(squeezed(rep.Answer), squeezed(g.Cell.Value))
			}
		}
	}
	return value, lines, len(met) == len(facts)
}
