package workers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/gateway"
)

// Health asks each part the system stands on.
func (s *System) Health(ctx context.Context) gateway.Health {
	h := s.health(ctx)
	well := map[string]bool{}
	for name, said := range h.Parts {
		well[name] = said == "ok"
	}
	s.last.Store(well)
	return h
}

func (s *System) health(ctx context.Context) gateway.Health {
	h := gateway.Health{Version: Version, Ready: true, Parts: map[string]string{}, Tenants: map[string]api.StatusReply{}}
	part := func(name string, err error) {
		h.Parts[name] = "ok"
		if err != nil {
			h.Parts[name], h.Ready = err.Error(), false
		}
	}
	_, _, err := s.Bus.Backlog(ctx, wire.EventStream)
	part("messages", err)
	part("state", s.writes(ctx))
	part("objects", s.reads(ctx, artefact.Bucket))
	if slices.ContainsFunc(s.roles, Role.NeedsIndex) {
		part("index", s.indexes(ctx))
	}
	if !s.has(RoleQuery) {
		return h
	}
	q := s.query.Load()
	if q == nil {
		h.Ready = false
		h.Parts["questions"] = "starting"
		return h
	}
	h.Parts["questions"] = "ok"
	for _, t := range s.Config.Tenants() {
		st, err := q.Live().Status(ctx, t, struct{}{})
		if err != nil {
			part("questions", err)
		}
		h.Tenants[string(t)] = st
	}
	return h
}

// writes reports whether state can be written: after a full disk the store of messages stays closed until a restart.
func (s *System) writes(ctx context.Context) error {
	_, rev, err := s.walks.Get(ctx, "health")
	if err != nil && !errors.Is(err, bus.ErrNoKey) {
		return err
	}
	_, err = s.walks.Put(ctx, "health", []byte(time.Now().UTC().Format(time.RFC3339)), rev)
	if err == nil || errors.Is(err, bus.ErrConflict) { // another probe wrote
		return nil
	}
	return fmt.Errorf("%w; is the disk full? Free it and start again: nothing is lost", err)
}

// reads reports whether a bucket is there and may be read; nothing is made.
func (s *System) reads(ctx context.Context, bucket string) error {
	if _, err := s.Blobs.Head(ctx, bucket, "_health"); !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	return nil
}

// indexes reports whether the index answers, and takes writes where this process writes: a read-only index still finds, so
// a process that only answers questions stays ready.
func (s *System) indexes(ctx context.Context) error {
	x, ok := s.Index.(interface {
		Writable(context.Context, vector.Build) error
	})
	if !ok {
		return nil
	}
	err := x.Writable(ctx, vector.Build(s.Builds.Live()))
	if errors.Is(err, vector.ErrReadOnly) && !s.has(RoleIndex) && !s.has(RoleReconcile) {
		return nil
	}
	return err
}

// SetHTTP notes where the page listens.
func (s *System) SetHTTP(addr string) error {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return err
	}
	s.Addresses.HTTP = addr
	if !s.embedsBus() && !s.embedsObjects() {
		return nil
	}
	return writeJSON(filepath.Join(s.Config.Data, "up.json"), s.Addresses)
}
