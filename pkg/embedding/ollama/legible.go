package ollama

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Ollama's tokenizer for BERT vocabularies differs from the models' own: it keeps accents, breaks punctuation beyond
// ASCII into bytes, keeps control characters, and has no longest word. legible spells a text so that both read the same.
// Its rules are part of what the vectors are: when they change, the digest of the fingerprint must change with them.

const (
	longestWord = 100 // runes; BERT reads a longer word as one unknown
	unknown     = "⌘" // in no vocabulary, no punctuation: one unknown word
)

// legible is the spelling of a normalised text.
func legible(text string) string {
	if short(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	word := 0 // runes since the last blank or punctuation
	start := 0
	put := func(s string) { b.WriteString(s); word = 0; start = b.Len() }
	for _, r := range stripped(text) {
		switch {
		case unicode.IsSpace(r):
			put(" ")
		case unicode.IsPunct(r) && r < utf8.RuneSelf:
			put(string(r))
		case unicode.IsPunct(r):
			put(" " + spelt(r) + " ")
		default:
			if word++; word == longestWord+1 {
				kept := b.String()[:start]
				b.Reset()
				b.WriteString(kept + unknown)
			}
			if word <= longestWord {
				b.WriteRune(unicode.ToLower(r))
			}
		}
	}
	return b.String()
}

// short holds for ASCII without control characters and over-long words, which needs no spelling.
func short(text string) bool {
	word := 0
	for i := range len(text) {
		c := text[i]
		if c >= 0x7f || c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
		if word++; c <= ' ' {
			word = 0
		} else if word > longestWord {
			return false
		}
	}
	return true
}

// stripped is the text without accents, control and format characters; ideographs stand apart.
func stripped(text string) string {
	var b strings.Builder
	b.Grow(len(text) + 16)
	for _, r := range text {
		switch {
		case unicode.IsSpace(r) && r != '\v' && r != '\f' && r != 0x85:
			b.WriteByte(' ')
		case r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
		case unicode.Is(unicode.Han, r):
			b.WriteString(" " + string(r) + " ")
		default:
			b.WriteRune(r)
		}
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(b.String()))
}

// garbles reports whether a normalised text has a mark that the model knows and the server's tokenizer breaks into
// bytes: punctuation beyond ASCII. What the model itself does not know is one unknown to both.
func garbles(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return spelt(r) != unknown })
}

// spelt is the ASCII nearest to a punctuation mark that the model knows, unknown for every other character.
func spelt(r rune) string {
	switch r {
	case '§':
		return "section"
	case '¶', '‖':
		return "|"
	case '†', '‡':
		return "*"
	case '‰':
		return "%"
	case '。', '．', '·', '・', '।', '॥', '།':
		return "."
	case '，', '、', '،':
		return ","
	case '：':
		return ":"
	case '？', '¿':
		return "?"
	case '！', '¡':
		return "!"
	case '／':
		return "/"
	case '－', '〜', '‿', '־', '་':
		return "-"
	case '（', '₍':
		return "("
	case '）', '₎':
		return ")"
	case '「', '」', '『', '』', '《', '》', '〈', '〉', '⟨', '⟩':
		return `"`
	}
	return unknown
}
