package facts

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	ended     = must(`(?:year|quarter|months|weeks|period)\s*ended:?\s*\S{0,20}?\s*({date})`)
	yearEnded = must(`(?:fiscal\s+)?year\s*ended:?\s*({date})`)
	nineMonth = must(`\b(?:nine|9|thirty-nine|39)[ -](?:months?|weeks?)(?: period)?\s*ended`)
	sixMonth  = must(`\b(?:six|6|twenty-six|26)[ -](?:months?|weeks?)(?: period)?\s*ended`)
	quarterIs = must(`\b(first|second|third|fourth)[ -](?:fiscal )?quarter|\bq([1-4])\b|\b([1-4])q(?:\d\d)?\b`)
	wholeYear = must(`\b(?:full[ -]year|fiscal(?: year)? 20\d\d results|twelve months ended|year ended|annual results)\b`)
)

func must(expr string) *regexp.Regexp {
	re, err := compile(expr)
	if err != nil {
		panic(err)
	}
	return re
}

// period settles period end, quarter and years of what has them; other documents have the year of their date.
func (r *reading) period(whole string) {
	f := &r.facts
	switch f.Family {
	case "release":
		r.release()
	case "filing":
	default:
		r.dated()
		return
	}
	end, err := time.Parse(time.DateOnly, f.PeriodEnd)
	if err != nil {
		r.stated()
		return
	}
	switch {
	case strings.HasPrefix(f.Form, "10-Q"):
		if f.Quarter == 0 {
			f.Quarter = r.quarterOf(end)
		}
		f.label(fiscalEnd(end, f.Quarter), whole)
	case f.Family == "release" && f.Quarter > 0:
		f.label(fiscalEnd(end, f.Quarter), whole)
	case strings.HasPrefix(f.Form, "10-K"), strings.HasPrefix(f.Form, "20-F"), strings.HasPrefix(f.Form, "40-F"):
		f.label(end, whole)
	default:
		if len(f.Years) == 0 {
			f.Years = []int{end.Year()}
		}
	}
}

// dated gives a document the year of its date.
func (r *reading) dated() {
	f := &r.facts
	if d, err := time.Parse(time.DateOnly, f.Date); err == nil && len(f.Years) == 0 {
		f.Years = []int{d.Year()}
	}
}

// label labels a fiscal year by its end. One that ends in January or February keeps both labels; so does one that ends
// in the first week of another year. The label that the text uses more often comes first.
func (f *Facts) label(end time.Time, whole string) {
	if f.Why["years"] == "metadata" || f.Why["years"] == "front matter" {
		return
	}
	y := end.Year()
	f.Years = []int{y}
	if end.Month() > time.February {
		return
	}
	before, after := uses(whole, y-1), uses(whole, y)
	if end.Month() == time.January && end.Day() < 8 || before > 2*after {
		f.Years = []int{y - 1, y}
		return
	}
	f.Years = []int{y, y - 1}
}

// uses counts "fiscal 2022" and "FY22" in text.
func uses(text string, year int) int {
	n := 0
	for _, s := range []string{"fiscal %d", "Fiscal %d", "FISCAL %d", "fiscal year %d", "FY%d"} {
		n += strings.Count(text, fmt.Sprintf(s, year))
	}
	return n + strings.Count(text, fmt.Sprintf("FY%02d", year%100))
}

// fiscalEnd is about the end of the fiscal year whose q-th quarter ends at end; the end itself without a quarter.
func fiscalEnd(end time.Time, q int) time.Time {
	if q == 0 || q == 4 {
		return end
	}
	first := time.Date(end.Year(), end.Month(), 1, 0, 0, 0, 0, time.UTC).AddDate(0, 3*(4-q), 0)
	return first.AddDate(0, 0, min(end.Day(), 28)-1)
}

// quarterOf is the quarter of a report: months from the end of the year that it names as the last, else by how long
// its longest period to date is.
func (r *reading) quarterOf(end time.Time) int {
	for _, m := range yearEnded.FindAllStringSubmatch(r.text, 40) {
		d, ok := Day(m[1])
		if !ok || !d.Before(end) {
			continue
		}
		if months := int(end.Sub(d).Hours()/24/30.44 + .5); months >= 2 && months <= 10 {
			return (months + 1) / 3
		}
	}
	switch {
	case len(nineMonth.FindAllStringIndex(r.text, 2)) > 0:
		return 3
	case len(sixMonth.FindAllStringIndex(r.text, 2)) > 0:
		return 2
	}
	return 1
}

// release reads quarter and period end of an earnings release: what its headline says first.
func (r *reading) release() {
	f := &r.facts
	h := head(r.pages[0].text)
	if f.Quarter == 0 {
		f.Quarter = quarterIn(h)
	}
	if f.Quarter == 0 && (wholeYear.MatchString(h) || wholeYear.MatchString(r.pages[0].text)) {
		f.Quarter = 4
	}
	if f.PeriodEnd != "" {
		return
	}
	for _, text := range []string{h, r.join(3), r.text} {
		if d := last(ended, text); !d.IsZero() {
			f.PeriodEnd = d.Format(time.DateOnly)
			f.because("period_end", "release")
			return
		}
	}
}

// quarterIn is the first quarter that text names; 0: none.
func quarterIn(text string) int {
	m := quarterIs.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	for i, name := range []string{"first", "second", "third", "fourth"} {
		if strings.EqualFold(m[1], name) {
			return i + 1
		}
	}
	q, _ := strconv.Atoi(m[2] + m[3])
	return q
}

var statedYear = must(`\b(?:fiscal(?: year)?|full[ -]year|fy|quarter(?: of)?)\s*'?((?:19|20)\d\d)\b`)

// stated takes the year that the first pages speak of, where no period end is known.
func (r *reading) stated() {
	if m := statedYear.FindStringSubmatch(r.join(2)); m != nil && len(r.facts.Years) == 0 {
		r.facts.setYears(m[1])
	}
}
