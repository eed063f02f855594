package workers

import (
	"context"
	"time"

	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/embedding/minilm"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/weaviate"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// modelWithin is how long a model may take to load and to embed what the self-test asks.
const modelWithin = 2 * time.Minute

// models looks at the embedder that the live build was made with, and at the model that writes answers.
func (d *doctor) models(ctx context.Context, messages bool) {
	ctx, cancel := context.WithTimeout(ctx, modelWithin)
	defer cancel()
	if messages && d.record(ctx) {
		d.judgeRules()
		d.embedder(ctx)
	} else if e := d.Config.Embedder; e == "ollama" || e == "openai" {
		_, found, err := stock{servers: d.Config.Servers}.pick(ctx, e, "")
		d.embeds(found, err)
	}
	d.writes(ctx)
}

// record reads the live build.
func (d *doctor) record(ctx context.Context) bool {
	n, ok := d.Bus.(nats)
	if !ok {
		return false
	}
	found, err := n.Compare(ctx, nil, nil, []string{wire.BuildsBucket, wire.LiveBucket})
	if err != nil || len(found) != 2 || found[0].Missing || found[1].Missing {
		return false // said of the bucket
	}
	builds, err := build.Open(ctx, d.Bus)
	if err == nil && builds.Live() == 0 {
		d.say("build", false, "no build of an index is recorded; `fingerpost setup` or the first worker makes it")
		return false
	}
	if err == nil {
		d.live, err = builds.Get(ctx, builds.Live())
	}
	if err != nil {
		d.fail("build", err)
		return false
	}
	return true
}

// judgeRules says when the live build was made by other rules than the program's.
func (d *doctor) judgeRules() {
	own := stock{}
	if err := own.serves(d.live); err != nil {
		d.fail("build", err)
	} else if d.live.Pipeline != own.pipeline() || d.live.Analyzer != words.Version {
		d.say("build", false, "re-index needed: build %d was made by rules %s and %s, the program has %s and %s; it answers until then: fingerpost reindex start",
			d.live.Sequence, d.live.Pipeline, d.live.Analyzer, own.pipeline(), words.Version)
	}
}

// embedder opens the embedder of the live build, which must be the one that made it.
func (d *doctor) embedder(ctx context.Context) {
	switch d.live.Embedder {
	case "own": // given by the program that runs it
		return
	case "none":
		d.say("embedder", true, "none: documents are found by words")
		return
	}
	e, err := openBuilt(ctx, d.live, d.Config, stock{servers: d.Config.Servers})
	d.embeds(e, err)
}

// embeds says how an embedder does.
func (d *doctor) embeds(e embedding.Embedder, err error) {
	if err != nil {
		d.fail("embedder", err)
		return
	}
	f := e.Fingerprint()
	if long, ok := e.(interface{ Told() int }); ok && long.Told() > e.Limit() {
		d.say("embedder", false, "the server says that %s takes %d tokens and refuses texts of more than %d: some versions of Ollama do (0.13.2 takes no more than 1 kB); use another version, or longer texts are embedded in parts", f.Model, long.Told(), e.Limit())
		return
	}
	if k, ok := e.(interface{ Kernels() string }); ok && k.Kernels() == "generic" {
		d.say("embedder", false, "%s with generic kernels: about 25 times slower than with AVX2; use a machine that has it, an Ollama, or --embedder none", f.Model)
		return
	}
	d.say("embedder", true, "%s, %d dimensions, texts of up to %d tokens", f.Model, f.Dimensions, e.Limit())
}

var _ interface{ Kernels() string } = (*minilm.Embedder)(nil)

// writes asks for the model that writes answers.
func (d *doctor) writes(ctx context.Context) {
	m, err := d.Config.Writer()
	if m == nil && err == nil {
		return
	}
	if err != nil {
		d.fail("llm", err)
		return
	}
	card, err := m.Describe(ctx)
	if err != nil {
		d.fail("llm", err)
		return
	}
	d.say("llm", true, "%s, a window of %d tokens", card.Model, card.Window)
}

// index looks at the index server, if there is one.
func (d *doctor) index(ctx context.Context) {
	w := d.Config.Servers.Weaviate
	if w.URL == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 4*reachWithin)
	defer cancel()
	x, err := weaviate.Open(ctx, weaviate.Config{URL: w.URL, GRPC: w.GRPC, APIKey: w.APIKey})
	if err != nil {
		d.fail("index", err)
		return
	}
	defer x.Close()
	seq := vector.Build(max(1, d.live.Sequence))
	for _, t := range d.Config.Tenants() {
		if err := x.TryWrite(ctx, seq, t); err != nil {
			d.fail("index", err)
			return
		}
	}
	dim, err := x.Dimensions(ctx, seq)
	if err != nil {
		d.fail("index", err)
		return
	}
	if want := d.live.Vectors.Dimensions; d.live.Sequence > 0 && dim > 0 && dim != want {
		d.say("index", false, "its class of chunks has vectors of %d numbers, the build's embedder gives %d: this Weaviate belongs to another system; name the right one in servers.weaviate.url, or re-index", dim, want)
		return
	}
	d.say("index", true, "Weaviate %s takes writes", x.Version())
}
