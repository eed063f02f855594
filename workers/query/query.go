// Package query is the worker that answers: a NATS micro service on fingerpost.<tenant>.<verb>.
// It finds places in the index, drops what is not current, and reads each place back from the
// Source by range, verified by hash. The tenant is taken from the subject, which the server's
// permissions tie to the credential; it is never taken from a request.
package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/rerank"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/telemetry"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/schemas"
)

// Worker answers.
type Worker struct {
	Artefacts  artefact.Store
	Ledger     *ledger.Ledger
	Index      vector.Index
	Embedder   embedding.Embedder // nil: words only
	LLM        llm.Model          // writes answers, every statement of which is proven or marked; nil: answers are built by code
	Build      uint32
	Vocabulary *route.Vocabulary // where things live; nil: none
	// Vocabularies are of tenants that have their own, in place of Vocabulary; Aliases the names of owners that they add
	// (see route.Library.Aliases).
	Vocabularies map[doc.Tenant]*route.Vocabulary
	Aliases      map[doc.Tenant]string
	Router       llm.Model       // helps to read questions; nil: the rules alone do
	Reranker     rerank.Reranker // looks at the first places again; nil: none
	Tenants      []doc.Tenant
	Sources      map[doc.Tenant][]api.Place // told to each tenant about itself; may be nil
	Limits       Limits
	Log          *slog.Logger
	Observer     Observer          // nil: nobody is told
	Tracer       *telemetry.Tracer // nil: no spans
	Version      string            // of the program, semver
	// Stats, if set, tells what the index holds of a tenant: entries by kind and bytes.
	Stats func(doc.Tenant) map[string]int64

	// Other is the worker of another build, for questions that name it; nil: there is none.
	Other func(ctx context.Context, build uint32) (*Worker, error)

	table *table
	trees *trees
	cards *cards
	gate  *gate
	bills *bills
	taken *atomic.Int64 // window of LLM in tokens; 0: not known yet
}

// Limits bound what one tenant may take.
type Limits struct {
	Concurrent int           // requests of a tenant at once; further ones are told to come back
	Deadline   time.Duration // of a request
	Trees      int           // trees held in memory
	Nodes      int           // nodes of all these trees, about 500 bytes each; 0: 200,000
}

// Open loads the document table; it returns when the table is complete.
func (w *Worker) Open(ctx context.Context) error {
	if err := schemas.Validate("status.request", []byte("{}")); err != nil { // compiles all of them, before the first question
		return err
	}
	w.table = newTable()
	w.trees = newTrees(w.Limits.Trees, w.Limits.Nodes, w.load)
	w.gate, w.bills, w.taken = newGate(w.Limits.Concurrent), &bills{}, new(atomic.Int64)
	ready := make(chan struct{})
	failed := make(chan error, 1)
	w.cards = newCards(w.Artefacts.Card, w.Log, 0)
	for t, names := range w.Aliases {
		if err := w.cards.of(t).Library.Aliases(names); err != nil {
			return fmt.Errorf("aliases of tenant %s: %w", t, err)
		}
	}
	go w.cards.run(ctx)
	told := func(r ledger.Record) {
		w.table.set(r)
		w.cards.changed(r)
	}
	go func() { failed <- w.Ledger.Watch(ctx, ready, told) }()
	select {
	case <-ready:
		return nil
	case err := <-failed:
		return fmt.Errorf("document table: %w", err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Service is the micro service; Open must have returned.
func (w *Worker) Service() bus.Service {
	s := bus.Service{Name: "fingerpost", Version: w.Version, Description: "find, read and ask with exact places"}
	s.Endpoints = []bus.Endpoint{
		endpoint(w, api.Find, w.Find), endpoint(w, api.Ask, w.Ask), endpoint(w, api.Read, w.Read), endpoint(w, api.GetCell, w.Cell), endpoint(w, api.Compare, w.Compare),
		endpoint(w, api.Tree, w.Tree), endpoint(w, api.Documents, w.Documents), endpoint(w, api.Status, w.Status), w.inParts(),
	}
	return s
}

// endpoint makes a handler of a function from request to reply.
func endpoint[Req, Rep any](w *Worker, v api.Verb, f func(context.Context, doc.Tenant, Req) (Rep, error)) bus.Endpoint {
	e := described(v)
	e.Handle = func(ctx context.Context, subject string, data []byte) (out []byte, err error) {
		err = admit(ctx, w, v, subject, data, func(ctx context.Context, t doc.Tenant, req Req) error {
			ctx, note := w.bill(ctx, t)
			rep, err := f(ctx, t, req)
			note(&rep)
			if err == nil {
				out, err = json.Marshal(rep)
			}
			return err
		})
		return out, err
	}
	return e
}

// inParts is the endpoint of ask_parts.
func (w *Worker) inParts() bus.Endpoint {
	e := described(api.AskParts)
	e.Parts = func(ctx context.Context, subject string, data []byte, send func([]byte) error) (out []byte, err error) {
		err = admit(ctx, w, api.AskParts, subject, data, func(ctx context.Context, t doc.Tenant, req api.AskRequest) error {
			ctx, note := w.bill(ctx, t)
			n := 0
			rep, err := w.AskInParts(ctx, t, req, func(p api.AskPart) error {
				if p == (api.AskPart{}) {
					return send(nil)
				}
				n++
				p.N = n
				b, err := json.Marshal(p)
				if err != nil {
					return err
				}
				return send(b)
			})
			note(&rep)
			if err == nil {
				out, err = json.Marshal(api.AskPart{N: n + 1, Last: true, Reply: &rep})
			}
			return err
		})
		return out, err
	}
	return e
}

func described(v api.Verb) bus.Endpoint {
	return bus.Endpoint{Name: string(v), Subject: "fingerpost.*." + string(v), Metadata: map[string]string{"schema": "schemas/" + string(v) + ".request.json"}}
}

// admit lets a request in: tenant, room, schema, deadline; what went wrong in f is told as a refusal.
func admit[Req any](ctx context.Context, w *Worker, v api.Verb, subject string, data []byte, f func(context.Context, doc.Tenant, Req) error) (err error) {
	ctx, end := w.begin(ctx, v, subject)
	defer func() { end(err) }()
	t, err := w.tenant(subject)
	if err != nil {
		return err
	}
	if !w.gate.enter(t) {
		return refuse(429, "too many requests of tenant %s at once (limit %d); ask again in a moment", t, w.Limits.Concurrent)
	}
	defer w.gate.leave(t)
	var req Req
	if err := decode(v, data, &req); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, w.deadline(v))
	defer cancel()
	if err := f(ctx, t, req); err != nil {
		return w.refusal(ctx, v, t, err)
	}
	return nil
}

// deadline of a request; one that is answered in parts shows that it is alive, and may take longer.
func (w *Worker) deadline(v api.Verb) time.Duration {
	if v == api.AskParts {
		return 10 * w.Limits.Deadline
	}
	return w.Limits.Deadline
}

// maxRequest is the largest request, in bytes: a question and a thousand keys are far below.
const maxRequest = 1 << 20

// decode reads a request that keeps to its schema; what is wrong is told. No message is an empty request.
func decode(v api.Verb, data []byte, req any) error {
	if len(data) == 0 {
		data = []byte("{}")
	}
	if len(data) > maxRequest {
		return refuse(400, "the request has %d bytes; at most %d are read", len(data), maxRequest)
	}
	if err := schemas.Validate(string(v)+".request", data); err != nil {
		return refuse(400, "%v", err)
	}
	if err := json.Unmarshal(data, req); err != nil {
		return refuse(400, "the request is no JSON of %s: %v", v, err)
	}
	return nil
}

// tenant reads the subject fingerpost.<tenant>.<verb>.
func (w *Worker) tenant(subject string) (doc.Tenant, error) {
	parts := strings.Split(subject, ".")
	if len(parts) == 3 {
		for _, t := range w.Tenants {
			if t == doc.Tenant(parts[1]) {
				return t, nil
			}
		}
	}
	return "", refuse(404, "no such tenant")
}

// refusal turns an error into a code and a sentence; what is inside stays in the log.
func (w *Worker) refusal(ctx context.Context, v api.Verb, t doc.Tenant, err error) error {
	if se, ok := errors.AsType[*bus.ServiceError](err); ok {
		return se
	}
	w.Log.Error("request", "verb", v, "tenant", t, "err", err)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return refuse(504, "the request took longer than %s; ask for less, or again later", w.Limits.Deadline)
	}
	return refuse(503, "a part of the system does not answer; the service's log says which; ask again later")
}

func refuse(code int, format string, args ...any) error {
	return &bus.ServiceError{Code: code, Message: fmt.Sprintf(format, args...)}
}
