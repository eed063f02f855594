package proof

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	year    = regexp.MustCompile(`(?:^|[^\d.,$€£])((?:19|20)\d\d)(?:$|[^\d,%]|,(?:\D|$))`)
	fiscal  = regexp.MustCompile(`\b(?:FY|fiscal(?: year)?\s*)['’]?(\d\d)\b`)
	quarter = regexp.MustCompile(`(?i)\b(?:Q[1-4]|[1-4]Q|(?:first|second|third|fourth) quarter|quarterly|quarter ended|three months)\b`)
	half    = regexp.MustCompile(`(?i)\b(?:six months|half[- ]year|first half|H1)\b`)
	nine    = regexp.MustCompile(`(?i)\bnine months\b`)
	full    = regexp.MustCompile(`(?i)\b(?:twelve months|years? ended|fiscal year|full year|annual(?:ly)?)\b`)
)

// yearsIn is the years that a text names, without doubles.
func yearsIn(s string) (all []int) {
	for at := 0; at < len(s); { // a blank between two years belongs to both
		m := year.FindStringSubmatchIndex(s[at:])
		if m == nil {
			break
		}
		all = add(all, s[at+m[2]:at+m[3]], 0)
		at += m[3]
	}
	for _, m := range fiscal.FindAllStringSubmatch(s, -1) {
		all = add(all, m[1], 2000)
	}
	return all
}

func add(all []int, digits string, base int) []int {
	if y, err := strconv.Atoi(digits); err == nil && !slices.Contains(all, base+y) {
		return append(all, base+y)
	}
	return all
}

// months is how long the period is that a text names; 0 when it names none, or several.
func months(s string) int {
	found := 0
	for m, re := range map[int]*regexp.Regexp{3: quarter, 6: half, 9: nine, 12: full} {
		if re.MatchString(s) {
			if found != 0 {
				return 0
			}
			found = m
		}
	}
	return found
}

// meet reports whether two lists of years have one in common, or one of them is empty: then nothing speaks against it.
func meet(a, b []int) bool {
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(y int) bool { return slices.Contains(b, y) })
}

var place = regexp.MustCompile(`(?i)\b(items?|notes?|sections?|chapters?|parts?|tables?|figures?|articles?|exhibits?|appendix|annex|schedule|form|pages?|clauses?|steps?|versions?|rule|глава|стать[яи]|пункт|приложение|раздел|Artikel|Abschnitt|Kapitel|Anlage)\s+((?:[A-Z]?\d[\w.\-]*|[IVX]+|[A-Z])(?:\([a-z0-9]+\))*)`)

// link is an address or the name of a file.
var link = regexp.MustCompile(`(?i)\b(?:https?|ftp|file|mailto|data|javascript):[^\s)>\]"]+|\bwww\.[^\s)>\]"]+|[\w./-]+\.(?:md|pdf|html?|txt|docx?|csv|json|xlsx?)\b`)

// placesIn is the numbered places, links and names of files that a text names: "note 15", folded.
func placesIn(s string) (all []string) {
	for _, m := range place.FindAllStringSubmatch(s, 50) {
		if strings.ContainsAny(m[2], "0123456789") {
			all = append(all, strings.ToLower(strings.TrimRight(m[2], ".-")))
		}
	}
	for _, m := range link.FindAllString(s, 50) {
		all = append(all, fold(strings.TrimRight(m, ".,;:")))
	}
	return all
}
