package nats

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"github.com/nats-io/nuid"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// Headers of the replies of a request that is answered in parts. A part that is neither is a sign of life.
const (
	partHeader = "Fingerpost-Part" // its number, from 1
	lastHeader = "Fingerpost-Last" // "true" on the last one
	// hereHeader of a request names the subject below its own on which the asker says that it listens: an empty message every
	// hereEvery, and leaving when it stops; silent for hereSilent it is gone. The server tells us only of askers in our own
	// account. Who names no subject is answered to the end.
	hereHeader = "Fingerpost-Here"
	leaving    = "bye"
)

const (
	stillThere = 300 * time.Millisecond // between two signs of life
	hereEvery  = 150 * time.Millisecond
	hereSilent = 900 * time.Millisecond
	silence    = 30 * time.Second // of a service, after which it is away
)

// errGone says that nobody listens to the replies any more.
var errGone = errors.New("whoever asked is gone")

// parts is one request that is answered in parts.
type parts struct {
	sv    *service
	reply string
	echo  string       // where the server says that nobody listens to reply
	here  string       // where the asker says that it does; "": it does not say
	heard atomic.Int64 // when it last did, in Unix nanoseconds; 0: never
	n     int
}

// inParts answers such a request. Each reply names a subject for answers, though none is wanted: so the server tells us at once
// when there is nobody to receive it.
func (sv *service) inParts(ctx context.Context, e bus.Endpoint, subject, reply string, data []byte) error {
	p := &parts{sv: sv, reply: reply, echo: sv.nc.NewInbox(), here: hereOf(ctx, subject)}
	p.heard.Store(time.Now().UnixNano())
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	deaf, err := p.listen(cancel)
	if err != nil {
		return err
	}
	defer deaf()
	stop := p.beat(ctx, cancel)
	out, err := p.call(ctx, e, subject, data)
	stop()
	if errors.Is(context.Cause(ctx), errGone) {
		return errGone
	}
	if most := sv.nc.MaxPayload(); err == nil && int64(len(out)) > most {
		err = &bus.ServiceError{Code: 413, Message: fmt.Sprintf("the reply of %d bytes is over the server's limit of %d", len(out), most)}
	}
	p.last(out, err)
	return err
}

// listen hears of the asker, until deaf is called.
func (p *parts) listen(cancel context.CancelCauseFunc) (deaf func(), err error) {
	echo, err := p.sv.nc.Subscribe(p.echo, func(m *natsgo.Msg) {
		if m.Header.Get("Status") == "503" {
			cancel(errGone)
		}
	})
	if err != nil {
		return nil, err
	}
	if p.here == "" {
		return func() { _ = echo.Unsubscribe() }, nil
	}
	here, err := p.sv.nc.Subscribe(p.here, func(m *natsgo.Msg) {
		if p.heard.Store(time.Now().UnixNano()); string(m.Data) == leaving {
			cancel(errGone)
		}
	})
	if err != nil {
		return nil, errors.Join(err, echo.Unsubscribe())
	}
	return func() { _ = errors.Join(echo.Unsubscribe(), here.Unsubscribe()) }, nil
}

// silent reports whether an asker that would say that it listens does so no more.
func (p *parts) silent() bool {
	return p.here != "" && time.Since(time.Unix(0, p.heard.Load())) > hereSilent
}

// hereKey is where a request's context keeps the subject that its header names.
type hereKey struct{}

// hereOf is that subject, if it is one below the request's own.
func hereOf(ctx context.Context, subject string) string {
	here, _ := ctx.Value(hereKey{}).(string)
	if id, ok := strings.CutPrefix(here, subject+".here."); ok && len(id) < 64 && plainSubject(here) {
		return here
	}
	return ""
}

// call turns a panic into an error: one request must not end the process.
func (p *parts) call(ctx context.Context, e bus.Endpoint, subject string, data []byte) (out []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			p.sv.bus.log.Error("handler panicked", "subject", subject, "panic", v, "stack", string(debug.Stack()))
			err = errors.New("internal error")
		}
	}()
	return e.Parts(ctx, subject, data, func(part []byte) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(part) > 0 {
			p.n++
			p.send(part, partHeader, strconv.Itoa(p.n))
		}
		return nil
	})
}

func (p *parts) send(data []byte, headers ...string) {
	m := natsgo.NewMsg(p.reply)
	m.Data, m.Reply = data, p.echo
	for i := 0; i+1 < len(headers); i += 2 {
		m.Header.Set(headers[i], headers[i+1])
	}
	if err := p.sv.nc.PublishMsg(m); err != nil {
		p.sv.bus.log.Warn("reply not sent", "error", err)
	}
}

// last ends the replies.
func (p *parts) last(data []byte, err error) {
	if err == nil {
		p.send(data, partHeader, strconv.Itoa(p.n+1), lastHeader, "true")
		return
	}
	code, text := refusal(err)
	p.send(nil, lastHeader, "true", micro.ErrorCodeHeader, strconv.Itoa(code), micro.ErrorHeader, text)
}

// beat sends signs of life until stop returns: they keep the asker waiting, and find out that it is gone.
func (p *parts) beat(ctx context.Context, gone context.CancelCauseFunc) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		t := time.NewTicker(stillThere)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				if p.send(nil); p.silent() {
					gone(errGone)
				}
			}
		}
	}()
	return func() { cancel(); <-done }
}

// RequestParts asks and hands on each part.
func (b *Bus) RequestParts(ctx context.Context, subject string, data []byte, f func(part []byte) error) ([]byte, error) {
	if !plainSubject(subject) {
		return nil, fmt.Errorf("request: %q is no subject", subject)
	}
	ctx, done := b.denied.watch(ctx, subject)
	defer done()
	l := &listener{nc: b.nc, here: subject + ".here." + nuid.Next(), end: make(chan struct{})}
	sub, err := b.ask(ctx, subject, l.here, data)
	if err != nil {
		return nil, wrap(ctx, err, "request on %s", subject)
	}
	defer func() { _ = sub.Unsubscribe() }()
	go l.stay()
	defer close(l.end)
	for {
		m, err := next(ctx, sub)
		if err != nil {
			return nil, wrap(ctx, err, "request on %s", subject)
		}
		if m.Header.Get(lastHeader) == "true" {
			return m.Data, nil
		}
		if len(m.Data) == 0 {
			continue
		}
		if err := f(m.Data); err != nil {
			return nil, err
		}
	}
}

// listener says that it listens, until its end.
type listener struct {
	nc   *natsgo.Conn
	here string
	end  chan struct{}
}

func (l *listener) stay() {
	t := time.NewTicker(hereEvery)
	defer t.Stop()
	for {
		select {
		case <-l.end:
			l.say(leaving)
			return
		case <-t.C:
			l.say("")
		}
	}
}

func (l *listener) say(word string) { _ = l.nc.Publish(l.here, []byte(word)) } // a broken connection says it too

// ask sends the request and listens for its replies.
func (b *Bus) ask(ctx context.Context, subject, here string, data []byte) (*natsgo.Subscription, error) {
	m := natsgo.NewMsg(subject)
	m.Data, m.Reply = data, b.nc.NewInbox()
	m.Header.Set(hereHeader, here)
	if parent := bus.Trace(ctx); parent != "" {
		m.Header.Set(bus.TraceHeader, parent)
	}
	sub, err := b.nc.SubscribeSync(m.Reply)
	if err != nil {
		return nil, err
	}
	return sub, b.nc.PublishMsg(m)
}

// next is the next reply; what the service refused is an error.
func next(ctx context.Context, sub *natsgo.Subscription) (*natsgo.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	m, err := sub.NextMsgWithContext(ctx)
	if err != nil {
		return nil, err
	}
	if m.Header.Get("Status") == "503" && len(m.Data) == 0 {
		return nil, natsgo.ErrNoResponders
	}
	if code := m.Header.Get(micro.ErrorCodeHeader); code != "" {
		n, err := strconv.Atoi(code)
		if err != nil {
			n = 500
		}
		return nil, &bus.ServiceError{Code: n, Message: m.Header.Get(micro.ErrorHeader)}
	}
	return m, nil
}
