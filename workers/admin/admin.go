// Package admin is the operator's service: fingerpost.admin.<verb>, for dead letters, reconciling, audit, the life of a
// document, and erasure. Only the operator's credential may ask it.
package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/trail"
	"github.com/fingerpost/fingerpost/schemas"
	"github.com/fingerpost/fingerpost/workers/audit"
	"github.com/fingerpost/fingerpost/workers/reconcile"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

// Worker answers the operator.
type Worker struct {
	Letters   pipeline.Letters
	Ledger    *ledger.Ledger
	Trail     trail.Log
	Audit     func(ctx context.Context, build uint32) (*audit.Worker, error) // of a build; 0 is the live one
	Reconcile func(ctx context.Context, yes bool) (reconcile.Gaps, error)
	Walks     func() Walks // what the passes since the start found
	// TrailDropped is how many events are missing in the trails since the start.
	TrailDropped func() uint64
	Eraser       Eraser
	Reindex      *reindex.Worker
	Log          *slog.Logger
	Version      string
}

// DeadRequest lists, replays or drops letters.
type DeadRequest struct {
	Do    string         `json:"do"` // ls, replay, drop
	Which pipeline.Which `json:"which"`
	Limit int            `json:"limit,omitempty"` // of ls; 0 is 100
	After uint64         `json:"after,omitempty"` // of ls: letters with greater numbers only
}

// DeadReply is the letters, or how many were replayed or dropped.
type DeadReply struct {
	Letters []pipeline.Numbered `json:"letters,omitempty"`
	More    bool                `json:"more,omitempty"`
	Done    int                 `json:"done"`
}

// ReconcileRequest starts a pass; Yes allows to remove any share of documents.
type ReconcileRequest struct {
	Yes bool `json:"yes,omitempty"`
}

// AuditRequest starts an audit.
type AuditRequest struct {
	Build  uint32 `json:"build,omitempty"` // 0 is the live one
	Repair bool   `json:"repair,omitempty"`
	Text   bool   `json:"text,omitempty"` // read each document's text back
}

// DocumentRequest names one document.
type DocumentRequest struct {
	Tenant doc.Tenant `json:"tenant"`
	Bucket string     `json:"bucket"`
	Key    string     `json:"key"`
}

// ExplainReply is the life of a document.
type ExplainReply struct {
	Record ledger.Record       `json:"record"`
	Trail  []trail.Event       `json:"trail"`
	Dead   []pipeline.Numbered `json:"dead"`
	// Pointers lead to the sections of the shown version, in reading order: at most 50 of Sections.
	Pointers []string `json:"pointers"`
	Sections int      `json:"sections"`
}

// Service is the micro service.
func (w *Worker) Service() bus.Service {
	return bus.Service{Name: "fingerpost-admin", Version: w.Version, Description: "dead letters, reconciling, audit, explain, erase, status, re-index",
		Endpoints: []bus.Endpoint{
			endpoint("dead", w.Dead), endpoint("reconcile", w.pass), endpoint("audit", w.audit), endpoint("explain", w.Explain), endpoint("erase", w.erase), endpoint("status", w.Status), endpoint("reindex", w.reindex),
		}}
}

func endpoint[Req, Rep any](verb string, f func(context.Context, Req) (Rep, error)) bus.Endpoint {
	return bus.Endpoint{Name: verb, Subject: "fingerpost.admin." + verb, Handle: func(ctx context.Context, _ string, data []byte) ([]byte, error) {
		var req Req
		if len(data) > 0 { // by schema first: a misspelt "which" would mean every letter
			err := schemas.Validate("admin."+verb+".request", data)
			if err == nil {
				err = json.Unmarshal(data, &req)
			}
			if err != nil {
				return nil, &bus.ServiceError{Code: 400, Message: fmt.Sprintf("the request is none of %s: %v", verb, err)}
			}
		}
		rep, err := f(ctx, req)
		if _, ok := errors.AsType[*bus.ServiceError](err); err != nil && !ok {
			return nil, &bus.ServiceError{Code: 500, Message: err.Error()} // an operator may see what is inside
		}
		if err != nil {
			return nil, err
		}
		return json.Marshal(rep)
	}}
}

const (
	lettersPage = 100
	lettersMost = 500
	bytesMost   = 512 << 10 // of the letters of a reply, which stays under the payload limit
)

var errEnough = errors.New("enough")

// Dead lists, replays or drops letters.
func (w *Worker) Dead(ctx context.Context, req DeadRequest) (rep DeadReply, err error) {
	switch req.Do {
	case "", "ls":
		return w.list(ctx, req)
	case "replay":
		rep.Done, err = w.Letters.Replay(ctx, req.Which)
	case "drop":
		rep.Done, err = w.Letters.Drop(ctx, req.Which)
	default:
		err = &bus.ServiceError{Code: 400, Message: fmt.Sprintf("do %q is not known; say ls, replay or drop", req.Do)}
	}
	return rep, err
}

func (w *Worker) list(ctx context.Context, req DeadRequest) (rep DeadReply, err error) {
	limit := req.Limit
	if limit <= 0 {
		limit = lettersPage
	}
	limit = min(limit, lettersMost)
	size := 0
	err = w.Letters.Each(ctx, req.Which, func(n pipeline.Numbered) error {
		if n.Number <= req.After {
			return nil
		}
		b, err := json.Marshal(n)
		if err != nil {
			return err
		}
		if size += len(b); len(rep.Letters) == limit || size > bytesMost && len(rep.Letters) > 0 {
			rep.More = true
			return errEnough
		}
		rep.Letters = append(rep.Letters, n)
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return rep, err
}

func (w *Worker) pass(ctx context.Context, req ReconcileRequest) (reconcile.Gaps, error) {
	return w.Reconcile(ctx, req.Yes)
}

func (w *Worker) audit(ctx context.Context, req AuditRequest) (*audit.Report, error) {
	a, err := w.Audit(ctx, req.Build)
	if err != nil {
		return nil, err
	}
	rep, err := a.Run(ctx, audit.Options{Repair: req.Repair, Text: req.Text})
	if err == nil && len(rep.Differences) > lettersMost {
		rep.Unnamed += len(rep.Differences) - lettersMost
		rep.Differences = rep.Differences[:lettersMost]
	}
	return rep, err
}

// Explain tells the life of one document.
func (w *Worker) Explain(ctx context.Context, req DocumentRequest) (rep ExplainReply, err error) {
	id := doc.NewID(req.Tenant, req.Bucket, req.Key)
	rep.Record, err = w.Ledger.Get(ctx, req.Tenant, id)
	if errors.Is(err, bus.ErrNoKey) {
		return rep, &bus.ServiceError{Code: 404, Message: fmt.Sprintf("no document %s/%s of tenant %s was ever seen", req.Bucket, req.Key, req.Tenant)}
	}
	if err != nil {
		return rep, err
	}
	if rep.Trail, err = w.Trail.Of(ctx, req.Tenant, id); err != nil {
		return rep, err
	}
	rep.Trail = rep.Trail[max(0, len(rep.Trail)-trailMost):]
	err = w.Letters.Each(ctx, pipeline.Which{Tenant: req.Tenant, DocID: id}, func(n pipeline.Numbered) error {
		rep.Dead = append(rep.Dead, n)
		rep.Dead = rep.Dead[max(0, len(rep.Dead)-deadMost):]
		return nil
	})
	if err != nil {
		return rep, err
	}
	return rep, w.pointers(ctx, &rep)
}

const (
	pointersMost = 50
	trailMost    = 200 // events of a reply: the newest; each may hold an error of 2,000 bytes
	deadMost     = 10  // letters of a reply: the newest
)

// pointers adds those of the shown version; none when nothing is shown.
func (w *Worker) pointers(ctx context.Context, rep *ExplainReply) error {
	r := rep.Record
	if r.Current == 0 {
		return nil
	}
	tree, err := w.Eraser.Artefacts.Tree(ctx, artefact.Ref{Tenant: r.Tenant, Doc: r.DocID, Generation: r.Current})
	if artefact.Missing(err) {
		return nil // replaced meanwhile, or lost: audit names that
	}
	if err != nil {
		return err
	}
	rep.Sections = len(tree.Nodes)
	for _, n := range tree.Nodes[:min(len(tree.Nodes), pointersMost)] {
		rep.Pointers = append(rep.Pointers, doc.Pointer{Doc: r.DocID, Version: r.CurrentVersion, Anchor: n.Anchor, Lines: n.Lines}.String())
	}
	return nil
}

func (w *Worker) erase(ctx context.Context, req DocumentRequest) (Receipt, error) {
	return w.Eraser.Erase(ctx, req)
}
