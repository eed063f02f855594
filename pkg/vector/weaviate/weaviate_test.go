package weaviate

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/vectortest"
)

// shared is the server of this package's tests; each test has classes of its own.
var shared struct {
	once   sync.Once
	server *testenv.WeaviateServer
	dir    string
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.server != nil {
		shared.server.Stop()
	}
	os.RemoveAll(shared.dir)
	os.Exit(code)
}

func server(t testing.TB) *testenv.WeaviateServer {
	t.Helper()
	testenv.Slow(t, "the real Weaviate")
	shared.once.Do(func() {
		if shared.dir, shared.err = os.MkdirTemp("", "weaviate"); shared.err == nil {
			shared.server, shared.err = testenv.StartWeaviate(shared.dir)
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	if shared.server == nil {
		testenv.Missing(t, "Weaviate (scripts/servers-weaviate builds it)")
	}
	return shared.server
}

var prefixesUsed atomic.Int64

// fresh is a configuration whose classes nobody else uses; they go with the test.
func fresh(t testing.TB) Config {
	s := server(t)
	c := Config{URL: s.URL, GRPC: s.GRPC, Prefix: fmt.Sprintf("Test%d", prefixesUsed.Add(1))}
	t.Cleanup(func() {
		x := open(t, c)
		for b := vector.Build(1); b <= 2; b++ {
			if err := x.DropBuild(context.Background(), b); err != nil {
				t.Error(err)
			}
		}
	})
	return c
}

func open(t testing.TB, c Config) *Index {
	t.Helper()
	x, err := Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func TestContract(t *testing.T) {
	t.Parallel()
	contract(t, fresh)
}

// By REST and GraphQL alone, as where the gRPC port can't be reached.
func TestContractWithoutGRPC(t *testing.T) {
	t.Parallel()
	contract(t, byREST)
}

func byREST(t testing.TB) Config {
	c := fresh(t)
	c.GRPC = ""
	return c
}

func contract(t *testing.T, conf func(testing.TB) Config) {
	vectortest.Run(t, vectortest.Vendor{
		Lags: true,
		Open: func(t *testing.T) vector.Index { return open(t, conf(t)) },
		Reopen: func(t *testing.T, ix vector.Index) vector.Index {
			if err := ix.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, ix.(*Index).conf)
		},
	})
}
