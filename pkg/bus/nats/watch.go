package nats

import (
	"context"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/retry"
)

// Each reads the present keys as a watch tells them, one at a time, and stops before the changes. Where the bucket has
// replicas the server may let a watch read from one that lags, which tells keys as they were: there the leader is asked for
// one key after the other, which takes a request a key.
func (k *bucket) Each(ctx context.Context, prefix string, f func(key string, value []byte) error) error {
	if k.replicas > 1 {
		return k.eachOfLeader(ctx, below(prefix), f)
	}
	w, err := k.kv.Watch(ctx, below(prefix), jetstream.IgnoreDeletes())
	if err != nil {
		return k.wrap(ctx, err, prefix)
	}
	defer func() { _ = w.Stop() }()
	for {
		select {
		case e, ok := <-w.Updates():
			if !ok {
				return k.wrap(ctx, jetstream.ErrConnectionClosed, prefix)
			}
			if e == nil {
				return nil
			}
			if err := f(e.Key(), e.Value()); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// eachOfLeader reads the bucket's stream, in which each key has its last message alone; one with an operation is a deletion.
func (k *bucket) eachOfLeader(ctx context.Context, filter string, f func(key string, value []byte) error) error {
	subject := "$KV." + k.name + "."
	return k.bus.Scan(ctx, "KV_"+k.name, subject+filter, func(m bus.Stored) error {
		if m.Header["KV-Operation"] != "" {
			return nil
		}
		return f(strings.TrimPrefix(m.Subject, subject), m.Data)
	})
}

// watch is the state of a Watch over its reconnects.
type watch struct {
	k      *bucket
	filter string
	ready  chan<- struct{} // nil when closed
	to     *shore          // where the present keys end; unused when ready is nil
	f      func(key string, value []byte, revision uint64)
	last   uint64 // revision told last
}

// Watch follows the bucket. The server forgets our subscription's consumer when it restarts, and nats.go
// notices by missed heartbeats after seconds: so each reconnect opens it anew behind the last told revision.
func (k *bucket) Watch(ctx context.Context, prefix string, ready chan<- struct{}, f func(key string, value []byte, revision uint64)) error {
	w := &watch{k: k, filter: below(prefix), ready: ready, f: f}
	pause := rebuildFirst
	for first := true; ctx.Err() == nil; first = false {
		again := k.bus.nextReconnect()
		err := w.follow(ctx, again)
		if ctx.Err() != nil {
			break
		}
		if err == nil {
			pause = rebuildFirst
			continue
		}
		if first && sentinel(err) == nil {
			return k.wrap(ctx, err, prefix)
		}
		k.bus.log.Warn("watch", "bucket", k.name, "error", err)
		_ = retry.Wait(ctx, pause) // the loop looks at ctx
		pause = min(2*pause, rebuildMost)
	}
	return nil
}

// follow tells entries until the connection was renewed (nil) or the subscription is lost.
func (w *watch) follow(ctx context.Context, again <-chan struct{}) error {
	sub, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Stop() }()
	asking := time.NewTicker(shoreAgain)
	defer asking.Stop()
	for {
		select {
		case e, ok := <-sub.Updates():
			if !ok {
				return jetstream.ErrConnectionClosed
			}
			w.tell(e)
		case <-asking.C:
			if err := w.ask(ctx); err != nil {
				return err
			}
		case <-again:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

func (w *watch) open(ctx context.Context) (jetstream.KeyWatcher, error) {
	if w.ready != nil {
		last, err := w.k.last(ctx, w.filter)
		if err != nil {
			return nil, err
		}
		w.to = &shore{k: w.k, filter: w.filter, last: last, seen: w.last}
	}
	var opts []jetstream.WatchOpt
	if w.last > 0 {
		asking, cancel := w.k.bus.within(ctx)
		defer cancel()
		st, err := w.k.bus.js.Stream(asking, "KV_"+w.k.name)
		if err != nil {
			return nil, err
		}
		if st.CachedInfo().State.LastSeq >= w.last { // else the bucket was made anew and counts from 1
			opts = append(opts, jetstream.ResumeFromRevision(w.last+1))
		}
	}
	return w.k.kv.Watch(ctx, w.filter, opts...)
}

// ask looks again where the present keys end while they are being told.
func (w *watch) ask(ctx context.Context) error {
	if w.ready == nil {
		return nil
	}
	err := w.to.again(ctx)
	w.arrived()
	return err
}

// arrived says once that the present keys have been told.
func (w *watch) arrived() {
	if w.ready != nil && w.to.reached() {
		close(w.ready)
		w.ready = nil
	}
}

// tell passes an entry on; the nil entry says that the client knows of no more present keys.
func (w *watch) tell(e jetstream.KeyValueEntry) {
	if w.ready != nil {
		w.to.saw(e)
		defer w.arrived() // after the entry was passed on
	}
	if e == nil {
		return
	}
	w.last = e.Revision()
	if e.Operation() != jetstream.KeyValuePut {
		w.f(e.Key(), nil, e.Revision())
		return
	}
	value := e.Value()
	if value == nil {
		value = []byte{} // nil says deleted
	}
	w.f(e.Key(), value, e.Revision())
}
