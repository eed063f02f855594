package llm

import (
	"context"
	"errors"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
)

// What a model or its server may do to a request.
var (
	ErrAway    = errors.New("the model's server is away")
	ErrBusy    = errors.New("the model's server has too much to do")
	ErrModel   = errors.New("the server does not have the model")
	ErrSlow    = errors.New("the model does not answer in time")
	ErrLong    = errors.New("the request is longer than the model's window")
	ErrJSON    = errors.New("the model's answer does not satisfy the schema")
	ErrEndless = errors.New("the model does not stop")
)

// Judge gives err the verdict that its kind has by the contract of Model; every vendor's error goes through it. Errors
// of an ended context, and those that are none of the kinds, stay as they are.
func Judge(err error) error {
	if verdict, _ := fault.Of(err); err == nil || verdict != fault.Retry {
		return err
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, ErrAway), errors.Is(err, ErrBusy), errors.Is(err, ErrModel), errors.Is(err, ErrSlow):
		return fault.Outagef("%w", err)
	case errors.Is(err, ErrLong):
		return fault.Failf(doc.TooLarge, "%w", err)
	}
	return err
}
