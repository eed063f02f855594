package weaviate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/weaviate/weaviate-go-client/v4/weaviate/fault"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// errMissing is a class or tenant that the server does not have; what reads it reads as empty.
var errMissing = errors.New("no such class or tenant")

// patience bounds the tries of one request while the server is away: about half a second. Longer outages are for the
// pipeline, which pauses.
var patience = retry.Policy{Tries: 3, First: 150 * time.Millisecond, Total: 10 * time.Second}

// try calls f until the server answers, a few times. Every request may be sent twice: writes carry their ids.
func (x *Index) try(ctx context.Context, f func(context.Context) error) error {
	var answer error
	err := retry.Do(ctx, patience, func() error {
		if answer = f(ctx); errors.Is(answer, vector.ErrAway) {
			return answer
		}
		return nil
	})
	if err != nil {
		return err
	}
	return answer
}

// explain says what an error of the server means to us: one of package vector's, errMissing, the context's, or itself.
func explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w (%v)", ctx.Err(), err)
	}
	text, whole := reading(err)
	if whole != nil {
		return fmt.Errorf("%w: %s", whole, text)
	}
	return means(text)
}

// reading is what the server said, and whether it was no answer at all (vector.ErrAway) or a refusal of the key
// (vector.ErrDenied).
func reading(err error) (text string, whole error) {
	if f, ok := errors.AsType[*fault.WeaviateClientError](err); ok {
		switch {
		case f.DerivedFromError != nil:
			text = clip(f.DerivedFromError.Error())
			if strings.Contains(text, "status code: 401") || strings.Contains(text, "status code: 403") { // GraphQL
				return text, vector.ErrDenied
			}
			return text, vector.ErrAway
		case f.StatusCode == http.StatusNotFound && strings.TrimSpace(f.Msg) == "":
			return "could not find class", nil
		}
		if f.StatusCode == http.StatusUnauthorized || f.StatusCode == http.StatusForbidden {
			return fmt.Sprintf("status %d: %s", f.StatusCode, clip(f.Msg)), vector.ErrDenied
		}
		gone := f.StatusCode == http.StatusBadGateway || f.StatusCode == http.StatusServiceUnavailable || f.StatusCode == http.StatusGatewayTimeout
		return fmt.Sprintf("status %d: %s", f.StatusCode, clip(f.Msg)), awayIf(gone && !saysReadOnly(f.Msg))
	}
	if s, ok := status.FromError(err); ok {
		if s.Code() == codes.Unauthenticated || s.Code() == codes.PermissionDenied {
			return clip(s.Message()), vector.ErrDenied
		}
		gone := s.Code() == codes.Unavailable || s.Code() == codes.DeadlineExceeded
		return s.Code().String() + ": " + clip(s.Message()), awayIf(gone && !saysReadOnly(s.Message()))
	}
	return clip(err.Error()), nil
}

func awayIf(gone bool) error {
	if gone {
		return vector.ErrAway
	}
	return nil
}

// phrases are how servers from 1.27 to 1.35 say it.
var phrases = []struct {
	says  string
	means error
}{
	{"tenant not found", errMissing},
	{"could not find class", errMissing},
	{"class not found", errMissing},
	{"not found in schema", errMissing},
	{"requires inverted index", errMissing}, // of a class that is being dropped
	{"non-existing index", errMissing},      // a class that is just being made
	{`on type "getobjectsobj"`, errMissing}, // GraphQL's words for no such class
	{`on type "aggregateobjectsobj"`, errMissing},
	{"no schema is present", errMissing},
	{"unauthorized", vector.ErrDenied}, // by gRPC with the code Unknown
	{"read-only", vector.ErrReadOnly},
	{"readonly", vector.ErrReadOnly},
	{"not enough memory", vector.ErrNoRoom},
	{"no space left", vector.ErrNoRoom},
	{"maximum number of collections", vector.ErrNoRoom},
	{"vector lengths don't match", vector.ErrVector},
	{"vector dimensions do not match", vector.ErrVector},
	{"inconsistent vector lengths", vector.ErrVector},
}

func means(text string) error {
	low := strings.ToLower(text)
	for _, p := range phrases {
		if strings.Contains(low, p.says) {
			return fmt.Errorf("%w: %s", p.means, text)
		}
	}
	return errors.New(text)
}

func saysReadOnly(text string) bool { return errors.Is(means(text), vector.ErrReadOnly) }

// clip bounds what a server can make us log.
func clip(s string) string {
	const most = 400
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
