package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/fingerpost/fingerpost/pkg/blob"
)

// partSize is the greatest upload in one request and the size of a part of a larger one, in
// bytes. A Put holds at most one in memory. S3 takes 10,000 parts: 160 GB.
const partSize = 16 << 20

// Put stores up to 16 MiB in one request with the hash of the body in its signature, more as a
// multipart upload, which is abandoned when the reader fails.
func (s *Store) Put(ctx context.Context, bucket, key string, r io.Reader, size int64, o blob.PutOptions) (blob.Info, error) {
	what := "put " + bucket + "/" + key
	if err := blob.CheckKey(key); err != nil {
		return blob.Info{}, fmt.Errorf("%s: %w", what, err)
	}
	opts := minio.PutObjectOptions{ContentType: o.ContentType, UserMetadata: o.Meta, PartSize: partSize, NumThreads: 1,
		ServerSideEncryption: s.sse}
	src := &source{r: r}
	head, whole, err := readHead(src, size)
	if err != nil {
		return blob.Info{}, fmt.Errorf("%s: %w", what, err)
	}
	var up minio.UploadInfo
	if whole {
		sum := sha256.Sum256(head)
		opts.DisableContentSha256 = true // signed as a whole instead of in chunks
		up, err = s.core.PutObject(ctx, bucket, key, bytes.NewReader(head), int64(len(head)), "", hex.EncodeToString(sum[:]), opts)
	} else {
		up, err = s.core.Client.PutObject(ctx, bucket, key, io.MultiReader(bytes.NewReader(head), src), size, opts)
	}
	if src.err != nil { // the reader's fault, however the client words it
		return blob.Info{}, fmt.Errorf("%s: %w", what, src.err)
	}
	if err != nil {
		return blob.Info{}, wrap(ctx, s.reason(ctx, bucket, key, err), what)
	}
	return blob.Info{
		Bucket: bucket, Key: key, ETag: strings.Trim(up.ETag, `"`), VersionID: version(up.VersionID),
		Size: int64(len(head)) + src.n, Modified: up.LastModified,
	}, nil
}

// reason looks behind a connection that broke off during an upload: a store that refuses an upload
// before it has read all of it often answers into a connection that the client no longer reads. A
// GET then tells a missing bucket, wrong keys or a bad key; else err stays.
func (s *Store) reason(ctx context.Context, bucket, key string, err error) error {
	if network(err) == nil {
		return err
	}
	asked := s.ask(ctx, bucket, key)
	if asked == nil {
		return err
	}
	switch sentinel(asked) {
	case blob.ErrNoBucket, blob.ErrDenied, blob.ErrBadKey:
		return asked
	}
	return err
}

// readHead reads the whole of r when it has at most partSize bytes.
func readHead(r *source, size int64) (head []byte, whole bool, err error) {
	if size > partSize {
		return nil, false, nil
	}
	if size < 0 {
		head, err = io.ReadAll(io.LimitReader(r, partSize))
		whole = len(head) < partSize
		r.n -= int64(len(head))
		return head, whole, err
	}
	head = make([]byte, size)
	if _, err = io.ReadFull(r, head); err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	r.n -= size
	return head, true, err
}

// source remembers what went wrong with the caller's reader and counts its bytes.
type source struct {
	r   io.Reader
	n   int64
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.n += int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
