package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/workers/gateway"
)

// listen serves questions by parts.
func listen(t *testing.T, parts gateway.Parts) string {
	t.Helper()
	s, err := gateway.Listen("127.0.0.1:0", func(context.Context) gateway.Health { return gateway.Health{} }, func() error { return nil },
		gateway.Ask(map[string]doc.Tenant{"secret-a": "a", "secret-b": "b"}, parts))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return "http://" + s.Addr() + "/ask"
}

func post(t *testing.T, ctx context.Context, url, token, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", token)
	}
	rep, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rep.Body.Close() })
	return rep
}

func TestAskStreams(t *testing.T) {
	url := listen(t, func(_ context.Context, subject string, data []byte, send func([]byte) error) ([]byte, error) {
		if string(data) == "bad" {
			return nil, &bus.ServiceError{Code: 400, Message: "the question is empty"}
		}
		if err := send(fmt.Appendf(nil, "%q", subject)); err != nil {
			return nil, err
		}
		if string(data) == "late" {
			return nil, &bus.ServiceError{Code: 504, Message: "too late"}
		}
		return []byte(`{"last":true}`), nil
	})
	for _, c := range []struct {
		token, body string
		code        int
		want        string
	}{
		{"Bearer secret-a", "{}", 200, "data: \"fingerpost.a.ask_parts\"\n\ndata: {\"last\":true}\n\n"},
		{"Bearer secret-b", "{}", 200, "data: \"fingerpost.b.ask_parts\"\n\ndata: {\"last\":true}\n\n"},
		{"Bearer secret-a", "late", 200, "data: \"fingerpost.a.ask_parts\"\n\nevent: error\ndata: {\"code\":504,\"message\":\"too late\"}\n\n"},
		{"Bearer secret-a", "bad", 400, "the question is empty\n"},
		{"", "{}", 401, ""}, {"Bearer ", "{}", 401, ""}, {"Bearer secret-", "{}", 401, ""}, {"secret-a", "{}", 401, ""},
		{"Bearer secret-a", strings.Repeat("x", 2<<20), 413, ""},
	} {
		rep := post(t, t.Context(), url, c.token, c.body)
		got, _ := io.ReadAll(rep.Body) // a refused body may break the connection
		if rep.StatusCode != c.code || c.want != "" && string(got) != c.want {
			t.Errorf("%q %.20q: %d %q", c.token, c.body, rep.StatusCode, got)
		}
	}
}

// A client that goes away ends the work within a second.
func TestAClientThatGoesAwayEndsTheWork(t *testing.T) {
	ended := make(chan time.Time, 1)
	url := listen(t, func(ctx context.Context, _ string, _ []byte, send func([]byte) error) ([]byte, error) {
		if err := send([]byte("1")); err != nil {
			return nil, err
		}
		<-ctx.Done()
		ended <- time.Now()
		return nil, ctx.Err()
	})
	ctx, leave := context.WithCancel(t.Context())
	rep := post(t, ctx, url, "Bearer secret-a", "{}")
	if b := make([]byte, 7); true {
		if _, err := io.ReadFull(rep.Body, b); err != nil || string(b) != "data: 1" {
			t.Fatalf("%q, %v", b, err)
		}
	}
	left := time.Now()
	leave()
	select {
	case at := <-ended:
		if d := at.Sub(left); d > 2*time.Second {
			t.Errorf("the work went on for %v", d)
		}
	case <-time.After(30 * time.Second):
		t.Error("the work goes on")
	}
}
