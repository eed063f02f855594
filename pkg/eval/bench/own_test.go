package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
)

// demo is the demo's documents.
func demo(t testing.TB) []Document {
	t.Helper()
	docs, err := Folder(filepath.Join(testenv.Root(), "workers", "demo", "corpus"))
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

// library is the demo's documents and those that were written for sets alone, testdata/fields.
func library(t testing.TB) []Document {
	t.Helper()
	docs, err := Folder(filepath.Join("testdata", "fields"))
	if err != nil {
		t.Fatal(err)
	}
	return append(demo(t), docs...)
}

// own reads a set of our own, testdata/<set>.txt: questions with strings that stand where the answer does.
func own(t testing.TB, set string, docs []Document) (qs []eval.Question) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", set+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	var d Document
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if name, ok := strings.CutPrefix(line, "doc: "); ok {
			for _, x := range docs {
				if x.Name == name {
					d = x
				}
			}
			continue
		}
		question, gold, ok := strings.Cut(line, " | ")
		if !ok {
			t.Fatalf("%s: %s: want question | string", set, line)
		}
		q := eval.Question{Set: set, ID: fmt.Sprintf("%s-%02d", set, len(qs)+1), Question: question, Kind: "factual", Docs: []string{d.Name}}
		for i, fact := range strings.Split(gold, " && ") {
			for _, s := range strings.Split(fact, " || ") {
				n := lineOf(t, d, s)
				q.Gold = append(q.Gold, eval.Gold{Doc: d.Name, Fact: i, Start: n, End: n, SectionStart: n, SectionEnd: n})
			}
		}
		qs = append(qs, q)
	}
	return qs
}

// lineOf is the one line of d that holds s.
func lineOf(t testing.TB, d Document, s string) (n int) {
	t.Helper()
	i := bytes.Index(d.Text, []byte(s))
	if i < 0 || bytes.Contains(d.Text[i+1:], []byte(s)) {
		t.Fatalf("%s: %q stands there %d times, want once", d.Name, s, bytes.Count(d.Text, []byte(s)))
	}
	return 1 + bytes.Count(d.Text[:i], []byte("\n"))
}

// ownSets are the sets of our own: what words alone must find without any vocabulary, any@1, @3 and @5; what they must
// with the vocabulary of all fields but finance; and what words and vectors must with it (measured by TestTruthOwnSets).
// The sets named aside were written afterwards and changed nothing. Of the last three, documents and questions were written
// before any ranking of them was looked at. First measured, words and vectors, they gave 16/25/28, 13/22/25 and, for the one that
// was kept shut until the synonyms and the weight Unsaid were done, 11/17/22.
var ownSets = []struct {
	set                   string
	plain, words, vectors [3]int
}{
	{"manual", [3]int{22, 26, 27}, [3]int{24, 28, 29}, [3]int{25, 28, 29}},
	{"contract", [3]int{15, 22, 26}, [3]int{23, 28, 29}, [3]int{24, 28, 29}},
	{"regulation", [3]int{22, 24, 24}, [3]int{22, 24, 24}, [3]int{24, 24, 24}},
	{"manual_aside", [3]int{10, 13, 17}, [3]int{10, 14, 17}, [3]int{12, 16, 18}},
	{"contract_aside", [3]int{11, 14, 16}, [3]int{14, 16, 17}, [3]int{15, 18, 19}},
	{"shipping", [3]int{14, 20, 24}, [3]int{15, 24, 27}, [3]int{22, 28, 29}},
	{"lease", [3]int{10, 16, 19}, [3]int{11, 21, 25}, [3]int{16, 24, 26}},
	{"processing", [3]int{8, 14, 16}, [3]int{12, 20, 25}, [3]int{18, 24, 26}},
}

// asked is the set's one document in an index of its own.
func asked(t testing.TB, set string, o chunker.Options) (*Corpus, []eval.Question) {
	t.Helper()
	docs := library(t)
	qs := own(t, set, docs)
	docs = slices.DeleteFunc(docs, func(d Document) bool { return d.Name != qs[0].Docs[0] })
	c, err := Open(t.Context(), mem.New(0), docs, false, o)
	if err != nil {
		t.Fatal(err)
	}
	return c, qs
}

// plain is the formula without vocabulary.
func plain() Mode {
	m := chosen
	m.Vocabulary = nil
	return m
}

// fields is the formula with the vocabulary of all fields but finance.
func fields() Mode {
	m := chosen
	m.Vocabulary = route.StandardVocabulary.Strict().Without("finance")
	return m
}

// TestOwnSets holds other fields than the ones the formula was found on: an interface manual, a contract, a Russian
// regulation; words only. The questions use other words than the documents where people would.
func TestOwnSets(t *testing.T) {
	for _, s := range ownSets {
		c, qs := asked(t, s.set, chunker.Options{})
		floor{name: s.set, any: s.plain}.held(t, run(t, s.set+", no vocabulary", qs, c.Finder(plain())))
		floor{name: s.set, any: s.words}.held(t, run(t, s.set, qs, c.Finder(fields())))
	}
}
