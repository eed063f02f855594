package weaviate

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/weaviate/weaviate/entities/models"
	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Known failures 25, 33: a batch is answered without an error though an object in it was refused.
func TestKnown25And33OneRefusedObjectFailsTheBatch(t *testing.T) {
	const why = "invalid text property 'terms'"
	f := &fake{version: "1.35.2",
		batch: func(r *pb.BatchObjectsRequest) (*pb.BatchObjectsReply, error) {
			return &pb.BatchObjectsReply{Errors: []*pb.BatchObjectsReply_BatchError{{Index: int32(len(r.Objects) - 1), Error: why}}}, nil
		},
		rest: func(objects []*models.Object) (int, any) {
			failed, out := "FAILED", make([]models.ObjectsGetResponse, len(objects))
			for i, o := range objects {
				out[i].Object = *o
			}
			out[len(out)-1].Result = &models.ObjectsGetResponseAO2Result{Status: &failed,
				Errors: &models.ErrorResponse{Error: []*models.ErrorResponseErrorItems0{{Message: why}}}}
			return http.StatusOK, out
		}}
	both := f.start(t)
	alone := both
	alone.GRPC = ""
	for name, c := range map[string]Config{"gRPC": both, "REST": alone} {
		last := place(1, 1, 9, 0)
		err := open(t, c).Put(t.Context(), 1, "acme", doc.KindWindow, []vector.Entry{{ID: place(1, 1, 1, 0), Terms: []string{"a"}}, {ID: last, Terms: []string{"b"}}})
		if err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), last.String()) {
			t.Errorf("%s: %v; want the refused entry and why", name, err)
		}
	}
}

// The same by a real server: the vector's length is only refused by the index behind the batch.
func TestARealServersRefusalIsSeen(t *testing.T) {
	for name, conf := range map[string]func(testing.TB) Config{"gRPC": fresh, "REST": byREST} {
		t.Run(name, func(t *testing.T) {
			x := open(t, conf(t))
			put(t, x, doc.KindChunk, vector.Entry{ID: place(1, 1, 1, 0), Vector: []float32{0, 1}})
			at := tenantClass{x.className(1, doc.KindChunk), "acme"}
			err := x.wire.write(t.Context(), at, []object{{id: place(1, 1, 1, 1), doc: "x", vector: []float32{0, 0, 1}}})
			if !errors.Is(err, vector.ErrVector) {
				t.Errorf("a vector of three numbers among those of two: %v", err)
			}
		})
	}
}

// Known failure 29: read-only is told apart from broken, and said at once.
func TestKnown29ReadOnlyIsSaid(t *testing.T) {
	for name, conf := range map[string]func(testing.TB) Config{"gRPC": fresh, "REST": byREST} {
		t.Run(name, func(t *testing.T) {
			x := open(t, conf(t))
			e := vector.Entry{ID: place(1, 1, 1, 0), Terms: []string{"tariff"}}
			put(t, x, doc.KindWindow, e)
			shard := func(status string) {
				_, err := x.rest.Schema().ShardUpdater().WithClassName(x.className(1, doc.KindWindow)).WithShardName("acme").WithStatus(status).Do(t.Context())
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := x.Writable(t.Context(), 1); err != nil {
				t.Errorf("before: %v", err)
			}
			shard("READONLY")
			if err := x.Writable(t.Context(), 1); !errors.Is(err, vector.ErrReadOnly) {
				t.Errorf("writable: %v", err)
			}
			e.Terms = []string{"levy"}
			if err := x.Put(t.Context(), 1, "acme", doc.KindWindow, []vector.Entry{e}); !errors.Is(err, vector.ErrReadOnly) {
				t.Errorf("put: %v", err)
			}
			if _, err := x.Purge(t.Context(), 1, "acme", prefix(1), 0, 1); !errors.Is(err, vector.ErrReadOnly) {
				t.Errorf("purge: %v", err)
			}
			if hits, err := x.Words(t.Context(), 1, "acme", doc.KindWindow, vector.Terms, []string{"tariff"}, nil, 9); len(hits) != 1 || err != nil {
				t.Errorf("reading: %v, %v", hits, err)
			}
			shard("READY")
			put(t, x, doc.KindWindow, e)
		})
	}
}

// What servers say, and what it means.
func TestExplain(t *testing.T) {
	for _, c := range []struct {
		err  error
		want error
	}{
		{status.Error(codes.Unavailable, "connection refused"), vector.ErrAway},
		{status.Error(codes.DeadlineExceeded, "context deadline exceeded"), vector.ErrAway},
		{status.Error(codes.Unknown, `tenant not found: "nobody"`), errMissing},
		{status.Error(codes.Unknown, "put object: store is read-only due to: disk usage too high. Set to read-only at 91.00%"), vector.ErrReadOnly},
		{status.Error(codes.Unavailable, "store is read-only"), vector.ErrReadOnly},
		{status.Error(codes.Unknown, "extract auth: unauthorized: invalid api key"), vector.ErrDenied},
		{status.Error(codes.PermissionDenied, "rbac: forbidden"), vector.ErrDenied},
		{status.Error(codes.Internal, "cannot process batch: not enough memory"), vector.ErrNoRoom},
		{status.Error(codes.Unknown, "write segment: no space left on device"), vector.ErrNoRoom},
		{errors.New("new node has a vector with length 3. Existing nodes have vectors with length 2: vector lengths don't match"), vector.ErrVector},
	} {
		if got := explain(context.Background(), c.err); !errors.Is(got, c.want) {
			t.Errorf("%v is %v, want %v", c.err, got, c.want)
		}
	}
	for _, sentinel := range []error{vector.ErrAway, vector.ErrReadOnly, vector.ErrNoRoom, errMissing} {
		if got := explain(context.Background(), status.Error(codes.PermissionDenied, "forbidden")); errors.Is(got, sentinel) {
			t.Errorf("forbidden is %v", sentinel)
		}
	}
}

func TestANewerClassIsRefused(t *testing.T) {
	for name, description := range map[string]string{"Fingerpost_3_Window": "Fingerpost's entries of kind window; format 99", "Other_3_Window": "Fingerpost's entries of kind window; format 99"} {
		f := &fake{version: "1.35.2", classes: map[string]*models.Class{name: {Class: name, Description: description}}}
		x, err := Open(t.Context(), f.start(t))
		if newer := errors.Is(err, vector.ErrNewer); newer != strings.HasPrefix(name, "Fingerpost") {
			t.Errorf("%s: %v", name, err)
		}
		if x != nil {
			x.Close()
		}
	}
}

// A class that another process of a newer version makes later is met by the work on that build.
func TestANewerClassIsRefusedLater(t *testing.T) {
	f := &fake{version: "1.35.2"}
	x := open(t, f.start(t))
	f.classes["Fingerpost_3_Window"] = &models.Class{Class: "Fingerpost_3_Window", Description: "Fingerpost's entries of kind window; format 99"}
	if _, err := x.Words(t.Context(), 3, "acme", doc.KindWindow, vector.Terms, []string{"a"}, nil, 9); !errors.Is(err, vector.ErrNewer) {
		t.Errorf("words: %v", err)
	}
	if err := x.Put(t.Context(), 3, "acme", doc.KindWindow, []vector.Entry{{ID: place(1, 1, 1, 1)}}); !errors.Is(err, vector.ErrNewer) {
		t.Errorf("put: %v", err)
	}
}

func TestWhatCanNotBeOursIsRefused(t *testing.T) {
	tenants := &models.MultiTenancyConfig{Enabled: true}
	const ours = "Fingerpost's entries of kind window; format 1"
	for name, c := range map[string]*models.Class{
		"was not made by this program": {Description: "somebody's", MultiTenancyConfig: tenants},
		"keeps no tenants apart":       {Description: ours},
		"tokenized by word":            {Description: ours, MultiTenancyConfig: tenants, Properties: []*models.Property{{Name: "terms", Tokenization: "word"}}},
	} {
		c.Class = "Fingerpost_1_Window"
		f := &fake{version: "1.35.2", classes: map[string]*models.Class{c.Class: c}}
		if _, err := Open(t.Context(), f.start(t)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v; want one that says %q", err, name)
		}
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	old := (&fake{version: "1.24.9"}).start(t)
	closed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer closed.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for says, c := range map[string]Config{
		"1.27 is the oldest": old,
		"is not http":        {URL: "127.0.0.1:8080"},
		"prefix":             {URL: old.URL, Prefix: "lower"},
		"does not answer":    {URL: gone.URL},
		"refuses the key":    {URL: closed.URL, APIKey: "wrong"},
	} {
		if _, err := Open(t.Context(), c); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want one that says %q", err, says)
		}
	}
}

func TestTheKeyGoesAlong(t *testing.T) {
	f := &fake{version: "1.35.2"}
	c := f.start(t)
	c.APIKey = "secret"
	open(t, c)
	for _, k := range f.keys {
		if k != "Bearer secret" {
			t.Errorf("key %q", k)
		}
	}
}

// Known failure 34: the client's gRPC takes any certificate; ours does not.
func TestKnown34GRPCVerifiesTheCertificate(t *testing.T) {
	f := &fake{version: "1.35.2", classes: map[string]*models.Class{},
		batch: func(*pb.BatchObjectsRequest) (*pb.BatchObjectsReply, error) { return &pb.BatchObjectsReply{}, nil }}
	h := httptest.NewTLSServer(f)
	defer h.Close()
	g := grpc.NewServer(grpc.Creds(credentials.NewServerTLSFromCert(&h.TLS.Certificates[0])))
	pb.RegisterWeaviateServer(g, f)
	l := httptest.NewUnstartedServer(nil).Listener
	go g.Serve(l)
	defer g.Stop()
	roots := x509.NewCertPool()
	roots.AddCert(h.Certificate())
	x := open(t, Config{URL: h.URL, GRPC: l.Addr().String(), TLS: &tls.Config{RootCAs: roots}})
	put(t, x, doc.KindWindow, vector.Entry{ID: place(1, 1, 1, 1), Terms: []string{"a"}})

	_, err := Open(t.Context(), Config{URL: h.URL, GRPC: l.Addr().String()})
	if err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate of nobody is taken: %v", err)
	}
	blind := &Index{conf: Config{GRPC: l.Addr().String(), Timeout: 5 * time.Second}}
	if err := blind.dialGRPC(true); err != nil {
		t.Fatal(err)
	}
	defer blind.closed()
	if err := blind.wire.write(t.Context(), tenantClass{}, nil); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("gRPC takes a certificate of nobody: %v", err)
	}
}

// The server is away, says so quickly, and is used again soon after its return; what was acknowledged before it was
// killed is there.
func TestTheServerGoesAndComesBack(t *testing.T) {
	testenv.Slow(t, "the real Weaviate")
	t.Parallel()
	s := testenv.Weaviate(t)
	x := open(t, Config{URL: s.URL, GRPC: s.GRPC})
	put(t, x, doc.KindWindow, vector.Entry{ID: place(1, 1, 1, 0), Terms: []string{"tariff"}})
	s.Kill()
	start := time.Now()
	_, err := x.Words(t.Context(), 1, "acme", doc.KindWindow, vector.Terms, []string{"tariff"}, nil, 9)
	if took := time.Since(start); !errors.Is(err, vector.ErrAway) || took > 5*time.Second {
		t.Errorf("words while the server is away: %v after %v", err, took)
	}
	if err := x.Put(t.Context(), 1, "acme", doc.KindWindow, []vector.Entry{{ID: place(1, 1, 1, 1)}}); !errors.Is(err, vector.ErrAway) {
		t.Errorf("put while the server is away: %v", err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	start = time.Now()
	eventually(t, "words after the server's return", func() bool {
		hits, err := x.Words(t.Context(), 1, "acme", doc.KindWindow, vector.Terms, []string{"tariff"}, nil, 9)
		return err == nil && len(hits) == 1
	})
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("back after %v", took)
	}
}
