// Package blob is the port to object storage: source buckets and the derived bucket.
//
// Contract, held by blobtest on every vendor: a Get without IfMatch reads the present version
// whole or fails; a range read transfers exactly the bytes asked for or fails with ErrRange; Put
// is atomic (a reader sees the old object or the new one); List is in key order (by bytes) and says every object once; methods are
// safe for concurrent use; the caller retries, the vendor does not hide errors. Errors wrap the
// sentinels below; anything else is an outage or a programming error.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"
)

// The sentinel errors.
var (
	ErrNotFound     = errors.New("object not found")
	ErrNoBucket     = errors.New("bucket not found")
	ErrDenied       = errors.New("access denied")
	ErrPrecondition = errors.New("object changed")           // If-Match did not hold
	ErrRange        = errors.New("range outside the object") // it starts or ends past the last byte
	ErrBadKey       = errors.New("key not allowed by the store")
	ErrFull         = errors.New("store is full")
	ErrAway         = errors.New("store does not answer")
)

// Reasons of ErrDenied, where the store tells one; without them the keys are good and lack a right.
var (
	ErrKeys = fmt.Errorf("%w: the store does not accept these keys", ErrDenied)
	ErrSkew = fmt.Errorf("%w: the store's clock is too far from this machine's", ErrDenied)
)

// Info is what HEAD says of an object. List and Put leave ContentType and Meta empty.
type Info struct {
	Bucket, Key string
	ETag        string // without quotes
	VersionID   string // "" in an unversioned bucket
	Size        int64  // bytes of the whole object, also after a range read
	Modified    time.Time
	ContentType string
	Meta        map[string]string // x-amz-meta-*, lower-case names without the prefix
	// Sealed, of Head: the object is encrypted by a key that only its writer has (SSE-C). The store tells nothing else of it.
	Sealed bool
}

// GetOptions narrows a Get.
type GetOptions struct {
	Offset    int64  // first byte, from 0
	Length    int64  // number of bytes; 0: to the end of the object
	IfMatch   string // ETag without quotes; "" for none
	VersionID string // "" for the present version
}

// PutOptions describes a Put.
type PutOptions struct {
	ContentType string
	Meta        map[string]string
}

// Store is one object store. Bucket names and keys are raw (never escaped).
type Store interface {
	Head(ctx context.Context, bucket, key string) (Info, error)
	// Get returns a reader that the caller closes, and the Info of the version it reads.
	Get(ctx context.Context, bucket, key string, o GetOptions) (io.ReadCloser, Info, error)
	// Put stores size bytes of r (size -1: until EOF). A reader that fails or ends early stores
	// nothing.
	Put(ctx context.Context, bucket, key string, r io.Reader, size int64, o PutOptions) (Info, error)
	// Delete removes the object; a missing object is no error.
	Delete(ctx context.Context, bucket, key string) error
	// List walks the keys with the prefix that sort after `after`. An error ends the walk; it is
	// yielded with a zero Info. Breaking off the loop frees what the walk holds.
	List(ctx context.Context, bucket, prefix, after string) iter.Seq2[Info, error]
	// MakeBucket makes the bucket; an existing one is no error.
	MakeBucket(ctx context.Context, bucket string) error
}

// ReadAll reads an object (or the range in o) of at most limit bytes; a longer one is an error.
func ReadAll(ctx context.Context, s Store, bucket, key string, o GetOptions, limit int64) ([]byte, Info, error) {
	r, info, err := s.Get(ctx, bucket, key, o)
	if err != nil {
		return nil, info, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, info, err
	}
	if int64(len(b)) > limit {
		return nil, info, &TooLargeError{Bucket: bucket, Key: key, Limit: limit}
	}
	return b, info, nil
}

// TooLargeError says that an object is longer than the caller takes.
type TooLargeError struct {
	Bucket, Key string
	Limit       int64 // bytes
}

func (e *TooLargeError) Error() string {
	return "object " + e.Bucket + "/" + e.Key + " is over the size limit"
}
