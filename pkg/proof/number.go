package proof

import (
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/value"
)

// numbersIn is the numbers of a statement that have to be proven: not its years, dates, references and list marks. Each
// has the years that it speaks of; times are those of the statement.
func numbersIn(s string, times []int) []number { return numbersOf(s, value.Point, times) }

func numbersOf(s string, c value.Convention, times []int) []number {
	var all []number
	blank := blanked(s)
	for _, f := range value.All(blank, c) {
		f = bare(s, f)
		n := number{Found: f, words: strings.TrimSpace(s[f.Start:f.End])}
		n.about = f.Approx != "" || roughly.MatchString(s[max(0, f.Start-20):f.Start])
		n.bracketed = strings.HasPrefix(n.words, "(") && strings.HasSuffix(n.words, ")")
		all = append(all, n)
	}
	dated(s, all, times)
	return all
}

// roughly is what says before a number that it is rounded to fewer digits than it has.
var roughly = regexp.MustCompile(`(?i)(?:about|approximately|approx\.|around|nearly|roughly|almost|some|over|more than|~|≈|около|примерно|rund|etwa|ca\.)\s*[$€£]?$`)

// bare is a number without what belongs to the computation that it stands in: an open parenthesis, a minus that takes it
// from the number before.
func bare(s string, f value.Found) value.Found {
	text := s[f.Start:f.End]
	if strings.HasPrefix(text, "(") && !strings.HasSuffix(text, ")") {
		f.Start++
		text = text[1:]
	}
	rest := strings.TrimLeft(text, "-−–")
	if rest == text {
		return f
	}
	before := strings.TrimRight(s[:f.Start], " ")
	if strings.HasPrefix(rest, " ") || before != "" && strings.ContainsAny(before[len(before)-1:], "0123456789)%") {
		f.Start = f.End - len(strings.TrimLeft(rest, " "))
		f.Number = new(big.Rat).Abs(f.Number)
	}
	return f
}

var (
	listMark = regexp.MustCompile(`^\s*(?:[-*•]\s+)?\(?\d{1,3}[.)]\s`)
	day      = regexp.MustCompile(`(?i)\b(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?\s+\d{1,2}(?:st|nd|rd|th)?\b|\b\d{1,2}(?:st|nd|rd|th|\.)?\s+(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|январ|феврал|март|апрел|ма[яй]|июн|июл|август|сентябр|октябр|ноябр|декабр|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)\w*`)
	named    = regexp.MustCompile(`\b\pL[\pL-]*\d[\pL\d-]*\b|\b\d+-[A-Z]\b`) // "Q2", "10-K", "COVID-19"
)

// blanked is s with what looks like a number and is none overwritten, byte for byte.
func blanked(s string) string {
	b := []byte(s)
	wipe := func(from, to int) {
		for i := from; i < to; i++ {
			b[i] = ' '
		}
	}
	if at := listMark.FindStringIndex(s); at != nil {
		wipe(at[0], at[1])
	}
	for _, re := range []*regexp.Regexp{place, day, named, fiscal} {
		for _, at := range re.FindAllStringIndex(s, -1) {
			wipe(at[0], at[1])
		}
	}
	for at := 0; at < len(s); {
		m := year.FindStringSubmatchIndex(s[at:])
		if m == nil {
			break
		}
		wipe(at+m[2], at+m[3])
		at += m[3]
	}
	return string(b)
}

// dated gives each number the years that it speaks of: one after the other where all years stand before or behind all numbers
// ("5 and 4 in 2022 and 2021"); else those that follow it before the next number, else the last before it, else all.
func dated(s string, all []number, times []int) {
	own := yearsIn(s)
	if len(all) > 1 && len(own) == len(all) && apart(s, all) {
		for i := range all {
			all[i].years = own[i : i+1]
		}
		return
	}
	for i := range all {
		from, to := 0, len(s)
		if i > 0 {
			from = all[i-1].End
		}
		if i+1 < len(all) {
			to = all[i+1].Start
		}
		all[i].years = nearest(s[from:all[i].Start], s[all[i].End:to], times)
	}
}

// apart reports whether no year stands between the first number and the last.
func apart(s string, all []number) bool {
	return len(yearsIn(s[all[0].End:all[len(all)-1].Start])) == 0
}

// clause is where another clause begins: what is behind it speaks of something else.
var clause = regexp.MustCompile(`(?i)[;,]|\b(?:compared|versus|vs|against|while|whereas|from|up|down|and)\b`)

func nearest(before, after string, times []int) []int {
	behind := after
	if at := clause.FindStringIndex(after); at != nil {
		behind = after[:at[0]]
	}
	if ys := yearsIn(behind); len(ys) > 0 {
		return ys
	}
	if ys := yearsIn(before); len(ys) > 0 {
		if strings.Contains(before, " and ") && len(ys) > 1 {
			return ys // "in 2021 and 2022 together"
		}
		return ys[len(ys)-1:]
	}
	if ys := yearsIn(after); len(ys) > 0 {
		return ys[:1]
	}
	return slices.Clone(times)
}
