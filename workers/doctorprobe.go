package workers

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// probe is a document that goes through the chain of a source.
type probe struct {
	source    Source
	word, key string
	put       time.Time
	told      ear
}

// ear counts the events of one key.
type ear struct {
	mu    sync.Mutex
	first time.Time
	n     int
}

// hear counts an event that is about key, which stands there as it is or escaped.
func (e *ear) hear(m bus.Message, key string) {
	if !bytes.Contains(m.Data, []byte(key)) && !bytes.Contains(m.Data, []byte(url.QueryEscape(key))) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.n++; e.n == 1 {
		e.first = time.Now()
	}
}

func (e *ear) heard() (n int, first time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.n, e.first
}

// probes sends a document through the chain of each source and takes it back.
func (d *doctor) probes(ctx context.Context) {
	for _, s := range d.Config.Sources {
		word := "probe" + strings.ToLower(rand.Text()[:12])
		p := &probe{source: s, word: word, key: s.Prefix + "fingerpost-doctor-" + word + ".md"}
		d.listening(ctx, p, func() { d.probe(ctx, p) })
	}
}

// listening calls f while the events of the probe are heard.
func (d *doctor) listening(ctx context.Context, p *probe, f func()) {
	n, ok := d.Bus.(nats)
	if !ok {
		f()
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	ready, over := make(chan struct{}), make(chan error, 1)
	go func() {
		over <- n.Hear(ctx, wire.EventSubject+".>", ready, func(m bus.Message) { p.told.hear(m, p.key) })
	}()
	select {
	case <-ready:
		f()
		cancel()
		<-over
	case err := <-over:
		d.fail("probe in "+p.source.Bucket, err)
	}
	cancel()
}

// probe puts, waits until it is found, deletes, and waits until it is gone.
func (d *doctor) probe(ctx context.Context, p *probe) {
	part := "probe in " + p.source.Bucket
	text := "# Probe\n\nThe word of this probe is " + p.word + ".\n"
	p.put = time.Now()
	if _, err := d.Blobs.Put(ctx, p.source.Bucket, p.key, strings.NewReader(text), int64(len(text)), blob.PutOptions{}); err != nil {
		d.fail(part, err)
		return
	}
	found := d.until(ctx, p, true)
	took := time.Since(p.put).Round(time.Millisecond)
	if found {
		d.waitForEvent(ctx, p)
	}
	why := ""
	if !found {
		why = d.whyNot(ctx, p)
	}
	err := d.Blobs.Delete(context.WithoutCancel(ctx), p.source.Bucket, p.key)
	switch n, _ := p.told.heard(); {
	case !found:
		d.say(part, false, "%s", why)
	case err != nil:
		d.fail(part, err)
	case !d.until(ctx, p, false):
		d.say(part, false, "was deleted and is still found after %s: is `fingerpost worker index` running?", d.o.Within)
	case n == 0:
		d.say(part, false, "was found %s after it was put, and the bucket told nobody of it within %s: changes are found by the walk only; see the rules above, and whether the store reaches NATS", took, d.o.Event)
	default:
		d.say(part, true, "told of it by events (%d), found %s after it was put, gone after it was deleted", n, took)
	}
}

// waitForEvent gives a slow target its time.
func (d *doctor) waitForEvent(ctx context.Context, p *probe) {
	late := time.NewTimer(time.Until(p.put.Add(d.o.Event)))
	defer late.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if n, _ := p.told.heard(); n > 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-late.C:
			return
		case <-tick.C:
		}
	}
}

// whyNot is where a probe that was not found has stopped.
func (d *doctor) whyNot(ctx context.Context, p *probe) string {
	_, err := d.ask(ctx, p)
	if refused, ok := errors.AsType[*bus.ServiceError](err); ok {
		return "the tenant " + p.source.Tenant + " is not answered (" + refused.Message + "): do all processes have the same sources?"
	}
	if err != nil {
		return "no one answers the tenant's questions: is `fingerpost worker query` running?"
	}
	if n, _ := p.told.heard(); n == 0 {
		return "was put and no event of it came within " + d.o.Within.String() + ": the bucket tells nobody of its changes; see the rules above, and whether the store reaches NATS"
	}
	ss, _ := d.declared()
	for _, s := range ss {
		if s.Limits || s.Name == wire.DeadStream {
			continue
		}
		if n, _, err := d.Bus.Backlog(ctx, s.Name); err == nil && n > 0 {
			return "was put and told, and is not found after " + d.o.Within.String() + ": " + s.Name + " has waiting messages; is `fingerpost worker " + string(roleOf(s.Name)) + "` running?"
		}
	}
	return "was put and told, and is not found after " + d.o.Within.String() + ": `fingerpost explain " + p.key + "` tells how far it came"
}

// until asks until the probe is found (or not), as the tenant's questions are answered.
func (d *doctor) until(ctx context.Context, p *probe, want bool) bool {
	ctx, cancel := context.WithTimeout(ctx, d.o.Within)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		rep, err := d.ask(ctx, p)
		_, refused := errors.AsType[*bus.ServiceError](err)
		if found := len(rep.Sections) > 0 && rep.Sections[0].Key == p.key; (err == nil || refused) && found == want {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
}

// ask looks for the probe's word, as the tenant's questions are answered.
func (d *doctor) ask(ctx context.Context, p *probe) (rep api.FindReply, err error) {
	req, err := json.Marshal(api.FindRequest{Question: p.word, K: 1, Mode: "words"})
	if err != nil {
		return rep, err
	}
	out, err := d.Bus.Request(ctx, "fingerpost."+p.source.Tenant+"."+string(api.Find), req)
	if err != nil {
		return rep, err
	}
	return rep, json.Unmarshal(out, &rep)
}
