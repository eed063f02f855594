package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/retry"
)

// again bounds the tries of a call when no server can be reached, or all have too much to do. A longer outage is
// the caller's to wait for.
var again = retry.Policy{Tries: 3, First: 100 * time.Millisecond, Most: time.Second, Total: 5 * time.Second}

var errLate = errors.New("the server does not answer in time")

// call embeds texts of so many tokens in one call, at whichever server answers.
func (e *Embedder) call(ctx context.Context, texts []string, tokens int) (v [][]float32, err error) {
	n, err := e.pace.enter(ctx, len(texts) == 1)
	if err != nil {
		return nil, err
	}
	defer e.pace.leave()
	away := retry.Do(ctx, again, func() error {
		v, err = e.round(ctx, n, texts, tokens)
		if errors.Is(err, ErrAway) || errors.Is(err, ErrBusy) {
			return err
		}
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case away != nil:
		return nil, fault.Outagef("embedding: %w", away)
	case err != nil && !ofTexts(err):
		return nil, fault.Outagef("embedding: %w", err)
	}
	return v, err
}

// ofTexts reports whether an error is about the texts, not about the server.
func ofTexts(err error) bool { return errors.Is(err, embedding.ErrText) || errors.Is(err, ErrLong) }

// known reports whether the cause of an error of a whole server is clear.
func known(err error) bool {
	return errors.Is(err, ErrAway) || errors.Is(err, ErrBusy) || errors.Is(err, ErrModel) || errors.Is(err, errLate)
}

// round asks one server after another until one answers.
func (e *Embedder) round(ctx context.Context, n int, texts []string, tokens int) ([][]float32, error) {
	tried := map[*seat]bool{}
	var errs []error
	for s := e.pool.take(tried); s != nil; s = e.pool.take(tried) {
		v, err := e.at(ctx, s, n, texts, tokens)
		e.pool.put(s)
		if err == nil || ctx.Err() != nil || ofTexts(err) {
			return v, err
		}
		e.pool.failed(s, err)
		e.log.Warn("embedding server", "server", s.Name(), "err", err)
		tried[s] = true
		errs = append(errs, fmt.Errorf("%s: %w", s.Name(), err))
	}
	return nil, errors.Join(errs...)
}

// at asks one server, after it has shown that it holds the right model.
func (e *Embedder) at(ctx context.Context, s *seat, n int, texts []string, tokens int) ([][]float32, error) {
	if err := e.check(ctx, s); err != nil {
		return nil, err
	}
	cold := e.pool.cold(s)
	r, took, err := e.ask(ctx, s, texts, tokens, cold)
	if errors.Is(err, errLate) || errors.Is(err, ErrBusy) {
		e.pace.overrun()
	}
	if err == nil {
		err = e.whole(r, texts, tokens)
	}
	if err != nil {
		return nil, e.blame(ctx, s, err)
	}
	e.pool.well(s)
	if !cold {
		e.pace.did(n, e.clock.took(tokens, took))
	}
	return r.Vectors, nil
}

// ask is one request with its deadline.
func (e *Embedder) ask(ctx context.Context, s Server, texts []string, tokens int, cold bool) (Reply, time.Duration, error) {
	limit := e.clock.deadline(tokens, cold)
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	start := time.Now()
	r, err := s.Embed(timed, texts)
	took := time.Since(start)
	if err != nil && ctx.Err() != nil {
		return r, took, ctx.Err()
	}
	if err != nil && timed.Err() != nil {
		e.clock.late(tokens, took)
		return r, took, fmt.Errorf("%w: %d texts of %d tokens took over %v", errLate, len(texts), tokens, limit.Round(time.Second))
	}
	for _, v := range r.Vectors {
		embedding.Unit(v)
	}
	return r, took, err
}

// whole refuses a reply that lacks vectors, and one in which the server has read less than it was sent: some cut
// long texts and do not say so.
func (e *Embedder) whole(r Reply, texts []string, tokens int) error {
	if len(r.Vectors) != len(texts) {
		return fmt.Errorf("%d vectors for %d texts", len(r.Vectors), len(texts))
	}
	least := tokens
	if !e.exact {
		least = 0 // a word may be less than a token only where a tokenizer joins words
		for _, t := range texts {
			least += len(strings.Fields(t)) / 2
		}
	}
	if r.Tokens > 0 && r.Tokens < least {
		return fmt.Errorf("%w: the server has read %d of %d tokens", embedding.ErrText, r.Tokens, least)
	}
	return nil
}

// blame finds out what an error of unknown cause is about: a server that embeds a harmless text now has
// choked on the texts.
func (e *Embedder) blame(ctx context.Context, s *seat, err error) error {
	switch {
	case ofTexts(err):
		e.pool.well(s)
		return err
	case ctx.Err() != nil, known(err):
		return err
	}
	if _, _, again := e.ask(ctx, s, []string{e.prepare(probes[0])}, 32, true); again != nil {
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	e.pool.well(s)
	return fmt.Errorf("%w: %w", embedding.ErrText, err)
}
