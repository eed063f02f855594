// Package fault says what an error means for the document in hand: end it in a list with a
// class (Skip, Fail), end it quietly (Superseded), wait for a server (Outage), or try again
// (every other error).
package fault

import (
	"errors"
	"fmt"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Fault is an error with a verdict.
type Fault struct {
	Verdict Verdict
	Class   doc.Class // of Skip and Fail
	Err     error
}

// Verdict is what to do with the document.
type Verdict int

// The verdicts. The zero Verdict is Retry.
const (
	Retry      Verdict = iota // transient: another try may work
	Skip                      // ends as skipped
	Fail                      // ends as failed, in the dead letters
	Superseded                // newer work exists: end quietly
	Outage                    // a whole server is away: nobody's attempt, pause and probe
)

func (f *Fault) Error() string { return f.Err.Error() }
func (f *Fault) Unwrap() error { return f.Err }

// Skipf is an error that ends the document as skipped.
func Skipf(c doc.Class, format string, args ...any) error {
	return &Fault{Skip, c, fmt.Errorf(format, args...)}
}

// Failf is an error that ends the document as failed.
func Failf(c doc.Class, format string, args ...any) error {
	return &Fault{Fail, c, fmt.Errorf(format, args...)}
}

// Supersededf is an error that ends the work quietly.
func Supersededf(format string, args ...any) error {
	return &Fault{Superseded, "", fmt.Errorf(format, args...)}
}

// Outagef is an error that says a whole server is away.
func Outagef(format string, args ...any) error {
	return &Fault{Outage, "", fmt.Errorf(format, args...)}
}

// Of is the verdict on err and its class; Retry and Internal when err carries none.
func Of(err error) (Verdict, doc.Class) {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.Verdict, f.Class
	}
	return Retry, doc.Internal
}
