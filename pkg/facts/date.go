package facts

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// monthNames are months by the first letters that tell them apart, in English, Russian and German.
var monthNames = []struct {
	prefix string
	month  time.Month
}{
	{"jan", 1}, {"feb", 2}, {"mar", 3}, {"mär", 3}, {"apr", 4}, {"may", 5}, {"mai", 5}, {"jun", 6}, {"jul", 7}, {"aug", 8},
	{"sep", 9}, {"oct", 10}, {"okt", 10}, {"nov", 11}, {"dec", 12}, {"dez", 12},
	{"янв", 1}, {"фев", 2}, {"мар", 3}, {"апр", 4}, {"мая", 5}, {"май", 5}, {"июн", 6}, {"июл", 7}, {"авг", 8}, {"сен", 9},
	{"окт", 10}, {"ноя", 11}, {"дек", 12},
}

// month is any name of a month; day a date in one of the usual forms. \s* where files have lost their blanks.
const (
	monthExpr = `(?:jan(?:uary|\.)?|feb(?:ruary|\.)?|mar(?:ch|\.)?|apr(?:il|\.)?|may|june?|july?|aug(?:ust|\.)?|sept?(?:ember|\.)?|oct(?:ober|\.)?|nov(?:ember|\.)?|dec(?:ember|\.)?` +
		`|januar|februar|märz|mai|juni|juli|oktober|dezember|января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря)`
	dayExpr = `(?:` + monthExpr + `\s*\d{1,2}(?:st|nd|rd|th)?\s*,?\s*(?:19|20)\d\d` +
		`|\d{1,2}(?:st|nd|rd|th|\.)?\s*(?:day of |of )?\s*` + monthExpr + `\s*,?\s*(?:19|20)\d\d` +
		`|(?:19|20)\d\d-\d\d-\d\d|\d{1,2}/\d{1,2}/(?:19|20)\d\d|\d{1,2}\.\d{1,2}\.(?:19|20)\d\d)`
)

var (
	dayForm  = regexp.MustCompile(`(?i)` + dayExpr)
	yearForm = regexp.MustCompile(`(?:19|20)\d\d`)
	digits   = regexp.MustCompile(`\d+`)
	letters  = regexp.MustCompile(`\pL{3,}`)
)

// Day is the first date that s holds, as people write them: "June 30, 2022", "1st July 2022", "2022-07-01",
// "7/1/2022" (month first), "1.7.2022" (day first), "14 апреля 2025", "3. März 2024".
func Day(s string) (time.Time, bool) {
	m := firstDay(s)
	if m == "" {
		return time.Time{}, false
	}
	n := digits.FindAllString(m, 3)
	if len(n) == 3 {
		switch {
		case strings.Contains(m, "-"):
			return day(n[0], n[1], n[2])
		case strings.Contains(m, "/"):
			return day(n[2], n[0], n[1])
		default:
			return day(n[2], n[1], n[0])
		}
	}
	if len(n) != 2 {
		return time.Time{}, false
	}
	for _, word := range letters.FindAllString(strings.ToLower(m), -1) {
		for _, x := range monthNames {
			if strings.HasPrefix(word, x.prefix) {
				return day(n[1], strconv.Itoa(int(x.month)), n[0])
			}
		}
	}
	return time.Time{}, false
}

// How far a date reaches before and behind its year: "30th day of September, 2022", "2022-09-30".
const (
	beforeYear = 64
	behindYear = 6
)

// firstDay is the first date of s as it is written. It looks only where a year has a day and a month near it: the
// expression is slow.
func firstDay(s string) string {
	for _, y := range yearForm.FindAllStringIndex(s, -1) {
		near := s[max(0, y[0]-beforeYear):min(len(s), y[1]+behindYear)]
		if !hasDay(near) {
			continue
		}
		if m := dayForm.FindString(near); m != "" {
			return m
		}
	}
	return ""
}

// hasDay reports whether s holds a number of one or two digits, and a month in letters or a number that a sign joins to another.
func hasDay(s string) bool {
	short, joined := false, false
	for i := 0; i < len(s); {
		n := i
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n == i {
			i++
			continue
		}
		short = short || n-i <= 2
		joined = joined || n+1 < len(s) && strings.IndexByte("-/.", s[n]) >= 0 && s[n+1] >= '0' && s[n+1] <= '9'
		i = n
	}
	return short && (joined || hasMonth(strings.ToLower(s)))
}

func hasMonth(lower string) bool {
	for _, m := range monthNames {
		if strings.Contains(lower, m.prefix) {
			return true
		}
	}
	return false
}

// day is a date of the calendar; false for the 31st of February.
func day(y, m, d string) (time.Time, bool) {
	yy, _ := strconv.Atoi(y)
	mm, _ := strconv.Atoi(m)
	dd, _ := strconv.Atoi(d)
	t := time.Date(yy, time.Month(mm), dd, 0, 0, 0, 0, time.UTC)
	return t, t.Day() == dd && int(t.Month()) == mm && yy >= minYear && yy <= maxYear
}
