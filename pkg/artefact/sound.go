package artefact

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding"
)

// Text is what parse leaves of a version.
type Text struct {
	Source  []byte
	Tree    *doc.Tree
	Layout  []byte // nil: the document has no pages
	Figures []Figure
	Notes   []string
}

// Figure is a picture that the Source links by its name, "figures/p3-1.png".
type Figure struct {
	Name string
	PNG  []byte
}

// Open reads the parts of a parcel and refuses those that our own program would not have left: what stands in them is
// used as if it had been made here. Bodies stand in the order of p.Parts; the vectors must be of the model named.
func (p Parcel) Open(bodies [][]byte, model embedding.Fingerprint) (t Text, err error) {
	t.Notes = p.Notes
	for i, x := range p.Parts {
		b := bodies[i]
		if !x.Is(b) {
			return t, fmt.Errorf("%s of %s: %w: it is not of the size and SHA-256 that its parcel names", x.Name, p.DocID, ErrDamaged)
		}
		switch x.Name {
		case sourceName:
			t.Source = b
		case treeName:
			t.Tree = new(doc.Tree)
			err = json.Unmarshal(b, t.Tree)
		case layoutName:
			t.Layout = b
			if !json.Valid(b) {
				err = fmt.Errorf("it is no JSON")
			}
		case vectorsName:
			err = soundVectors(b, p.DocID, model)
		default:
			t.Figures = append(t.Figures, Figure{x.Name, b})
			if !bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")) {
				err = fmt.Errorf("it is no PNG")
			}
		}
		if err != nil {
			return t, fmt.Errorf("%s of %s: %w: %w", x.Name, p.DocID, ErrDamaged, err)
		}
	}
	return t, p.soundTree(t)
}

// soundTree holds the tree against the text: whoever follows it then stays within.
func (p Parcel) soundTree(t Text) error {
	damaged := func(why string) error { return fmt.Errorf("tree of %s: %w: %s", p.DocID, ErrDamaged, why) }
	if t.Tree == nil || t.Tree.DocID != p.DocID || t.Tree.Version != p.Version || len(t.Tree.Nodes) == 0 {
		return damaged("it is that of another version")
	}
	last := bytes.Count(t.Source, []byte{'\n'}) + 1
	within := func(l doc.Lines) bool { return 0 <= l.Start && l.Start <= l.End+1 && l.End <= last }
	var at int64
	for i, n := range t.Tree.Nodes {
		up := n.Parent.Number()
		switch {
		case n.ID.Number() != i, n.Parent != "" && (up < 0 || up >= i):
			return damaged(fmt.Sprintf("node %d stands out of order", i))
		case !within(n.Lines), !within(n.Span), n.Bytes.Start < at:
			return damaged(fmt.Sprintf("node %d covers lines or bytes that it cannot", i))
		case !n.Holds(t.Source):
			return damaged(fmt.Sprintf("the text of node %d is not the one that was parsed", i))
		}
		at = n.Bytes.End
	}
	return nil
}

// soundVectors refuses vectors of another model and those that no index takes.
func soundVectors(b []byte, id doc.ID, model embedding.Fingerprint) error {
	if h, _, err := cutHead(b); err != nil || h.Digest != model.Digest {
		return fmt.Errorf("they are of model %.12q, not %.12q", h.Digest, model.Digest)
	}
	v, err := readVectors(b, id, model.Digest)
	if err != nil {
		return err
	}
	if v.Dimensions != model.Dimensions {
		return fmt.Errorf("%d numbers a vector, not %d", v.Dimensions, model.Dimensions)
	}
	for _, x := range v.ByHash {
		if err := embedding.Check(x, model.Dimensions); err != nil {
			return err
		}
	}
	return nil
}
