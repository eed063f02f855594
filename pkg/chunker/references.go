package chunker

import (
	"regexp"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/reference"
)

// captionLine is a line that names a table or figure inside a node.
var captionLine = regexp.MustCompile(`^(?:table|tab\.|figure|fig\.|box|algorithm|exhibit|таблица|табл\.|рисунок|рис\.|tabelle|abbildung|abb\.)\s*[a-z]?\.?\d`)

// maxCaptions is how many captions of one node are kept as references.
const maxCaptions = 500

// references are the structural references that lead to node i.
func (w *walk) references(i int, b *body) []string {
	var out []string
	seen := map[string]bool{}
	add := func(mark string, refs []string) {
		for _, r := range refs {
			if !seen[mark+r] && !seen["="+r] {
				seen[mark+r] = true
				out = append(out, mark+r)
			}
		}
	}
	add("=", w.titleRefs(i))
	if lent := w.tree.Nodes[i].Lent; lent != "" {
		add("+", reference.OfTitle(lent))
	}
	add("^", captions(w.titleRefs(i), b))
	add("^", terms(b))
	for p, hops := w.tree.Nodes[i].Parent.Number(), 0; p > 0 && p < len(w.tree.Nodes) && hops < 64; hops++ {
		add("~", w.titleRefs(p))
		p = w.tree.Nodes[p].Parent.Number()
	}
	return out
}

// titleRefs is reference.OfTitle of a node, read once.
func (w *walk) titleRefs(i int) []string {
	if w.refs == nil {
		w.refs = make([][]string, len(w.tree.Nodes))
		for k := 1; k < len(w.tree.Nodes); k++ {
			w.refs[k] = reference.OfTitle(w.tree.Nodes[k].Title)
		}
	}
	return w.refs[i]
}

// captions are the references of captions inside the text, without those of the title.
func captions(title []string, b *body) []string {
	var out []string
	seen := map[string]bool{}
	for _, r := range title {
		seen[r] = true
	}
	take := func(text string) {
		if len(text) > 300 {
			text = text[:300]
		}
		if len(out) >= maxCaptions || !isCaption(text) {
			return
		}
		for _, r := range reference.OfTitle(text) {
			if !seen[r] {
				seen[r] = true
				out = append(out, r)
			}
		}
	}
	for _, t := range b.tables {
		take(t.Caption)
	}
	for _, l := range b.lines {
		if l.table < 0 {
			take(b.text[l.start:l.end])
		}
	}
	return out
}

// mayBegin is the first bytes of a caption: of Table, Figure, Box, Abbildung, Exhibit, and of Cyrillic letters.
var mayBegin = func() (t [256]bool) {
	for _, c := range []byte("tfbaeTFBAE\xd0\xd1") {
		t[c] = true
	}
	return t
}()

// isCaption looks at the first bytes before it asks the pattern.
func isCaption(text string) bool {
	if len(text) > 24 {
		text = text[:24]
	}
	if text == "" || !strings.ContainsAny(text, "0123456789") || !mayBegin[text[0]] {
		return false
	}
	return captionLine.MatchString(strings.ToLower(text))
}

func marked(mark string, refs []string) []string {
	for i := range refs {
		refs[i] = mark + refs[i]
	}
	return refs
}

// terms are the references of the terms that the text defines.
func terms(b *body) (out []string) {
	for _, l := range b.lines {
		if l.table >= 0 || len(out) >= maxCaptions {
			continue
		}
		if m := definition.FindStringSubmatch(first(b.text[l.start:l.end], 400)); m != nil {
			if t := reference.Term(m[1]); t != "" {
				out = append(out, t)
			}
		}
	}
	return out
}
