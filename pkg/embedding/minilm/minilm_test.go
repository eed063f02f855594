package minilm

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/embedding"
)

func TestKnows(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"", true},
		{"2022: 5 %, (3) + 4", true},
		{"Net revenue rose by 44 %", true},
		{"Übergrößen und Fußgängerübergänge", true},
		{"Выручка за год составила 12,4 млрд рублей", false},
		{"Годовой отчёт компании Example", false},
		{"The word «отчёт» means report", true},
		{"年度報告書 2022", false},
		{"売上高は前年比で増えた", false},
		{"한국어 문장입니다", false},
		{"إيرادات الشركة", false},
		{"α and β are the two parameters", true},
		{"Ετήσια έκθεση της εταιρείας", false},
	} {
		if got := New().Knows(c.text); got != c.want {
			t.Errorf("Knows(%q) = %v", c.text, got)
		}
	}
}

func TestTooLong(t *testing.T) {
	for _, c := range []struct {
		words int
		want  int // tokens of the error; 0: none
	}{{0, 0}, {253, 0}, {254, 0}, {255, 257}, {100_000, 100_002}} {
		text := strings.Repeat("cash ", c.words)
		_, err := New().Embed(t.Context(), []string{"fits", text})
		long, ok := errors.AsType[*embedding.TooLongError](err)
		if ok != (c.want > 0) || ok && *long != (embedding.TooLongError{Index: 1, Tokens: c.want, Limit: 256}) {
			t.Errorf("%d words: %v", c.words, err)
		}
	}
}

// Special tokens in a text do not steer the model.
func TestSpecialTokensAreText(t *testing.T) {
	ids, n := embedded().tok.encode("[CLS] a [SEP]", maxTokens)
	if n != len(ids) || slices.Contains(ids[1:len(ids)-1], embedded().tok.cls) || slices.Contains(ids[1:len(ids)-1], embedded().tok.sep) {
		t.Errorf("ids %v", ids)
	}
}

// Texts that would cost much time or memory if words were not bounded.
func TestHostileTextsAreCountedQuickly(t *testing.T) {
	for name, text := range map[string]string{
		"one word":             strings.Repeat("a", 4<<20),
		"words of the longest": strings.Repeat(strings.Repeat("\u0e01", 100)+" ", 8_000),
		"marks":                strings.Repeat("\u0301", 1<<20),
		"punctuation":          strings.Repeat("!", 2<<20),
		"not UTF-8":            strings.Repeat("\xff", 4<<20),
		"symbols":              strings.Repeat("<>", 1<<20),
	} {
		start := time.Now()
		n := New().Count(text)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: %d bytes counted as %d tokens in %v", name, len(text), n, took)
		}
	}
}

// A call that waits for a core ends with its context.
func TestWaitingCallEndsWithItsContext(t *testing.T) {
	e := newEmbedder(embedded(), 1)
	s := <-e.scratch // the only core is taken
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := e.Embed(ctx, []string{"a"})
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	e.scratch <- s
	if _, err := e.Embed(t.Context(), []string{"a"}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestGroupsHoldShortTextsOnly(t *testing.T) {
	tokens := func(n ...int) (out [][]int32) {
		for _, n := range n {
			out = append(out, make([]int32, n))
		}
		return out
	}
	for _, c := range []struct {
		tokens [][]int32
		want   int
	}{{tokens(256), 1}, {tokens(256, 2), 1}, {tokens(20, 20, 20, 20), 3}, {tokens(2, 62, 2), 2}, {tokens(10), 1}} {
		if got := group(c.tokens); got != c.want {
			t.Errorf("%d texts, the first of %d tokens: %d pass together, want %d", len(c.tokens), len(c.tokens[0]), got, c.want)
		}
	}
}

// FuzzEncode holds the tokenizer to what the model needs of any text: two special tokens around ids
// of the vocabulary, and a count that does not depend on how many are kept.
func FuzzEncode(f *testing.F) {
	for _, s := range []string{"", "cash", "\xff", "e\u0301", "年a", "[SEP]", strings.Repeat("x", 101)} {
		f.Add(s)
	}
	t0 := embedded().tok
	f.Fuzz(func(t *testing.T, s string) {
		all, n := t0.encode(s, len(s)+2)
		if len(all) != n || n < 2 || all[0] != t0.cls || all[n-1] != t0.sep {
			t.Fatalf("%q: %d ids, counted %d: %v", s, len(all), n, all)
		}
		for _, id := range all[1 : n-1] {
			if id < 0 || id >= 30522 || id == t0.cls || id == t0.sep {
				t.Fatalf("%q: id %d", s, id)
			}
		}
		if few, m := t0.encode(s, 5); m != n || !slices.Equal(few, all[:min(n, 5)]) {
			t.Fatalf("%q: %d of %d ids, %d when five are kept", s, len(few), n, m)
		}
	})
}
