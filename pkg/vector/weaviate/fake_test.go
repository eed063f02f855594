package weaviate

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/weaviate/weaviate/entities/models"
	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/grpc"
)

// fake is a server that says what the test wants: classes in memory, batches answered by script.
type fake struct {
	pb.UnimplementedWeaviateServer
	version string
	batch   func(*pb.BatchObjectsRequest) (*pb.BatchObjectsReply, error)
	// rest is the answer to a batch by REST, with its status.
	rest func([]*models.Object) (int, any)

	mu      sync.Mutex
	classes map[string]*models.Class
	keys    []string // that came along
}

func (f *fake) BatchObjects(_ context.Context, r *pb.BatchObjectsRequest) (*pb.BatchObjectsReply, error) {
	return f.batch(r)
}

// start serves the fake; the configuration reaches it by both ways.
func (f *fake) start(t *testing.T) Config {
	t.Helper()
	if f.classes == nil {
		f.classes = map[string]*models.Class{}
	}
	h := httptest.NewServer(f)
	t.Cleanup(h.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer()
	pb.RegisterWeaviateServer(g, f)
	go g.Serve(l)
	t.Cleanup(g.Stop)
	return Config{URL: h.URL, GRPC: l.Addr().String()}
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keys = append(f.keys, r.Header.Get("Authorization"))
	code, body := f.answer(r)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	if body != nil {
		_ = json.NewEncoder(w).Encode(body)
	}
}

func (f *fake) answer(r *http.Request) (int, any) {
	name, one := strings.CutPrefix(r.URL.Path, "/v1/schema/")
	switch {
	case r.URL.Path == "/v1/meta":
		return http.StatusOK, map[string]any{"version": f.version}
	case r.URL.Path == "/v1/schema" && r.Method == http.MethodGet:
		return http.StatusOK, map[string]any{"classes": f.all()}
	case r.URL.Path == "/v1/schema":
		c := &models.Class{}
		if err := json.NewDecoder(r.Body).Decode(c); err != nil {
			return http.StatusUnprocessableEntity, err.Error()
		}
		f.classes[c.Class] = c
		return http.StatusOK, c
	case one && f.classes[name] != nil:
		return http.StatusOK, f.classes[name]
	case r.URL.Path == "/v1/batch/objects":
		var b struct{ Objects []*models.Object }
		if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
			return http.StatusUnprocessableEntity, err.Error()
		}
		return f.rest(b.Objects)
	}
	return http.StatusNotFound, nil
}

func (f *fake) all() (out []*models.Class) {
	for _, c := range f.classes {
		out = append(out, c)
	}
	return out
}
