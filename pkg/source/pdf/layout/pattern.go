package layout

import (
	"regexp"
	"strings"
	"unicode"
)

// Patterns of titles that say their own place.
var (
	reItem    = regexp.MustCompile(`(?i)^items?\s+\d{1,2}[a-c]?\b\s*[.:\-—–]?`)
	rePart    = regexp.MustCompile(`(?i)^part\s+(i{1,3}v?|iv|v|[1-4])\b`)
	reNote    = regexp.MustCompile(`(?i)^note\s+\d{1,2}\b\s*[.:\-—–]?`)
	reDotted  = regexp.MustCompile(`^(\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+\p{Lu}`)
	reRoman   = regexp.MustCompile(`^(X{0,3}(?:IX|IV|V?I{0,3}))\.\s+\p{L}`)
	reLetter  = regexp.MustCompile(`^\(?[A-Z]\.\s+\p{Lu}`)
	reArticle = regexp.MustCompile(`(?i)^(article|section|chapter|lecture|appendix|exhibit|annex|schedule|глава|раздел|статья|приложение|kapitel|abschnitt|anhang)\s+([\dIVXA-ZА-Я]{1,4}(\.\d{1,2})*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b`)
	reAlone   = regexp.MustCompile(`(?i)^(article|note|chapter|lecture|глава|раздел)\s+([\dIVXL]{1,5}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)[.:]?$`)
	reRunIn   = regexp.MustCompile(`^(?i:section)\s+(\d{1,2})\.(\d{1,2})\.?\s+([^.]{2,90})(\.|$)`)
	reSubRun  = regexp.MustCompile(`^((?:\d{1,2}|[A-Z]{1,3})\.\d{1,2}\.?\s+[“"]?\p{Lu}[^.:;]{1,90}?)\s?[:.]\s+([“"(]?[\p{Lu}\d].*)$`)
	reLetters = regexp.MustCompile(`^\((?:[A-Za-z]|[ivxIVX]{1,4})\)\s+[“"*]?\p{Lu}`)
	reMark    = regexp.MustCompile(`^\((?:[A-Za-z]|[ivxIVX]{1,4})\)\s+`)
	reClause  = regexp.MustCompile(`^(\d{1,2}|[A-Z])(\.\d{1,2}){1,3}\.?\s+[“"]?(\p{Lu}|\d{3}[A-Z]?\s+\p{Lu})`)
	reYears   = regexp.MustCompile(`(?i)\b(19|20)\d\d\b|in millions|in thousands|total`)
	reNumber  = regexp.MustCompile(`^[$€£¥]?\s*\(?[$€£¥]?\s*[\d][\d,.]*\s*\)?\s*%?\)?$|^[—–\-]+\s*%?$|^[$€£¥(]+$|^[)%]+$|^\(?\.\d+\)?\s*%?$`)
)

// numbered reports whether a title names its kind and number: Item 7, Part II, Note 3, Article IV.
func numbered(t string) bool {
	return reItem.MatchString(t) || rePart.MatchString(t) || reNote.MatchString(t) || reArticle.MatchString(t)
}

// counted reports whether a title begins with a number or letter of a list.
func counted(t string) bool {
	return reDotted.MatchString(t) || reRoman.MatchString(t) || reLetter.MatchString(t)
}

// titled reports whether the long words of t begin with capitals, as in titles.
func titled(t string) bool {
	upper, n := 0, 0
	for w := range strings.FieldsSeq(t) {
		r := []rune(w)
		if len(r) < 4 || !unicode.IsLetter(r[0]) {
			continue
		}
		n++
		if unicode.IsUpper(r[0]) {
			upper++
		}
	}
	return n > 0 && upper*5 >= n*4
}

// filed reports whether a title is a part, item or note of a filing.
func filed(t string) bool {
	return reItem.MatchString(t) || rePart.MatchString(t) || reNote.MatchString(t)
}

// capitals reports whether t is written in capitals: four letters or more, nine in ten upper case.
func capitals(t string) bool {
	upper, n := 0, 0
	for _, r := range t {
		if unicode.IsLetter(r) {
			n++
			if unicode.IsUpper(r) {
				upper++
			}
		}
	}
	return n >= 4 && upper*10 > n*9
}

// normal is t in lower case with letters and digits only, one blank between words.
func normal(t string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(t) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(r)
	}
	return b.String()
}

// alike is the share of words that two titles have in common, 0 to 1.
func alike(a, b string) float64 {
	x, y := wordSet(a), wordSet(b)
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	n := 0
	for w := range x {
		if y[w] {
			n++
		}
	}
	return float64(n) / float64(max(len(x), len(y)))
}

func wordSet(t string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(normal(t)) {
		m[w] = true
	}
	return m
}

// masked is a normal text with its numbers as '#'.
func masked(t string) string {
	var b strings.Builder
	digit := false
	for _, r := range normal(t) {
		if unicode.IsDigit(r) {
			if !digit {
				b.WriteByte('#')
			}
			digit = true
			continue
		}
		digit = false
		b.WriteRune(r)
	}
	return b.String()
}
