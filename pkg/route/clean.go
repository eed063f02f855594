package route

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed instructions.txt
var instructions string

var orders = compile(instructions)

// clause is what "^ " of a rule stands for: the start of the question or of a clause; edge what "\b"
// stands for, since that of Go's regexp knows ASCII letters only.
const (
	clause = `(^|[.?!:;,])\s*`
	edge   = `(?:[^\pL\pN]|^|$)`
)

// order is one rule; keep is what stands for a match.
type order struct {
	pattern
	keep string
}

// compile reads the rules of instructions.txt.
func compile(rules string) []order {
	var os []order
	for line := range strings.Lines(rules) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		o := order{keep: " "}
		if rest, ok := strings.CutPrefix(line, "^ "); ok {
			line, o.keep = clause+rest, "$1 "
		}
		line = strings.ReplaceAll(line, `\b`, edge)
		line = strings.ReplaceAll(line, " ", `\s+`)
		p, err := newPattern(line)
		if err != nil {
			panic(err) // the program was built with a broken file
		}
		o.pattern = p
		os = append(os, o)
	}
	return os
}

// fiscal is a fiscal year as people write it in questions, "FY2022", "FY 22", "FY'22"; documents write "2022".
var fiscal = regexp.MustCompile(`(?i)\bfy[ '’]?(?:(19|20)(\d\d)|(\d\d))\b`)

// years writes fiscal years as documents do.
func years(q string) string {
	return fiscal.ReplaceAllStringFunc(q, func(m string) string {
		g := fiscal.FindStringSubmatch(m)
		if g[3] != "" {
			return "20" + g[3]
		}
		return g[1] + g[2]
	})
}

// Clean is the question without what is said to the one who answers: "please", "calculate", "answer
// in USD millions", and with fiscal years as documents write them. When nothing would be left, the question stays as it is.
func Clean(question string) string {
	out := years(question)
	lower := strings.ToLower(out)
	for _, o := range orders {
		if o.may(lower) {
			out = o.ReplaceAllString(out, o.keep)
		}
	}
	out = strings.Join(strings.Fields(out), " ")
	if strings.Trim(out, " .?!:;,") == "" {
		return strings.Join(strings.Fields(question), " ")
	}
	return out
}
