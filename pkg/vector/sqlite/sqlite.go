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
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"
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

// Open opens or makes the index and loads it. Errors: ErrNewer, ErrCorrupt, ErrReadOnly, ErrFull, each with what to do.
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

// Put implements vector.Index.
func (x *Index) Put(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, entries []vector.Entry) error {
	if _, ok := tableOf[k]; !ok {
		return fmt.Errorf("index: no such kind of entry: %q", k)
	}
	batch := mem.NewBatch(k)
	for _, e := range entries {
		if err := batch.Add(e); err != nil {
			return err
		}
	}
	if batch.Len() == 0 {
		return ctx.Err()
	}
	batch.Seal()
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.mem.Check(b, t, k, batch); err != nil {
		return err
	}
	if err := x.store(ctx, b, t, k, batch); err != nil {
		return x.explain("put", err)
	}
	return x.mem.Apply(context.WithoutCancel(ctx), b, t, k, batch)
}

// store commits a batch. x.mu is held.
func (x *Index) store(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, batch *mem.Batch) error {
	st, err := x.build(ctx, b)
	if err != nil {
		return err
	}
	tenant, err := x.tenant(ctx, t)
	if err != nil {
		return err
	}
	x.schema.RLock()
	defer x.schema.RUnlock()
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	n, err := insert(ctx, tx.StmtContext(ctx, st[k].put), tenant, batch)
	if err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	x.log.wrote(n)
	return nil
}

// insert writes the entries of a batch and returns about how many bytes they are.
func insert(ctx context.Context, put *sql.Stmt, tenant int64, batch *mem.Batch) (n int, err error) {
	var bags [2][]byte
	var vec []byte
	for i := range batch.Len() {
		id := batch.ID(i)
		bags[0], bags[1], vec = batch.Bag(bags[0][:0], i, 0), batch.Bag(bags[1][:0], i, 1), vec[:0]
		for _, f := range batch.Vector(i) {
			vec = binary.LittleEndian.AppendUint32(vec, math.Float32bits(f))
		}
		if _, err := put.ExecContext(ctx, tenant, id[:], null(bags[0]), null(bags[1]), null(vec)); err != nil {
			return 0, err
		}
		n += len(id) + len(bags[0]) + len(bags[1]) + len(vec)
	}
	return n, nil
}

// null is nil for no bytes, which takes no space in the row.
func null(b []byte) any {
	if len(b) == 0 {
		return nil
	}
	return b
}

// Purge implements vector.Index.
func (x *Index) Purge(ctx context.Context, b vector.Build, t doc.Tenant, p doc.Prefix, from, to doc.Generation) (int, error) {
	if from > to {
		return 0, ctx.Err()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	n, err := x.remove(ctx, b, t, p, from, to)
	if err != nil {
		return 0, x.explain("purge", err)
	}
	if _, err := x.mem.Purge(context.WithoutCancel(ctx), b, t, p, from, to); err != nil {
		return 0, err
	}
	return n, nil
}

func (x *Index) remove(ctx context.Context, b vector.Build, t doc.Tenant, p doc.Prefix, from, to doc.Generation) (int, error) {
	x.schema.RLock()
	defer x.schema.RUnlock()
	st, tenant := x.builds[b], x.tenants[t]
	if st == nil || tenant == 0 {
		return 0, ctx.Err()
	}
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	total := 0
	first, last := span(p, from, to)
	for _, k := range doc.Kinds {
		r, err := tx.StmtContext(ctx, st[k].purge).ExecContext(ctx, tenant, first, last)
		if err != nil {
			return 0, err
		}
		n, err := r.RowsAffected()
		if err != nil {
			return 0, err
		}
		total += int(n)
	}
	x.log.wrote(total * 64)
	return total, tx.Commit()
}

// span is the first and the last id that entries of document p in generations [from, to] can have.
func span(p doc.Prefix, from, to doc.Generation) (first, last []byte) {
	a := doc.Place{Prefix: p, Generation: min(from, doc.MaxGeneration)}.ID()
	z := doc.Place{Prefix: p, Generation: min(to, doc.MaxGeneration), Node: doc.MaxNode, Ordinal: doc.MaxOrdinal, Flags: 15}.ID()
	return a[:], z[:]
}

// Count implements vector.Index, from the file. Kinds without entries are left out.
func (x *Index) Count(ctx context.Context, b vector.Build, t doc.Tenant, p doc.Prefix, g doc.Generation) (map[doc.Kind]int, error) {
	tenant := x.known(t)
	x.schema.RLock()
	defer x.schema.RUnlock()
	out := map[doc.Kind]int{}
	st := x.builds[b]
	if st == nil || tenant == 0 {
		return out, ctx.Err()
	}
	first, last := span(p, g, g)
	for _, k := range doc.Kinds {
		n := 0
		if err := st[k].count.QueryRowContext(ctx, tenant, first, last).Scan(&n); err != nil {
			return nil, x.explain("count", err)
		}
		if n > 0 {
			out[k] = n
		}
	}
	return out, nil
}

// Each implements vector.Index, from the file. f may call the index, but not DropBuild.
func (x *Index) Each(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, f func(doc.EntryID) error) error {
	var after []byte
	for {
		ids, err := x.page(ctx, b, t, k, after)
		if err != nil {
			return x.explain("walk", err)
		}
		for _, id := range ids {
			if err := f(id); err != nil {
				return err
			}
		}
		if len(ids) < pageSize {
			return ctx.Err()
		}
		after = ids[len(ids)-1][:]
	}
}

// pageSize is how many ids Each reads at once, so that no statement is open while f runs.
const pageSize = 4096

func (x *Index) page(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, after []byte) ([]doc.EntryID, error) {
	tenant := x.known(t)
	x.schema.RLock()
	defer x.schema.RUnlock()
	st := x.builds[b][k]
	if st == nil || tenant == 0 {
		return nil, nil
	}
	rows, err := st.page.QueryContext(ctx, tenant, append([]byte{}, after...), pageSize)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []doc.EntryID
	var id sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		if len(id) != len(doc.EntryID{}) {
			return nil, fmt.Errorf("%w: an id of %d bytes", errDamage, len(id))
		}
		out = append(out, doc.EntryID(id))
	}
	return out, rows.Err()
}

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

// checkpointer moves the write-ahead log into the file, beside the writers, so that no Put waits for the disk.
type checkpointer struct {
	bytes atomic.Int64 // written since the last time
	wake  chan struct{}
	done  chan struct{}
	once  sync.Once
}

// When the log is moved, and from what length on writers are held up until all of it is.
const (
	moveBytes  = 8 << 20
	stopFrames = 64 << 10
)

func (c *checkpointer) start(x *Index) {
	c.wake, c.done = make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(c.done)
		for range c.wake {
			c.move(x)
		}
	}()
}

func (c *checkpointer) wrote(n int) {
	if c.bytes.Add(int64(n)) < moveBytes {
		return
	}
	c.bytes.Store(0)
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// move copies what is committed; an error is left to the next time, or to Close.
func (c *checkpointer) move(x *Index) {
	var busy, frames, moved int
	err := x.read.QueryRow("PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &frames, &moved)
	if err != nil || frames < stopFrames {
		return
	}
	x.schema.Lock()
	defer x.schema.Unlock()
	x.write.QueryRow("PRAGMA wal_checkpoint(RESTART)").Scan(&busy, &frames, &moved)
}

func (c *checkpointer) stop() {
	if c.wake == nil {
		return
	}
	c.once.Do(func() { close(c.wake) })
	<-c.done
}
