package weaviate

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// A real server that asks for a key: without the right one nothing is read or written by either way, and the refusal is told
// apart from a server that is away and from a fault of an entry.
func TestARealServerAsksForItsKey(t *testing.T) {
	testenv.Slow(t, "a Weaviate with keys")
	t.Parallel()
	s, err := testenv.StartWeaviate(t.TempDir(), "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED=false", "AUTHENTICATION_APIKEY_ENABLED=true",
		"AUTHENTICATION_APIKEY_ALLOWED_KEYS=right", "AUTHENTICATION_APIKEY_USERS=fingerpost")
	if err != nil {
		t.Fatal(err)
	}
	if s == nil {
		testenv.Missing(t, "Weaviate (scripts/servers-weaviate builds it)")
	}
	t.Cleanup(s.Stop)
	for _, key := range []string{"", "wrong"} {
		x, err := Open(t.Context(), Config{URL: s.URL, GRPC: s.GRPC, APIKey: key})
		if !errors.Is(err, vector.ErrDenied) || strings.Contains(err.Error(), "\n") {
			t.Errorf("key %q: %v", key, err)
		}
		if x != nil {
			x.Close()
		}
	}
	for name, grpc := range map[string]string{"gRPC": s.GRPC, "REST": ""} {
		x := open(t, Config{URL: s.URL, GRPC: grpc, APIKey: "right", Prefix: "Key" + name})
		e := vector.Entry{ID: place(1, 1, 1, 0), Terms: []string{"tariff"}}
		put(t, x, doc.KindWindow, e)
		if hits, err := x.Words(t.Context(), 1, "acme", doc.KindWindow, vector.Terms, e.Terms, nil, 9); len(hits) != 1 || err != nil {
			t.Errorf("%s: %v, %v", name, hits, err)
		}
		late := &Index{conf: x.conf, classes: x.classes, guarded: x.guarded, counts: newCounts(time.Now)} // the key was changed meanwhile
		late.conf.APIKey = "old"
		if err := late.dial(); err != nil {
			t.Fatal(err)
		}
		defer late.Close()
		if err := late.Put(t.Context(), 1, "acme", doc.KindWindow, []vector.Entry{e}); !errors.Is(err, vector.ErrDenied) {
			t.Errorf("%s: put with an old key: %v", name, err)
		}
		if _, err := late.Words(t.Context(), 1, "acme", doc.KindWindow, vector.Terms, e.Terms, nil, 9); !errors.Is(err, vector.ErrDenied) {
			t.Errorf("%s: words with an old key: %v", name, err)
		}
	}
}
