package intake

import (
	"context"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/notice"
	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// Consumer is the durable consumer of store notifications.
var Consumer = bus.Consumer{Stream: wire.EventStream, Durable: "intake", Lease: 30 * time.Second}

// slots is how many events are handled at once; two events of one key are safe (the ledger decides).
const slots = 8

// Run handles events until ctx ends; those in hand finish.
func (w *Worker) Run(ctx context.Context) {
	var hands sync.WaitGroup
	defer hands.Wait()
	free := make(chan struct{}, slots)
	for away := 0; ctx.Err() == nil; {
		got, err := w.Bus.Fetch(ctx, Consumer, max(1, cap(free)-len(free)), 5*time.Second)
		if err != nil {
			away++
			w.pause(ctx, away, err)
			continue
		}
		away = 0
		for _, d := range got {
			free <- struct{}{}
			hands.Go(func() {
				defer func() { <-free }()
				w.settle(context.WithoutCancel(ctx), d)
			})
		}
	}
}

func (w *Worker) settle(ctx context.Context, d bus.Delivery) {
	err := w.Handle(ctx, d.Message().Data, notice.Source(d.Message().Header["fp-source"]))
	if err == nil {
		if err = d.Ack(ctx); err == nil {
			return
		}
	}
	w.Log.Warn("event", "attempt", d.Attempt(), "err", err)
	_ = d.Nak(retry.Delay(d.Attempt()))
}

func (w *Worker) pause(ctx context.Context, n int, err error) {
	if ctx.Err() != nil {
		return
	}
	w.Log.Warn("fetch events", "err", err)
	t := time.NewTimer(retry.Delay(n))
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
