// Package chunker walks a Tree, never the text, and makes the proxies of each node: the node's
// own text only, never over a node's border.
package chunker

import (
	"fmt"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
)

// Options say how large the proxies are. The zero value is the embedded default.
type Options struct {
	// Count is the embedder's number of tokens of a text (breadcrumb and text together are given
	// to it); nil: Estimate.
	Count func(string) int
	// Limit is the most tokens a chunk with its breadcrumb may have; 0: 256.
	Limit int
	// Target is the tokens a dense chunk with its breadcrumb aims at; 0: 190.
	Target int
	// Window is the characters of a lexical window; 0: 4,000.
	Window int
}

func (o Options) filled() Options {
	if o.Count == nil {
		o.Count = Estimate
	}
	if o.Limit <= 0 {
		o.Limit = 256
	}
	if o.Target <= 0 {
		o.Target = 190
	}
	o.Target = min(o.Target, o.Limit)
	if o.Window <= 0 {
		o.Window = 4000
	}
	return o
}

// shortText is the length of own text under which a node is flagged as short, in characters.
const shortText = 40

// Chunks makes the proxies of a document: its nodes, windows, rows and dense chunks, node by node
// in reading order. src is the Source that tree was built from. The same input gives the same
// chunks. The error is a fault of class too_large when the tree or a node passes what an EntryID
// can carry, and of class internal when the tree does not fit src.
func Chunks(src []byte, tree *doc.Tree, o Options) ([]doc.Chunk, error) {
	if err := addressable(len(tree.Nodes)); err != nil {
		return nil, err
	}
	w := walk{src: src, tree: tree, o: o.filled(), noise: noise(tree)}
	w.out = make([]doc.Chunk, 0, len(src)/400+2*len(tree.Nodes))
	if tree.Windows || len(tree.Nodes) == 0 {
		w.whole()
		return w.out, w.err
	}
	for i := range tree.Nodes {
		b := tree.Nodes[i].Bytes
		if b.Start < 0 || b.End < b.Start || b.End > int64(len(src)) {
			return nil, fault.Failf(doc.Internal, "chunk: node %s has bytes %d-%d of %d", tree.Nodes[i].ID, b.Start, b.End, len(src))
		}
		w.node(i)
		if w.err != nil {
			return nil, w.err
		}
	}
	return w.out, nil
}

// addressable says whether so many nodes can be told apart by an EntryID.
func addressable(nodes int) error {
	if nodes-1 > doc.MaxNode {
		return fault.Failf(doc.TooLarge, "chunk: %d headings, at most %d", nodes-1, doc.MaxNode)
	}
	return nil
}

// walk collects the chunks of one document.
type walk struct {
	src   []byte
	tree  *doc.Tree
	o     Options
	noise []bool
	refs  [][]string
	out   []doc.Chunk
	err   error
}

// emit adds one chunk with the next ordinal of its kind.
func (w *walk) emit(c doc.Chunk, ordinal *int) {
	if *ordinal > doc.MaxOrdinal {
		if w.err == nil {
			w.err = fault.Failf(doc.TooLarge, "chunk: node %s has more than %d %ss", doc.NodeIDOf(c.Node), doc.MaxOrdinal, c.Kind)
		}
		return
	}
	c.Ordinal = *ordinal
	*ordinal++
	w.out = append(w.out, c)
}

// node makes the entries of one node.
func (w *walk) node(i int) {
	n := &w.tree.Nodes[i]
	body := own(w.src, n)
	path := w.tree.Path(i)
	c := doc.Chunk{Node: i, Lines: n.Lines, Crumb: crumb(path, maxCrumb)}
	if body.runes < shortText {
		c.Flags |= doc.FlagShort
	}
	if w.noise[i] {
		c.Flags |= doc.FlagNoise
	}
	if i > 0 || len(body.text) > 0 {
		node, ordinal := c, 0
		node.Kind, node.Text, node.Refs = doc.KindNode, n.Title, w.references(i, body)
		w.emit(node, &ordinal)
	}
	w.body(c, body, path, false)
}

// whole makes sliding windows over all the text, under node 0.
func (w *walk) whole() {
	n := doc.Node{Lines: doc.Lines{Start: 1}, Bytes: doc.Bytes{End: int64(len(w.src))}, Synthetic: true}
	body := own(w.src, &n)
	if len(body.text) == 0 {
		return
	}
	c := doc.Chunk{Lines: doc.Lines{Start: 1, End: body.last}}
	if body.runes < shortText {
		c.Flags |= doc.FlagShort
	}
	node, ordinal := c, 0
	node.Kind, node.Refs = doc.KindNode, marked("^", captions(nil, body))
	w.emit(node, &ordinal)
	w.body(c, body, nil, true)
}

// body makes windows, rows and dense chunks of a node's own text.
func (w *walk) body(c doc.Chunk, b *body, path []string, sliding bool) {
	if len(b.text) == 0 {
		return
	}
	w.windows(c, b, sliding)
	w.rows(c, b)
	w.dense(c, b, path)
}

func (w *walk) windows(c doc.Chunk, b *body, sliding bool) {
	c.Kind = doc.KindWindow
	p := packer{body: b, target: w.o.Window, limit: w.o.Window, cost: runes, step: w.o.Window}
	if sliding { // shown as it is: with blank lines between its blocks it still fits what one section may take
		p.target, p.overlap = w.o.Window*9/10, w.o.Window/10
	}
	ordinal := 0
	p.pack(func(text string, lines doc.Lines, _ int) {
		c.Text, c.Lines = text, lines
		w.emit(c, &ordinal)
	})
}

func (w *walk) rows(c doc.Chunk, b *body) {
	c.Kind = doc.KindRow
	ordinal := 0
	for _, t := range b.tables {
		for i := range t.Rows {
			if r := &t.Rows[i]; !r.Section {
				c.Text, c.Lines = t.Entry(r), r.Lines
				w.emit(c, &ordinal)
			}
		}
	}
	w.clauses(c, b, ordinal)
}

// dense makes the chunks that get vectors. The breadcrumb takes at most two fifths of the target.
func (w *walk) dense(c doc.Chunk, b *body, path []string) {
	c.Kind = doc.KindChunk
	for limit := maxCrumb; ; limit = limit * 2 / 3 {
		c.Crumb = crumb(path, limit)
		if limit < minOwn || w.o.Count("["+c.Crumb+"]\n") <= w.o.Target*2/5 {
			break
		}
	}
	ends := w.o.Count("")
	used := ends
	if c.Crumb != "" {
		used = w.o.Count("[" + c.Crumb + "]\n")
	}
	room := max(w.o.Target-used, minRoom)
	cost := func(s string) int { return max(w.o.Count(s)-ends, 1) }
	p := packer{body: b, target: room, limit: max(w.o.Limit-used-sure, room), cost: cost, step: 800, sentences: true}
	ordinal := 0
	p.pack(func(text string, lines doc.Lines, cost int) {
		c.Text, c.Lines = text, lines
		if used+cost+sure <= w.o.Limit {
			w.emit(c, &ordinal)
			return
		}
		w.fit(c, &ordinal)
	})
}

// minRoom is the tokens a chunk has for its text, however long its breadcrumb is.
const minRoom = 16

// sure is how far the sum of a chunk's counted parts must stay below the limit to be believed
// without counting the whole again.
const sure = 16

// fit emits c, cut in two until it holds the model's limit.
func (w *walk) fit(c doc.Chunk, ordinal *int) {
	if w.o.Count(c.EmbedText()) <= w.o.Limit {
		w.emit(c, ordinal)
		return
	}
	at := boundary(c.Text, len(c.Text)/2)
	if at <= 0 || at >= len(c.Text) {
		if w.err == nil {
			w.err = fmt.Errorf("chunk: node %s: one character has more tokens than the limit of %d", doc.NodeIDOf(c.Node), w.o.Limit)
		}
		return
	}
	rest := c.Text[at:]
	c.Text = c.Text[:at]
	w.fit(c, ordinal)
	c.Text = rest
	w.fit(c, ordinal)
}
