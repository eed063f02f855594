package bench

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
)

// TestPDFsFindAsTheirMarkdown asks the questions of the documents that are there as PDF and as published Markdown, words
// only, and counts a place when its whole section holds every string of a gold entry: lines are those of one of the two.
func TestPDFsFindAsTheirMarkdown(t *testing.T) {
	if testing.Short() {
		testenv.Slow(t, "the PDFs of the bench")
	}
	pdfs := readPDFs(t, testenv.Shared(t, "bench", "pdf"))
	both := map[string]bool{}
	for _, d := range pdfs {
		both[d.Name] = true
	}
	var published []Document
	for _, d := range documents(t) {
		if both[d.Name] {
			published = append(published, d)
		}
	}
	var qs []eval.Question
	for _, q := range questions(t) {
		if q.Answerable() && all(q.Docs, both) {
			qs = append(qs, q)
		}
	}
	fromMarkdown, fromPDF := held5(t, published, qs), held5(t, pdfs, qs)
	t.Logf("%d questions over %d documents: any@5 %d from Markdown, %d from PDF", len(qs), len(pdfs), fromMarkdown, fromPDF)
	if fromPDF < fromMarkdown-3 {
		t.Errorf("from PDF %d, from Markdown %d: more than 3 questions fewer", fromPDF, fromMarkdown)
	}
}

func all(names []string, in map[string]bool) bool {
	for _, n := range names {
		if !in[n] {
			return false
		}
	}
	return true
}

// held5 counts the questions of which one of the first five sections holds a gold entry.
func held5(t *testing.T, docs []Document, qs []eval.Question) (n int) {
	t.Helper()
	c, err := Open(t.Context(), mem.New(0), docs, true, chunker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mode := lex
	mode.Route, mode.Whole = true, true
	find := c.Finder(mode)
	for _, q := range qs {
		places, err := find(t.Context(), q.Question, 5)
		if err != nil {
			t.Fatal(err)
		}
		if holds(places, q.Gold) {
			n++
		}
	}
	return n
}

func holds(places []eval.Place, gold []eval.Gold) bool {
	for _, p := range places {
		text := squash(p.Text)
		for _, g := range gold {
			if p.Doc == g.Doc && every(text, g.Must) {
				return true
			}
		}
	}
	return false
}

func every(text string, must []string) bool {
	for _, m := range must {
		if !strings.Contains(text, squash(m)) {
			return false
		}
	}
	return len(must) > 0
}

var markup = regexp.MustCompile(`<[^<>]*>`)

// squash is a text as gold strings are compared: without `$`, blanks, `*`, tags, pipes and case.
func squash(s string) string {
	s = html.UnescapeString(markup.ReplaceAllString(s, ""))
	return strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune("$* \t\n\r|\\\u00a0", r) {
			return -1
		}
		return r
	}, s))
}
