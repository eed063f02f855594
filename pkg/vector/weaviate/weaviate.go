// Package weaviate is the index in a Weaviate server (1.27 or newer; tested with 1.35.2).
//
// A build is four classes with a tenant each for our tenants: Node, Window and Row are searched by words, Chunk by
// vector only, so that a vector that comes later is a plain insert. The classes' layout is in schemas/weaviate. An
// entry's UUID is its doc.EntryID, so that a hit needs no property read. The analysed terms stand in a property whose
// tokenization splits at white space only.
//
// Lists are asked by gRPC, ids and scores only, each a request of its own so that those of one question run side by
// side; without a gRPC address everything goes by REST and GraphQL, about twice as slow.
//
// Where the server differs from the port's formula: deleted and overwritten entries count in n until the server
// merges its segments; the mean length leaves out entries without words; each class by words holds two reserved entries
// a tenant (see reserved.go), which count in N and in the mean. So scores come near the formula's, and the order may
// differ; what is found does not. Words that the server has not yet written to disk (after 5 s, by the setting in
// scripts/servers-weaviate) rank by the order of writing where a list is shorter than what they match. Vectors are
// searched by HNSW, which may miss one of the best now and then.
//
// The connection is checked as the URL says: with https both ways verify the server's certificate (the client
// library's own gRPC would not, so it is not used).
package weaviate

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/weaviate/weaviate-go-client/v4/weaviate"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Index is a vector.Index. Use Open.
type Index struct {
	conf   Config
	rest   *weaviate.Client
	http   *http.Transport
	wire   wire
	pace   pace
	closed func() error
	server string // its version

	mu      sync.Mutex
	classes map[string]class     // those seen in the schema, by name
	guarded map[tenantClass]bool // where this process knows the reserved entries to be
	counts  counts
}

// tenantClass is one tenant's part of a class.
type tenantClass struct {
	class  string
	tenant doc.Tenant
}

// wire is how entries and lists travel: by gRPC, or by REST and GraphQL. Errors are those of explain.
type wire interface {
	// write puts objects of one class and tenant; an error names the first object that was refused.
	write(ctx context.Context, to tenantClass, objects []object) error
	// list is what a query finds, in the server's order; the walk gives ids without scores.
	list(ctx context.Context, q query) ([]vector.Hit, error)
	// remove deletes by id and returns how many there were.
	remove(ctx context.Context, from tenantClass, ids []doc.EntryID) (int, error)
}

// query is one list to ask for: by words (property and tokens), by vector, or neither: then a walk in order of ids.
type query struct {
	tenantClass
	property string
	tokens   string
	vector   []float32
	docs     vector.Filter // nil: all
	versions *versions     // only those
	after    *doc.EntryID  // the walk goes on behind it
	limit    int
}

// versions are the generations from..to of a document, both included.
type versions struct {
	doc      doc.Prefix
	from, to doc.Generation
}

// maxLimit is the longest list a server gives with its own defaults (QUERY_MAXIMUM_RESULTS). Longer ones are cut to it.
const maxLimit = 10_000

// Open connects and looks at the classes there are. Errors: vector.ErrAway after a few tries; vector.ErrNewer when a newer
// version of the program made a class; a sentence when the key is refused or the server is too old.
func Open(ctx context.Context, c Config) (*Index, error) {
	x := &Index{conf: c, classes: map[string]class{}, guarded: map[tenantClass]bool{}, counts: newCounts(time.Now)}
	if err := x.dial(); err != nil {
		return nil, fmt.Errorf("index at %s: %w", c.URL, err)
	}
	err := x.try(ctx, func(ctx context.Context) error { return x.greet(ctx) })
	if err == nil {
		err = x.survey(ctx)
	}
	if err != nil {
		x.Close()
		return nil, fmt.Errorf("open index at %s: %w", c.URL, err)
	}
	return x, nil
}

// Version is the server's, as it was at Open.
func (x *Index) Version() string { return x.server }

// Close ends the connections. A second Close is no error.
func (x *Index) Close() error {
	x.http.CloseIdleConnections()
	if x.closed == nil {
		return nil
	}
	err := x.closed()
	x.closed = nil
	return err
}
