// Package tree is the baseline that walks: each node of a document's outline gets a summary by a language model when it
// is taken in, and for a question the model is shown titles and summaries, level by level, and says which way to go. There
// is no index and no vector. It is how PageIndex and its like work; it stands in the same program so that its places, its
// calls, its tokens and its seconds can be held beside the others.
package tree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/plain"
)

// Document is a Source with its outline, under the name that question files use for it.
type Document struct {
	Name   string
	Source []byte
	Tree   *doc.Tree
}

// Limits bound what is asked of the model; a zero field has the default.
type Limits struct {
	// Short is the characters up to which a node's own text is its summary: no call; 0: 800, about 200 tokens.
	Short int
	// Text is the characters of a node that the model is shown for a summary; 0: 6,000.
	Text int
	// Fan is the entries that the model chooses among in one call; 0: 24. More are asked in several calls.
	Fan int
	// Calls is the most calls for one question; 0: 12.
	Calls int
}

func (l Limits) filled() Limits {
	for _, f := range []struct {
		field *int
		value int
	}{{&l.Short, 800}, {&l.Text, 6000}, {&l.Fan, 24}, {&l.Calls, 12}} {
		if *f.field <= 0 {
			*f.field = f.value
		}
	}
	return l
}

// node is a place that the model may choose, with what it is told of it.
type node struct {
	doc      int
	index    int // in the document's tree; -1: the document itself
	title    string
	summary  string
	children []*node
}

// Book is documents with their summaries.
type Book struct {
	docs   []Document
	roots  []*node // a document each
	limits Limits
	model  llm.Model
	Ingest eval.Usage // what the summaries cost; those that were known cost nothing
}

// Known keeps summaries between runs, by a hash of what they were made of; both may be called at any time.
type Known interface {
	Get(hash string) (string, bool)
	Put(hash, summary string) error
}

// Write makes the summary of every node, deepest first, so that a parent's tells of its children's titles too.
// progress, which may be nil, is told how many nodes are done.
func Write(ctx context.Context, m llm.Model, docs []Document, known Known, l Limits, progress func(done, all int)) (*Book, error) {
	b := &Book{docs: docs, limits: l.filled(), model: m}
	all, done := 0, 0
	for _, d := range docs {
		all += len(d.Tree.Nodes)
	}
	for i, d := range docs {
		root, nodes := grow(i, d)
		for n := len(nodes) - 1; n >= 0; n-- {
			if err := b.summarise(ctx, known, nodes[n]); err != nil {
				return nil, fmt.Errorf("summary of %q in %s: %w", nodes[n].title, d.Name, err)
			}
			if done++; progress != nil {
				progress(done, all)
			}
		}
		root.summary = about(root.children)
		b.roots = append(b.roots, root)
	}
	return b, nil
}

// grow is the nodes of document i below a root that stands for the document.
func grow(i int, d Document) (root *node, nodes []*node) {
	root = &node{doc: i, index: -1, title: d.Name}
	for n := range d.Tree.Nodes {
		nodes = append(nodes, &node{doc: i, index: n, title: d.Tree.Nodes[n].Title})
		parent := root
		if p := d.Tree.Nodes[n].Parent.Number(); n > 0 && p > 0 && p < n {
			parent = nodes[p]
		}
		if n > 0 || d.Tree.Nodes[n].Bytes.Len() > 0 {
			parent.children = append(parent.children, nodes[n])
		}
	}
	return root, nodes
}

// summarise gives a node its summary: its text where that is short, what is known of it, or what the model says.
func (b *Book) summarise(ctx context.Context, known Known, n *node) error {
	d := b.docs[n.doc]
	at := d.Tree.Nodes[n.index].Bytes
	text := strings.TrimSpace(plain.Text(d.Source[at.Start:at.End]))
	if utf8.RuneCountInString(text) <= b.limits.Short {
		n.summary = strings.TrimSpace(text + " " + about(n.children))
		return nil
	}
	text = llm.Clip(text, b.limits.Text)
	hash := doc.SHA256([]byte(summaryOrder + "\x00" + text))
	if s, ok := known.Get(hash); ok {
		n.summary = s
		return nil
	}
	a, err := b.model.Chat(ctx, llm.Request{System: summaryOrder, MaxTokens: 120, Messages: []llm.Message{{Role: llm.User, Text: text}}}, nil)
	b.Ingest.Add(eval.Usage{Calls: 1, Prompt: a.Prompt, Output: a.Output, Seconds: a.Took.Seconds()})
	if err != nil && !answered(err) {
		return err
	}
	n.summary = llm.Clip(strings.TrimSpace(a.Text), 600)
	if n.summary == "" { // a model that has nothing to say of a text leaves its beginning
		n.summary = llm.Clip(text, 300)
	}
	return known.Put(hash, n.summary)
}

// answered reports whether an error is about this one answer, which may be taken as it is: the model went on for ever,
// broke the schema, or the text was too long for it.
func answered(err error) bool {
	return errors.Is(err, llm.ErrEndless) || errors.Is(err, llm.ErrJSON) || errors.Is(err, llm.ErrLong)
}

const summaryOrder = "Say in two sentences which topics, terms and figures the following section of a document covers. Write only these sentences."

// about names the children of a node.
func about(children []*node) string {
	var titles []string
	for _, c := range children {
		titles = append(titles, c.title)
	}
	return llm.Clip(strings.Join(titles, "; "), 300)
}

// Finder walks the book for each question. It gives the sections that the model chose, the surest first; those it never
// came to are not found.
func (b *Book) Finder() eval.Finder {
	return func(ctx context.Context, question string, k int) ([]eval.Place, error) {
		w := walk{b: b, question: question, calls: b.limits.Calls}
		chosen, err := w.down(ctx, b.roots, 2)
		if err != nil {
			return nil, err
		}
		for len(w.found) < k && len(chosen) > 0 {
			next := chosen[0]
			chosen = chosen[1:]
			w.keep(next)
			if len(next.children) == 0 {
				continue
			}
			below, err := w.down(ctx, next.children, 2)
			if err != nil {
				return nil, err
			}
			chosen = append(below, chosen...)
		}
		return w.places(k), nil
	}
}

// walk is the way of one question.
type walk struct {
	b        *Book
	question string
	calls    int // that are left
	found    []*node
}

// keep notes a node that is a section; its own text is the place.
func (w *walk) keep(n *node) {
	if n.index >= 0 && w.b.docs[n.doc].Tree.Nodes[n.index].Bytes.Len() > 0 {
		w.found = append(w.found, n)
	}
}

// choice is what the model answers.
type choice struct {
	Numbers []int `json:"numbers"`
}

var choiceSchema = json.RawMessage(`{"type":"object","properties":{"numbers":{"type":"array","items":{"type":"integer"},"maxItems":3}},"required":["numbers"],"additionalProperties":false}`)

const choiceOrder = "You are given a question and a numbered list of sections of documents with what they cover. " +
	"Answer with the numbers of the sections in which the answer stands, the likeliest first, at most three."

// down asks which of the nodes to follow, at most most of them. Without calls left, or when the model's answer is
// no answer, the first nodes are taken: it has to go on.
func (w *walk) down(ctx context.Context, nodes []*node, most int) ([]*node, error) {
	if len(nodes) <= 1 {
		return nodes, nil
	}
	var picked []*node
	for at := 0; at < len(nodes) && w.calls > 0; at += w.b.limits.Fan {
		page := nodes[at:min(at+w.b.limits.Fan, len(nodes))]
		w.calls--
		p, err := w.ask(ctx, page)
		if err != nil {
			return nil, err
		}
		picked = append(picked, p[:min(len(p), most)]...)
	}
	if len(picked) == 0 {
		picked = nodes[:min(most, len(nodes))]
	}
	return picked, nil
}

// ask is one call.
func (w *walk) ask(ctx context.Context, nodes []*node) ([]*node, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "Question: %s\n\n", llm.Clip(w.question, 1000))
	for i, n := range nodes {
		fmt.Fprintf(&text, "%d. %s: %s\n", i+1, llm.Clip(n.title, 120), llm.Clip(n.summary, 240))
	}
	start := time.Now()
	a, err := w.b.model.Chat(ctx, llm.Request{System: choiceOrder, Schema: choiceSchema, MaxTokens: 60,
		Messages: []llm.Message{{Role: llm.User, Text: text.String()}}}, nil)
	eval.Spend(ctx, a.Prompt, a.Output, time.Since(start))
	if err != nil {
		if answered(err) {
			return nil, nil
		}
		return nil, err
	}
	var c choice
	if err := json.Unmarshal([]byte(a.Text), &c); err != nil {
		return nil, nil
	}
	var out []*node
	seen := map[int]bool{}
	for _, n := range c.Numbers {
		if n >= 1 && n <= len(nodes) && !seen[n] {
			seen[n] = true
			out = append(out, nodes[n-1])
		}
	}
	return out, nil
}

// places are the sections found, each with its own text.
func (w *walk) places(k int) (out []eval.Place) {
	for _, n := range w.found[:min(k, len(w.found))] {
		d := w.b.docs[n.doc]
		at := d.Tree.Nodes[n.index]
		text := d.Source[at.Bytes.Start:at.Bytes.End]
		out = append(out, eval.Place{Doc: d.Name, Lines: at.Lines, Text: string(text), Shown: plain.Text(text)})
	}
	return out
}
