package index

import (
	"strings"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/rank"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// entries is what the index must hold of one version, by kind. Chunks without a vector are left out.
type entries map[doc.Kind][]vector.Entry

// build turns chunks into entries: the words analysed, the vectors found by text hash.
func build(j wire.Job, chunks []doc.Chunk, vectors *artefact.Vectors, lang words.Language) (entries, error) {
	e := entries{}
	analyse := func(s string) []string { return words.Analyze(s, lang) }
	prefix, name := doc.PrefixOf(j.DocID), rank.NameOf(j.Key)
	for _, c := range chunks {
		if c.Node > doc.MaxNode || c.Ordinal > doc.MaxOrdinal {
			return nil, fault.Failf(doc.TooLarge, "node %d, piece %d: over what an index entry can name (%d, %d)", c.Node, c.Ordinal, doc.MaxNode, doc.MaxOrdinal)
		}
		place := doc.Place{Prefix: prefix, Generation: j.Generation, Node: c.Node, Ordinal: c.Ordinal, Flags: c.Flags}
		x := vector.Entry{ID: place.ID()}
		if c.Kind == doc.KindChunk {
			if x.Vector = vectors.ByHash[embedding.TextHash(c.EmbedText())]; x.Vector == nil {
				continue
			}
		} else {
			x.Terms, x.Crumb = rank.NamedWords(name, c, analyse)
		}
		e[c.Kind] = append(e[c.Kind], x)
	}
	return e, nil
}

// language is the one the record names, else the one that the windows are written in.
func language(r ledger.Record, chunks []doc.Chunk) words.Language {
	if r.Language != "" {
		return words.Language(r.Language)
	}
	var b strings.Builder
	for _, c := range chunks {
		if c.Kind == doc.KindWindow && b.Len() < 20_000 {
			b.WriteString(c.Text)
		}
	}
	return words.Detect(b.String())
}

// title is the document's title: that of the first heading, cut, for it is part of the record.
func title(chunks []doc.Chunk) string {
	for _, c := range chunks {
		if c.Kind == doc.KindNode && c.Text != "" {
			return pipeline.Cut(c.Text)
		}
	}
	return ""
}

// manifest lists the entries by level: words are nodes, windows and rows; full are all.
func (e entries) manifest(build uint32, kinds []doc.Kind) artefact.Manifest {
	level := doc.LevelWords
	list := map[doc.Kind][]artefact.Member{}
	for _, k := range kinds {
		if k == doc.KindChunk {
			level = doc.LevelFull
		}
		for _, x := range e[k] {
			p := x.ID.Place()
			list[k] = append(list[k], artefact.Member{p.Node, p.Ordinal})
		}
	}
	return artefact.Manifest{Build: build, Levels: map[doc.Level]map[doc.Kind][]artefact.Member{level: list}}
}
