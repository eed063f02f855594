package outline

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// tree writes the headings as nodes. Parents, levels and reasons are decided by now.
func (b *builder) tree() *doc.Tree {
	t := &doc.Tree{Confidence: b.confidence, Why: b.why, Windows: b.windows, Nodes: make([]doc.Node, len(b.all)+1)}
	t.Nodes[0] = b.preamble()
	names := anchors{ordinal: map[[32]byte]int{}, path: make([][32]byte, len(b.all))}
	for i := range b.all {
		t.Nodes[i+1] = b.node(i, &names)
	}
	b.spans(t.Nodes)
	for i := range t.Nodes {
		n := &t.Nodes[i]
		n.SHA256 = doc.SHA256(b.src[n.Bytes.Start:n.Bytes.End])
		n.Pages = b.pages(n.Lines)
	}
	return t
}

// preamble is node 0000: the text before the first heading.
func (b *builder) preamble() doc.Node {
	n := doc.Node{ID: doc.NodeIDOf(0), Anchor: "start", Confidence: 1, Why: "the text before the first heading"}
	end, last := len(b.src), b.sk.Lines
	if len(b.all) > 0 {
		end, last = b.all[0].start, b.all[0].line-1
	} else {
		n.Why = "the whole text: no headings"
	}
	if last > 0 {
		n.Lines = doc.Lines{Start: 1, End: last}
		n.Bytes.End = int64(end)
	}
	n.Span = n.Lines
	return n
}

func (b *builder) node(i int, names *anchors) doc.Node {
	h := &b.all[i]
	end, last := len(b.src), b.sk.Lines
	if i+1 < len(b.all) {
		end, last = b.all[i+1].start, b.all[i+1].line-1
	}
	n := doc.Node{
		ID: doc.NodeIDOf(i + 1), Level: h.level, Title: h.title, Anchor: names.name(i, h.parent, h.title),
		Lines:      doc.Lines{Start: h.line, End: last},
		Bytes:      doc.Bytes{Start: int64(h.start), End: int64(end)},
		Confidence: math.Round(h.conf*100) / 100, Why: h.why, Synthetic: h.synthetic, Lent: h.lent,
	}
	if h.parent >= 0 {
		n.Parent = doc.NodeIDOf(h.parent + 1)
	}
	return n
}

// spans makes each node's span reach to the end of its last descendant.
func (b *builder) spans(nodes []doc.Node) {
	for i := range nodes {
		nodes[i].Span = nodes[i].Lines
	}
	for i := len(b.all) - 1; i >= 0; i-- {
		if p := b.all[i].parent; p >= 0 {
			nodes[p+1].Span.End = max(nodes[p+1].Span.End, nodes[i+1].Span.End)
		}
	}
}

// pages are the pages that lines stand on; nil where the document does not tell.
func (b *builder) pages(l doc.Lines) *doc.Pages {
	first, last := b.pageAt(l.Start), b.pageAt(l.End)
	if l == (doc.Lines{}) || first == 0 || last < first {
		return nil
	}
	return &doc.Pages{Start: first, End: last}
}

// pageAt is the page of a line, 0 when unknown.
func (b *builder) pageAt(line int) int {
	lo, hi := 0, len(b.sk.Pages)
	for lo < hi {
		if mid := (lo + hi) / 2; b.sk.Pages[mid].Line <= line {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return 0
	}
	return b.sk.Pages[lo-1].Number
}

// anchors makes the stable names of nodes. A name is a readable part of the title and a hash of
// the normalised titles from the root, with the ordinal among equal paths: edits elsewhere leave it alone.
type anchors struct {
	path    [][32]byte // by heading
	ordinal map[[32]byte]int
}

func (a *anchors) name(i, parent int, title string) string {
	norm := normal(title)
	var up [32]byte
	if parent >= 0 {
		up = a.path[parent]
	}
	h := sha256.New()
	h.Write(up[:])
	h.Write([]byte(norm))
	h.Sum(a.path[i][:0])
	key := a.path[i]
	a.ordinal[key]++
	n := a.ordinal[key]
	var buf [40]byte
	copy(buf[:], key[:])
	binary.BigEndian.PutUint64(buf[32:], uint64(n))
	sum := sha256.Sum256(buf[:])
	name := slug(norm, 32)
	if name != "" {
		name += "-"
	}
	name += doc.Base32(sum[:])[:12]
	if n > 1 {
		name += "-" + strconv.Itoa(n)
	}
	return name
}

// normal is a title without case, punctuation and white space of its own: letters and numbers, one blank between.
func normal(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range title {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteRune(unicode.ToLower(r))
		} else {
			gap = true
		}
	}
	if b.Len() == 0 {
		return title
	}
	return b.String()
}

// slug is the ASCII part of a normalised title, at most n bytes of whole words.
func slug(norm string, n int) string {
	var out []byte
	for _, w := range strings.Fields(norm) {
		w = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, w)
		if w == "" {
			continue
		}
		if len(out)+1+len(w) > n {
			break
		}
		if len(out) > 0 {
			out = append(out, '-')
		}
		out = append(out, w...)
	}
	return string(bytes.Trim(out, "-"))
}
