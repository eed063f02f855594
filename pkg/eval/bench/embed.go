package bench

import (
	"context"
	"fmt"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Embed writes the chunks' vectors into the index: of every chunk (level full), or only of the first of
// each section (level sections). It may be called for sections first and for all afterwards.
func (c *Corpus) Embed(ctx context.Context, cache *Cache, level doc.Level, progress func(made, missing int)) error {
	var ids []doc.EntryID
	var texts []string
	for _, e := range c.entries {
		for _, ch := range e.chunks {
			if ch.Kind == doc.KindChunk && (level == doc.LevelFull || ch.Ordinal == 0) {
				ids = append(ids, e.place(ch).ID())
				texts = append(texts, ch.EmbedText())
			}
		}
	}
	vectors, err := cache.Embed(ctx, texts, progress)
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	entries := make([]vector.Entry, len(ids))
	for i := range ids {
		entries[i] = vector.Entry{ID: ids[i], Vector: vectors[i]}
	}
	if err := c.ix.Put(ctx, build, tenant, doc.KindChunk, entries); err != nil {
		return fmt.Errorf("bench: vectors: %w", err)
	}
	return nil
}
