package route

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/facts"
)

// Asked is which documents a question wants by period and form; the zero Asked wants any.
type Asked struct {
	// Years are the years that it names, newest first; those written as fiscal years ("FY2022", "fiscal 2022")
	// alone where there are any.
	Years   []int    `json:"years,omitempty"`
	Quarter int      `json:"quarter,omitempty"` // 1 to 4, of the newest year; the first half is 2; 0: none
	Date    string   `json:"date,omitempty"`    // an exact day, "2022-07-01"
	Forms   []string `json:"forms,omitempty"`   // "10-K" ...
	// Ahead: it asks what was expected of the newest year. Adjusted: for figures that releases tell.
	Ahead    bool `json:"ahead,omitempty"`
	Adjusted bool `json:"adjusted,omitempty"`
}

// None reports whether nothing is asked by period or form.
func (a Asked) None() bool {
	return len(a.Years) == 0 && a.Quarter == 0 && a.Date == "" && len(a.Forms) == 0
}

//go:embed forms.txt
var formRules string

// formRule says that what matches asks for a form.
type formRule struct {
	form string
	pattern
}

var formsAsked = func() (rules []formRule) {
	for line := range strings.Lines(formRules) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		form, expr, _ := strings.Cut(line, ": ")
		p, err := newPattern(strings.ReplaceAll(strings.ReplaceAll(expr, `\b`, edge), `\w`, `\pL`))
		if err != nil {
			panic(fmt.Sprintf("forms.txt: %s: %v", line, err)) // the program was built with a broken file
		}
		rules = append(rules, formRule{form, p})
	}
	return rules
}()

const (
	yearDigits = `((?:19|20)\d\d)`
	ordinals   = `(?:first|second|third|fourth|1st|2nd|3rd|4th)`
)

var (
	taggedYear  = mustPattern(`\b(?:fy|fiscal years?|fiscal|financial years?)[ '’]?\s?(?:` + yearDigits + `|(\d\d))\b`)
	taggedRange = mustPattern(`\b(?:fy|fiscal(?: years?)?)\s?` + yearDigits + `\s*(?:-|–|to|and|through|until)\s*` + yearDigits + `\b`)
	plainYear   = mustPattern(`\b` + yearDigits + `\b`)
	// quarterYear is a quarter written together with a year of two digits: "4Q22", "Q3'22".
	quarterYear = mustPattern(`\b(?:([1-4])q|q([1-4]))['’ ]?(\d\d)\b`)
	quarterWord = mustPattern(`\b(?:q([1-4])|([1-4])q(?:\d\d)?|(` + ordinals + `)[- ](?:fiscal |financial )?quarter|([1-4])\. quartal)\b|\b([1-4])(?:-?[йм])?\s?квартал`)
	halfYear    = mustPattern(`\b(?:(?:h([12])|([12])h)(?:\d\d)?|(first|second)[- ]half|six months|half[- ]year)\b`)
	nineMonths  = mustPattern(`\bnine months\b`)
	ahead       = mustPattern(edge + `(?:expect(?:ed|s|ation|ations)?|guidance|outlook|forecast(?:ed|s)?|project(?:ed|ion|ions)|anticipate[ds]?|plans? for)` + edge)
	adjusted    = mustPattern(edge + `(?:adjusted|non.?gaap|guidance|outlook|ebitdar?|constant currency|organic)` + edge)
)

// Ask reads the period and forms that a question names.
func Ask(question string) Asked {
	var a Asked
	if d, ok := facts.Day(question); ok {
		a.Date = d.Format(time.DateOnly)
	}
	lower := strings.ToLower(question)
	a.Years = yearsOf(question, lower)
	a.Quarter = quarterOf(question, lower)
	for _, r := range formsAsked {
		if !slices.Contains(a.Forms, r.form) && r.may(lower) && r.MatchString(question) {
			a.Forms = append(a.Forms, r.form)
		}
	}
	a.Ahead = ahead.may(lower) && ahead.MatchString(question)
	a.Adjusted = adjusted.may(lower) && adjusted.MatchString(question)
	return a
}

// yearsOf is the years of a question, newest first.
func yearsOf(q, lower string) []int {
	var out []int
	add := func(s string) {
		if len(s) == 2 {
			s = "20" + s
		}
		if y, _ := strconv.Atoi(s); y >= 1900 && !slices.Contains(out, y) {
			out = append(out, y)
		}
	}
	for _, m := range taggedRange.all(q, lower) {
		add(m[1])
		add(m[2])
	}
	for _, m := range taggedYear.all(q, lower) {
		add(m[1] + m[2])
	}
	for _, m := range quarterYear.all(q, lower) {
		add(m[3])
	}
	if len(out) == 0 {
		for _, m := range plainYear.all(q, lower) {
			add(m[1])
		}
	}
	slices.Sort(out)
	slices.Reverse(out)
	return out
}

// quarterOf is the quarter that a question names, the greatest of several.
func quarterOf(q, lower string) int {
	best := 0
	for _, m := range quarterWord.all(q, lower) {
		n, _ := strconv.Atoi(m[1] + m[2] + m[4] + m[5])
		if m[3] != "" {
			n = ordinal(m[3])
		}
		best = max(best, n)
	}
	if best > 0 {
		return best
	}
	if all := halfYear.all(q, lower); len(all) > 0 {
		if m := all[0]; m[1]+m[2] == "2" || strings.EqualFold(m[3], "second") {
			return 4
		}
		return 2
	}
	if nineMonths.all(q, lower) != nil {
		return 3
	}
	return 0
}

func ordinal(s string) int {
	return 1 + slices.Index([]string{"f", "s", "t", "o", "1", "2", "3", "4"}, ordinalKey(s))%4
}

// ordinalKey tells first, second, third and fourth apart.
func ordinalKey(s string) string {
	s = strings.ToLower(s)
	if s == "fourth" {
		return "o"
	}
	return s[:1]
}

// withoutPeriod is the question without the words that name periods and forms.
func withoutPeriod(q string) string {
	for _, re := range []pattern{taggedRange, taggedYear, quarterYear, quarterWord, halfYear, plainYear} {
		if re.may(strings.ToLower(q)) {
			q = re.ReplaceAllString(q, " ")
		}
	}
	lower := strings.ToLower(q)
	for _, r := range formsAsked[:reports] {
		if r.may(lower) {
			q = r.ReplaceAllString(q, " ")
		}
	}
	return q
}

// reports is how many rules of forms.txt, the first, name forms of reports: words that say nothing inside of one.
var reports = slices.IndexFunc(formsAsked, func(r formRule) bool { return r.form == "contract" })
