package query

import (
	"errors"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/bus"
)

// Observer is told of requests and of what became of them.
type Observer interface {
	Asked(verb string, code int, took time.Duration) // code 200, or that of the refusal
	Part(part string, took time.Duration)            // of a question: vector, search, resolve
	Cited(verified, dropped int)                     // places and quotes that the stored text vouched for, and others
}

// asked tells of a request that began at start.
func (w *Worker) asked(v api.Verb, start time.Time, err *error) {
	if w.Observer == nil {
		return
	}
	code := 200
	if se, ok := errors.AsType[*bus.ServiceError](*err); ok {
		code = se.Code
	} else if *err != nil {
		code = 500
	}
	w.Observer.Asked(string(v), code, time.Since(start))
}

// took tells of the parts of a question.
func (w *Worker) took(t api.Took) {
	if w.Observer == nil {
		return
	}
	of := func(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
	w.Observer.Part("vector", of(t.Vector))
	w.Observer.Part("search", of(t.Search))
	w.Observer.Part("resolve", of(t.Resolve))
}

// readBack tells of places: those that were read, and those that were damaged.
func (w *Worker) readBack(read []*readNode, damaged int) {
	if w.Observer == nil {
		return
	}
	n := 0
	for _, x := range read {
		if x != nil {
			n++
		}
	}
	w.Observer.Cited(n, damaged)
}

// quoted tells of quotes.
func (w *Worker) quoted(quotes []api.Citation) {
	if w.Observer == nil {
		return
	}
	verified := 0
	for _, q := range quotes {
		if q.Verified {
			verified++
		}
	}
	w.Observer.Cited(verified, len(quotes)-verified)
}
