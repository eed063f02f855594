package bench

import (
	"os"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/pkg/eval/flat"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// sets are the five development sets: 129 answerable questions over nine documents in one index.
var sets = []string{"fin4_comprehensive40", "fin4_financebench26", "fin4_own_dev", "papers_multimodal20", "papers_own_dev"}

func questions(t testing.TB) (qs []eval.Question) {
	t.Helper()
	for _, s := range sets {
		q, err := eval.ReadFile(testenv.Shared(t, "bench", s+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		qs = append(qs, q...)
	}
	return qs
}

func documents(t testing.TB) []Document {
	t.Helper()
	docs, err := Folder(testenv.Shared(t, "bench", "docs"))
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func corpus(t testing.TB, names bool) *Corpus {
	t.Helper()
	c, err := Open(t.Context(), mem.New(0), documents(t), names, chunker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func run(t testing.TB, name string, qs []eval.Question, f eval.Finder) *eval.Report {
	t.Helper()
	r, err := eval.Run(t.Context(), name, qs, f)
	if err != nil {
		t.Fatal(err)
	}
	if testing.Verbose() {
		if err := r.WriteText(os.Stdout); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestWords(t *testing.T) {
	qs, c := questions(t), corpus(t, false)
	var fd []flat.Document
	for _, d := range documents(t) {
		fd = append(fd, flat.Document{Name: d.Name, Text: string(d.Text)})
	}
	ff, err := flat.Finder(t.Context(), mem.New(0), 1, fd, func(s string) []string { return words.Analyze(s, words.English) })
	if err != nil {
		t.Fatal(err)
	}
	run(t, "flat", qs, ff)
	run(t, "windows+crumb", qs, c.Finder(Mode{Crumb: true}))
	run(t, "rows", qs, c.Finder(Mode{Crumb: true, Rows: true}))
	run(t, "refs", qs, c.Finder(Mode{Crumb: true, Rows: true, Refs: true}))
	run(t, "clean", qs, c.Finder(Mode{Crumb: true, Rows: true, Refs: true, Clean: true}))
}
