package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/blob"
)

// server is a store whose every answer h gives.
func server(t *testing.T, h http.HandlerFunc) *Store {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	s, err := New(Config{Endpoint: srv.URL, AccessKey: "a", SecretKey: "b"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func xmlError(code, message string) string {
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>%s</Code><Message>%s</Message></Error>`, code, message)
}

func TestErrorsBecomeSentinels(t *testing.T) {
	for _, c := range []struct {
		status        int
		code, message string
		want          error
	}{
		{404, "NoSuchKey", "", blob.ErrNotFound}, {404, "NoSuchVersion", "", blob.ErrNotFound}, {404, "NoSuchBucket", "", blob.ErrNoBucket},
		{405, "MethodNotAllowed", "", blob.ErrNotFound}, {400, "InvalidArgument", "Invalid version id specified", blob.ErrNotFound},
		{403, "AccessDenied", "", blob.ErrDenied}, {403, "InvalidAccessKeyId", "", blob.ErrDenied}, {403, "SignatureDoesNotMatch", "", blob.ErrDenied},
		{403, "RequestTimeTooSkewed", "", blob.ErrDenied}, {400, "ExpiredToken", "", blob.ErrDenied}, {401, "Whatever", "", blob.ErrDenied},
		{403, "QuotaExceeded", "", blob.ErrFull}, {507, "XMinioStorageFull", "", blob.ErrFull}, {507, "Other", "", blob.ErrFull},
		{412, "PreconditionFailed", "", blob.ErrPrecondition}, {409, "ConditionalRequestConflict", "", blob.ErrPrecondition},
		{400, "KeyTooLongError", "", blob.ErrBadKey}, {400, "XMinioInvalidObjectName", "", blob.ErrBadKey}, {400, "XMinioInvalidResourceName", "", blob.ErrBadKey},
		{400, "400", "Bad Request", blob.ErrBadKey}, {409, "ObjectParentIsFile", "", blob.ErrBadKey}, {409, "ExistingObjectIsDirectory", "", blob.ErrBadKey},
		{416, "InvalidRange", "", blob.ErrRange},
		{500, "InternalError", "", blob.ErrAway}, {503, "SlowDown", "", blob.ErrAway}, {503, "XMinioServerNotInitialized", "", blob.ErrAway}, {429, "TooManyRequests", "", blob.ErrAway}, {502, "", "", blob.ErrAway},
		{400, "InvalidRequest", "", nil}, {400, "InvalidArgument", "something else", nil},
	} {
		s := server(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(c.status)
			if c.code != "" {
				io.WriteString(w, xmlError(c.code, c.message))
			}
		})
		_, _, get := s.Get(t.Context(), "docs", "k", blob.GetOptions{})
		_, head := s.Head(t.Context(), "docs", "k")
		_, put := s.Put(t.Context(), "docs", "k", strings.NewReader("x"), 1, blob.PutOptions{})
		for verb, err := range map[string]error{"get": get, "head": head, "put": put} {
			if verb == "head" && (c.code == "QuotaExceeded" || c.status == 409 || c.status == 405) {
				continue // a HEAD answers so without a body, and never for these reasons
			}
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("%s: %d %s %s: %v, want %v", verb, c.status, c.code, c.message, err, c.want)
			}
			if c.want == nil && sentinelOf(err) != nil {
				t.Errorf("%s: %d %s is called %v", verb, c.status, c.code, sentinelOf(err))
			}
			if err != nil && !strings.Contains(err.Error(), verb+" docs/k") {
				t.Errorf("%s: %v does not say what was done", verb, err)
			}
		}
	}
}

func sentinelOf(err error) error {
	for _, s := range []error{blob.ErrNotFound, blob.ErrNoBucket, blob.ErrDenied, blob.ErrPrecondition, blob.ErrRange, blob.ErrBadKey, blob.ErrFull, blob.ErrAway} {
		if errors.Is(err, s) {
			return s
		}
	}
	return nil
}

// TestNoRetryInside holds that one call is one request, also when the store says 503.
func TestNoRetryInside(t *testing.T) {
	calls := 0
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		calls++
		w.WriteHeader(503)
	})
	if _, _, err := s.Get(t.Context(), "docs", "k", blob.GetOptions{}); !errors.Is(err, blob.ErrAway) || calls != 1 {
		t.Errorf("%d requests, %v", calls, err)
	}
}

func TestNobodyListens(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	s, err := New(Config{Endpoint: srv.URL, AccessKey: "a", SecretKey: "b"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Head(t.Context(), "docs", "k")
	_, err2 := s.Put(t.Context(), "docs", "k", strings.NewReader("x"), 1, blob.PutOptions{})
	_, err3 := s.Put(t.Context(), "docs", "k", strings.NewReader(strings.Repeat("x", partSize+1)), -1, blob.PutOptions{})
	for _, err := range []error{err, err2, err3, s.Delete(t.Context(), "docs", "k"), s.MakeBucket(t.Context(), "docs")} {
		if !errors.Is(err, blob.ErrAway) {
			t.Errorf("a store that is away: %v", err)
		}
	}
}

// TestLyingRanges holds that other bytes than those asked for never reach the caller.
func TestLyingRanges(t *testing.T) {
	body := "0123456789"
	for name, c := range map[string]struct {
		status int
		cr     string
		send   string
		want   error
	}{
		"ignores the range":   {200, "", body, blob.ErrAway},
		"another range":       {206, "bytes 0-3/10", "0123", blob.ErrAway},
		"cut at the end":      {206, "bytes 2-5/6", "2345", blob.ErrRange},
		"garbled":             {206, "bytes here", "2345", blob.ErrAway},
		"size unknown":        {206, "bytes 2-6/*", "23456", blob.ErrAway},
		"body ends too early": {206, "bytes 2-6/10", "23", blob.ErrAway},
	} {
		s := server(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"e"`)
			w.Header().Set("Last-Modified", "Mon, 30 Nov 2026 17:33:50 GMT")
			if c.cr != "" {
				w.Header().Set("Content-Range", c.cr)
				w.Header().Set("Content-Length", "5")
			}
			if name == "ignores the range" {
				w.Header().Set("Content-Length", "10")
			}
			w.WriteHeader(c.status)
			io.WriteString(w, c.send)
		})
		got, _, err := blob.ReadAll(t.Context(), s, "docs", "k", blob.GetOptions{Offset: 2, Length: 5}, 100)
		if !errors.Is(err, c.want) || len(got) != 0 {
			t.Errorf("%s: %q, %v; want %v", name, got, err, c.want)
		}
	}
}

// TestHeadTellsBucketFromKey holds that a HEAD without a body in its answer still tells them apart.
func TestHeadTellsBucketFromKey(t *testing.T) {
	for code, want := range map[string]error{"NoSuchKey": blob.ErrNotFound, "NoSuchBucket": blob.ErrNoBucket} {
		s := server(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(404)
			if r.Method != http.MethodHead {
				io.WriteString(w, xmlError(code, ""))
			}
		})
		if _, err := s.Head(t.Context(), "docs", "k"); !errors.Is(err, want) {
			t.Errorf("%s: %v", code, err)
		}
	}
}

func TestConfig(t *testing.T) {
	for name, c := range map[string]Config{
		"no endpoint": {}, "ftp": {Endpoint: "ftp://host"}, "path": {Endpoint: "http://host/bucket"}, "no host": {Endpoint: "http://"},
		"style": {Endpoint: "host", Style: "dotted"}, "not a url": {Endpoint: "http://[::1"}, "host with a slash": {Endpoint: "host/bucket"},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%s: %+v was taken", name, c)
		}
	}
}

// TestStyleAndToken holds where the bucket stands and that a session token travels along.
func TestStyleAndToken(t *testing.T) {
	for style, want := range map[Style]string{Path: "host.test/docs/k", Virtual: "docs.host.test/k", Auto: "host.test/docs/k"} {
		var seen, token string
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen, token = r.Host+r.URL.Path, r.Header.Get("X-Amz-Security-Token")
			w.WriteHeader(204)
		}))
		defer srv.Close()
		s, err := New(Config{Endpoint: "http://host.test", AccessKey: "a", SecretKey: "b", SessionToken: "tok", Style: style})
		if err != nil {
			t.Fatal(err)
		}
		s.transport.DialContext = dialer(srv.Listener.Addr().String())
		if err := s.Delete(t.Context(), "docs", "k"); err != nil || seen != want || token != "tok" {
			t.Errorf("%q: asked for %s with token %q, %v; want %s", style, seen, token, err, want)
		}
	}
}

func TestReadIsCancelled(t *testing.T) {
	hold := make(chan struct{})
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"e"`)
		w.Header().Set("Last-Modified", "Mon, 30 Nov 2026 17:33:50 GMT")
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, "01")
		w.(http.Flusher).Flush()
		<-hold
	})
	defer close(hold)
	ctx, cancel := context.WithCancel(t.Context())
	r, _, err := s.Get(ctx, "docs", "k", blob.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := io.ReadFull(r, make([]byte, 2)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.ReadAll(r); !errors.Is(err, context.Canceled) {
		t.Errorf("reading after the cancel: %v", err)
	}
}

func dialer(addr string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}
}
