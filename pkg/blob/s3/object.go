package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/fingerpost/fingerpost/pkg/blob"
)

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
		if sealed(reason) {
			return blob.Info{Bucket: bucket, Key: key, Sealed: true}, nil
		}
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
