// Package formula knows the lines of financial statements and the metrics that are computed from them: how questions speak
// of them, how statements label them, and the expression of each metric. It reads from a question what is to be computed
// and computes it from lines that the caller finds. Numbers are exact.
//
// What it knows stands in lines.txt and formulas.txt.
package formula

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed lines.txt
var linesFile string

//go:embed formulas.txt
var formulasFile string

// Line is a line of a statement.
type Line struct {
	Name      string
	Statement string // "income", "balance", "cash": a kind of pkg/rank
	say, not  *regexp.Regexp
	rows      []*regexp.Regexp // over whole labels, the best first
	instead   *expr
	source    string // of instead
}

// Metric is computed from lines.
type Metric struct {
	Name string
	As   Form
	ask  *regexp.Regexp
	is   []*expr
	text []string // of is
}

// Form is what a number is and how it is said.
type Form string

// The forms.
const (
	Ratio   Form = "ratio"
	Times   Form = "times"
	Percent Form = "percent" // the number is a share: .125 is said 12.5%
	Days    Form = "days"
	Money   Form = "money" // in units of one
)

// The rules in the program.
var lines, order, metrics = func() (map[string]*Line, []*Line, []*Metric) {
	ls, order, err := parseLines(linesFile)
	if err != nil {
		panic(err) // the program was built with a broken file; its test guards it
	}
	ms, err := parseMetrics(formulasFile, ls)
	if err != nil {
		panic(err)
	}
	return ls, order, ms
}()

// LineOf is the line with that name; nil when there is none.
func LineOf(name string) *Line { return lines[name] }

// whole is a regular expression over whole words.
func whole(expr string) (*regexp.Regexp, error) {
	return regexp.Compile(`(?i)(?:^|[^\pL\pN])((?:` + expr + `))(?:$|[^\pL\pN])`)
}

// entries reads "[name]" and the "key: value" lines below it.
func entries(file, text string, f func(name, key, value string) error) error {
	name, n := "", 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			name = strings.Trim(line, "[]")
			if err := f(name, "", ""); err != nil {
				return fmt.Errorf("%s line %d: %w", file, n, err)
			}
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok || name == "" {
			return fmt.Errorf("%s line %d: want [name], then key: value", file, n)
		}
		if err := f(name, key, strings.TrimSpace(value)); err != nil {
			return fmt.Errorf("%s line %d: %w", file, n, err)
		}
	}
	return nil
}

func parseLines(text string) (map[string]*Line, []*Line, error) {
	by := map[string]*Line{}
	var all []*Line
	err := entries("lines", text, func(name, key, value string) (err error) {
		l := by[name]
		switch key {
		case "":
			l = &Line{Name: name}
			by[name], all = l, append(all, l)
		case "in":
			l.Statement = value
		case "say":
			l.say, err = whole(value)
		case "not":
			l.not, err = regexp.Compile(value)
		case "else":
			l.source = value
		case "row":
			for r := range strings.SplitSeq(value, ";") {
				re, err := regexp.Compile(`^(?:` + strings.TrimSpace(r) + `)$`)
				if err != nil {
					return err
				}
				l.rows = append(l.rows, re)
			}
		default:
			return fmt.Errorf("%q is none of in, say, row, not, else", key)
		}
		return err
	})
	for _, l := range all {
		if err == nil && l.source != "" {
			l.instead, err = parse(l.source, by)
		}
		if err == nil && (l.Statement == "" || l.say == nil || l.rows == nil) {
			err = fmt.Errorf("lines: %s lacks one of in, say, row", l.Name)
		}
	}
	return by, all, err
}

func parseMetrics(text string, by map[string]*Line) ([]*Metric, error) {
	var all []*Metric
	err := entries("formulas", text, func(name, key, value string) (err error) {
		if key == "" {
			all = append(all, &Metric{Name: name})
			return nil
		}
		m := all[len(all)-1]
		switch key {
		case "ask":
			m.ask, err = whole(value)
		case "as":
			m.As = Form(value)
		case "is":
			var e *expr
			e, err = parse(value, by)
			m.is, m.text = append(m.is, e), append(m.text, value)
		default:
			return fmt.Errorf("%q is none of ask, is, as", key)
		}
		return err
	})
	for _, m := range all {
		if err == nil && (m.ask == nil || m.is == nil || m.As == "") {
			err = fmt.Errorf("formulas: %s lacks one of ask, is, as", m.Name)
		}
	}
	return all, err
}

// Fits is how well a row's label is this line: the place of the rule that it matches, from 0; -1 when it is not the line.
// The label is given with what it stands below, nearest last.
func (l *Line) Fits(label string, parents []string) int {
	plain := Plain(label)
	if plain == "" || plain == "total" || plain == "totals" {
		if len(parents) == 0 {
			return -1
		}
		plain = strings.TrimSpace("total " + strings.TrimPrefix(Plain(parents[len(parents)-1]), "total "))
	}
	if l.not != nil && l.not.MatchString(plain) {
		return -1
	}
	for i, re := range l.rows {
		if re.MatchString(plain) {
			return i
		}
	}
	return -1
}

// Plain is a label as the rules are written: lower case, letters and digits only, single blanks, "and" for "&".
func Plain(label string) string {
	label = strings.ReplaceAll(strings.ToLower(label), "&", " and ")
	var b strings.Builder
	for _, r := range label {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r > 0x7F && r != '—' && r != '–' && r != '’' && r != '“' && r != '”' && r != '\u00a0':
			b.WriteRune(r)
		case r == '\'' || r == '’':
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
