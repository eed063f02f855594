package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Limits bound one call of a model; a zero field has the default.
type Limits struct {
	First   time.Duration // until the first sign of life; 0: two minutes, in which a server may load the model
	Between time.Duration // from one piece to the next; 0: 30 seconds
	Total   time.Duration // 0: ten minutes
	Bytes   int           // of an answer; 0: 64 a token of MaxTokens, and never under 4,096
}

// Bound is m within limits: a dead, slow or endless model ends with ErrSlow or ErrEndless and what it said until then,
// an answer's pieces are put together, and an answer to a request with a schema is checked. The program uses no model
// without it.
func Bound(m Model, l Limits) Model {
	if l.First <= 0 {
		l.First = 2 * time.Minute
	}
	if l.Between <= 0 {
		l.Between = 30 * time.Second
	}
	if l.Total <= 0 {
		l.Total = 10 * time.Minute
	}
	return &bound{m, l}
}

type bound struct {
	Model
	limits Limits
}

// Chat watches over the call of the model below.
func (b *bound) Chat(ctx context.Context, r Request, piece func(string) error) (Answer, error) {
	r, err := r.Complete()
	if err != nil {
		return Answer{}, err
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &watch{limits: b.limits, piece: piece, cancel: cancel, start: time.Now(), bytes: b.bytes(r)}
	total := time.AfterFunc(b.limits.Total, func() { cancel(fmt.Errorf("%w: it has taken %v", ErrSlow, b.limits.Total)) })
	defer total.Stop()
	w.silence = time.AfterFunc(b.limits.First, func() { cancel(fmt.Errorf("%w: no word in %v", ErrSlow, b.limits.First)) })
	defer func() { w.silence.Stop() }()
	a, err := b.Model.Chat(inner, r, w.hear)
	a.Text, a.First, a.Took = w.text.String(), w.first, time.Since(w.start)
	if err == nil && r.Schema != nil {
		err = Satisfies(r.Schema, a.Text)
	}
	return a, w.verdict(ctx, inner, err)
}

// bytes is the most an answer to r may have.
func (b *bound) bytes(r Request) int {
	if b.limits.Bytes > 0 {
		return b.limits.Bytes
	}
	return max(4096, 64*r.MaxTokens)
}

// watch hears the pieces of one answer, one after another.
type watch struct {
	limits  Limits
	piece   func(string) error
	cancel  context.CancelCauseFunc
	silence *time.Timer
	start   time.Time
	first   time.Duration
	bytes   int
	text    strings.Builder
	own     error // of piece
}

// hear takes a piece and hands it on.
func (w *watch) hear(text string) error {
	w.silence.Stop()
	if text != "" && w.first == 0 {
		w.first = time.Since(w.start)
	}
	if w.text.Len()+len(text) > w.bytes {
		err := fmt.Errorf("%w: more than %d bytes", ErrEndless, w.bytes)
		w.cancel(err)
		return err
	}
	w.text.WriteString(text)
	if w.piece != nil {
		if w.own = w.piece(text); w.own != nil {
			return w.own
		}
	}
	w.silence = time.AfterFunc(w.limits.Between, func() { w.cancel(fmt.Errorf("%w: no further word in %v", ErrSlow, w.limits.Between)) })
	return nil
}

// verdict is the error of the call: the caller's end first, then our own limits, then the model's.
func (w *watch) verdict(outer, inner context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case w.own != nil:
		return w.own
	case outer.Err() != nil:
		return outer.Err()
	}
	if cause := context.Cause(inner); cause != nil && (errors.Is(cause, ErrSlow) || errors.Is(cause, ErrEndless)) {
		return Judge(cause)
	}
	return Judge(err)
}
