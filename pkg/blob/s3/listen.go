package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/notification"

	"github.com/fingerpost/fingerpost/pkg/blob"
)

// silence is how long a store that is listened to may say nothing; a MinIO says that it is there every ten seconds.
const silence = 45 * time.Second

// Listen calls told with the key of each object of the bucket of which the store says that it changed, until ctx ends or
// the connection breaks; up once when the store listens. It is a MinIO extension: ErrUnsupported where there is none. What
// happens while nobody listens is never told, and what is told is a hint: look at the object.
func (s *Store) Listen(ctx context.Context, bucket string, up func(), told func(key string)) error {
	what := "listen to bucket " + bucket
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o := s.options
	o.Transport = &once{next: s.transport, up: up, end: cancel}
	c, err := minio.New(s.host, &o)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	heard := c.ListenBucketNotification(ctx, bucket, "", "", []string{string(wanted[0]), string(wanted[1])})
	for open := true; open && ctx.Err() == nil; {
		var n notification.Info
		select {
		case n, open = <-heard:
		case <-ctx.Done(): // the client's own goroutine sleeps up to two seconds before it sees it
		}
		if n.Err != nil {
			err = errors.Join(err, n.Err)
			cancel(errOver) // the client would connect once more, without a word about what was missed
		}
		for _, r := range n.Records {
			if r.S3.Bucket.Name == bucket && r.S3.Object.Key != "" {
				told(r.S3.Object.Key)
			}
		}
	}
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, context.Canceled):
		return fmt.Errorf("%s: %w", what, cause)
	case errors.Is(err, blob.ErrUnsupported):
		return fmt.Errorf("%s: %w", what, blob.ErrUnsupported)
	case err != nil:
		return wrapRule(context.WithoutCancel(ctx), err, what)
	}
	return fmt.Errorf("%s: %w: %w", what, blob.ErrAway, cause)
}

// once lets one listening request through, and watches its answer.
type once struct {
	next http.RoundTripper
	up   func()
	end  context.CancelCauseFunc
	used bool
}

var errOver = errors.New("the store ended the connection")

func (o *once) RoundTrip(r *http.Request) (*http.Response, error) {
	if !r.URL.Query().Has("events") {
		return o.next.RoundTrip(r)
	}
	if o.used {
		o.end(errOver)
		return nil, errOver
	}
	o.used = true
	resp, err := o.next.RoundTrip(r)
	if err != nil || resp.StatusCode != http.StatusOK {
		return resp, err
	}
	if kind := resp.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") { // a list of the bucket
		resp.Body.Close()
		return nil, blob.ErrUnsupported
	}
	o.up()
	resp.Body = &heard{resp.Body, time.AfterFunc(silence, func() { o.end(errSilent) }), o.end}
	return resp, nil
}

var errSilent = fmt.Errorf("the store has said nothing for %s", silence)

// heard ends the listening when the stream ends or is silent.
type heard struct {
	io.ReadCloser
	timer *time.Timer
	end   context.CancelCauseFunc
}

func (h *heard) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	h.timer.Reset(silence)
	if err != nil {
		h.timer.Stop()
		h.end(errOver)
	}
	return n, err
}

func (h *heard) Close() error {
	h.timer.Stop()
	return h.ReadCloser.Close()
}
