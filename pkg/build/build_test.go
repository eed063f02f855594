package build_test

import (
	"context"
	"errors"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/embedded"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// paused is a bus whose KV bucket FP_LIVE calls `before` ahead of each write, once.
type paused struct {
	bus.Bus
	before func()
}

type pausedKV struct {
	bus.KV
	of *paused
}

func (p *paused) KV(ctx context.Context, bucket string) (bus.KV, error) {
	kv, err := p.Bus.KV(ctx, bucket)
	if bucket == wire.LiveBucket {
		kv = &pausedKV{kv, p}
	}
	return kv, err
}

func (k *pausedKV) Put(ctx context.Context, key string, v []byte, rev uint64) (uint64, error) {
	if f := k.of.before; f != nil {
		k.of.before = nil
		f()
	}
	return k.KV.Put(ctx, key, v, rev)
}

// two opens the registry twice, the second over a bus that can be paused, with builds 1 (live) and 2 (ready).
func two(t *testing.T) (a, b *build.Registry, p *paused) {
	t.Helper()
	srv, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Port: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Stop() })
	conn, err := nats.Connect(t.Context(), srv.Client())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	a, err1 := build.Open(t.Context(), conn)
	p = &paused{Bus: conn}
	b, err2 := build.Open(t.Context(), p)
	_, err3 := a.First(t.Context(), build.Record{Pipeline: "p1"})
	_, err4 := a.Make(t.Context(), build.Record{Pipeline: "p1", Parent: 1, State: build.Ready})
	if err := errors.Join(err1, err2, err3, err4, b.Refresh(t.Context())); err != nil {
		t.Fatal(err)
	}
	return a, b, p
}

func giveUp(t *testing.T, r *build.Registry, seq uint32) {
	t.Helper()
	if _, err := r.Change(t.Context(), seq, func(x *build.Record) bool { x.State = build.Dropping; return true }); err != nil {
		t.Fatal(err)
	}
}

func TestAGivenUpBuildIsNotPromoted(t *testing.T) {
	a, b, _ := two(t)
	giveUp(t, a, 2)
	if err := b.Promote(t.Context(), 1, 2); !errors.Is(err, build.ErrGone) || b.Live() != 1 {
		t.Errorf("%v, live is build %d", err, b.Live())
	}
	if err := b.Promote(t.Context(), 2, 1); err == nil {
		t.Error("promoted from a build that is not live")
	}
}

// A build that is given up while its promotion is at its last write: the fence comes first, and the promotion loses.
func TestTheFenceComesFirst(t *testing.T) {
	a, b, p := two(t)
	p.before = func() {
		giveUp(t, a, 2)
		if err := a.Fence(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Promote(t.Context(), 1, 2); !errors.Is(err, bus.ErrConflict) {
		t.Errorf("promoted with %v", err)
	}
	if err := errors.Join(a.Refresh(t.Context()), b.Refresh(t.Context())); err != nil || a.Live() != 1 || b.Live() != 1 {
		t.Errorf("%v; live are %d and %d", err, a.Live(), b.Live())
	}
}

// The promotion comes first, and the fence says so: nothing of the build may be removed.
func TestThePromotionComesFirst(t *testing.T) {
	a, b, p := two(t)
	p.before = func() { giveUp(t, a, 2) }
	if err := b.Promote(t.Context(), 1, 2); err != nil {
		t.Fatal(err)
	}
	if err := a.Fence(t.Context(), 2); !errors.Is(err, build.ErrLive) || a.Live() != 2 {
		t.Errorf("%v; live is build %d", err, a.Live())
	}
}

// The fence's own write meets a promotion.
func TestTheFenceMeetsAPromotion(t *testing.T) {
	a, b, p := two(t)
	giveUp(t, a, 1)
	p.before = func() {
		if err := a.Promote(t.Context(), 1, 2); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Fence(t.Context(), 3); err != nil {
		t.Error(err)
	}
	if err := b.Fence(t.Context(), 2); !errors.Is(err, build.ErrLive) {
		t.Error(err)
	}
}
