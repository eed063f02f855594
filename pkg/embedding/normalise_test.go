package embedding

import (
	"crypto/sha256"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestNormalise(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"plain prose", "The 2022 report, page 3.", "The 2022 report, page 3."},
		{"lines and tabs stay", "a\tb\r\nc", "a\tb\r\nc"},
		{"quotes", "“AMD’s” ‘best’ «year» ‹so›", `"AMD's" 'best' "year" 'so'`},
		{"dashes", "2021–2022 — a co‑op −5 ‒ ―", "2021-2022 - a co-op -5 - -"},
		{"ellipsis", "and so on…", "and so on..."},
		{"bullet", "• first", "* first"},
		{"ligatures", "ﬁnancial oﬃce ﬂow", "financial office flow"},
		{"soft hyphen and zero width", "fi\u00adnan\u200bcial\ufeff", "financial"},
		{"blanks of print", "1\u00a0000\u202f000\u3000m\u2028n", "1 000 000 m n"},
		{"composed", "cafe\u0301 A\u030a", "café Å"},
		{"accents and case stay", "Übergrößen", "Übergrößen"},
		{"symbols apart", "a+b=c", "a + b = c"},
		{"symbols in a row", "x<=>y", "x < = > y"},
		{"symbols with spaces already", "$ 5 | 6 ~", "$ 5 | 6 ~"},
		{"symbols at both ends", "$5^", "$ 5 ^"},
		{"code", "`a`|~b", "` a ` | ~ b"},
		{"symbol before a blank of print", "5$\u00a0each", "5 $ each"},
		{"symbol before a mark that goes", "5$\u00adx", "5 $ x"},
		{"symbol at the end before a mark that goes", "5$\u00ad", "5 $"},
		{"not UTF-8", "a\xffb\xc3", "a\uFFFDb\uFFFD"},
		{"other scripts", "Приложение «А» 中文。", `Приложение "А" 中文。`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Normalise(c.in); got != c.want {
				t.Errorf("Normalise(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestTextHashIsOfNormalisedText(t *testing.T) {
	if TextHash("“a”+b") != sha256.Sum256([]byte(`"a" + b`)) {
		t.Error("hash is not of the normalised text")
	}
	if TextHash("cafe\u0301") != TextHash("café") {
		t.Error("two spellings of one text have two hashes")
	}
}

func FuzzNormalise(f *testing.F) {
	for _, s := range []string{"", "a+b", "…$\u00ad", "=\u0338", "\u2028<\u0338|", "\xf0\x28\x8c", "›\u0301", "- \u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Normalise(s)
		if twice := Normalise(once); twice != once {
			t.Errorf("%q: once %q, twice %q", s, once, twice)
		}
		if !utf8.ValidString(once) || !norm.NFC.IsNormalString(once) {
			t.Errorf("%q: %q is not valid composed UTF-8", s, once)
		}
	})
}
