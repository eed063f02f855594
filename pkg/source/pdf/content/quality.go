package content

import "unicode"

// Score gathers how far text can be trusted.
type Score struct {
	Chars    int // characters without blanks
	Unmapped int // of these: without a meaning
	letters  int // of scripts whose vowels are known
	vowels   int
	pairs    int // of letters side by side in a word
	turns    int // of these: one a vowel, one not
}

// Add counts the characters of t.
func (s *Score) Add(t string) {
	last := none
	for _, r := range t {
		now := none
		switch {
		case unicode.IsSpace(r):
			last = none
			continue
		case r == unicode.ReplacementChar:
			s.Unmapped++
		case unicode.Is(unicode.Latin, r) || unicode.Is(unicode.Cyrillic, r):
			s.letters++
			now = consonant
			if vowel(r) {
				s.vowels++
				now = voiced
			}
			if last != none {
				s.pairs++
			}
			if last != none && last != now {
				s.turns++
			}
		}
		last = now
		s.Chars++
	}
}

// Kinds of a letter.
const (
	none = iota
	consonant
	voiced
)

// Sum adds what another score has counted.
func (s *Score) Sum(o Score) {
	s.Chars, s.Unmapped, s.letters, s.vowels = s.Chars+o.Chars, s.Unmapped+o.Unmapped, s.letters+o.letters, s.vowels+o.vowels
	s.pairs, s.turns = s.pairs+o.pairs, s.turns+o.turns
}

// enoughLetters is how many letters are needed before their vowels say anything.
const enoughLetters = 200

// Value is between 0 and 1; 1 for text whose characters are all known and whose letters could be those of words. Fonts that lie about
// their letters give themselves away: in the languages of Europe .34 to .48 of the letters are vowels, and two of three neighbours in
// a word are a vowel and a consonant (measured .64 to .78). Under another alphabet one of the two is rarely so. Nothing has the value 1.
func (s Score) Value() float64 {
	if s.Chars == 0 {
		return 1
	}
	v := 1 - float64(s.Unmapped)/float64(s.Chars)
	if s.letters < enoughLetters {
		return v
	}
	share := float64(s.vowels) / float64(s.letters)
	switch {
	case share < .27:
		v *= max(0, (share-.12)/.15)
	case share > .55:
		v *= max(0, (.70-share)/.15)
	}
	if turns := float64(s.turns) / float64(max(1, s.pairs)); turns < .58 {
		v *= max(0, (turns-.40)/.18)
	}
	return v
}

func vowel(r rune) bool {
	switch unicode.ToLower(r) {
	case 'a', 'e', 'i', 'o', 'u', 'y', 'à', 'á', 'â', 'ã', 'ä', 'å', 'æ', 'è', 'é', 'ê', 'ë', 'ì', 'í', 'î', 'ï', 'ò', 'ó', 'ô', 'õ', 'ö', 'ø', 'ù', 'ú', 'û', 'ü', 'ý', 'œ', 'ą', 'ę', 'ě', 'ő', 'ű', 'ı',
		'а', 'е', 'ё', 'и', 'о', 'у', 'ы', 'э', 'ю', 'я', 'і', 'ї', 'є':
		return true
	}
	return false
}

// Score is that of a page's text.
func (p *Page) Score() Score {
	var s Score
	for i := range p.Runs {
		s.Add(p.Runs[i].Text)
	}
	return s
}
