// Package faulty wraps a blob.Store so that calls fail on purpose: errors, reads in single
// bytes, bodies that break off.
package faulty

import (
	"context"
	"io"
	"iter"
	"testing/iotest"

	"github.com/fingerpost/fingerpost/pkg/blob"
)

// Op names a method of blob.Store.
type Op string

// The operations.
const (
	Head       Op = "head"
	Get        Op = "get"
	Put        Op = "put"
	Delete     Op = "delete"
	List       Op = "list"
	MakeBucket Op = "make bucket"
)

// Fault is what happens to one call. The zero Fault lets it pass.
type Fault struct {
	Err error // the call fails with it and does nothing (for List: after After keys)
	// After breaks a Get's body off after that many bytes with io.ErrUnexpectedEOF (0: not), and a List
	// after that many keys with Err.
	After int64
	Short bool  // the Get's body hands over one byte a Read
	Late  error // the call does its work, then fails with it: an answer lost on the way
}

// Store fails calls of the wrapped store as Plan says.
type Store struct {
	blob.Store
	Plan func(op Op, bucket, key string) Fault // called once a call, from many goroutines; List gives the prefix
}

var _ blob.Store = (*Store)(nil)

// Head fails or passes on.
func (s *Store) Head(ctx context.Context, bucket, key string) (blob.Info, error) {
	f := s.Plan(Head, bucket, key)
	if f.Err != nil {
		return blob.Info{}, f.Err
	}
	info, err := s.Store.Head(ctx, bucket, key)
	return info, late(err, f)
}

// Get fails, passes on, or spoils the body.
func (s *Store) Get(ctx context.Context, bucket, key string, o blob.GetOptions) (io.ReadCloser, blob.Info, error) {
	f := s.Plan(Get, bucket, key)
	if f.Err != nil {
		return nil, blob.Info{}, f.Err
	}
	r, info, err := s.Store.Get(ctx, bucket, key, o)
	if err != nil {
		return nil, info, err
	}
	if f.Late != nil {
		r.Close()
		return nil, blob.Info{}, f.Late
	}
	return spoil(r, f), info, nil
}

// Put fails or passes on.
func (s *Store) Put(ctx context.Context, bucket, key string, r io.Reader, size int64, o blob.PutOptions) (blob.Info, error) {
	f := s.Plan(Put, bucket, key)
	if f.Err != nil {
		return blob.Info{}, f.Err
	}
	info, err := s.Store.Put(ctx, bucket, key, r, size, o)
	return info, late(err, f)
}

// Delete fails or passes on.
func (s *Store) Delete(ctx context.Context, bucket, key string) error {
	f := s.Plan(Delete, bucket, key)
	if f.Err != nil {
		return f.Err
	}
	return late(s.Store.Delete(ctx, bucket, key), f)
}

// MakeBucket fails or passes on.
func (s *Store) MakeBucket(ctx context.Context, bucket string) error {
	f := s.Plan(MakeBucket, bucket, "")
	if f.Err != nil {
		return f.Err
	}
	return late(s.Store.MakeBucket(ctx, bucket), f)
}

// List passes on the first After keys, then fails with Err when there is one.
func (s *Store) List(ctx context.Context, bucket, prefix, after string) iter.Seq2[blob.Info, error] {
	f := s.Plan(List, bucket, prefix)
	if f.Err == nil {
		return s.Store.List(ctx, bucket, prefix, after)
	}
	return func(yield func(blob.Info, error) bool) {
		left := f.After
		for i, err := range s.Store.List(ctx, bucket, prefix, after) {
			if left == 0 {
				break
			}
			if left--; !yield(i, err) {
				return
			}
		}
		yield(blob.Info{}, f.Err)
	}
}

func late(err error, f Fault) error {
	if err == nil {
		return f.Late
	}
	return err
}

// spoil is r with the faults of its body.
func spoil(r io.ReadCloser, f Fault) io.ReadCloser {
	var body io.Reader = r
	if f.After > 0 {
		body = io.MultiReader(io.LimitReader(body, f.After), iotest.ErrReader(io.ErrUnexpectedEOF))
	}
	if f.Short {
		body = iotest.OneByteReader(body)
	}
	return struct {
		io.Reader
		io.Closer
	}{body, r}
}
