package workers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/embedding/minilm"
	"github.com/fingerpost/fingerpost/pkg/embedding/none"
	"github.com/fingerpost/fingerpost/pkg/embedding/ollama"
	"github.com/fingerpost/fingerpost/pkg/embedding/openai"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// Build is the record of one build of the whole index: what made its entries, so that nothing else is mixed in.
type Build struct {
	Sequence uint32                `json:"sequence"`
	Embedder string                `json:"embedder"` // builtin, ollama, openai, none, or own (given by the caller)
	Vectors  embedding.Fingerprint `json:"vectors"`
	Analyzer string                `json:"analyzer"`
	Pipeline string                `json:"pipeline"`
	Created  time.Time             `json:"created"`
}

// liveKey names the live build in FP_LIVE.
const liveKey = "live"

// openBuild reads the live build, or makes the first one. The embedder is picked once, when a build is
// made; a later start that asks for another one is refused, for vectors of two models do not mix.
func openBuild(ctx context.Context, b bus.Bus, want string, from embedders) (Build, embedding.Embedder, error) {
	builds, err := b.KV(ctx, wire.BuildsBucket)
	if err != nil {
		return Build{}, nil, err
	}
	live, err := b.KV(ctx, wire.LiveBucket)
	if err != nil {
		return Build{}, nil, err
	}
	seq, _, err := live.Get(ctx, liveKey)
	if errors.Is(err, bus.ErrNoKey) {
		return firstBuild(ctx, builds, live, want, from)
	}
	if err != nil {
		return Build{}, nil, err
	}
	rec, err := readBuild(ctx, builds, string(seq))
	if err != nil {
		return rec, nil, err
	}
	e, err := rec.match(ctx, want, from)
	return rec, e, err
}

func firstBuild(ctx context.Context, builds, live bus.KV, want string, from embedders) (Build, embedding.Embedder, error) {
	name, e, err := from.pick(ctx, want)
	if err != nil {
		return Build{}, nil, err
	}
	rec := Build{Sequence: 1, Embedder: name, Vectors: e.Fingerprint(), Analyzer: words.Version, Pipeline: artefact.Pipeline, Created: time.Now().UTC()}
	raw, err := json.Marshal(rec)
	if err != nil {
		return rec, nil, err
	}
	_, err = builds.Put(ctx, "1", raw, 0)
	if errors.Is(err, bus.ErrConflict) { // another process was faster, or an earlier start was cut off here: its record counts
		if rec, err = readBuild(ctx, builds, "1"); err == nil {
			e, err = rec.match(ctx, want, from)
		}
	}
	if err != nil {
		return rec, nil, err
	}
	if _, err = live.Put(ctx, liveKey, []byte("1"), 0); errors.Is(err, bus.ErrConflict) {
		err = nil
	}
	return rec, e, err
}

func readBuild(ctx context.Context, builds bus.KV, seq string) (rec Build, err error) {
	raw, _, err := builds.Get(ctx, seq)
	if err == nil {
		err = json.Unmarshal(raw, &rec)
	}
	if err != nil {
		return rec, fmt.Errorf("record of build %s: %w", seq, err)
	}
	return rec, nil
}

// embedders is what embedders may be opened from: own is what a test gives for auto.
type embedders struct {
	own     embedding.Embedder
	servers Servers
}

// pick opens the embedder of a setting: auto is a server's where one is named, else the built-in one.
func (f embedders) pick(ctx context.Context, want string) (string, embedding.Embedder, error) {
	switch {
	case want == "none":
		return "none", none.New(), nil
	case f.own != nil:
		return "own", f.own, nil
	case want == "ollama" || want == "auto" && f.servers.Ollama.URL != "":
		e, err := ollama.Open(ctx, ollama.Config{URLs: strings.Split(f.servers.Ollama.URL, ","), Model: f.servers.Ollama.Model})
		return "ollama", e, err
	case want == "openai":
		v := f.servers.OpenAI
		e, err := openai.Open(ctx, openai.Config{URLs: strings.Split(v.URL, ","), Model: v.Model, Revision: v.Revision, APIKey: v.APIKey,
			Dimensions: v.Dimensions, Limit: v.Limit})
		return "openai", e, err
	}
	return "builtin", minilm.New(), nil
}

// match opens the embedder that the build was made with.
func (b Build) match(ctx context.Context, want string, from embedders) (embedding.Embedder, error) {
	if want != "auto" && want != b.Embedder && from.own == nil {
		return nil, fmt.Errorf("re-index needed: this index was built with embedder %s, not %s; start with --embedder %s, or with another data folder",
			b.Embedder, want, b.Embedder)
	}
	_, e, err := from.pick(ctx, b.Embedder)
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
	if b.Analyzer != words.Version || b.Pipeline != artefact.Pipeline {
		return nil, fmt.Errorf("re-index needed: this index was built by analyzer %s and pipeline %s, the program has %s and %s",
			b.Analyzer, b.Pipeline, words.Version, artefact.Pipeline)
	}
	return e, nil
}
