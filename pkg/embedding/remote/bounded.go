package remote

import (
	"errors"
	"io"
	"net/http"
)

// mostAnswer is the bytes of an answer that are read: far more than 128 vectors of 4,096 numbers.
const mostAnswer = 64 << 20

var errAnswer = errors.New("the server's answer is longer than 64 MiB")

// Bounded is a transport whose answers end with an error after 64 MiB; nil is http.DefaultTransport.
func Bounded(t http.RoundTripper) http.RoundTripper {
	if t == nil {
		t = http.DefaultTransport
	}
	return bounded{t}
}

type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		a.Body = &boundedBody{a.Body, mostAnswer}
	}
	return a, err
}

type boundedBody struct {
	io.ReadCloser
	left int
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errAnswer
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
