package route

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed statements.txt
var statementsAsked string

// Statement is a kind of statement that a question wants: "balance", "income", "cash", "equity", "breakdown".
type Statement struct {
	Kind  string `json:"kind"`
	Named bool   `json:"named,omitempty"` // the question says so; else a metric lives there
}

var statementRules = func() (rules []kindRule) {
	for line := range strings.Lines(statementsAsked) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		kind, expr, _ := strings.Cut(line, ": ")
		p, err := newPattern(strings.ReplaceAll(strings.ReplaceAll(expr, `\b`, edge), `\w`, `\pL`))
		if err != nil {
			panic(fmt.Sprintf("statements.txt: %s: %v", line, err)) // the program was built with a broken file
		}
		rules = append(rules, kindRule{Kind(kind), p})
	}
	return rules
}()

// implied are the titles of a Hint that say in which statement a metric lives.
var implied = []struct{ title, kind string }{
	{"balance sheet", "balance"}, {"statement of operations", "income"}, {"statement of cash flows", "cash"}, {"statement of equity", "equity"},
}

// statements are the statements that a question wants: those that it names, else those where the vocabulary says that its
// metrics live.
//
// text is the question without instructions: "... explain why" asks for no causes.
func statements(question, text string, h Hint) (out []Statement) {
	lower := strings.ToLower(question)
	discussion := false
	for _, r := range statementRules {
		if r.kind == "discussion" {
			discussion = r.may(lower) && r.MatchString(text)
			continue
		}
		if !r.may(lower) || !r.MatchString(question) {
			continue
		}
		out = append(out, Statement{string(r.kind), true})
	}
	if discussion || slices.ContainsFunc(out, func(s Statement) bool { return s.Kind != "breakdown" }) {
		return out
	}
	for _, x := range implied {
		if slices.Contains(h.Titles, x.title) {
			out = append(out, Statement{x.kind, false})
		}
	}
	return out
}
