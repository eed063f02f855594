package gateway

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Parts answers a request on a subject in parts; the last is returned.
type Parts func(ctx context.Context, subject string, data []byte, send func(part []byte) error) ([]byte, error)

// maxBody is the largest request, in bytes.
const maxBody = 1 << 20

// Ask is POST /ask: the body is an ask_parts.request, the answer its replies as server-sent events, one "data:" line
// each. The tenant is told by the bearer token and by nothing else. A client that goes away ends the work.
func Ask(tokens map[string]doc.Tenant, parts Parts) Route {
	return Route{"POST /ask", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t, ok := tenantOf(tokens, r.Header.Get("Authorization"))
		if !ok {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "say Authorization: Bearer with the token of your tenant (http/<tenant>.token in the data folder)", http.StatusUnauthorized)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			http.Error(w, fmt.Sprintf("the request is over %d bytes, or broke off", maxBody), http.StatusRequestEntityTooLarge)
			return
		}
		s := &stream{w: w, control: http.NewResponseController(w)}
		_ = s.control.SetWriteDeadline(time.Time{}) // a model may take longer than a page
		last, err := parts(r.Context(), api.Subject(t, api.AskParts), body, s.send)
		s.end(last, err)
	})}
}

func tenantOf(tokens map[string]doc.Tenant, header string) (found doc.Tenant, ok bool) {
	given, bearer := strings.CutPrefix(header, "Bearer ")
	for token, t := range tokens {
		if bearer && token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(given)) == 1 {
			found, ok = t, true
		}
	}
	return found, ok
}

// stream writes server-sent events.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool
}

func (s *stream) send(part []byte) error {
	if len(part) == 0 {
		return nil
	}
	if !s.begun {
		s.begun = true
		s.w.Header().Set("Content-Type", "text/event-stream")
		s.w.Header().Set("Cache-Control", "no-store")
	}
	if _, err := fmt.Fprintf(s.w, "data: %s\n\n", part); err != nil {
		return err
	}
	return s.control.Flush()
}

// end sends the last part, or what went wrong: as the status where nothing was sent yet, else as an event.
func (s *stream) end(last []byte, err error) {
	if err == nil {
		_ = s.send(last) // the client has gone
		return
	}
	code, text := 500, "internal error"
	if se, ok := errors.AsType[*bus.ServiceError](err); ok {
		code, text = se.Code, se.Message
	}
	if !s.begun {
		http.Error(s.w, text, code)
		return
	}
	_, _ = fmt.Fprintf(s.w, "event: error\ndata: {\"code\":%d,\"message\":%q}\n\n", code, text)
}
