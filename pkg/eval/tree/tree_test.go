package tree

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/llm/scripted"
	"github.com/fingerpost/fingerpost/pkg/outline"
)

func document(t *testing.T, name, text string) Document {
	t.Helper()
	tree, err := outline.Build(doc.NewID("t", "b", name), doc.VersionOf([]byte(text)), []byte(text), outline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return Document{name, []byte(text), tree}
}

func open(t *testing.T, path string) *File {
	t.Helper()
	f, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// picking answers with the number of the first entry that holds the word, and summarises by the first words.
func picking(word string) *scripted.Model {
	return scripted.Replying(func(r llm.Request) scripted.Turn {
		text := r.Messages[0].Text
		if r.Schema == nil {
			return scripted.Turn{Text: "About " + strings.Fields(text)[0]}
		}
		for line := range strings.Lines(text) {
			if n, rest, ok := strings.Cut(line, ". "); ok && strings.Contains(rest, word) {
				return scripted.Turn{Text: `{"numbers":[` + n + `]}`}
			}
		}
		return scripted.Turn{Text: `{"numbers":[]}`}
	})
}

const manual = "# Pumps\n\nAll about pumps.\n\n## Starting\n\nOpen the inlet valve.\n\n## Stopping\n\nClose the outlet valve.\n"

func TestWalk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "summaries")
	long := manual + "\n## Storage\n\nDry " + strings.Repeat("and cool ", 200) + "\n"
	docs := []Document{document(t, "pumps.md", long), document(t, "rules.md", "# Rules\n\nNo smoking.\n")}
	m := picking("Stopping")
	b, err := Write(t.Context(), m, docs, open(t, path), Limits{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if b.Ingest.Calls != 1 {
		t.Errorf("%d calls: only the long section needs one", b.Ingest.Calls)
	}
	r, err := eval.System{Name: "tree", Find: b.Finder(), Ingest: b.Ingest}.Run(t.Context(), []eval.Question{{ID: "q", Question: "how is it stopped?",
		Gold: []eval.Gold{{Doc: "pumps.md", Start: 11, End: 11}}}})
	if err != nil {
		t.Fatal(err)
	}
	got := r.Results[0]
	if got.Any != 2 || got.Usage.Calls != 2 || got.Error != "" { // the document, its section; the document's own text is the first place
		t.Errorf("%+v", got)
	}
	again, err := Write(t.Context(), m, docs, open(t, path), Limits{}, nil)
	if err != nil || again.Ingest.Calls != 0 {
		t.Errorf("known summaries cost %d calls, %v", again.Ingest.Calls, err)
	}
}

// A model that answers nonsense is a baseline that finds little; one that is away ends the run.
func TestWalkOfAPoorModel(t *testing.T) {
	for _, c := range []struct {
		name string
		m    *scripted.Model
		fail bool
	}{
		{"silent", scripted.Replying(func(llm.Request) scripted.Turn { return scripted.Turn{} }), false},
		{"numbers that are not there", scripted.Replying(func(llm.Request) scripted.Turn { return scripted.Turn{Text: `{"numbers":[0,99,-1]}`} }), false},
		{"no JSON", scripted.Replying(func(llm.Request) scripted.Turn { return scripted.Turn{Text: "the second one"} }), false},
		{"away", scripted.Replying(func(llm.Request) scripted.Turn { return scripted.Turn{Err: errors.New("connection refused")} }), true},
	} {
		docs := []Document{document(t, "a.md", manual), document(t, "b.md", manual)}
		b, err := Write(t.Context(), c.m, docs, open(t, filepath.Join(t.TempDir(), "s")), Limits{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		places, err := b.Finder()(t.Context(), "valve", 5)
		if (err != nil) != c.fail || !c.fail && len(places) == 0 {
			t.Errorf("%s: %d places, %v", c.name, len(places), err)
		}
	}
}

// Many sections are asked page by page, and never more often than allowed.
func TestKnown64CallsAreBounded(t *testing.T) {
	var text strings.Builder
	for range 300 {
		text.WriteString("# Part\n\nText.\n\n")
	}
	m := picking("nothing")
	b, err := Write(t.Context(), m, []Document{document(t, "a.md", text.String())}, open(t, filepath.Join(t.TempDir(), "s")), Limits{Calls: 5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Finder()(t.Context(), strings.Repeat("long ", 5000), 5); err != nil || len(m.Requests()) != 5 {
		t.Errorf("%d calls, %v", len(m.Requests()), err)
	}
}

func TestFileOfSummariesOutlivesATornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	f := open(t, path)
	if err := f.Put("a", "one"); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(path)
	torn, _ := json.Marshal(record{"b", "two"})
	if err := os.WriteFile(path, slices.Concat(b, torn[:8]), 0o644); err != nil {
		t.Fatal(err)
	}
	f = open(t, path)
	if err := f.Put("c", "three"); err != nil {
		t.Fatal(err)
	}
	f = open(t, path)
	if s, ok := f.Get("c"); !ok || s != "three" || len(f.have) != 2 {
		t.Errorf("%v", f.have)
	}
}
