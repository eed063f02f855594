package doc

import (
	"fmt"
	"regexp"
	"strconv"
)

// Pointer names a place in the Source of one version. Its text form is
//
//	fp:<doc_id>@<version>/<anchor>#L<first>-<last>[;t<table>r<row>c<column>]
//
// and is used by read, MCP, links and citations.
type Pointer struct {
	Doc     ID
	Version Version
	Anchor  string
	Lines   Lines
	Spot    Spot // zero: the lines themselves
}

// Spot is a cell of a table inside the node: table, row and column count from 1; 0 is "not given".
type Spot struct{ Table, Row, Column int }

// String is the text form.
func (p Pointer) String() string {
	s := fmt.Sprintf("fp:%s@%s/%s#L%d-%d", p.Doc, p.Version, p.Anchor, p.Lines.Start, p.Lines.End)
	if p.Spot != (Spot{}) {
		s += fmt.Sprintf(";t%dr%dc%d", p.Spot.Table, p.Spot.Row, p.Spot.Column)
	}
	return s
}

var pointerForm = regexp.MustCompile(`^fp:([a-z2-7]{32})@([0-9a-f]{64})/([a-z0-9-]{1,64})#L([0-9]{1,9})-([0-9]{1,9})(?:;t([0-9]{1,6})r([0-9]{1,6})c([0-9]{1,6}))?$`)

// ParsePointer reads the text form. The error says what is wrong with s.
func ParsePointer(s string) (Pointer, error) {
	m := pointerForm.FindStringSubmatch(s)
	if m == nil {
		if len(s) > 80 {
			s = s[:80] + "..."
		}
		return Pointer{}, fmt.Errorf("pointer %q: want fp:<doc_id>@<version>/<anchor>#L<first>-<last>", s)
	}
	p := Pointer{Doc: ID(m[1]), Version: Version(m[2]), Anchor: m[3]}
	p.Lines = Lines{Start: atoi(m[4]), End: atoi(m[5])}
	p.Spot = Spot{Table: atoi(m[6]), Row: atoi(m[7]), Column: atoi(m[8])}
	if p.Lines.Start < 1 || p.Lines.End < p.Lines.Start {
		return Pointer{}, fmt.Errorf("pointer %q: lines %d-%d are no range", s, p.Lines.Start, p.Lines.End)
	}
	return p, nil
}

// atoi is strconv.Atoi of digits the pattern has already checked; "" is 0.
func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
