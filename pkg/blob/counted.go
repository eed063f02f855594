package blob

import (
	"context"
	"io"
	"iter"
	"sync/atomic"
)

// Counted counts what passes through a Store: a test proves with it that a resolve read exactly
// the pointed bytes. The zero value with a Store is ready; safe for concurrent use.
type Counted struct {
	Store
	heads, gets, puts, deletes, lists atomic.Int64
	read, written                     atomic.Int64
}

// Counts is a reading of a Counted, in calls and bytes. Bytes count what the caller's reader
// handed over, in Gets and Puts that failed too.
type Counts struct {
	Heads, Gets, Puts, Deletes, Lists int64
	Read, Written                     int64 // bytes
}

// Count wraps s.
func Count(s Store) *Counted { return &Counted{Store: s} }

// Counts is the reading since the start or the last Reset.
func (c *Counted) Counts() Counts {
	return Counts{
		Heads: c.heads.Load(), Gets: c.gets.Load(), Puts: c.puts.Load(),
		Deletes: c.deletes.Load(), Lists: c.lists.Load(),
		Read: c.read.Load(), Written: c.written.Load(),
	}
}

// Reset starts from zero. It is not atomic with calls under way.
func (c *Counted) Reset() {
	for _, n := range []*atomic.Int64{&c.heads, &c.gets, &c.puts, &c.deletes, &c.lists, &c.read, &c.written} {
		n.Store(0)
	}
}

// Head counts and passes on.
func (c *Counted) Head(ctx context.Context, bucket, key string) (Info, error) {
	c.heads.Add(1)
	return c.Store.Head(ctx, bucket, key)
}

// Get counts and passes on; the bytes are counted as they are read.
func (c *Counted) Get(ctx context.Context, bucket, key string, o GetOptions) (io.ReadCloser, Info, error) {
	c.gets.Add(1)
	r, info, err := c.Store.Get(ctx, bucket, key, o)
	if err != nil {
		return nil, info, err
	}
	return struct {
		io.Reader
		io.Closer
	}{tally{r, &c.read}, r}, info, nil
}

// Put counts and passes on.
func (c *Counted) Put(ctx context.Context, bucket, key string, r io.Reader, size int64, o PutOptions) (Info, error) {
	c.puts.Add(1)
	return c.Store.Put(ctx, bucket, key, tally{r, &c.written}, size, o)
}

// Delete counts and passes on.
func (c *Counted) Delete(ctx context.Context, bucket, key string) error {
	c.deletes.Add(1)
	return c.Store.Delete(ctx, bucket, key)
}

// List counts and passes on.
func (c *Counted) List(ctx context.Context, bucket, prefix, after string) iter.Seq2[Info, error] {
	c.lists.Add(1)
	return c.Store.List(ctx, bucket, prefix, after)
}

// tally adds the bytes read through it to n.
type tally struct {
	r io.Reader
	n *atomic.Int64
}

func (t tally) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.n.Add(int64(n))
	return n, err
}
