package words

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// check holds what is true of the terms of any text.
func check(t *testing.T, text string, l Language) {
	t.Helper()
	terms, valid := Analyze(text, l), utf8.ValidString(text)
	for _, term := range terms {
		if term == "" || len(term) > MaxTerm || strings.ContainsAny(term, " \t\n") {
			t.Errorf("%s: %.60q has the term %q", l, text, term)
		}
		if valid && !utf8.ValidString(term) {
			t.Errorf("%s: %.60q has the broken term %q", l, text, term)
		}
	}
	if again := Append([]string{"x"}, text, l); !slices.Equal(again[1:], terms) {
		t.Errorf("%s: %.60q is analysed otherwise the second time", l, text)
	}
	if len(terms) > 3*len(text)+1 {
		t.Errorf("%s: %d terms of %d bytes", l, len(terms), len(text))
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{"A2.1.1 10-K 3.2(b)", "a.b.c.d.e", "2\u00a0648,5", "ﬁ’s", "U.S.", "/a/b", "x\u00ad\u00ady", "\xff/a", "東京-1", "1.234.567,8", "e\u0301", "(((1(a)(b)", "ǅ", "/\u00ad"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range append(Languages, None) {
			check(t, text, l)
		}
		Detect(text)
	})
}

func TestHostileTextTakesLinearTime(t *testing.T) {
	for name, unit := range map[string]string{
		"a word": "a", "dots": "a.", "digits": "1", "groups": "123,", "clauses": "1(a)", "slashes": "/a", "humps": "aB",
		"marks": "e\u0301", "soft hyphens": "\u00ad", "underscores": "_", "han": "東", "bad": "\xff", "cyrillic": "ё", "apostrophes": "a'",
	} {
		text := strings.Repeat(unit, 1<<18/len(unit))
		for _, l := range []Language{English, Russian} {
			began := time.Now()
			check(t, text, l)
			Detect(text)
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("%s, %s: 256 KiB took %s", name, l, took)
			}
		}
	}
}

var prose = strings.Repeat("The Company's goodwill, measured at the end of fiscal 2022, was $24,187 million; no impairment of the reporting units was found. ", 300)

func TestFrequentWordsCostNothing(t *testing.T) {
	dst := Append(nil, prose, English)
	n := testing.AllocsPerRun(10, func() { dst = Append(dst[:0], prose, English) })
	if n > 20 {
		t.Errorf("%v allocations for %d terms", n, len(dst))
	}
}

func BenchmarkAppend(b *testing.B) {
	var dst []string
	b.SetBytes(int64(len(prose)))
	b.ReportAllocs()
	for b.Loop() {
		dst = Append(dst[:0], prose, English)
	}
}
