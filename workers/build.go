package workers

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/embedding/minilm"
	"github.com/fingerpost/fingerpost/pkg/embedding/none"
	"github.com/fingerpost/fingerpost/pkg/embedding/ollama"
	"github.com/fingerpost/fingerpost/pkg/embedding/openai"
	"github.com/fingerpost/fingerpost/pkg/source"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// openBuild reads the live build, or makes the first one. The embedder is picked once, when a build is
// made; a later start that asks for another one is refused, for vectors of two models do not mix.
func openBuild(ctx context.Context, r *build.Registry, c Config, from stock) (build.Record, embedding.Embedder, error) {
	if r.Live() == 0 {
		rec, _, err := wanted(ctx, c, c.Embedder, from)
		if err != nil {
			return rec, nil, err
		}
		if _, err = r.First(ctx, rec); err != nil {
			return rec, nil, err
		}
	}
	rec, err := r.Get(ctx, r.Live())
	if err != nil {
		return rec, nil, fmt.Errorf("live build: %w", err)
	}
	if err := from.serves(rec); err != nil {
		return rec, nil, err
	}
	e, err := openBuilt(ctx, rec, c, from)
	return rec, e, err
}

// openBuilt opens the embedder of the live build, unless the configuration asks for another one.
func openBuilt(ctx context.Context, rec build.Record, c Config, from stock) (embedding.Embedder, error) {
	if c.Embedder != "auto" && c.Embedder != rec.Embedder && from.own == nil {
		return nil, fmt.Errorf("re-index needed: this index was built with embedder %s, not %s; start with --embedder %s and then: fingerpost reindex start --embedder %s",
			rec.Embedder, c.Embedder, rec.Embedder, c.Embedder)
	}
	return openEmbedder(ctx, rec, from)
}

// wanted is the record of a build as the program and its configuration would make it now.
func wanted(ctx context.Context, c Config, embedder string, from stock) (build.Record, embedding.Embedder, error) {
	name, e, err := from.pick(ctx, embedder, "")
	if err != nil {
		return build.Record{}, nil, err
	}
	return build.Record{Embedder: name, Vectors: e.Fingerprint(), Analyzer: words.Version, Pipeline: from.pipeline(),
		Chunker: build.Chunker{Target: c.Chunk.Target, Window: c.Chunk.Window}, Created: time.Now().UTC()}, e, nil
}

// stock is what a build may be made with: embedders (own is what a test gives for auto), and the version of the rules.
type stock struct {
	own     embedding.Embedder
	second  embedding.Embedder
	servers Servers
	rules   string                                                                   // of parsing and cutting; "": the program's
	read    func(ctx context.Context, key string, raw []byte) (source.Source, error) // nil: the program's
}

// pick opens the embedder of a setting: auto is a server's where one is named, else the built-in one. A model other than
// the configured one may be named.
func (f stock) pick(ctx context.Context, want, model string) (string, embedding.Embedder, error) {
	switch {
	case want == "none":
		return "none", none.New(), nil
	case f.second != nil && want == "second":
		return "second", f.second, nil
	case f.own != nil && (want == "auto" || want == "own"):
		return "own", f.own, nil
	case want == "ollama" || want == "auto" && f.servers.Ollama.URL != "":
		e, err := ollama.Open(ctx, ollama.Config{URLs: strings.Split(f.servers.Ollama.URL, ","), Model: cmp.Or(model, f.servers.Ollama.Model)})
		return "ollama", e, err
	case want == "openai":
		v := f.servers.OpenAI
		e, err := openai.Open(ctx, openai.Config{URLs: strings.Split(v.URL, ","), Model: cmp.Or(model, v.Model), Revision: v.Revision, APIKey: v.APIKey,
			Dimensions: v.Dimensions, Limit: v.Limit})
		return "openai", e, err
	}
	return "builtin", minilm.New(), nil
}

// openEmbedder opens the embedder that a build was made with.
func openEmbedder(ctx context.Context, b build.Record, from stock) (embedding.Embedder, error) {
	_, e, err := from.pick(ctx, b.Embedder, b.Vectors.Model)
	if err != nil {
		return nil, err
	}
	if got := e.Fingerprint(); got.Dimensions != b.Vectors.Dimensions {
		return nil, fmt.Errorf("re-index needed: this index was built with vectors of %d numbers (model %s), the embedder gives %d (model %s)",
			b.Vectors.Dimensions, b.Vectors.Model, got.Dimensions, got.Model)
	} else if got != b.Vectors {
		return nil, fmt.Errorf("re-index needed: this index was built with model %s (%.12s), the program has %s (%.12s)",
			b.Vectors.Model, b.Vectors.Digest, got.Model, got.Digest)
	}
	return e, nil
}
