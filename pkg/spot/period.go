package spot

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/cell"
)

// Period is the time of a cell or of a question: a year, and how long a part of it. The zero Period is none.
type Period struct {
	Year    int
	Month   int // in which it ends; 0: not said
	Day     int
	Months  int // how long it is: 3, 6, 9, 12; 0: not said, or a day
	Quarter int // 1 to 4, where it is named so
}

// None reports whether no time is told.
func (p Period) None() bool { return p.Year == 0 }

// Within reports whether a cell's time is the one asked for: the same year and, if asked, the same quarter or span.
func (p Period) Within(asked Period) bool {
	if p.Year != asked.Year {
		return false
	}
	if asked.Quarter > 0 && p.Quarter > 0 && asked.Quarter != p.Quarter {
		return false
	}
	if asked.Months > 0 && p.Months > 0 && asked.Months != p.Months {
		return false
	}
	return asked.Month == 0 || p.Month == 0 || asked.Month == p.Month
}

// After reports whether p is later than o, of two of which the years are known.
func (p Period) After(o Period) bool {
	if p.Year != o.Year {
		return p.Year > o.Year
	}
	if p.Month != o.Month {
		return p.Month > o.Month
	}
	if p.Day != o.Day {
		return p.Day > o.Day
	}
	return p.Months > o.Months
}

// Newest is the latest time of some cells.
func Newest(cells []cell.Cell) (newest Period) {
	for i := range cells {
		if p := PeriodOf(&cells[i]); p.After(newest) {
			newest = p
		}
	}
	return newest
}

var (
	yearIn    = regexp.MustCompile(`\b((?:19|20)\d\d)\b`)
	shortYear = regexp.MustCompile(`(?i)\b(?:fy|q[1-4]|[1-4]q)\W?\s?'?(\d\d)\b|\d[./]\d{1,2}[./](\d\d)\b`)
	monthIn   = regexp.MustCompile(`(?i)(?:^|[^\pL])(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|янв|фев|мар|апр|мая|май|июн|июл|авг|сен|окт|ноя|дек|mär|mai|okt|dez)[\pL]*\.?\s*(\d{1,2})?\b`)
	spanIn    = regexp.MustCompile(`(?i)\b(three|six|nine|twelve|thirteen|twenty-six|thirty-nine|fifty-two|fifty-three|3|6|9|12|13|26|39|52|53)[ -](months?|weeks?)`)
	quarterIn = regexp.MustCompile(`(?i)\bq([1-4])\b|\b([1-4])q\d*\b|\b(first|second|third|fourth)[ -]quarter|\bquarters?\b`)
	annualIn  = regexp.MustCompile(`(?i)\b(fiscal )?years?\b|\bfy`)
)

var months = map[string]int{"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
	"янв": 1, "фев": 2, "мар": 3, "апр": 4, "мая": 5, "май": 5, "июн": 6, "июл": 7, "авг": 8, "сен": 9, "окт": 10, "ноя": 11, "дек": 12, "mär": 3, "mai": 5, "okt": 10, "dez": 12}

var spans = map[string]int{"three": 3, "3": 3, "thirteen": 3, "13": 3, "six": 6, "6": 6, "twenty-six": 6, "26": 6, "nine": 9, "9": 9,
	"thirty-nine": 9, "39": 9, "twelve": 12, "12": 12, "fifty-two": 12, "fifty-three": 12, "52": 12, "53": 12}

// standsAt is a label that says at which day its row stands, as in the balances of a roll-forward: "Balance at June 30, 2025". A
// year alone is often no time of the row: "notes due 2029".
var standsAt = regexp.MustCompile(`(?i)(?:\b(?:at|as of|as at|on|zum|per)|(?:^|\s)на)\s+(?:\pL+\.?\s+\d{1,2}|\d{1,2}\.?\s+\pL+),?\s+(?:19|20)\d\d\W*$`)

// PeriodOf is the time of a cell: its period; else the one that its headers name; else the day at which its row stands.
func PeriodOf(c *cell.Cell) Period {
	if p := ReadPeriod(c.Period); !p.None() {
		return p
	}
	for i := len(c.Columns) - 1; i >= 0; i-- {
		if p := ReadPeriod(c.Columns[i]); !p.None() && len(c.Columns[i]) < 60 {
			return p
		}
	}
	if standsAt.MatchString(c.Label) {
		return ReadPeriod(c.Label)
	}
	return Period{}
}

// ReadPeriod reads a time as headers write it, "Years Ended December 31, 2022", "Q3 2021", "FY22". Of several years the
// last counts, but a comparison of two, "2022 vs. 2021", is of none.
func ReadPeriod(s string) (p Period) {
	if s == "" || len(s) > 200 {
		return p
	}
	years := yearIn.FindAllString(s, -1)
	switch {
	case len(years) > 1 && years[0] != years[len(years)-1]:
		return p
	case len(years) > 0:
		p.Year, _ = strconv.Atoi(years[len(years)-1])
	default:
		m := shortYear.FindStringSubmatch(s)
		if m == nil {
			return p
		}
		p.Year, _ = strconv.Atoi("20" + m[1] + m[2])
	}
	if m := monthIn.FindStringSubmatch(s); m != nil {
		p.Month = months[strings.ToLower(string([]rune(m[1])[:3]))]
		p.Day, _ = strconv.Atoi(m[2])
	}
	if m := spanIn.FindStringSubmatch(s); m != nil {
		p.Months = spans[strings.ToLower(m[1])]
	} else if m := quarterIn.FindStringSubmatch(s); m != nil {
		p.Months, p.Quarter = 3, quarterOf(m)
	} else if annualIn.MatchString(s) {
		p.Months = 12
	}
	return p
}

func quarterOf(m []string) int {
	for i, w := range []string{"first", "second", "third", "fourth"} {
		if strings.EqualFold(m[3], w) {
			return i + 1
		}
	}
	n, _ := strconv.Atoi(m[1] + m[2])
	return n
}

func isYear(s string) bool { return len(s) == 4 && yearIn.MatchString(s) }
