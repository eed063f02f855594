package table

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// isNumber reports whether s is a value: digits with signs, currency, percent, parentheses and
// short marks around them, or a dash that stands for nothing.
func isNumber(s string) bool {
	digits, letters, dashes := 0, 0, 0
	for i, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r == '—' || r == '–' || r == '-' || r == '−':
			dashes++
		case r < utf8.RuneSelf && (r|0x20 >= 'a' && r|0x20 <= 'z'):
			if i == 0 && !strings.HasPrefix(s, "US$") {
				return false
			}
			letters++
		case strings.ContainsRune("$€£¥₽().,+%‰ '’×±~<>≤≥/*†‡:#", r):
		default:
			return false
		}
	}
	if digits == 0 {
		return dashes > 0 && letters == 0
	}
	return letters <= 4
}

// hasDigit reports whether s has a digit.
func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// isCurrency reports whether s is nothing but a currency sign that belongs to the next cell.
func isCurrency(s string) bool {
	switch s {
	case "$", "€", "£", "¥", "₽", "US$", "C$", "A$", "HK$", "R$", "CHF", "EUR", "USD", "GBP", "$(", "(", "(€", "($", "€(":
		return true
	}
	return false
}

// isSuffix reports whether s is nothing but the end of the number in the cell before.
func isSuffix(s string) bool {
	switch s {
	case "%", ")", ")%", "%)", ") %", "% )", "pts", "bps", "pp":
		return true
	}
	return false
}

// scaleWords are the words of a unit line, with their factor; 1 is a unit without a scale.
var scaleWords = map[string]float64{
	"thousand": 1e3, "thousands": 1e3, "000s": 1e3, "000": 1e3, "million": 1e6, "millions": 1e6, "mm": 1e6, "billion": 1e9, "billions": 1e9, "trillions": 1e12,
	"тыс": 1e3, "тысяч": 1e3, "тысячах": 1e3, "млн": 1e6, "миллионов": 1e6, "миллионах": 1e6, "млрд": 1e9, "миллиардах": 1e9, "миллиардов": 1e9,
	"tausend": 1e3, "teur": 1e3, "mio": 1e6, "mrd": 1e9, "millionen": 1e6, "milliarden": 1e9,
	"percent": 1, "percentages": 1, "percentage": 1, "dollars": 1, "years": 1, "shares": 1, "days": 1, "months": 1, "units": 1,
	"процентах": 1, "рублей": 1, "рублях": 1, "руб": 1, "euro": 1, "eur": 1, "usd": 1, "prozent": 1, "chf": 1, "%": 1, "$": 1, "€": 1,
	"euros": 1, "pounds": 1, "sterling": 1, "yen": 1, "francs": 1, "rubles": 1,
}

// unitFiller are the words that may stand beside them in a unit line.
var unitFiller = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`in of us u.s and or the except for per as share shares amount amounts data where indicated noted
		otherwise unless par value values number numbers ratio ratios rate rates contract contracts employees employee units ounces barrels
		are is expressed stated all figures tables tabular unaudited audited weighted average headcount stock option options fair
		price prices footnotes number store stores information item items basis points other than dollar percentage percent earnings
		loss income common a an
		в на и кроме если не указано иное российских долларов сша единица измерения за исключением данных акцию
		in und je aktie außer sofern nicht anders angegeben`) {
		m[w] = true
	}
	return m
}()

// unitText reports whether s is a unit line ("(In millions, except per share amounts)") and gives
// it without its parentheses, with its factor (1: no scale).
func unitText(s string) (text string, scale float64, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) == 0 || len(s) > 160 {
		return "", 1, false
	}
	if c := s[len(s)-1]; (c == ')' || c == '*') && strings.IndexByte(s, ' ') != 0 && footMark.MatchString(s[max(0, len(s)-8):]) {
		s = footMark.ReplaceAllString(s, "")
	}
	inner := strings.TrimSpace(strings.Trim(s, "()[]*: "))
	scale, known, strong, first := 1.0, false, strings.HasPrefix(s, "(") || strings.HasPrefix(s, "["), true
	for w := range strings.FieldsFuncSeq(inner, notUnitRune) {
		w = strings.ToLower(strings.Trim(w, "."))
		f, isScale := scaleWords[w]
		strong = strong || f > 1 || first && (w == "in" || w == "в" || w == "expressed")
		first = false
		switch {
		case isScale:
			known = true
			if scale == 1 {
				scale = f
			}
		case !unitFiller[w]:
			return "", 1, false
		}
	}
	return inner, scale, known && strong
}

// unmarked is a text without the marks of footnotes at its end.
func unmarked(s string) string {
	if n := len(s); n == 0 || s[n-1] != ')' && s[n-1] != '*' {
		return s
	}
	at := max(0, len(s)-40)
	return s[:at] + footMark.ReplaceAllString(s[at:], "")
}

// footMark is the mark of a footnote at the end of a text.
var footMark = regexp.MustCompile(`\s*(?:\([a-z0-9]{1,2}\)|\*+)+$`)

func notUnitRune(r rune) bool { return strings.ContainsRune(" ,;-–—/()[]'’\"“”:", r) }

// unitInside finds a unit in parentheses within s, "Billed business (billions)", "Year Ended
// December 31 (Millions, except per share amounts)", or a scale behind its last comma, "Sales, EUR million".
func unitInside(s string) (text string, scale float64, ok bool) {
	if text, scale, ok = unitInParentheses(s); ok {
		return text, scale, ok
	}
	if at := strings.LastIndexByte(s, ','); at > 0 {
		if text, scale, ok = unitText(s[at+1:]); ok && scale > 1 {
			return text, scale, ok
		}
	}
	return "", 1, false
}

func unitInParentheses(s string) (text string, scale float64, ok bool) {
	for from := 0; from < len(s); {
		open := strings.IndexByte(s[from:], '(')
		if open < 0 {
			return "", 1, false
		}
		open += from
		end := strings.IndexByte(s[open:], ')')
		if end < 0 {
			return "", 1, false
		}
		if text, scale, ok := unitText(s[open : open+end+1]); ok {
			return text, scale, true
		}
		from = open + 1
		if from > 400 {
			return "", 1, false
		}
	}
	return "", 1, false
}
