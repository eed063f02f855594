package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/facts"
	"github.com/fingerpost/fingerpost/pkg/outline"
	"github.com/fingerpost/fingerpost/pkg/rank"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// The one build and tenant of a Corpus.
const (
	build  vector.Build = 1
	tenant doc.Tenant   = "bench"
)

// Document is a Markdown document under the name that question files use for it.
type Document struct {
	Name string
	Text []byte
}

// entry is a document of a Corpus as it was read.
type entry struct {
	name   string
	src    []byte
	tree   *doc.Tree
	chunks []doc.Chunk
	lang   words.Language
	prefix doc.Prefix

	pages, sizes []int // of each line: see pageLines
}

// Corpus is documents in one index.
type Corpus struct {
	ix      vector.Index
	names   bool
	entries []*entry
	by      map[doc.Prefix]*entry
	langs   []words.Language
	table   *route.Table
	library *route.Library
}

// Folder reads the *.md files of a folder, by name.
func Folder(dir string) ([]Document, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	slices.Sort(files)
	var docs []Document
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("bench: %w", err)
		}
		docs = append(docs, Document{filepath.Base(f), b})
	}
	return docs, nil
}

// Open takes the documents into ix, which must be empty: nodes, windows and rows. Vectors come by Embed.
// names puts the documents' names into the terms, as the chain does; without it the keys say nothing.
func Open(ctx context.Context, ix vector.Index, docs []Document, names bool, o chunker.Options) (*Corpus, error) {
	c := &Corpus{ix: ix, names: names, by: map[doc.Prefix]*entry{}}
	for _, d := range docs {
		if err := c.add(ctx, d, o); err != nil {
			return nil, fmt.Errorf("bench: %s: %w", d.Name, err)
		}
	}
	c.library = route.NewLibrary()
	var cards []route.Card
	for _, e := range c.entries {
		key := ""
		if names {
			key = e.name
		}
		cards = append(cards, route.CardOf(e.prefix, key, e.src))
		c.library.Add(e.prefix, facts.Of(e.src, e.tree))
	}
	c.table = route.NewTable(cards...)
	return c, nil
}

func (c *Corpus) add(ctx context.Context, d Document, o chunker.Options) error {
	id := doc.NewID(tenant, "bench", d.Name)
	tree, err := outline.Build(id, doc.VersionOf(d.Text), d.Text, outline.Options{})
	if err != nil {
		return err
	}
	chunks, err := chunker.Chunks(d.Text, tree, o)
	if err != nil {
		return err
	}
	rank.MarkStatements(chunks)
	e := &entry{name: d.Name, src: d.Text, tree: tree, chunks: chunks, lang: words.Detect(string(d.Text)), prefix: doc.PrefixOf(id)}
	c.entries, c.by[e.prefix] = append(c.entries, e), e
	if !slices.Contains(c.langs, e.lang) {
		c.langs = append(c.langs, e.lang)
	}
	return c.put(ctx, e, func(term string) string { return term })
}

// put writes the entries of a document into the index, each term as change makes it.
func (c *Corpus) put(ctx context.Context, e *entry, change func(term string) string) error {
	analyse := func(s string) []string {
		terms := words.Analyze(s, e.lang)
		for i := range terms {
			terms[i] = change(terms[i])
		}
		return terms
	}
	name := ""
	if c.names {
		name = rank.NameOf(e.name)
	}
	for _, k := range []doc.Kind{doc.KindNode, doc.KindWindow, doc.KindRow} {
		var entries []vector.Entry
		for _, ch := range e.chunks {
			if ch.Kind == k {
				terms, crumb := rank.NamedWords(name, ch, analyse)
				entries = append(entries, vector.Entry{ID: e.place(ch).ID(), Terms: terms, Crumb: crumb})
			}
		}
		if err := c.ix.Put(ctx, build, tenant, k, entries); err != nil {
			return err
		}
	}
	return nil
}

func (e *entry) place(ch doc.Chunk) doc.Place {
	return doc.Place{Prefix: e.prefix, Generation: 1, Node: ch.Node, Ordinal: ch.Ordinal, Flags: ch.Flags}
}
