package scripted

import (
	"context"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/retry"
)

// speech is one turn being said.
type speech struct {
	ctx    context.Context
	turn   Turn
	most   int // pieces
	piece  func(string) error
	start  time.Time
	text   strings.Builder
	pieces int
	first  time.Duration
	end    llm.End
}

// speak says the turn to its end, which may never come by itself.
func (s *speech) speak() error {
	if err := retry.Wait(s.ctx, s.turn.Before); err != nil {
		return err
	}
	for again := true; again; again = s.turn.Endless {
		if err := s.say(); err != nil || s.end == llm.Length {
			return err
		}
	}
	if s.turn.Dead {
		<-s.ctx.Done()
		return s.ctx.Err()
	}
	s.end = llm.Done
	return s.turn.Err
}

// say gives the text once, word by word; an endless one keeps to no bound.
func (s *speech) say() error {
	for word := range strings.SplitAfterSeq(s.turn.Text, " ") {
		if s.pieces == s.most && !s.turn.Endless {
			s.end = llm.Length
			return nil
		}
		if s.pieces > 0 {
			if err := retry.Wait(s.ctx, s.turn.Between); err != nil {
				return err
			}
		}
		if err := s.give(word); err != nil {
			return err
		}
	}
	return nil
}

func (s *speech) give(word string) error {
	s.pieces++
	if s.first == 0 {
		s.first = max(time.Since(s.start), 1)
	}
	s.text.WriteString(word)
	if s.piece == nil {
		return s.ctx.Err()
	}
	return s.piece(word)
}
