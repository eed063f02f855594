package table

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Patterns of times, on lower-case text.
const (
	reMonth = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|` +
		`января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря|` +
		`januar|februar|märz|mai|juni|juli|oktober|dezember)\.?`
	reYear   = `(?:19|20)\d\d`
	rePrefix = `(?:(?:fiscal|full|calendar|financial|as of or for the|as of|at|for the|for|in|the|на|за|zum|per|stand)\s+)*`
	reSpan   = `(?:(?:three|six|nine|twelve|thirteen|twenty-six|fifty-two|fifty-three|3|6|9|12|13|26|39|52|53)[ -](?:months?|weeks?)|years?|quarters?|fiscal years?|periods?|год(?:ы|а)?|geschäftsjahre?)`
	reDate   = `(?:` + reMonth + `\s+\d{1,2}(?:,?\s+` + reYear + `)?|\d{1,2}\.?\s+` + reMonth + `(?:\s+` + reYear + `)?|\d{1,2}[./]\d{1,2}[./](?:\d\d)?\d\d|` + reYear + `-\d\d-\d\d|` + reMonth + `\s+` + reYear + `)`
	reShort  = `(?:fy|q[1-4]|[1-4]q|h[12]|[1-4]h)\W?\s?(?:'?\d\d|` + reYear + `)?`
)

var (
	// onePeriod is a text that is nothing but a time.
	onePeriod = regexp.MustCompile(`^` + rePrefix + `(?:` + reSpan + `(?:\s+(?:ended|ending|to|beendet))?,?\s*)?(?:the\s+)?(?:` + reShort + `|` +
		reYear + `(?:\s*[-–/]\s*(?:\d\d|` + reYear + `))?|` + reDate + `|` + reSpan + `\s+ended)(?:\s*(?:г\.?|год[ауы]?|года))?[,:]?(?:\s*(?:and\s*)?` +
		reYear + `)?(?:\s*(?:\([a-z0-9]{1,2}\)|\*+|†))*$`)
	// versus compares two years.
	versus = regexp.MustCompile(`^` + reYear + `\s*(?:vs?\.?|versus|compared (?:to|with)|to|-|–)\s*` + reYear + `$`)
	// bareYear is a year, perhaps with the mark of a footnote.
	bareYear = regexp.MustCompile(`^` + reYear + `(?:\s*\([a-z0-9]{1,2}\))*$`)
	someYear = regexp.MustCompile(`\b` + reYear + `\b|\d[./]\d{1,2}[./]\d\d|(?:fy|q[1-4])\W?'?\d\d`)
	// endsOpen is a text that ends in a date without its year.
	endsOpen = regexp.MustCompile(`\b` + reMonth + `(?:\s+\d{1,2})?,?$`)
	// dateEnd is a date that ends in its year.
	dateEnd = regexp.MustCompile(`(?:` + reMonth + `\s+(?:\d{1,2},?\s+)?|\d{1,2}\.?\s+` + reMonth + `\s+)?` + reYear + `$`)
)

// periodWords are the words a time may begin with.
var periodWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`fiscal full calendar financial as at for in the на за zum per stand
		three six nine twelve thirteen twenty fifty year years quarter quarters period periods год годы года geschäftsjahr geschäftsjahre fy q h
		jan january feb february mar march apr april may jun june jul july aug august sep sept september oct october nov november dec december
		января февраля марта апреля мая июня июля августа сентября октября ноября декабря
		januar februar märz mai juni juli oktober dezember`) {
		m[w] = true
	}
	return m
}()

// maxPeriod is the longest text that can be nothing but a time, in bytes.
const maxPeriod = 80

// isPeriod reports whether s is nothing but a time: "2022", "December 31, 2022", "Q3 2021",
// "Years Ended December 31,", "FY22", "2022 vs. 2021".
func isPeriod(s string) bool {
	s = strings.TrimSpace(s)
	if len(s) < 2 || len(s) > maxPeriod {
		return false
	}
	if c := s[0]; c >= '0' && c <= '9' {
		if len(s) == 4 {
			return year(s)
		}
		if strings.ContainsAny(s, "%$€£,") && !strings.ContainsAny(s, "abcdefghijklmnopqrstuvwxyzабвгдежзийклмнопрстуфя") {
			return false
		}
	} else if !periodWords[firstWord(s)] {
		return false
	}
	s = strings.ToLower(s)
	return onePeriod.MatchString(s) || versus.MatchString(s)
}

// firstWord is the letters at the start of s, in lower case.
func firstWord(s string) string {
	for i, r := range s {
		if r < utf8.RuneSelf && (r|0x20 < 'a' || r|0x20 > 'z') {
			return strings.ToLower(s[:i])
		}
	}
	return strings.ToLower(s)
}

func year(s string) bool {
	return len(s) == 4 && (s[:2] == "19" || s[:2] == "20") && s[2] >= '0' && s[2] <= '9' && s[3] >= '0' && s[3] <= '9'
}

// hasYear reports whether a time is complete: it names its year.
func hasYear(s string) bool {
	return hasDigit(s) && someYear.MatchString(strings.ToLower(cut(s, 2*maxPeriod)))
}

// onlyPeriod is the one time with a year in a sentence; "" when there is none or more than one.
func onlyPeriod(s string) string {
	found, at := "", 0
	for at+4 <= len(s) {
		n := strings.IndexAny(s[at:], "12")
		if n < 0 {
			break
		}
		at += n
		if at+4 > len(s) || !year(s[at:at+4]) || at > 0 && wordByte(s[at-1]) || at+4 < len(s) && wordByte(s[at+4]) {
			at++
			continue
		}
		if found != "" {
			return ""
		}
		before := s[max(0, at-24) : at+4]
		if low := strings.ToLower(before); len(low) == len(before) {
			if m := dateEnd.FindStringIndex(low); m != nil {
				found = before[m[0]:]
			}
		}
		at += 4
	}
	return found
}

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 || c == '$'
}

// periodTail is the time that begins in one text and ends with the next, the longest; "" when there
// is none.
func periodTail(text, next string) string {
	if len(text)+len(next)+1 > 2*maxPeriod || !hasYear(next) || !endsOpen.MatchString(strings.ToLower(text)) {
		return ""
	}
	for at := 0; ; {
		if tail := text[at:] + " " + next; isPeriod(tail) {
			return tail
		}
		n := strings.IndexByte(text[at:], ' ')
		if n < 0 {
			return ""
		}
		at += n + 1
	}
}

// rowPeriod is the time that a row's label or its innermost parent names.
func rowPeriod(r *Row) string {
	if p := unmarked(r.Label); isPeriod(p) && hasYear(p) {
		return strings.TrimRight(p, ",: ")
	}
	for i := len(r.Parents) - 1; i >= 0; i-- {
		if p := unmarked(r.Parents[i]); isPeriod(p) && hasYear(p) {
			return strings.TrimRight(p, ",: ")
		}
	}
	return ""
}

// periodOf joins the parts of a header path that are times: "Year Ended", "December 31, 2022". A
// time may begin at the end of one part and end in the next: "Ratios as of December", "31, 2022".
func periodOf(parts []string) string {
	var b strings.Builder
	for i, p := range parts {
		p = unmarked(p)
		if i > 0 && !isPeriod(parts[i-1]) && (!isPeriod(p) || year(p)) {
			if tail := periodTail(parts[i-1], p); tail != "" {
				p = tail
			}
		}
		if !isPeriod(p) || strings.Contains(b.String(), p) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(p)
	}
	return strings.TrimRight(b.String(), ",: ")
}
