package doc

import (
	"fmt"
	"strconv"
)

// NodeID names a node within one version: its place in reading order, four digits or more,
// from "0001". "0000" is the text before the first heading, or all text of a document without headings.
type NodeID string

// NodeIDOf is the NodeID of number n (from 0).
func NodeIDOf(n int) NodeID { return NodeID(fmt.Sprintf("%04d", n)) }

// Number is the place in reading order; -1 when id is malformed.
func (id NodeID) Number() int {
	n, err := strconv.Atoi(string(id))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// Tree is the outline of one version: tree.json. Nodes are in reading order and the node with
// NodeID n stands at index n, so Nodes[0] is always "0000" (with empty Lines when the document
// starts with a heading).
type Tree struct {
	DocID      ID      `json:"doc_id"`
	Version    Version `json:"version"`
	Confidence float64 `json:"confidence"`    // 0..1, of the whole tree
	Why        string  `json:"why,omitempty"` // the reason of a Confidence below 1
	Windows    bool    `json:"windows,omitempty"`
	// Windows: the tree is not trusted (or absent); the whole text is cut into sliding windows under "0000".
	Nodes []Node `json:"nodes"`
}

// Node is one heading and the text under it.
type Node struct {
	ID     NodeID `json:"node_id"`
	Anchor string `json:"anchor"` // stable: survives edits elsewhere; letters a-z, digits, '-'
	Parent NodeID `json:"parent"` // "" for a root
	Level  int    `json:"level"`  // true level from 1 (may exceed 6); 0 for "0000"
	Title  string `json:"title"`  // inline markup removed
	// Lines and Bytes are the node's own text: from its heading to the line before the next
	// heading of any level. Span covers the whole subtree.
	Lines  Lines  `json:"lines"`
	Span   Lines  `json:"span"`
	Bytes  Bytes  `json:"bytes"`
	Pages  *Pages `json:"pages"`  // nil where the original has no pages
	SHA256 string `json:"sha256"` // lower-case hex, of the Source's bytes in Bytes

	Confidence float64 `json:"confidence"`
	Why        string  `json:"why"`                 // evidence for level and heading, in words
	Synthetic  bool    `json:"synthetic,omitempty"` // a heading that stands in the tree only, not in the Source
	Lent       string  `json:"lent,omitempty"`      // number lent by an empty numbered heading before it: "NOTE 23"
}

// Holds reports whether src still has the node's text where the node says.
func (n Node) Holds(src []byte) bool {
	b := n.Bytes
	return 0 <= b.Start && b.Start <= b.End && b.End <= int64(len(src)) && SHA256(src[b.Start:b.End]) == n.SHA256
}

// Path is the titles from the root to the node n (index in Nodes), the node's own last.
func (t *Tree) Path(n int) []string {
	var path []string
	for n > 0 && n < len(t.Nodes) && len(path) < 64 {
		path = append(path, t.Nodes[n].Title)
		n = t.Nodes[n].Parent.Number()
	}
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path
}

// ByAnchor is the index of the node with that anchor, or -1.
func (t *Tree) ByAnchor(anchor string) int {
	for i := range t.Nodes {
		if t.Nodes[i].Anchor == anchor {
			return i
		}
	}
	return -1
}
