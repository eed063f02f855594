package eval

import (
	"fmt"
	"io"
	"strings"
)

// Measure is what two runs are compared by.
type Measure struct {
	Name  string
	holds func(Result) bool
}

// Measures are the measures of a comparison: any@k and all@k for each k of Ks, and the document.
func Measures() []Measure {
	var ms []Measure
	for _, k := range Ks {
		ms = append(ms, Measure{fmt.Sprintf("any@%d", k), func(r Result) bool { return within(r.Any, k) }})
	}
	last := Ks[len(Ks)-1]
	ms = append(ms, Measure{fmt.Sprintf("all@%d", last), func(r Result) bool { return within(r.All, last) }})
	return append(ms, Measure{"doc", func(r Result) bool { return r.Doc }})
}

// Change says which questions a second run won and lost against a first, by one measure.
type Change struct {
	Measure string   `json:"measure"`
	Before  int      `json:"before"`
	After   int      `json:"after"`
	Won     []string `json:"won"`
	Lost    []string `json:"lost"`
}

// Compare compares the answerable questions that both runs asked (same set and id).
func Compare(before, after *Report) []Change {
	old := map[[2]string]Result{}
	for _, r := range before.Results {
		old[[2]string{r.Set, r.ID}] = r
	}
	var changes []Change
	for _, m := range Measures() {
		c := Change{Measure: m.Name}
		for _, r := range after.Results {
			o, ok := old[[2]string{r.Set, r.ID}]
			if ok && r.Answerable {
				c.note(r.ID, m.holds(o), m.holds(r))
			}
		}
		changes = append(changes, c)
	}
	return changes
}

func (c *Change) note(id string, before, after bool) {
	c.Before += count(before)
	c.After += count(after)
	switch {
	case after && !before:
		c.Won = append(c.Won, id)
	case before && !after:
		c.Lost = append(c.Lost, id)
	}
}

// WriteChanges writes a comparison as text, a measure a line.
func WriteChanges(w io.Writer, changes []Change) error {
	p := &printer{w: w}
	for _, c := range changes {
		p.line("%-6s %4d -> %4d   won %d: %s   lost %d: %s", c.Measure, c.Before, c.After,
			len(c.Won), strings.Join(c.Won, " "), len(c.Lost), strings.Join(c.Lost, " "))
	}
	return p.err
}
