// Package scripted is a chat model for tests: it says what its script says, in the order of the calls, and misbehaves
// as ordered: late, dead, endless, broken off, failing. Without a script it is an echo that keeps the contract.
package scripted

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/llm"
)

// Turn is one answer. The zero Turn is an empty answer.
type Turn struct {
	Text    string
	Before  time.Duration // before the first piece
	Between time.Duration // between two pieces, which are words
	Endless bool          // Text again and again
	Dead    bool          // after Text nothing, not even an end
	Err     error         // after Text; the verdict is the script's own
}

// Model is safe for concurrent use.
type Model struct {
	reply  func(llm.Request) Turn
	card   llm.Card
	absent error

	mu       sync.Mutex
	queue    []Turn
	requests []llm.Request
	open     int
}

// New is a model that gives the turns one after another, then fails.
func New(turns ...Turn) *Model {
	return &Model{queue: turns, card: card(), reply: func(llm.Request) Turn {
		return Turn{Err: fmt.Errorf("scripted: the script of %d turns has ended", len(turns))}
	}}
}

// Saying is a model that gives texts one after another, then fails.
func Saying(texts ...string) *Model {
	var turns []Turn
	for _, t := range texts {
		turns = append(turns, Turn{Text: t})
	}
	return New(turns...)
}

// Replying is a model that makes its turn of the request.
func Replying(reply func(llm.Request) Turn) *Model { return &Model{reply: reply, card: card()} }

// Obeying is a model that does what it is told by anyone: it says all that follows mark, to the end of the line, wherever in
// the request mark stands (system, then messages; one line each), and otherwise where no mark stands.
func Obeying(mark, otherwise string) *Model {
	return Replying(func(r llm.Request) Turn {
		var out []string
		for line := range strings.Lines(All(r)) {
			if _, order, ok := strings.Cut(line, mark); ok {
				out = append(out, strings.TrimSpace(order))
			}
		}
		if len(out) == 0 {
			return Turn{Text: otherwise}
		}
		return Turn{Text: strings.Join(out, "\n")}
	})
}

// Absent is a model that is not there: every call fails with err, as an outage where err is one by package llm.
func Absent(err error) *Model { return &Model{absent: llm.Judge(err), card: card()} }

// All is everything a request tells, the system's word first, a blank line between messages.
func All(r llm.Request) string {
	parts := []string{r.System}
	for _, m := range r.Messages {
		parts = append(parts, m.Text)
	}
	return strings.Join(parts, "\n\n")
}

func card() llm.Card {
	return llm.Card{Model: "scripted", Digest: strings.Repeat("5c", 32), Window: 1 << 20}
}

// Window sets the tokens, here words, of request and answer together; a longer request is refused.
func (m *Model) Window(tokens int) *Model { m.card.Window = tokens; return m }

// Requests are all that were asked, in order.
func (m *Model) Requests() []llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]llm.Request(nil), m.requests...)
}

// Open is how many calls run now: 0 soon after their contexts have ended.
func (m *Model) Open() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.open
}

// Describe tells the card.
func (m *Model) Describe(ctx context.Context) (llm.Card, error) {
	if ctx.Err() != nil {
		return llm.Card{}, ctx.Err()
	}
	return m.card, m.absent
}

// Chat gives the next turn.
func (m *Model) Chat(ctx context.Context, r llm.Request, piece func(string) error) (llm.Answer, error) {
	start := time.Now()
	r, err := r.Complete()
	if err != nil {
		return llm.Answer{}, err
	}
	turn := m.take(r)
	defer m.leave()
	if m.absent != nil {
		return llm.Answer{}, m.absent
	}
	prompt := len(strings.Fields(All(r)))
	if prompt >= m.card.Window {
		return llm.Answer{}, llm.Judge(fmt.Errorf("%w: %d tokens, the window is %d", llm.ErrLong, prompt, m.card.Window))
	}
	s := speech{ctx: ctx, turn: turn, most: min(r.MaxTokens, m.card.Window-prompt), piece: piece, start: start}
	err = s.speak()
	a := llm.Answer{Text: s.text.String(), End: s.end, Model: m.card.Model, Prompt: prompt, Output: s.pieces, First: s.first, Took: time.Since(start)}
	return a, llm.Judge(err)
}

// take records the request and gives its turn.
func (m *Model) take(r llm.Request) Turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open++
	m.requests = append(m.requests, r)
	if len(m.queue) > 0 {
		turn := m.queue[0]
		m.queue = m.queue[1:]
		return turn
	}
	if m.reply == nil {
		return Turn{}
	}
	return m.reply(r)
}

func (m *Model) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open--
}
