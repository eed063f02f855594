package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/fault"
)

// Texts of one kind of character each, from which Estimate learns.
const (
	pureLatin = "The carrying amounts of certain intangible assets were reviewed for impairment after the acquisition of a subsidiary"
	pureOther = "Общие положения о порядке учёта доходов и расходов организации за отчётный период"
	pureHan   = "本公司董事会保证本报告内容真实准确完整"
)

// probes are embedded at every start: alone, together, and by every server.
var probes = []string{
	"Net revenue rose by 44 % to $23.6 billion in 2022, the board said.",
	pureLatin,
	pureOther,
	pureHan,
	"| Item | 2022 | 2021 |\n|---|---|---|\n| Cash and equivalents | 1,234.5 | (678) |",
	"key_name: \"a1b2c3\"; x[0] = y_1 + 17 # see §4 and café, naïve, Zürich — “quoted”",
	"electroencephalographically unconstitutionality",
}

// near is the least cosine between two vectors of one text.
const near = .999

// Open asks the servers in turn for the model and tests the first one that answers: the vector of a text must be the
// same alone and in a batch (else every text gets a call of its own), and a text as long as the limit must pass (else the
// limit is lowered). An outage when none answers.
func Open(ctx context.Context, c Config) (*Embedder, error) {
	if len(c.Servers) == 0 {
		return nil, errors.New("embedding: no server is named")
	}
	c.Calls = cmp.Or(c.Calls, 8*len(c.Servers))
	c.Limit, c.Texts, c.Patience = cmp.Or(c.Limit, MaxLimit), cmp.Or(c.Texts, mostTexts), cmp.Or(c.Patience, 10*time.Minute)
	e := &Embedder{log: c.Log, pool: newPool(c.Servers), pace: newPace(c.Calls), clock: &speed{patience: c.Patience}, texts: c.Texts}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	var errs []error
	for _, s := range e.pool.seats {
		err := e.test(ctx, s, c)
		if err == nil {
			e.pool.found(s)
			e.pool.well(s)
			return e, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e.pool.failed(s, err)
		errs = append(errs, fmt.Errorf("%s: %w", s.Name(), err))
	}
	return nil, fault.Outagef("embedding: %w", errors.Join(errs...))
}

// test learns the model from one server.
func (e *Embedder) test(ctx context.Context, s Server, c Config) (err error) {
	if e.model, err = s.Describe(ctx); err != nil {
		return err
	}
	e.model.Limit = least(e.model.Limit, c.Limit)
	if err := e.read(ctx, s, c.Readings); err != nil {
		return err
	}
	if err := e.together(ctx, s); err != nil {
		return err
	}
	return e.longest(ctx, s)
}

// least is the smallest of the numbers that are not 0.
func least(all ...int) (out int) {
	for _, n := range all {
		if n > 0 && (out == 0 || n < out) {
			out = n
		}
	}
	return out
}

// read finds the reading whose counts are the server's; without one it learns an estimate.
func (e *Embedder) read(ctx context.Context, s Server, readings []Reading) error {
	for _, r := range readings {
		e.reading, e.exact, e.countEach = r, true, r.Count
		counts, err := e.alone(ctx, s)
		if err != nil {
			return err
		}
		fits := true
		for i, n := range counts {
			fits = fits && n == r.Count(embedding.Normalise(probes[i]))
		}
		if fits {
			e.model.Limit = least(e.model.Limit, r.Limit)
			return e.same(ctx, r.Here)
		}
	}
	e.reading, e.exact, e.countEach = Reading{}, false, dense.Count
	counts, err := e.alone(ctx, s)
	if err != nil {
		return err
	}
	counted := map[string]int{}
	for i, n := range counts {
		counted[probes[i]] = n
	}
	e.countEach = fitted(counted).Count
	return nil
}

// alike is the least cosine between vectors of one text by one model in two precisions.
const alike = .99

// same finds out whether the embedder in this process has the server's model. Probes that the server cannot read say
// nothing about it.
func (e *Embedder) same(ctx context.Context, here embedding.Embedder) error {
	if here == nil || here.Fingerprint().Dimensions != e.dim {
		return nil
	}
	v, err := here.Embed(ctx, probes)
	if err != nil {
		return err
	}
	e.here = true
	for i := range probes {
		if !e.reading.Garbled(embedding.Normalise(probes[i])) && embedding.Cosine(v[i], e.golden[i]) < alike {
			e.here = false
		}
	}
	return nil
}

// alone embeds every probe in a call of its own and gives the server's counts.
func (e *Embedder) alone(ctx context.Context, s Server) (counts []int, err error) {
	e.golden, e.dim = nil, 0
	for i, p := range probes {
		r, err := e.probe(ctx, s, i == 0, p)
		if err != nil {
			return nil, fmt.Errorf("self-test with %.30q: %w", p, err)
		}
		if e.dim == 0 {
			e.dim = len(r.Vectors[0])
		}
		if err := embedding.Check(r.Vectors[0], e.dim); err != nil || e.dim == 0 {
			return nil, fmt.Errorf("%w that is fit: self-test with %.30q: %w", ErrModel, p, err)
		}
		counts, e.golden = append(counts, r.Tokens), append(e.golden, r.Vectors[0])
	}
	return counts, nil
}

// probe sends texts of the self-test.
func (e *Embedder) probe(ctx context.Context, s Server, cold bool, texts ...string) (Reply, error) {
	ready := make([]string, len(texts))
	tokens := 0
	for i, t := range texts {
		normal := embedding.Normalise(t)
		ready[i] = e.prepare(normal)
		tokens += e.countEach(normal)
	}
	r, took, err := e.ask(ctx, s, ready, tokens, cold)
	if err != nil {
		return r, err
	}
	if len(r.Vectors) != len(texts) {
		return r, fmt.Errorf("%d vectors for %d texts", len(r.Vectors), len(texts))
	}
	if !cold {
		e.clock.took(tokens, took)
	}
	return r, nil
}

// together compares the probes' vectors in one call with those of their own calls.
func (e *Embedder) together(ctx context.Context, s Server) error {
	r, err := e.probe(ctx, s, false, probes...)
	if err != nil {
		return fmt.Errorf("self-test with %d texts at once: %w", len(probes), err)
	}
	for i, v := range r.Vectors {
		if embedding.Check(v, e.dim) != nil || embedding.Cosine(v, e.golden[i]) < near {
			e.one, e.texts = true, 1
		}
	}
	if e.one {
		e.log.Warn("embedding: the server gives other vectors in a batch than alone; every text gets a call of its own", "server", s.Name())
	}
	return nil
}

// longest sends a text as long as the limit, and halves the limit until one passes.
func (e *Embedder) longest(ctx context.Context, s Server) error {
	for e.told = e.model.Limit; ; e.model.Limit /= 2 {
		words := e.model.Limit
		text := strings.Repeat("cash ", words)
		for n := e.countEach(text); n > e.model.Limit; n = e.countEach(text) {
			words -= max(1, (n-e.model.Limit)/2)
			text = strings.Repeat("cash ", max(0, words))
		}
		r, err := e.probe(ctx, s, false, text)
		if err == nil && (r.Tokens == 0 || r.Tokens >= words) {
			if e.told != e.model.Limit {
				e.log.Warn("embedding: the server refuses texts as long as the model takes", "server", s.Name(), "model", e.told, "server_takes", e.model.Limit)
			}
			return nil
		}
		if err == nil {
			err = fmt.Errorf("the server has read %d of %d words", r.Tokens, words)
		}
		if e.model.Limit < 64 || errors.Is(err, ErrAway) || errors.Is(err, ErrBusy) || errors.Is(err, errLate) || ctx.Err() != nil {
			return fmt.Errorf("self-test with %d tokens: %w", e.model.Limit, err)
		}
	}
}

// check makes sure, now and then and after every failure, that a server still has the model of the index: the same
// digest, and the same vector for a probe.
func (e *Embedder) check(ctx context.Context, s *seat) error {
	if !e.pool.due(s) {
		return nil
	}
	timed, cancel := context.WithTimeout(ctx, base)
	defer cancel()
	m, err := s.Describe(timed)
	if err != nil {
		return err
	}
	if m.Digest != e.model.Digest {
		return fmt.Errorf("%w: %s has digest %.12s there, the index was built with %.12s; pull that one again or re-index",
			ErrModel, m.Name, m.Digest, e.model.Digest)
	}
	r, err := e.probe(ctx, s, true, probes[0])
	if err != nil && !known(err) {
		err = fmt.Errorf("%w: %w", ErrAway, err)
	}
	if err != nil {
		return err
	}
	if embedding.Check(r.Vectors[0], e.dim) != nil || embedding.Cosine(r.Vectors[0], e.golden[0]) < near {
		return fmt.Errorf("%w: %s gives another vector for the same text than the server of the start", ErrModel, m.Name)
	}
	e.pool.found(s)
	return nil
}
