package gateway

import (
	"context"
	"net/http"
	"testing"
)

// A name that a stranger has pointed at the loopback interface is refused; ours are answered.
func TestForeignNamesAreRefused(t *testing.T) {
	s, err := Listen("127.0.0.1:0", func(context.Context) Health { return Health{Ready: true} }, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for host, want := range map[string]int{
		"": 200, "localhost": 200, "LOCALHOST:8080": 200, "127.0.0.1:1": 200, "127.0.0.2": 200, "[::1]:80": 200, "a.localhost": 200,
		"evil.example": 403, "evil.example:8080": 403, "localhost.evil.example": 403, "127.0.0.1.evil.example": 403, "192.0.2.1": 403, "notlocalhost": 403,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr()+"/readyz", nil)
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			r.Host = host
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("host %q: status %d, want %d", host, resp.StatusCode, want)
		}
	}
}
