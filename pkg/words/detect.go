package words

import "unicode"

// How much of a text Detect reads, and how much of it must be stop words of a language.
const (
	detectBytes = 64 << 10
	minShare    = .08 // running text has .25 to .45 of its own, under .05 of another's
	fewWords    = 30  // fewer say too little: Latin letters alone count as English
)

// Detect is the language of a text: by its script, then by whose stop words it uses most.
// It reads at most the first 64 KiB. A text of a language that is not known is None; a short
// one in Latin letters, or one with no letters at all, is English.
func Detect(text string) Language {
	if len(text) > detectBytes {
		text = text[:detectBytes]
	}
	c := census{stops: map[Language]int{}}
	c.count(text)
	switch {
	case c.other > c.latin && c.other > c.cyrillic:
		return None
	case c.cyrillic > c.latin:
		return c.judge(Russian)
	}
	return c.judge(English, German)
}

// census is what a text is made of: letters by script, words, stop words by language.
type census struct {
	latin, cyrillic, other, words int
	stops                         map[Language]int
}

func (c *census) count(text string) {
	var word []byte
	for _, r := range text {
		if !unicode.IsLetter(r) {
			c.word(word)
			word = word[:0]
			continue
		}
		c.letter(r)
		if len(word) < MaxTerm {
			word = appendFolded(word, unicode.ToLower(r), None)
		}
	}
	c.word(word)
}

func (c *census) letter(r rune) {
	switch {
	case r < 0x250 || unicode.Is(unicode.Latin, r):
		c.latin++
	case unicode.Is(unicode.Cyrillic, r):
		c.cyrillic++
	default:
		c.other++
	}
}

func (c *census) word(w []byte) {
	if len(w) == 0 {
		return
	}
	c.words++
	for _, l := range Languages {
		if ruled[l].stop[string(w)] {
			c.stops[l]++
		}
	}
}

// judge is the candidate with most stop words, the first one when the text is too short to
// tell, None when it uses too few.
func (c *census) judge(candidates ...Language) Language {
	best := candidates[0]
	for _, l := range candidates {
		if c.stops[l] > c.stops[best] {
			best = l
		}
	}
	if c.words >= fewWords && float64(c.stops[best]) < minShare*float64(c.words) {
		return None
	}
	return best
}
