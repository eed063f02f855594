package chunker

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// LongNode is the length from which the windows of a node are listed, in bytes: one that is longer is not looked at
// whole, so that it must be known where its hits stand.
const LongNode = 1 << 20

// longLines is the length of a window's lines, in bytes, from which the window is taken for a piece of them.
const longLines = 64 << 10

// Windows says where the windows of a document's long nodes stand: of node 0 of a tree that is cut into windows, and of
// nodes over LongNode. chunks are those that Chunks made of src and tree.
func Windows(src []byte, tree *doc.Tree, chunks []doc.Chunk) doc.Windows {
	out := doc.Windows{}
	for from := 0; from < len(chunks); {
		to, n := from, chunks[from].Node
		for to < len(chunks) && chunks[to].Node == n {
			to++
		}
		own, first := doc.Bytes{End: int64(len(src))}, 1
		apart := tree.Windows || len(tree.Nodes) == 0
		if !apart {
			own, first = tree.Nodes[n].Bytes, tree.Nodes[n].Lines.Start
		}
		if apart || own.Len() > LongNode {
			l := locator{src: src[own.Start:own.End], at: own.Start, first: first}
			if ws := l.windows(chunks[from:to]); len(ws) > 0 {
				out[n] = ws
			}
		}
		from = to
	}
	return out
}

// locator finds the windows of one node in its text.
type locator struct {
	src    []byte
	at     int64 // byte of the Source at which src begins
	first  int   // its first line
	texts  []string
	starts map[int]int // line -> byte of src at which it begins
}

func (l *locator) windows(chunks []doc.Chunk) []doc.Window {
	var ws []doc.Window
	var rows, dense []int // lines at which they begin
	for _, c := range chunks {
		switch c.Kind {
		case doc.KindWindow:
			ws = append(ws, doc.Window{Lines: c.Lines})
			l.texts = append(l.texts, c.Text)
		case doc.KindRow:
			rows = append(rows, c.Lines.Start)
		case doc.KindChunk:
			dense = append(dense, c.Lines.Start)
		}
	}
	l.lines(ws)
	for i := range ws {
		ws[i].Bytes = doc.Bytes{Start: int64(l.starts[ws[i].Lines.Start]), End: int64(l.starts[ws[i].Lines.End+1])}
	}
	l.pieces(ws)
	members(ws, rows, func(w *doc.Window) *int { return &w.Row })
	members(ws, dense, func(w *doc.Window) *int { return &w.Chunk })
	for i := range ws {
		w := &ws[i]
		w.SHA256 = doc.SHA256(l.src[w.Bytes.Start:w.Bytes.End])
		w.Bytes.Start, w.Bytes.End = w.Bytes.Start+l.at, w.Bytes.End+l.at
	}
	return ws
}

// lines finds the bytes at which the windows' lines begin and end, in one walk.
func (l *locator) lines(ws []doc.Window) {
	var want []int
	for _, w := range ws {
		want = append(want, w.Lines.Start, w.Lines.End+1)
	}
	slices.Sort(want)
	l.starts = make(map[int]int, len(want))
	line, at := l.first, 0
	for _, n := range want {
		for ; line < n && at < len(l.src); line++ {
			i := bytes.IndexByte(l.src[at:], '\n')
			if i < 0 {
				i = len(l.src) - at - 1
			}
			at += i + 1
		}
		l.starts[n] = at
	}
}

// pieces narrows windows whose lines are far longer than they are: of a run of such windows that share a line, each
// takes the share of the run's bytes that its text has of the run's text, and a tenth more on either side, for markup is
// not spread evenly.
func (l *locator) pieces(ws []doc.Window) {
	long := func(i int) bool { return ws[i].Bytes.Len() > longLines }
	for from := 0; from < len(ws); from++ {
		if !long(from) {
			continue
		}
		to := from + 1
		for to < len(ws) && long(to) && ws[to].Lines.Start <= ws[to-1].Lines.End {
			to++
		}
		l.share(ws[from:to], l.texts[from:to])
		from = to - 1
	}
}

func (l *locator) share(ws []doc.Window, texts []string) {
	begin := make([]int, len(texts)) // of each text in the text of them all
	for i := 1; i < len(texts); i++ {
		head := texts[i][:min(len(texts[i]), 64)]
		step := strings.LastIndex(texts[i-1], head)
		if step <= 0 {
			step = len(texts[i-1])
		}
		begin[i] = begin[i-1] + step
	}
	total := begin[len(begin)-1] + len(texts[len(texts)-1])
	from, to := ws[0].Bytes.Start, ws[len(ws)-1].Bytes.End
	scale := float64(to-from) / float64(max(total, 1))
	for i := range ws {
		slack := len(texts[i]) / 10
		w := &ws[i]
		w.Part = true
		w.Bytes.Start = l.rune(max(from, from+int64(float64(begin[i]-slack)*scale)))
		w.Bytes.End = l.rune(min(to, from+int64(float64(begin[i]+len(texts[i])+slack)*scale)))
	}
}

// rune is the beginning of the character at byte at.
func (l *locator) rune(at int64) int64 {
	for i := 0; i < utf8.UTFMax && at > 0 && at < int64(len(l.src)) && !utf8.RuneStart(l.src[at]); i++ {
		at--
	}
	return at
}

// members notes for each window the first of the entries that begin in it, given the lines at which they begin. Windows
// that begin on one line share its entries evenly.
func members(ws []doc.Window, begins []int, first func(*doc.Window) *int) {
	e := 0
	for from := 0; from < len(ws); {
		to, line := from+1, ws[from].Lines.Start
		for to < len(ws) && ws[to].Lines.Start == line {
			to++
		}
		for e < len(begins) && begins[e] < line {
			e++
		}
		end := e
		for end < len(begins) && begins[end] == line {
			end++
		}
		for i := from; i < to; i++ {
			*first(&ws[i]) = e + (end-e)*(i-from)/(to-from)
		}
		from = to
	}
}
