package nats

import (
	"context"
	"errors"
	"regexp"
	"sync"

	natsgo "github.com/nats-io/nats.go"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// denials end what waits for an answer that cannot come: the server refuses a publish by a line of its own,
// beside the subject's traffic, and a request would only time out.
type denials struct {
	mu      sync.Mutex
	waiting map[string]map[*context.CancelCauseFunc]bool // by subject
}

var deniedSubject = regexp.MustCompile(`(?i)permissions violation for publish to "([^"]+)"`)

// watch ends ctx with the cause bus.ErrDenied when publishing on the subject is refused; done forgets it.
func (d *denials) watch(ctx context.Context, subject string) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting == nil {
		d.waiting = map[string]map[*context.CancelCauseFunc]bool{}
	}
	if d.waiting[subject] == nil {
		d.waiting[subject] = map[*context.CancelCauseFunc]bool{}
	}
	d.waiting[subject][&cancel] = true
	return ctx, func() {
		cancel(nil)
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.waiting[subject], &cancel)
		if len(d.waiting[subject]) == 0 {
			delete(d.waiting, subject)
		}
	}
}

// tell passes on an error of the connection.
func (d *denials) tell(err error) {
	if !errors.Is(err, natsgo.ErrPermissionViolation) {
		return
	}
	found := deniedSubject.FindStringSubmatch(err.Error())
	if found == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for cancel := range d.waiting[found[1]] {
		(*cancel)(bus.ErrDenied)
	}
}
