package query

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// Desk answers from the live build and turns to another one when that is promoted. A request is answered by one build
// from beginning to end: the one that was live when it came.
type Desk struct {
	// Make is a worker over a build, not yet open.
	Make func(ctx context.Context, build uint32) (*Worker, error)
	// Took, if set, is told how long each request took.
	Took func(verb string, took time.Duration)

	mu   sync.RWMutex
	live *open
	side map[uint32]*open // other builds, asked by number

	turning sync.Mutex // one opens at a time
}

// open is a worker with the end of what it watches.
type open struct {
	*Worker
	service bus.Service
	close   context.CancelFunc
	used    time.Time
}

// sideKept is how long a build that is not live stays open after its last question.
const sideKept = 5 * time.Minute

// Turn opens a build and makes it the one that answers. Requests in hand are finished by the one before. Ctx bounds the
// desk's life, not the turn alone.
func (d *Desk) Turn(ctx context.Context, build uint32) error {
	d.turning.Lock()
	defer d.turning.Unlock()
	if d.Live() != nil && d.Live().Build == build {
		return nil
	}
	next, err := d.open(ctx, build)
	if err != nil {
		return err
	}
	d.mu.Lock()
	before := d.live
	d.live = next
	d.mu.Unlock()
	if before != nil { // requests in hand may run as long as a request may
		time.AfterFunc(before.Limits.Deadline+time.Second, before.close)
	}
	return nil
}

func (d *Desk) open(ctx context.Context, build uint32) (*open, error) {
	w, err := d.Make(ctx, build)
	if err != nil {
		return nil, err
	}
	w.Other = d.other(ctx)
	ctx, cancel := context.WithCancel(ctx)
	if err := w.Open(ctx); err != nil {
		cancel()
		return nil, fmt.Errorf("build %d: %w", build, err)
	}
	return &open{Worker: w, service: w.Service(), close: cancel, used: time.Now()}, nil
}

// other opens a build that is not live, for questions that name it.
func (d *Desk) other(life context.Context) func(context.Context, uint32) (*Worker, error) {
	return func(_ context.Context, build uint32) (*Worker, error) {
		d.turning.Lock()
		defer d.turning.Unlock()
		if d.side == nil {
			d.side = map[uint32]*open{}
		}
		for b, o := range d.side {
			if time.Since(o.used) > sideKept {
				o.close()
				delete(d.side, b)
			}
		}
		if o := d.side[build]; o != nil {
			o.used = time.Now()
			return o.Worker, nil
		}
		o, err := d.open(life, build)
		if err != nil {
			return nil, err
		}
		d.side[build] = o
		return o.Worker, nil
	}
}

// Live is the worker that answers; nil before the first Turn.
func (d *Desk) Live() *Worker {
	if o := d.now(); o != nil {
		return o.Worker
	}
	return nil
}

func (d *Desk) now() *open {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.live
}

// Service is the micro service; Turn must have returned once.
func (d *Desk) Service() bus.Service {
	s := d.now().service
	all := s.Endpoints
	s.Endpoints = make([]bus.Endpoint, len(all))
	for i := range all {
		s.Endpoints[i] = all[i]
		if all[i].Parts != nil { // how long a model takes says nothing of the index: it is not told
			s.Endpoints[i].Parts = func(ctx context.Context, subject string, data []byte, send func([]byte) error) ([]byte, error) {
				return d.now().service.Endpoints[i].Parts(ctx, subject, data, send)
			}
			continue
		}
		s.Endpoints[i].Handle = func(ctx context.Context, subject string, data []byte) ([]byte, error) {
			if d.Took != nil {
				defer func(start time.Time) { d.Took(all[i].Name, time.Since(start)) }(time.Now())
			}
			return d.now().service.Endpoints[i].Handle(ctx, subject, data)
		}
	}
	return s
}

// Parts answers a request on the subject of ask_parts by the live build; see AskInParts.
func (d *Desk) Parts(ctx context.Context, subject string, data []byte, send func([]byte) error) ([]byte, error) {
	if d == nil || d.now() == nil {
		return nil, refuse(503, "the index is being opened; ask again in a moment")
	}
	return d.now().inParts().Parts(ctx, subject, data, send)
}
