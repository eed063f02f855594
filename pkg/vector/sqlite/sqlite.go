// Package sqlite is the embedded index: a SQLite file is the durable truth, searches run in
// memory (pkg/vector/mem) over what was loaded from it at start and updated after each commit.
//
// One file, with its write-ahead log and its lock beside it; one process at a time. Commits do not wait
// for the disk (synchronous NORMAL): what was committed survives kill -9, because the operating system has it; a power
// failure may take the last commits, never a part of one. The index is derived from the bucket, so a
// count against the manifest finds what is missing and the document is indexed once more.
//
// A build has a table a kind, so that dropping a build is dropping tables; the file's space is used again, not
// given back. An entry is a row: its words as distinct terms with their times, or its vector as little-endian float32.
package sqlite

import (
	"context"
	"database/sql"
	"os"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
)

// DefaultMaxEntries is a limit for a machine that has 2 GB for the index: see pkg/vector/mem for bytes an entry.
const DefaultMaxEntries = 1_000_000

// Config says where the index lies and how large it may grow.
type Config struct {
	Path string // of the file; its folder exists
	// MaxEntries is the most entries in all builds and tenants together, because they are held in
	// memory; 0 is no limit.
	MaxEntries int
}

// Index is a vector.Index. Use Open.
type Index struct {
	path  string
	lock  *sql.DB // holds the lock of the file while open
	write *sql.DB // one connection
	read  *sql.DB
	mem   *mem.Index

	took   time.Duration // of loading
	loaded int

	mu      sync.Mutex // one writer; held from the commit to the change in memory
	tenants map[doc.Tenant]int64

	schema sync.RWMutex // held for reading by every statement on a build's tables
	builds map[vector.Build]map[doc.Kind]*statements

	log checkpointer
}

// Open opens or makes the index and loads it. Errors: ErrNewer, ErrCorrupt, ErrReadOnly, ErrNoRoom, ErrFull, each with what to do.
func Open(ctx context.Context, c Config) (*Index, error) {
	x := &Index{path: c.Path, mem: mem.New(0), tenants: map[doc.Tenant]int64{}, builds: map[vector.Build]map[doc.Kind]*statements{}}
	err := x.open(ctx)
	if err == nil {
		err = x.load(ctx)
	}
	if err != nil {
		x.Close()
		return nil, x.explain("open", err)
	}
	x.mem.Limit(c.MaxEntries)
	x.log.start(x)
	return x, nil
}

// Loaded is how many entries were loaded at start, and in what time.
func (x *Index) Loaded() (entries int, took time.Duration) { return x.loaded, x.took }

// Words implements vector.Index, in memory.
func (x *Index) Words(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, f vector.Field, terms []string, docs vector.Filter, limit int) ([]vector.Hit, error) {
	return x.mem.Words(ctx, b, t, k, f, terms, docs, limit)
}

// Near implements vector.Index, in memory.
func (x *Index) Near(ctx context.Context, b vector.Build, t doc.Tenant, v []float32, docs vector.Filter, limit int) ([]vector.Hit, error) {
	return x.mem.Near(ctx, b, t, v, docs, limit)
}

// Frequencies implements vector.Index, in memory.
func (x *Index) Frequencies(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, f vector.Field, terms []string) ([]int, int, error) {
	return x.mem.Frequencies(ctx, b, t, k, f, terms)
}

// Stats is what tenant t holds of build b, in memory.
func (x *Index) Stats(b vector.Build, t doc.Tenant) vector.Stats { return x.mem.Stats(b, t) }

// Close ends merges and closes the file. Calls after it are errors; a second Close is none.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.log.stop()
	var first error
	for _, db := range []*sql.DB{x.read, x.write, x.lock} {
		if db == nil {
			continue
		}
		if err := db.Close(); err != nil && first == nil {
			first = x.explain("close", err)
		}
	}
	if err := x.mem.Close(); err != nil && first == nil {
		first = err
	}
	return first
}

// Size is the bytes of the file and its log.
func (x *Index) Size() (n int64) {
	for _, p := range []string{x.path, x.path + "-wal"} {
		if s, err := os.Stat(p); err == nil {
			n += s.Size()
		}
	}
	return n
}
