package llm

import (
	"fmt"
	"strings"
	"time"
)

// Hearing puts an answer together as a vendor hears it.
type Hearing struct {
	Answer Answer // without its text until the end
	Done   bool   // the server has marked the end
	Own    error  // of piece: it goes before what the vendor says of the call

	piece func(string) error
	start time.Time
	text  strings.Builder
}

// Hear begins to listen; piece is that of Chat.
func Hear(piece func(string) error) *Hearing {
	return &Hearing{piece: piece, start: time.Now()}
}

// Piece takes what came, which may be empty.
func (h *Hearing) Piece(text string) error {
	if text != "" && h.Answer.First == 0 {
		h.Answer.First = time.Since(h.start)
	}
	h.text.WriteString(text)
	if h.piece != nil {
		h.Own = h.piece(text)
	}
	return h.Own
}

// Whole refuses an answer without its end mark.
func (h *Hearing) Whole() error {
	if !h.Done {
		return fmt.Errorf("%w: its answer breaks off", ErrAway)
	}
	return nil
}

// End is the answer as far as it was heard.
func (h *Hearing) End() Answer {
	h.Answer.Text, h.Answer.Took = h.text.String(), time.Since(h.start)
	return h.Answer
}
