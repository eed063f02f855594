package embedding

import "errors"

// ErrText says that a model refuses one of the texts of a call; the caller halves the call until it
// has found which. An error that is neither ErrText nor a *TooLongError concerns the whole server.
var ErrText = errors.New("text cannot be embedded")

// Poison reports whether err is about the texts of the call, not about the server.
func Poison(err error) bool {
	_, long := errors.AsType[*TooLongError](err)
	return long || errors.Is(err, ErrText)
}
