// Package llm is the port to chat models.
//
// Contract, held by llmtest on every vendor: the pieces joined are the answer's text; nothing of the request is cut
// silently (a request over the window is ErrLong); an answer that was cut at MaxTokens says so; an answer to a request
// with a schema is checked against it; when its context ends a call returns within a second with the context's error.
// Vendors do not try again and keep no state of a talk: the request holds all of it.
//
// What a model writes is a claim by an unreliable witness. Nothing of it is to be shown unchecked, whatever the request
// demanded.
package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Role is who speaks.
type Role string

// The roles of messages; the system's word is Request.System.
const (
	User      Role = "user"
	Assistant Role = "assistant" // what the model said before
)

// Message is one turn of a talk.
type Message struct {
	Role Role
	Text string
}

// MaxTokens is the bound of an answer whose request sets none.
const MaxTokens = 1024

// Request is everything a model is told; it has no memory of earlier ones.
type Request struct {
	System   string    // what the model is to do; may be empty
	Messages []Message // at least one, the last one of the user
	// Schema is the JSON Schema that the answer must satisfy; nil for free text. The vendor constrains the model by it
	// where the server can, and the answer is checked in any case.
	Schema      json.RawMessage
	Temperature float64 // 0: the likeliest words; at most 2
	Seed        int     // the same seed and request give the same answer where the server can; used at any temperature
	MaxTokens   int     // of the answer; 0: MaxTokens
}

// End is why an answer ended.
type End string

// The ends.
const (
	Done   End = "done"   // the model had said all
	Length End = "length" // cut at MaxTokens or at the window's end
)

// Answer is what a model said and what it cost.
type Answer struct {
	Text  string
	End   End
	Model string // as the server names it
	// Prompt and Output are tokens as the server counts them; 0: it does not tell.
	Prompt, Output int
	First          time.Duration // from the call to the first piece that is not empty
	Took           time.Duration // from the call to the end
}

// Card is what a server tells of its model.
type Card struct {
	Model  string
	Digest string // of the weights; "" where the server does not tell
	Window int    // tokens of request and answer together; 0: not known
}

// Model answers requests. Safe for concurrent use.
type Model interface {
	// Describe asks the server for the model: an outage (ErrAway, ErrModel) when it cannot answer with it.
	Describe(ctx context.Context) (Card, error)
	// Chat answers r. Each piece is handed to piece as it comes (nil: none is); a piece may be empty, as a sign of
	// life. An error of piece ends the call and is in the chain of its error. With an error the answer holds what came
	// before it.
	//
	// Errors by package fault: an outage (ErrAway, ErrBusy, ErrModel, ErrSlow) concerns the server and every request;
	// ErrLong fails this request for good; ErrJSON and ErrEndless may end better with another seed. The error of a
	// context that ended is in the chain, without a verdict.
	Chat(ctx context.Context, r Request, piece func(text string) error) (Answer, error)
}

// Generate is the answer to one prompt.
func Generate(ctx context.Context, m Model, system, prompt string) (Answer, error) {
	return m.Chat(ctx, Request{System: system, Messages: []Message{{User, prompt}}}, nil)
}

// Complete fills what r leaves open and says what is wrong with it; vendors call it before they send anything.
func (r Request) Complete() (Request, error) {
	if len(r.Messages) == 0 {
		return r, errors.New("request to the model: no message")
	}
	for i, m := range r.Messages {
		switch {
		case m.Role != User && m.Role != Assistant:
			return r, fmt.Errorf("request to the model: message %d has role %q; it may be user or assistant", i, m.Role)
		case !utf8.ValidString(m.Text):
			return r, fmt.Errorf("request to the model: message %d is not UTF-8", i)
		}
	}
	if last := r.Messages[len(r.Messages)-1]; last.Role != User {
		return r, errors.New("request to the model: the last message is not the user's")
	}
	if !(r.Temperature >= 0 && r.Temperature <= 2) {
		return r, fmt.Errorf("request to the model: temperature is %v; it may be 0 to 2", r.Temperature)
	}
	if r.MaxTokens < 0 {
		return r, fmt.Errorf("request to the model: at most %d tokens are asked for", r.MaxTokens)
	}
	if r.MaxTokens == 0 {
		r.MaxTokens = MaxTokens
	}
	if r.Schema != nil {
		if _, err := compile(r.Schema); err != nil {
			return r, fmt.Errorf("request to the model: %w", err)
		}
	}
	return r, nil
}

// Words is how many words r tells: no tokenizer of a chat model makes less than one token of a word.
func (r Request) Words() int {
	n := len(strings.Fields(r.System))
	for _, m := range r.Messages {
		n += len(strings.Fields(m.Text))
	}
	return n
}

// Fits refuses a request that cannot fit into a window of so many tokens, 0 where it is not known. A request that passes
// may still be too long: the server counts.
func (r Request) Fits(window int) error {
	if n := r.Words(); window > 0 && n >= window {
		return fmt.Errorf("%w: %d words, a window of %d tokens", ErrLong, n, window)
	}
	return nil
}

// Whole refuses an answer to a request that the server has not read whole; read is the tokens it has counted and window
// those it takes, 0 where they are not known.
func (r Request) Whole(read, window int) error {
	switch n := r.Words(); {
	case read == 0:
		return nil
	case read < n:
		return fmt.Errorf("%w: the server has read %d tokens of %d words", ErrLong, read, n)
	case window > 0 && read >= window:
		return fmt.Errorf("%w: the server has read %d tokens, all that fit", ErrLong, read)
	}
	return nil
}
