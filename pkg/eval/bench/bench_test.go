package bench

import (
	"os"
	"slices"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/pkg/eval/flat"
	"github.com/fingerpost/fingerpost/pkg/route"
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

// floor is what a mode must reach on the 129 questions: any@1, @3, @5 and all@5 as counts.
type floor struct {
	name       string
	names      bool // keys say what a document is
	mode       Mode
	any        [3]int
	all        int
	structural int // of 8, any@5
}

// held reports a run below its floor.
func (f floor) held(t *testing.T, r *eval.Report) {
	t.Helper()
	s := r.Sum(nil)
	for i, k := range eval.Ks {
		if s.Any[i] < f.any[i] {
			t.Errorf("%s: any@%d is %d of %d, floor %d", f.name, k, s.Any[i], s.N, f.any[i])
		}
	}
	if last := s.All[len(s.All)-1]; last < f.all {
		t.Errorf("%s: all@5 is %d of %d, floor %d", f.name, last, s.N, f.all)
	}
	st := r.Sum(func(r eval.Result) bool { return r.Kind == "structural" })
	if got := st.Any[len(st.Any)-1]; got < f.structural {
		t.Errorf("%s: structural any@5 is %d of %d, floor %d", f.name, got, st.N, f.structural)
	}
	if s.Errors > 0 {
		t.Errorf("%s: %d questions ended in an error", f.name, s.Errors)
	}
}

var (
	windows = Mode{Crumb: true, Clean: true}
	lex     = Mode{Crumb: true, Rows: true, Refs: true, Clean: true}
	routed  = Mode{Crumb: true, Rows: true, Refs: true, Clean: true, Route: true}
	strict  = Mode{Crumb: true, Rows: true, Refs: true, Clean: true, Route: true, Vocabulary: route.StandardVocabulary.Strict()}
	chosen  = Mode{Crumb: true, Rows: true, Refs: true, Clean: true, Route: true, Facts: true, Vocabulary: route.StandardVocabulary.Strict()}
)

// TestWords holds what words alone must find: no vectors.
func TestWords(t *testing.T) {
	qs := questions(t)
	silent, named := corpus(t, false), corpus(t, true)
	for _, f := range []floor{
		{"windows and breadcrumbs", false, windows, [3]int{49, 69, 87}, 0, 0},
		{"+ rows, references", false, lex, [3]int{60, 89, 100}, 80, 8},
		{"+ names in terms", true, lex, [3]int{74, 94, 105}, 86, 8},
		{"+ routing, keys unknown", false, routed, [3]int{80, 100, 109}, 95, 8},
		{"+ routing", true, routed, [3]int{83, 104, 113}, 99, 8},
		{"+ strict vocabulary", true, strict, [3]int{94, 115, 120}, 112, 8},
		{"+ facts", true, chosen, [3]int{93, 116, 120}, 112, 8},
	} {
		c := silent
		if f.names {
			c = named
		}
		f.held(t, run(t, f.name, qs, c.Finder(f.mode)))
	}
}

// TestFlatIsTheBaselineToBeat keeps the baseline honest: it must not fall below what it was measured at elsewhere
// (.264/.419/.504, all@5 .411), nor reach what sections do.
func TestFlatIsTheBaselineToBeat(t *testing.T) {
	var docs []flat.Document
	for _, d := range documents(t) {
		docs = append(docs, flat.Document{Name: d.Name, Text: string(d.Text)})
	}
	f, err := flat.Finder(t.Context(), mem.New(0), 1, docs, func(s string) []string { return words.Analyze(s, words.English) })
	if err != nil {
		t.Fatal(err)
	}
	floor{"flat", false, Mode{}, [3]int{34, 54, 65}, 53, 0}.held(t, run(t, "flat", questions(t), f))
}

func TestFiguresAreTheSameTwice(t *testing.T) {
	qs := questions(t)[:40]
	a := run(t, "once", qs, corpus(t, true).Finder(routed))
	b := run(t, "twice", qs, corpus(t, true).Finder(routed))
	for i := range a.Results {
		if !slices.Equal(a.Results[i].Places, b.Results[i].Places) {
			t.Errorf("%s: %v, then %v", a.Results[i].ID, a.Results[i].Places, b.Results[i].Places)
		}
	}
}
