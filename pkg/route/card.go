package route

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/facts"
)

// Card is what routing by name knows of a document. It is made once, from the text and the key.
type Card struct {
	Prefix doc.Prefix `json:"-"`
	// Stems are the words of the key's last element, lower case, without extension: "amd".
	Stems []string `json:"stems,omitempty"`
	// Names are the words that stand capitalised in the first HeadSize characters and, four times in five, in the
	// whole text, lower case.
	Names []string `json:"names,omitempty"`
	// Uses counts the words of the whole text, lower case, whatever their case; only those that stand
	// capitalised somewhere and have minUses and more.
	Uses map[string]int `json:"uses,omitempty"`
	// Facts are what the document is, for a Library; CardOf leaves them empty.
	Facts facts.Facts `json:"facts,omitzero"`
}

// HeadSize is how much of a text is looked at for what it calls itself, in characters.
const HeadSize = 3000

// Bounds of a card.
const (
	minUses  = 3
	maxUses  = 600     // distinct words kept: the most used
	maxText  = 4 << 20 // bytes of the text that are counted
	minName  = 3       // letters of a name
	maxStems = 8
)

// CardOf makes the card of a document from its key and Source.
func CardOf(p doc.Prefix, key string, src []byte) Card {
	c := Card{Prefix: p, Stems: stems(key), Uses: map[string]int{}}
	text := string(src[:min(len(src), maxText)])
	capital, head := map[string]int{}, map[string]bool{}
	end := headEnd(text)
	eachWord(text, func(w string, at span, upper bool) {
		c.Uses[w]++
		if !upper {
			return
		}
		capital[w]++
		if at.from < end && !head[w] {
			head[w] = true
			c.Names = append(c.Names, w)
		}
	})
	for w, n := range c.Uses {
		if n < minUses || capital[w] == 0 {
			delete(c.Uses, w)
		}
	}
	c.Names = slices.DeleteFunc(c.Names, func(w string) bool { return 5*capital[w] < 4*c.Uses[w] })
	c.bound()
	return c
}

// bound keeps the most used words only, and names among them.
func (c *Card) bound() {
	for least := minUses + 1; len(c.Uses) > maxUses; least++ {
		for w, n := range c.Uses {
			if n < least {
				delete(c.Uses, w)
			}
		}
	}
	c.Names = slices.DeleteFunc(c.Names, func(w string) bool { return c.Uses[w] == 0 })
}

func headEnd(text string) int {
	n := 0
	for i := range text {
		if n == HeadSize {
			return i
		}
		n++
	}
	return len(text)
}

// stems are the words of a key's last element: letters and digits, at least two, not all digits.
func stems(key string) []string {
	key = key[strings.LastIndexByte(key, '/')+1:]
	if i := strings.LastIndexByte(key, '.'); i > 0 {
		key = key[:i]
	}
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(key), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if utf8.RuneCountInString(w) > 1 && strings.ContainsFunc(w, unicode.IsLetter) && len(out) < maxStems {
			out = append(out, w)
		}
	}
	return out
}

// span is a word's bytes, half-open.
type span struct{ from, to int }

// eachWord calls f with every word of three bytes and more, lower-cased, where it stands, and whether it begins
// with a capital. Words inside tags are no words.
func eachWord(text string, f func(word string, at span, upper bool)) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == '<' {
			if n := strings.IndexByte(text[i:min(len(text), i+200)], '>'); n > 0 {
				i += n + 1
				continue
			}
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			i += size
			continue
		}
		start := i
		for i < len(text) && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			i += size
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if word := text[start:i]; len(word) >= minName && len(word) <= 64 {
			first, _ := utf8.DecodeRuneInString(word)
			f(strings.ToLower(word), span{start, i}, unicode.IsUpper(first))
		}
	}
}
