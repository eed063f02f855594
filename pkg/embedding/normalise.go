package embedding

import (
	"crypto/sha256"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// NormaliserVersion grows when Normalise gives other text for any input. It is part of a
// build's fingerprint: vectors of unequal versions are not compared.
const NormaliserVersion = 1

// Normalise is the one way in which text is prepared for every embedder, documents and questions
// alike, because tokenizers disagree on the characters it removes: composed form (NFC), quotes,
// dashes, ellipses and ligatures of print as ASCII, blanks of any width as one space each,
// invisible marks gone, bytes that are not UTF-8 as U+FFFD, and the symbols $ + < = > ^ ` | ~ set
// apart by spaces. Letters, case, accents and lines stay. Normalising twice changes nothing.
func Normalise(text string) string {
	if plain(text) {
		return text
	}
	n := normaliser{last: ' '}
	n.out.Grow(len(text) + len(text)/8)
	for _, r := range norm.NFC.String(strings.ToValidUTF8(text, "\uFFFD")) {
		if s, ok := printed(r); ok {
			for _, r := range s {
				n.put(r)
			}
		} else {
			n.put(r)
		}
	}
	return n.out.String()
}

// normaliser writes runes and sees to the spaces beside symbols.
type normaliser struct {
	out  strings.Builder
	last rune // written last; a space at the start, where none is needed
}

func (n *normaliser) put(r rune) {
	if (isApart(r) || isApart(n.last)) && !unicode.IsSpace(r) && !unicode.IsSpace(n.last) {
		n.out.WriteByte(' ')
	}
	n.out.WriteRune(r)
	n.last = r
}

// TextHash is the key under which a text's vector may be kept: SHA-256 of the normalised text.
func TextHash(text string) [32]byte { return sha256.Sum256([]byte(Normalise(text))) }

// plain reports that there is nothing to normalise: the common case of ASCII prose.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || isApart(rune(c)) {
			return false
		}
	}
	return true
}

// isApart holds for the ASCII symbols that Unicode does not count as punctuation; tokenizers that
// split at punctuation leave them glued to the word.
func isApart(r rune) bool {
	switch r {
	case '$', '+', '<', '=', '>', '^', '`', '|', '~':
		return true
	}
	return false
}

// printed is the ASCII form of a character that only print knows; "" for an invisible one.
func printed(r rune) (string, bool) {
	if r < 0xA0 {
		return "", false
	}
	switch r {
	case '‘', '’', '‚', '‛', '′', '‹', '›', 'ʼ':
		return "'", true
	case '“', '”', '„', '‟', '″', '«', '»':
		return `"`, true
	case '‐', '‑', '‒', '–', '—', '―', '−', '﹘', '﹣':
		return "-", true
	case '…':
		return "...", true
	case '•', '‣', '⁃', '∙':
		return "*", true
	case '⁄', '∕':
		return "/", true
	case 'ﬀ':
		return "ff", true
	case 'ﬁ':
		return "fi", true
	case 'ﬂ':
		return "fl", true
	case 'ﬃ':
		return "ffi", true
	case 'ﬄ':
		return "ffl", true
	case 'ﬅ', 'ﬆ':
		return "st", true
	case 0xAD, 0x200B, 0x2060, 0xFEFF: // soft hyphen, zero width space, word joiner, byte order mark
		return "", true
	}
	if unicode.Is(unicode.Zs, r) || r == 0x2028 || r == 0x2029 {
		return " ", true
	}
	return "", false
}
