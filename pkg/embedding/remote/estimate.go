package remote

import (
	"math"
	"unicode"

	"github.com/fingerpost/fingerpost/pkg/embedding"
)

// Estimate is how many tokens a tokenizer that we do not know makes of each kind of character, rather too many. It is
// learned from the server's counts of fixed texts at the start and never changes after, so that the same text always
// has the same chunks.
type Estimate struct {
	Latin float64 // a Latin letter in a word
	Other float64 // any other letter in a word
	Han   float64 // an ideograph or syllable sign
	Mark  float64 // a digit, a sign, a line break
}

// dense is what is assumed of a server that does not count.
var dense = Estimate{Latin: .4, Other: 1, Han: 2, Mark: 1}

const (
	specials = 2   // tokens around a text
	margin   = 1.2 // real texts are denser than the probes
	emoji    = 4.0 // tokens of a sign beyond the basic plane: its bytes
)

// Count is the estimated number of tokens of a normalised text, special ones included.
func (m Estimate) Count(text string) int {
	var sum, word float64
	end := func() {
		if word > 0 {
			sum += max(1, word)
		}
		word = 0
	}
	blank := false
	for _, r := range text {
		space := r == ' ' || r == '\t'
		switch {
		case space:
			end()
			if blank {
				sum += m.Mark / 4 // runs of blanks are few tokens, not none
			}
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			end()
			sum += m.Han
		case unicode.Is(unicode.Latin, r) && r < 0x80:
			word += m.Latin
		case unicode.IsLetter(r) || unicode.IsMark(r):
			word += m.Other
		case r > 0xFFFF:
			end()
			sum += emoji
		default:
			end()
			sum += m.Mark
		}
		blank = space
	}
	end()
	return specials + int(math.Ceil(sum*margin))
}

// fitted learns from what a server counted of the pure texts; a count of 0 leaves what is assumed.
func fitted(counted map[string]int) Estimate {
	m := dense
	for text, to := range map[string]*float64{pureLatin: &m.Latin, pureOther: &m.Other, pureHan: &m.Han} {
		n, letters := counted[text], 0
		for _, r := range embedding.Normalise(text) {
			if unicode.IsLetter(r) {
				letters++
			}
		}
		if n > 0 {
			*to = max(.2, float64(n-specials)/float64(letters))
		}
	}
	return m
}
