package rank

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

//go:embed statements.txt
var statementRules string

// statement is a kind of statement, as statements.txt describes it.
type statement struct {
	kind             string
	title, lookAlike *regexp.Regexp
	rows             []*regexp.Regexp
}

var statements = func() []statement {
	ss, err := parseStatements(statementRules)
	if err != nil {
		panic(err) // the program was built with a broken file; its test guards it
	}
	return ss
}()

func parseStatements(text string) ([]statement, error) {
	var ss []statement
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			ss = append(ss, statement{kind: strings.Trim(line, "[]")})
			continue
		}
		key, expr, _ := strings.Cut(line, ":")
		re, err := regexp.Compile(`(?i)` + strings.TrimSpace(expr))
		if err != nil || len(ss) == 0 {
			return nil, fmt.Errorf("statements line %d: %w", n, err)
		}
		s := &ss[len(ss)-1]
		switch key {
		case "title":
			s.title = re
		case "row":
			s.rows = append(s.rows, re)
		case "not":
			s.lookAlike = re
		default:
			return nil, fmt.Errorf("statements line %d: want one of title, row, not before a colon", n)
		}
	}
	return ss, nil
}

// StatementRef is the reference under which the nodes of a kind of statement are found: "=" + StatementRef("cash").
func StatementRef(kind string) string { return "statement:" + kind }

// Breakdown is the kind of tables by segment, region or category.
const Breakdown = "breakdown"

// minRows is how many rows a statement has at least; a breakdown, minParts.
const (
	minRows  = 8
	minParts = 3
)

// place is a node that may be a statement.
type place struct {
	chunk  int // of the node, in chunks
	labels []string
}

// MarkStatements adds to the nodes that are a report's main statements a reference that Query.Statements finds: of each kind the one
// that is likest, of several such the first; of breakdowns all. Their look-alikes get doc.FlagAside. chunks are those of one document.
func MarkStatements(chunks []doc.Chunk) {
	nodes := map[int]*place{}
	var order []*place
	for i, c := range chunks {
		if c.Kind == doc.KindNode {
			p := &place{chunk: i}
			nodes[c.Node] = p
			order = append(order, p)
		}
	}
	for _, c := range chunks {
		if p := nodes[c.Node]; p != nil && c.Kind == doc.KindRow {
			label, _, _ := strings.Cut(c.Text, "\n")
			p.labels = append(p.labels, label)
		}
	}
	for i := range statements {
		s := &statements[i]
		var best *place
		top := 0
		for _, p := range order {
			score := s.like(chunks[p.chunk], p.labels)
			if s.kind == Breakdown && score > 0 {
				mark(&chunks[p.chunk], s.kind)
			}
			if score > top {
				best, top = p, score
			}
		}
		if best != nil && s.kind != Breakdown {
			mark(&chunks[best.chunk], s.kind)
		}
	}
	markAsides(chunks, order)
}

func mark(c *doc.Chunk, kind string) {
	c.Refs = append(c.Refs[:len(c.Refs):len(c.Refs)], "="+StatementRef(kind))
}

// like rates how well a node fits a statement; 0: not at all.
func (s *statement) like(c doc.Chunk, labels []string) int {
	crumbs := strings.Split(c.Crumb, " > ")
	near := strings.Join(crumbs[max(0, len(crumbs)-2):], " > ")
	titled := s.title.MatchString(near)
	if len(s.rows) == 0 {
		if s.title.MatchString(c.Text) && len(labels) >= minParts && c.Flags&doc.FlagNoise == 0 && !s.lookAlike.MatchString(c.Crumb) {
			return 1
		}
		return 0
	}
	hits := s.hits(labels)
	if len(labels) < minRows || hits < len(s.rows) && !(titled && 2*hits > len(s.rows)) {
		return 0
	}
	other := s.lookAlike.MatchString(near)
	if !titled && (other || elsewhere.MatchString(c.Crumb)) {
		return 0
	}
	score := 20 + 4*hits
	if titled {
		score += 6
	}
	if consolidated.MatchString(near) {
		score += 2
	}
	if statementsPart.MatchString(c.Crumb) {
		score += 4
	}
	if c.Flags&doc.FlagNoise != 0 {
		score -= 12
	}
	if other {
		score -= 8
	}
	if elsewhere.MatchString(c.Crumb) {
		score -= 8
	}
	return max(score, 1)
}

// hits is how many of the statement's rows are among the labels.
func (s *statement) hits(labels []string) (n int) {
	for _, re := range s.rows {
		for _, l := range labels {
			if re.MatchString(strings.TrimSpace(l[strings.LastIndexByte(l, '>')+1:])) || re.MatchString(l) {
				n++
				break
			}
		}
	}
	return n
}

var (
	consolidated   = regexp.MustCompile(`(?i)consolidated`)
	statementsPart = regexp.MustCompile(`(?i)item\s*(?:8|1)\.?\W+(?:consolidated )?financial statements`)
	elsewhere      = regexp.MustCompile(`(?i)\bnotes?\s+(?:to|\d)|exhibit|schedule|parent|guarant|obligor|selected`)
)

// touch makes the nodes that are wanted, so that one is found whose words are not the question's.
func (f *fold) touch(wanted []WantedHits) {
	for _, want := range wanted {
		for _, h := range want.Hits {
			f.node(h.ID)
		}
	}
}

// statements lifts, of each kind that is wanted, the best place, and every breakdown: one place for each kind, so
// that none takes the others' room.
func (f *fold) statements(wanted []WantedHits) {
	for _, want := range wanted {
		var best *Node
		for _, h := range want.Hits {
			n := f.node(h.ID)
			if want.Kind == Breakdown {
				n.lift(want.Weight)
			} else if best == nil || n.Score > best.Score || n.Score == best.Score && Compare(n.Place, best.Place) < 0 {
				best = n
			}
		}
		if best != nil {
			best.lift(want.Weight)
		}
	}
}

// lift adds to a node's score for what it is; the greatest weight counts.
func (n *Node) lift(w float64) {
	if w > n.Why.Statement {
		n.Score += w - n.Why.Statement
		n.Why.Statement = w
	}
}
