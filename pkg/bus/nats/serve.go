package nats

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

const (
	handlers = 256              // of an endpoint at once, when it names no limit
	grace    = 10 * time.Second // for handlers when the service ends
)

// service is one running service.
type service struct {
	bus   *Bus
	nc    *natsgo.Conn
	ctx   context.Context // of the handlers
	busy  sync.WaitGroup
	tally map[string]*tally // by endpoint
}

// Serve runs s as a micro service on a connection of its own: so a stop can wait until the
// subscriptions are drained and every reply is sent, and requests do not queue behind deliveries.
func (b *Bus) Serve(ctx context.Context, s bus.Service) error {
	nc, err := b.dial(ctx, "service "+s.Name)
	if err != nil {
		return err
	}
	defer nc.Close()
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	sv := &service{bus: b, nc: nc, ctx: work, tally: map[string]*tally{}}
	svc, err := sv.add(s)
	if err != nil {
		return fmt.Errorf("service %s: %w", s.Name, err)
	}
	if err := nc.FlushTimeout(b.opt.Timeout); err != nil {
		return wrap(ctx, err, "service %s", s.Name)
	}
	if s.Ready != nil {
		close(s.Ready)
	}
	<-ctx.Done()
	return sv.drain(svc, cancel)
}

func (sv *service) add(s bus.Service) (micro.Service, error) {
	for _, e := range s.Endpoints {
		sv.tally[e.Name] = &tally{}
	}
	svc, err := micro.AddService(sv.nc, micro.Config{Name: s.Name, Version: s.Version, Description: s.Description,
		QueueGroup:   s.Name,
		StatsHandler: func(e *micro.Endpoint) any { return sv.tally[e.Name].report() },
	})
	if err != nil {
		return nil, err
	}
	for _, e := range s.Endpoints {
		if err := svc.AddEndpoint(e.Name, sv.handler(e), micro.WithEndpointSubject(e.Subject), micro.WithEndpointMetadata(e.Metadata)); err != nil {
			return nil, errors.Join(fmt.Errorf("endpoint %s: %w", e.Name, err), svc.Stop())
		}
	}
	return svc, nil
}

// handler hands each request to a goroutine, because micro calls a subscription's handler one after another.
func (sv *service) handler(e bus.Endpoint) micro.Handler {
	limit := e.Limit
	if limit <= 0 {
		limit = handlers
	}
	slots := make(chan struct{}, limit)
	t := sv.tally[e.Name]
	return micro.HandlerFunc(func(r micro.Request) {
		select {
		case slots <- struct{}{}:
		default:
			t.refused.Add(1)
			sv.reply(r.Reply(), nil, &bus.ServiceError{Code: 503, Message: fmt.Sprintf("busy: %s has %d requests in hand, try again in a moment", e.Name, limit)})
			return
		}
		sv.busy.Go(func() {
			defer func() { <-slots }()
			ctx := context.WithValue(sv.ctx, hereKey{}, r.Headers().Get(hereHeader))
			sv.answer(bus.WithTrace(ctx, r.Headers().Get(bus.TraceHeader)), e, r.Subject(), r.Reply(), r.Data())
		})
	})
}

func (sv *service) answer(ctx context.Context, e bus.Endpoint, subject, reply string, data []byte) {
	began := time.Now()
	if e.Parts != nil {
		sv.tally[e.Name].add(time.Since(began), sv.inParts(ctx, e, subject, reply, data))
		return
	}
	out, err := sv.call(ctx, e, subject, data)
	if most := sv.nc.MaxPayload(); err == nil && int64(len(out)) > most {
		err = &bus.ServiceError{Code: 413, Message: fmt.Sprintf("the reply of %d bytes is over the server's limit of %d: ask for a smaller page", len(out), most)}
	}
	sv.tally[e.Name].add(time.Since(began), err)
	sv.reply(reply, out, err)
}

// call turns a panic into an error: one request must not end the process.
func (sv *service) call(ctx context.Context, e bus.Endpoint, subject string, data []byte) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			sv.bus.log.Error("handler panicked", "subject", subject, "panic", p, "stack", string(debug.Stack()))
			err = errors.New("internal error")
		}
	}()
	return e.Handle(ctx, subject, data)
}

// reply answers on our own connection rather than through micro.Request, which must not be used after its
// handler has returned.
func (sv *service) reply(subject string, data []byte, err error) {
	if subject == "" {
		return
	}
	msg := natsgo.NewMsg(subject)
	if err != nil {
		code, text := refusal(err)
		msg.Header.Set(micro.ErrorCodeHeader, strconv.Itoa(code))
		msg.Header.Set(micro.ErrorHeader, text)
	} else {
		msg.Data = data
	}
	if err := sv.nc.PublishMsg(msg); err != nil {
		sv.bus.log.Warn("reply not sent", "error", err)
	}
}

func refusal(err error) (int, string) {
	if s, ok := errors.AsType[*bus.ServiceError](err); ok {
		return s.Code, oneLine(s.Message)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return 504, oneLine(err.Error())
	}
	return 500, oneLine(err.Error())
}

// oneLine makes text fit for a header.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if s == "" {
		return "no reason given"
	}
	return s
}

// finished waits for the handlers, and a little beyond the grace for those that do not heed their context.
func (sv *service) finished() bool {
	done := make(chan struct{})
	go func() { sv.busy.Wait(); close(done) }()
	select {
	case <-done:
		return true
	case <-sv.ctx.Done():
	}
	select {
	case <-done:
		return true
	case <-time.After(time.Second):
		return false
	}
}

// drain takes no more requests, answers those that are here, and cancels what is left after the grace.
func (sv *service) drain(svc micro.Service, cancel context.CancelFunc) error {
	late := time.AfterFunc(grace, cancel)
	defer late.Stop()
	err := svc.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for sv.nc.NumSubscriptions() > 0 && sv.nc.IsConnected() && sv.ctx.Err() == nil {
		<-tick.C // nats.go tells a drained subscription by nothing else
	}
	if !sv.finished() {
		err = errors.Join(err, errors.New("handlers still run after the end of their context: left behind"))
	}
	if !sv.nc.IsConnected() {
		return nil // nobody is there to be told
	}
	return errors.Join(err, sv.nc.FlushTimeout(sv.bus.opt.Timeout))
}
