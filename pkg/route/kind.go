package route

import (
	_ "embed"
	"fmt"
	"strings"
)

// Kind is the sort of answer that a question wants.
type Kind string

// The kinds.
const (
	Cell       Kind = "table_cell" // one value
	Definition Kind = "definition"
	Structural Kind = "structural" // what stands in a named part: "What does Note 7 say?"
	Comparison Kind = "comparison" // of documents, periods, things
	Summary    Kind = "summary"
	Factual    Kind = "factual" // any other
)

//go:embed kinds.txt
var kindRules string

// kindRule says that what matches is of a kind.
type kindRule struct {
	kind Kind
	pattern
}

var kinds = func() (rules []kindRule) {
	for line := range strings.Lines(kindRules) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		kind, expr, _ := strings.Cut(line, ": ")
		p, err := newPattern(strings.ReplaceAll(expr, `\b`, edge))
		if err != nil {
			panic(fmt.Sprintf("kinds.txt: %s: %v", line, err)) // the program was built with a broken file
		}
		rules = append(rules, kindRule{Kind(kind), p})
	}
	return rules
}()

// asksPart are the words of a question that asks what a named part says, once its reference is known.
var asksPart = mustPattern(edge + `(say|says|tell|tells|cover|covers|covered|discuss|discusses|discussed|contain|contains|state|states|` +
	`regulate|regulates|prove|proves|answer|answers|about|is in|stands in|read|list|show|говорит|сказано|содержит|регулирует|стоит|написано|` +
	`steht|regelt|enthält|sagt)` + edge)

func mustPattern(expr string) pattern {
	p, err := newPattern(expr)
	if err != nil {
		panic(err)
	}
	return p
}

// kindOf is the kind of a question that names refs and documents.
func kindOf(question string, refs []string, named []Named) Kind {
	lower := strings.ToLower(question)
	match := func(p pattern) bool { return p.may(lower) && p.MatchString(question) }
	found := Factual
	for _, r := range kinds {
		if match(r.pattern) {
			found = r.kind
			break
		}
	}
	switch {
	case found == Summary || found == Comparison:
	case len(named) > 1:
		found = Comparison
	case len(refs) > 0 && found != Cell && match(asksPart):
		found = Structural
	}
	return found
}
