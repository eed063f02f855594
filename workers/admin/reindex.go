package admin

import (
	"context"
	"fmt"

	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

// ReindexRequest asks for one step of a re-index.
type ReindexRequest struct {
	Do       string `json:"do"`                 // start, status, pause, resume, compare, promote, rollback, drop
	From     string `json:"from,omitempty"`     // of start: parse, chunk or embed; "": as late as it may be
	Embedder string `json:"embedder,omitempty"` // of start: auto, builtin, ollama or none; "": the configured one
	Build    uint32 `json:"build,omitempty"`    // of drop and compare; 0: the one of the re-index
	Force    bool   `json:"force,omitempty"`    // of promote: without audit and counts
}

// ReindexReply is where it stands then.
type ReindexReply struct {
	Live    uint32              `json:"live"`
	Task    *reindex.Task       `json:"task,omitempty"`   // the re-index under way, or the last one
	Builds  []build.Record      `json:"builds"`           // those that are not gone
	Needed  string              `json:"needed,omitempty"` // why the live build is not what would be made now; "": it is, or a newer one is
	Compare *reindex.Comparison `json:"compare,omitempty"`
	Plan    *reindex.Planned    `json:"schedule,omitempty"` // by which re-indexes begin
}

func (w *Worker) reindex(ctx context.Context, req ReindexRequest) (rep ReindexReply, err error) {
	var c reindex.Comparison
	r := w.Reindex
	switch req.Do {
	case "", "status":
	case "start":
		_, err = r.Start(ctx, req.From, req.Embedder)
	case "pause":
		_, err = r.Pause(ctx)
	case "resume":
		_, err = r.Resume(ctx)
	case "compare":
		c, err = r.Compare(ctx, req.Build)
	case "promote":
		c, err = r.Promote(ctx, req.Force)
	case "rollback":
		c, err = r.Rollback(ctx)
	case "drop":
		err = r.Drop(ctx, req.Build)
	default:
		err = &bus.ServiceError{Code: 400, Message: fmt.Sprintf("do %.40q is not known; say start, status, pause, resume, compare, promote, rollback or drop", req.Do)}
	}
	if err != nil {
		return rep, err
	}
	if c.Build != 0 {
		rep.Compare = &c
	}
	if err := r.Builds.Refresh(ctx); err != nil {
		return rep, err
	}
	t, ok, err := r.Task(ctx)
	if ok {
		rep.Task = &t
	}
	if err != nil {
		return rep, err
	}
	if p, ok, err := r.Plan(ctx); err != nil {
		return rep, err
	} else if ok {
		rep.Plan = &p
	}
	rep.Needed = r.Needed(ctx)
	rep.Live, rep.Builds = r.Builds.Live(), r.Builds.Kept()
	return rep, nil
}
