// Package mem is object storage in memory: the twin that the real stores are held against, and
// the store of unit tests. It keeps one version of each object.
package mem

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/blob"
)

// Store is a blob.Store in memory. The zero value is ready and has no bucket.
type Store struct {
	mu      sync.RWMutex
	buckets map[string]map[string]object
}

type object struct {
	info blob.Info
	data []byte
}

var _ blob.Store = (*Store)(nil)

// New is an empty store with these buckets.
func New(buckets ...string) *Store {
	s := &Store{buckets: map[string]map[string]object{}}
	for _, b := range buckets {
		s.buckets[b] = map[string]object{}
	}
	return s
}

// Head says what is stored under the key.
func (s *Store) Head(ctx context.Context, bucket, key string) (blob.Info, error) {
	o, err := s.find(ctx, "head", bucket, key)
	return o.info, err
}

// Get reads the object or the range in o. A VersionID is never found: there are no versions.
func (s *Store) Get(ctx context.Context, bucket, key string, o blob.GetOptions) (io.ReadCloser, blob.Info, error) {
	obj, err := s.find(ctx, "get", bucket, key)
	if err != nil {
		return nil, blob.Info{}, err
	}
	if o.VersionID != "" {
		return nil, blob.Info{}, fmt.Errorf("get %s/%s version %s: %w", bucket, key, o.VersionID, blob.ErrNotFound)
	}
	if o.IfMatch != "" && o.IfMatch != obj.info.ETag {
		return nil, blob.Info{}, fmt.Errorf("get %s/%s: %w", bucket, key, blob.ErrPrecondition)
	}
	start, end, err := o.Span(int64(len(obj.data)))
	if err != nil {
		return nil, blob.Info{}, fmt.Errorf("get %s/%s: %w", bucket, key, err)
	}
	return io.NopCloser(bytes.NewReader(obj.data[start:end])), obj.info, nil
}

// Put stores the object once r has given all its bytes.
func (s *Store) Put(ctx context.Context, bucket, key string, r io.Reader, size int64, o blob.PutOptions) (blob.Info, error) {
	if err := blob.CheckKey(key); err != nil {
		return blob.Info{}, fmt.Errorf("put %s/%s: %w", bucket, key, err)
	}
	data, err := readSize(r, size)
	if err != nil {
		return blob.Info{}, fmt.Errorf("put %s/%s: %w", bucket, key, err)
	}
	sum := md5.Sum(data)
	info := blob.Info{
		Bucket: bucket, Key: key, ETag: hex.EncodeToString(sum[:]), Size: int64(len(data)),
		Modified: time.Now().UTC(), ContentType: o.ContentType, Meta: lower(o.Meta),
	}
	if info.ContentType == "" {
		info.ContentType = "application/octet-stream"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx, bucket); err != nil {
		return blob.Info{}, fmt.Errorf("put %s/%s: %w", bucket, key, err)
	}
	s.buckets[bucket][key] = object{info, data}
	info.ContentType, info.Meta = "", nil
	return info, nil
}

// Delete removes the object.
func (s *Store) Delete(ctx context.Context, bucket, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx, bucket); err != nil {
		return fmt.Errorf("delete %s/%s: %w", bucket, key, err)
	}
	if err := blob.CheckKey(key); err != nil {
		return fmt.Errorf("delete %s/%s: %w", bucket, key, err)
	}
	delete(s.buckets[bucket], key)
	return nil
}

// List walks the keys as they were when the walk began.
func (s *Store) List(ctx context.Context, bucket, prefix, after string) iter.Seq2[blob.Info, error] {
	return func(yield func(blob.Info, error) bool) {
		infos, err := s.snapshot(ctx, bucket, prefix, after)
		if err != nil {
			yield(blob.Info{}, fmt.Errorf("list %s/%s: %w", bucket, prefix, err))
			return
		}
		for _, i := range infos {
			if err := ctx.Err(); err != nil {
				yield(blob.Info{}, fmt.Errorf("list %s/%s: %w", bucket, prefix, err))
				return
			}
			if !yield(i, nil) {
				return
			}
		}
	}
}

// MakeBucket makes the bucket.
func (s *Store) MakeBucket(ctx context.Context, bucket string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("make bucket %s: %w", bucket, err)
	}
	if s.buckets == nil {
		s.buckets = map[string]map[string]object{}
	}
	if s.buckets[bucket] == nil {
		s.buckets[bucket] = map[string]object{}
	}
	return nil
}

// RemoveBucket takes a bucket away with all that is in it, as an operator may.
func (s *Store) RemoveBucket(bucket string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.buckets, bucket)
}

func (s *Store) find(ctx context.Context, verb, bucket, key string) (object, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	err := s.usable(ctx, bucket)
	if err == nil {
		err = blob.CheckKey(key)
	}
	if err != nil {
		return object{}, fmt.Errorf("%s %s/%s: %w", verb, bucket, key, err)
	}
	o, ok := s.buckets[bucket][key]
	if !ok {
		return object{}, fmt.Errorf("%s %s/%s: %w", verb, bucket, key, blob.ErrNotFound)
	}
	o.info.Meta = maps.Clone(o.info.Meta)
	return o, nil
}

func (s *Store) usable(ctx context.Context, bucket string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, ok := s.buckets[bucket]; !ok {
		return blob.ErrNoBucket
	}
	return nil
}

func (s *Store) snapshot(ctx context.Context, bucket, prefix, after string) ([]blob.Info, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx, bucket); err != nil {
		return nil, err
	}
	keys := slices.Collect(maps.Keys(s.buckets[bucket]))
	sort.Strings(keys)
	var infos []blob.Info
	for _, k := range keys {
		if strings.HasPrefix(k, prefix) && k > after {
			i := s.buckets[bucket][k].info
			i.ContentType, i.Meta = "", nil
			infos = append(infos, i)
		}
	}
	return infos, nil
}

// readSize reads exactly size bytes (-1: all) of r.
func readSize(r io.Reader, size int64) ([]byte, error) {
	if size < 0 {
		return io.ReadAll(r)
	}
	data, err := io.ReadAll(io.LimitReader(r, size))
	if err == nil && int64(len(data)) < size {
		err = io.ErrUnexpectedEOF
	}
	return data, err
}

func lower(m map[string]string) map[string]string {
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[strings.ToLower(k)] = v
	}
	return out
}
