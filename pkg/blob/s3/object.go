package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/fingerpost/fingerpost/pkg/blob"
)

// partSize is the greatest upload in one request and the size of a part of a larger one, in
// bytes. A Put holds at most one in memory. S3 takes 10,000 parts: 160 GB.
const partSize = 16 << 20

// Head asks for the present version. A HEAD answer has no body to tell a missing bucket from a
// missing key, or a bad key from an expired token; a GET of one byte then tells the reason.
func (s *Store) Head(ctx context.Context, bucket, key string) (blob.Info, error) {
	what := "head " + bucket + "/" + key
	if err := blob.CheckKey(key); err != nil {
		return blob.Info{}, fmt.Errorf("%s: %w", what, err)
	}
	i, err := s.core.StatObject(ctx, bucket, key, minio.StatObjectOptions{})
	if unclear(err) {
		reason := s.ask(ctx, bucket, key)
		if reason == nil { // it came into being meanwhile
			i, err = s.core.StatObject(ctx, bucket, key, minio.StatObjectOptions{})
		} else {
			err = reason
		}
	}
	if err != nil {
		return blob.Info{}, wrap(ctx, err, what)
	}
	return info(bucket, key, i), nil
}

// ask GETs the first byte for the sake of the error's body. An empty object answers 416: it exists.
func (s *Store) ask(ctx context.Context, bucket, key string) error {
	var o minio.GetObjectOptions
	if err := o.SetRange(0, 0); err != nil {
		return err
	}
	r, _, _, err := s.core.GetObject(ctx, bucket, key, o)
	if err == nil {
		return r.Close()
	}
	if minio.ToErrorResponse(err).StatusCode == http.StatusRequestedRangeNotSatisfiable {
		return nil
	}
	return err
}

// Get opens the object or a range of it.
func (s *Store) Get(ctx context.Context, bucket, key string, o blob.GetOptions) (io.ReadCloser, blob.Info, error) {
	what := "get " + bucket + "/" + key
	if err := errors.Join(blob.CheckKey(key), o.Check()); err != nil {
		return nil, blob.Info{}, fmt.Errorf("%s: %w", what, err)
	}
	opts, err := getOptions(o)
	if err != nil {
		return nil, blob.Info{}, fmt.Errorf("%s: %w", what, err)
	}
	r, i, header, err := s.core.GetObject(ctx, bucket, key, opts)
	if err != nil {
		return nil, blob.Info{}, wrap(ctx, err, what)
	}
	if err := checkRange(o, &i, header); err != nil {
		r.Close()
		return nil, blob.Info{}, fmt.Errorf("%s: %w", what, err)
	}
	return &body{r, ctx, what}, info(bucket, key, i), nil
}

// body words what goes wrong while an object is read.
type body struct {
	io.ReadCloser
	ctx  context.Context
	what string
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	if e := b.ctx.Err(); e != nil {
		return n, fmt.Errorf("%s: %w", b.what, e)
	}
	return n, fmt.Errorf("%s breaks off: %w: %w", b.what, blob.ErrAway, err)
}

func getOptions(o blob.GetOptions) (minio.GetObjectOptions, error) {
	opts := minio.GetObjectOptions{VersionID: o.VersionID}
	if o.IfMatch != "" {
		if err := opts.SetMatchETag(o.IfMatch); err != nil {
			return opts, err
		}
	}
	switch {
	case o.Length > 0:
		end := o.Offset + o.Length - 1
		if end < o.Offset {
			return opts, fmt.Errorf("%d bytes from %d: %w", o.Length, o.Offset, blob.ErrRange)
		}
		return opts, opts.SetRange(o.Offset, end)
	case o.Offset > 0:
		return opts, opts.SetRange(o.Offset, 0)
	}
	return opts, nil
}

// checkRange holds the answer against the question: S3 cuts a range that ends past the object
// and some servers ignore the header and send everything. It sets i.Size to the object's size.
func checkRange(o blob.GetOptions, i *minio.ObjectInfo, h http.Header) error {
	if o.Offset == 0 && o.Length == 0 {
		return nil
	}
	var first, last, size int64
	cr := h.Get("Content-Range")
	if _, err := fmt.Sscanf(cr, "bytes %d-%d/%d", &first, &last, &size); err != nil {
		return fmt.Errorf("the store answered a range request with Content-Range %q: %w", cr, blob.ErrAway)
	}
	i.Size = size
	start, end, err := o.Span(size)
	if err != nil {
		return err
	}
	if first != start || last != end-1 {
		return fmt.Errorf("asked for bytes %d-%d, the store sends %s: %w", start, end-1, cr, blob.ErrAway)
	}
	return nil
}

// Put stores up to 16 MiB in one request with the hash of the body in its signature, more as a
// multipart upload, which is abandoned when the reader fails.
func (s *Store) Put(ctx context.Context, bucket, key string, r io.Reader, size int64, o blob.PutOptions) (blob.Info, error) {
	what := "put " + bucket + "/" + key
	if err := blob.CheckKey(key); err != nil {
		return blob.Info{}, fmt.Errorf("%s: %w", what, err)
	}
	opts := minio.PutObjectOptions{ContentType: o.ContentType, UserMetadata: o.Meta, PartSize: partSize, NumThreads: 1}
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

// Delete removes the present version; in a versioned bucket a delete marker then hides it.
func (s *Store) Delete(ctx context.Context, bucket, key string) error {
	what := "delete " + bucket + "/" + key
	if err := blob.CheckKey(key); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	err := wrap(ctx, s.core.RemoveObject(ctx, bucket, key, minio.RemoveObjectOptions{}), what)
	if errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	return err
}

// List walks the bucket in pages of up to 1,000 keys.
func (s *Store) List(ctx context.Context, bucket, prefix, after string) iter.Seq2[blob.Info, error] {
	return func(yield func(blob.Info, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if err := ctx.Err(); err != nil {
			yield(blob.Info{}, fmt.Errorf("list %s/%s: %w", bucket, prefix, err))
			return
		}
		o := minio.ListObjectsOptions{Prefix: prefix, StartAfter: after, Recursive: true}
		for i := range s.core.ListObjectsIter(ctx, bucket, o) {
			if i.Err != nil {
				yield(blob.Info{}, wrap(ctx, i.Err, "list "+bucket+"/"+prefix))
				return
			}
			if !yield(info(bucket, i.Key, i), nil) {
				return
			}
		}
	}
}

// info translates what the client says.
func info(bucket, key string, i minio.ObjectInfo) blob.Info {
	meta := make(map[string]string, len(i.UserMetadata))
	for k, v := range i.UserMetadata {
		meta[strings.ToLower(k)] = v
	}
	return blob.Info{
		Bucket: bucket, Key: key, ETag: strings.Trim(i.ETag, `"`), VersionID: version(i.VersionID),
		Size: i.Size, Modified: i.LastModified, ContentType: i.ContentType, Meta: meta,
	}
}

// version is the id of a version. "null" is the one version of an unversioned time: HEAD of a
// suspended bucket leaves it out where lists write it, so it is left out everywhere.
func version(id string) string {
	if id == "null" {
		return ""
	}
	return id
}
