package query

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/plain"
	"github.com/fingerpost/fingerpost/pkg/route"
	tabular "github.com/fingerpost/fingerpost/pkg/table"
)

// listAsked is how a question asks for several things of one kind. What is left of it without these words says which.
var listAsked = regexp.MustCompile(`(?i)^\s*(?:please\s+)?(?:(?:list|enumerate|name)\s+(?:all\s+|me\s+)?(?:of\s+)?(?:the|its|their|every|each)?\b|what\s+(?:are|were)\s+(?:all\s+)?(?:the|its|their)\b|which\s+(?:\pL+\s+){0,2}?\pL+s\b|перечисл\pL+|назовите|какие|nenne|liste|welche\s+\pL+en?\b)`)

// partsAsked asks for the parts of a section, whatever they are: "what are the segments" asks for no headings.
var partsAsked = regexp.MustCompile(`(?i)^\s*(?:please\s+)?(?:list|enumerate|name|перечисл\pL+|назовите|nenne|liste)\b`)

const (
	listFloor = 0.6 // share of the question that the words over a list must hold
	listMost  = 30  // items that are shown
)

// items is a list that a document holds, with the words over it.
type items struct {
	over  string // the headings that it stands under
	cites []api.Citation
	said  []string
	more  int // items that are not shown
	score float64
}

// list answers a question for several things by the list, the table or the sub-sections that the best sections hold;
// nil where the question asks for none, or none of them is about it.
func (w *Worker) list(ctx context.Context, in inquiry) *items {
	if !listAsked.MatchString(in.question) || proseAsked.MatchString(in.question) || slices.Contains([]route.Kind{route.Cell, route.Comparison, route.Summary}, in.kind) || len(in.asked.Years) > 0 {
		return nil
	}
	a := in.asker
	a.text = subject(a.text)
	var best *items
	better := func(l *items) {
		if l != nil && len(l.cites) > 1 && l.score >= listFloor && (best == nil || l.score > best.score) {
			best = l
		}
	}
	for i := range near(in.places) {
		x := in.read[i]
		if x == nil {
			continue
		}
		for _, l := range a.listsOf(x) {
			better(l)
		}
		if best == nil && partsAsked.MatchString(in.question) {
			better(w.parts(ctx, a, x))
		}
	}
	return best
}

// subject is a question without the words that ask for a list.
func subject(question string) string {
	at := listAsked.FindStringIndex(question)
	if at == nil || strings.HasPrefix(strings.ToLower(strings.TrimSpace(question)), "which") { // the thing itself stands among them
		return question
	}
	return question[at[1]:]
}

// text is the list in words: where it stands, then an item a line.
func (l *items) text() string {
	var b strings.Builder
	b.WriteString(l.over + ":")
	for _, s := range l.said {
		b.WriteString("\n- " + s)
	}
	if l.more > 0 {
		fmt.Fprintf(&b, "\nand %d more.", l.more)
	}
	return b.String()
}

// last is the headings nearest to a section: its own and the one above.
func (x *readNode) last() string {
	all := x.breadcrumb()
	return strings.Join(all[max(len(all)-2, 0):], " > ")
}

func (l *items) add(c candidate, said string) {
	if len(l.cites) == listMost {
		l.more++
		return
	}
	if cite := c.cite(); cite.Verified {
		l.cites, l.said = append(l.cites, cite), append(l.said, said)
	}
}

// bullet begins an item: "- a", "1. a", "(a) a", "a) a".
var bullet = regexp.MustCompile(`^\s*(?:[-*+•]|\(?(?:\d{1,3}|[a-zа-я]|[ivx]{1,5})[.)])\s+`)

// listsOf is the lists and the tables of a section, each weighed by the headings and the lines before it.
func (a asker) listsOf(x *readNode) (out []*items) {
	head, lead := strings.Join(x.breadcrumb(), " "), ""
	var open *items
	for _, b := range plain.Blocks(x.text, x.node.Lines.Start) {
		switch {
		case b.Table != nil && ofWords(b.Table):
			out, open = append(out, a.tableItems(x, b, head+" "+lead)), nil
		case b.Table != nil:
			open = nil
		case !b.Code && bullet.MatchString(b.Text):
			if open == nil {
				open = &items{over: x.last(), score: a.share(head+" "+lead, x)}
				out = append(out, open)
			}
			open.block(x, b)
		default:
			lead, open = b.Text, nil
		}
	}
	return out
}

// block takes the items of a block; a line that begins none goes on with the one before it.
func (l *items) block(x *readNode, b plain.Block) {
	var item *candidate
	flush := func() {
		if item != nil {
			l.add(*item, strings.Join(strings.Fields(bullet.ReplaceAllString(item.shown, "")), " "))
		}
	}
	for i, line := range strings.Split(b.Text, "\n") {
		if i >= len(b.Rows) {
			break
		}
		if item == nil || bullet.MatchString(line) {
			flush()
			item = &candidate{node: x, lines: b.Rows[i], shown: line}
			continue
		}
		item.lines.End, item.shown = b.Rows[i].End, item.shown+"\n"+line
	}
	flush()
}

// ofWords reports whether a table lists things: most of what its rows hold is no number.
func ofWords(t *tabular.Table) bool {
	all, digits := 0, 0
	for _, r := range t.Rows {
		for _, c := range r.Cells {
			if all++; strings.IndexFunc(c.Text, unicode.IsLetter) < 0 {
				digits++
			}
		}
	}
	return all > 0 && 2*digits <= all
}

// tableItems is the rows of a table that say something.
func (a asker) tableItems(x *readNode, b plain.Block, over string) *items {
	head := b.Table.Caption
	for _, h := range b.Table.Heads {
		for _, c := range h.Columns {
			head += " " + strings.Join(c.Path, " ")
		}
	}
	l := &items{over: x.last(), score: a.share(over+" "+head, x)}
	for i, row := range strings.Split(b.Text, "\n") {
		if i >= len(b.Rows) {
			break
		}
		c := candidate{node: x, lines: b.Rows[i], shown: row, top: b.Lines.Start, table: b.Table}
		if said := c.said(); said != "" {
			l.add(c, said)
		}
	}
	return l
}

// parts is the sub-sections of a section, or of the one that it stands in, by their headings.
func (w *Worker) parts(ctx context.Context, a asker, x *readNode) *items {
	for n := x.node.ID.Number(); n > 0; n = x.tree.Nodes[n].Parent.Number() {
		l := &items{over: x.tree.Nodes[n].Title, score: a.share(x.tree.Nodes[n].Title, x)}
		if l.score < listFloor {
			continue
		}
		for i := range x.tree.Nodes {
			if i == n || x.tree.Nodes[i].Parent != x.tree.Nodes[n].ID {
				continue
			}
			if len(l.cites) == listMost {
				l.more++
				continue
			}
			part, err := w.readNode(ctx, x.record, at{generation: x.record.Current, node: i, window: -1, last: -1})
			if err != nil {
				return nil // moved meanwhile or damaged: the lines of other sections answer
			}
			if bs := plain.Blocks(part.text, part.node.Lines.Start); len(bs) > 0 {
				l.add(candidate{node: part, lines: bs[0].Lines, shown: bs[0].Text}, part.node.Title)
			}
		}
		return l
	}
	return nil
}

// said is what is shown in words: of a row of a table its label and each value with its column; "" of a head or an empty row.
func (c candidate) said() string {
	if c.table == nil {
		return c.shown
	}
	i := slices.IndexFunc(c.table.Rows, func(r tabular.Row) bool { return r.Lines.Start == c.lines.Start })
	if i < 0 || len(c.table.Rows[i].Cells) == 0 {
		return ""
	}
	r := &c.table.Rows[i]
	var values []string
	for _, v := range r.Cells {
		text := strings.Join(strings.Fields(v.Text), " ")
		if path := c.table.Column(r, v.Column).Path; len(path) > 0 {
			text = strings.TrimRight(strings.Join(path, " "), ",: ") + ": " + text
		}
		values = append(values, text)
	}
	out := strings.Join(values, "; ")
	if label := r.Full(); label != "" {
		out = label + " (" + out + ")"
	}
	if u := strings.Trim(c.table.Unit, "() "); u != "" {
		out += ", " + u
	}
	return out
}
