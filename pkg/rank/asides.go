package rank

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

//go:embed asides.txt
var asideRules string

// aside is a kind of table that prints a statement's figures of a part, of another one or on another basis.
type aside struct{ title, ask *regexp.Regexp }

var asides = func() []aside {
	as, err := parseAsides(asideRules)
	if err != nil {
		panic(err) // the program was built with a broken file; its test guards it
	}
	return as
}()

// wordEdge is what "\b" stands for, since that of Go's regexp knows ASCII letters only.
const wordEdge = `(?:[^\pL\pN]|^|$)`

func parseAsides(text string) ([]aside, error) {
	var as []aside
	n, title := 0, (*regexp.Regexp)(nil)
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, expr, _ := strings.Cut(line, ": ")
		re, err := regexp.Compile(`(?i)` + strings.NewReplacer(`\b`, wordEdge, `\w`, `\pL`).Replace(expr))
		switch {
		case err != nil:
			return nil, fmt.Errorf("asides line %d: %w", n, err)
		case key == "title" && title == nil:
			title = re
		case key == "ask" && title != nil:
			as = append(as, aside{title, re})
			title = nil
		default:
			return nil, fmt.Errorf("asides line %d: want title, then ask", n)
		}
	}
	return as, nil
}

// AsksAside reports whether a question wants the figures of a part, of another one or on another basis than the whole's.
func AsksAside(question string) bool {
	for _, a := range asides {
		if a.ask.MatchString(question) {
			return true
		}
	}
	return false
}

// whole is what a table of the whole is called, where it says so.
var whole = regexp.MustCompile(`(?i)consolidated|\bgroup\b|konzern|консолидирован`)

// markAsides flags the nodes with tables that are asides, and those of the whole, in a document that prints both.
func markAsides(chunks []doc.Chunk, order []*place) {
	flags, seen := map[int]doc.Flags{}, doc.Flags(0)
	for _, p := range order {
		c := &chunks[p.chunk]
		var f doc.Flags
		switch {
		case isStatement(c):
			f = doc.FlagWhole
		case len(p.labels) < minParts:
		case isAside(c.Crumb):
			f = doc.FlagAside
		case whole.MatchString(c.Text):
			f = doc.FlagWhole
		}
		flags[c.Node], seen = f, seen|f
	}
	if seen != doc.FlagAside|doc.FlagWhole {
		return
	}
	for i := range chunks {
		chunks[i].Flags |= flags[chunks[i].Node]
	}
}

// isStatement reports whether a node was marked as a main statement.
func isStatement(c *doc.Chunk) bool {
	for _, r := range c.Refs {
		if strings.HasPrefix(r, "="+StatementRef("")) && r != "="+StatementRef(Breakdown) {
			return true
		}
	}
	return false
}

// isAside looks at a node's title and the one above it.
func isAside(crumb string) bool {
	titles := strings.Split(crumb, " > ")
	near := strings.Join(titles[max(0, len(titles)-2):], " > ")
	for _, a := range asides {
		if a.title.MatchString(near) {
			return true
		}
	}
	return false
}
