// Package blobtest is the conformance suite of the blob port: what every vendor must do alike.
package blobtest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/blob"
)

// Options says where a store may differ within the contract.
type Options struct {
	// RemoveBucket takes a bucket away with what is in it; nil leaves that part out.
	RemoveBucket func(ctx context.Context, bucket string) error
	// Files says that keys are paths of a file system: a key cannot lie below another one, and a
	// key that ends in a slash holds no bytes. The suite then asks for ErrBadKey there.
	Files bool
	// Cleans says that the store takes path steps out of keys, so that x/../y.md is another name of y.md. A key that
	// would leave its bucket is refused all the same.
	Cleans bool
	// Pages is the number of keys of the long listing, 0 for 1,100 (more than one page of S3).
	Pages int
}

// Run holds s against the contract, in buckets of its own.
func Run(t *testing.T, s blob.Store, o Options) {
	parts := []struct {
		name string
		test func(*testing.T, blob.Store, Options)
	}{
		{"round trip", roundTrip}, {"metadata", metadata}, {"ranges", ranges}, {"if-match", ifMatch},
		{"missing", missing}, {"broken reader", brokenReader}, {"overwrite is atomic", atomic},
		{"delete", deletes}, {"keys", keys}, {"refused keys", refused}, {"files", files},
		{"list order", listOrder}, {"list pages", listPages}, {"cancelled", cancelled},
		{"bucket removed", bucketRemoved}, {"at once", atOnce},
	}
	for _, p := range parts {
		t.Run(p.name, func(t *testing.T) { p.test(t, s, o) })
	}
}

// newBucket makes a bucket with a name that nobody used before.
func newBucket(t *testing.T, s blob.Store) string {
	t.Helper()
	var b [6]byte
	rand.Read(b[:])
	name := "blobtest-" + hex.EncodeToString(b[:])
	if err := s.MakeBucket(t.Context(), name); err != nil {
		t.Fatalf("make bucket %s: %v", name, err)
	}
	return name
}

func put(t *testing.T, s blob.Store, bucket, key, text string) blob.Info {
	t.Helper()
	info, err := s.Put(t.Context(), bucket, key, strings.NewReader(text), int64(len(text)), blob.PutOptions{})
	if err != nil {
		t.Fatalf("put %q: %v", key, err)
	}
	return info
}

// get reads the object or range; the error may come from the Get or from the reading.
func get(t *testing.T, s blob.Store, bucket, key string, o blob.GetOptions) (string, blob.Info, error) {
	t.Helper()
	b, info, err := blob.ReadAll(t.Context(), s, bucket, key, o, 64<<20)
	return string(b), info, err
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func roundTrip(t *testing.T, s blob.Store, _ Options) {
	bucket := newBucket(t, s)
	if err := s.MakeBucket(t.Context(), bucket); err != nil {
		t.Errorf("making a bucket that exists: %v", err)
	}
	big := strings.Repeat("0123456789abcdef", 20<<20/16)
	for _, c := range []struct {
		key, body string
		unsized   bool
	}{
		{"empty", "", false}, {"empty unsized", "", true}, {"one", "x", false}, {"text", "# Title\r\n\x00\xff", false},
		{"unsized", "some text", true}, {"20k", big[:20_000], false}, {"20 MiB", big, false}, {"20 MiB unsized", big, true},
	} {
		size := int64(len(c.body))
		if c.unsized {
			size = -1
		}
		// The reader's type is hidden: a store must not need to seek.
		info, err := s.Put(t.Context(), bucket, c.key, struct{ io.Reader }{strings.NewReader(c.body)}, size, blob.PutOptions{})
		if err != nil {
			t.Errorf("put %s: %v", c.key, err)
			continue
		}
		checkStored(t, s, bucket, c.key, c.body, info)
	}
}

// checkStored holds Put's answer, Head and Get against each other and against the body.
func checkStored(t *testing.T, s blob.Store, bucket, key, body string, put blob.Info) {
	t.Helper()
	head, err := s.Head(t.Context(), bucket, key)
	if err != nil {
		t.Errorf("head %q: %v", key, err)
		return
	}
	got, info, err := get(t, s, bucket, key, blob.GetOptions{})
	if err != nil || got != body {
		t.Errorf("get %q: %d bytes, %v; want %d bytes", key, len(got), err, len(body))
	}
	for name, i := range map[string]blob.Info{"put": put, "head": head, "get": info} {
		if i.Bucket != bucket || i.Key != key || i.Size != int64(len(body)) || i.ETag == "" || i.ETag != head.ETag {
			t.Errorf("%s %q says %+v", name, key, i)
		}
		if strings.Contains(i.ETag, `"`) {
			t.Errorf("%s %q: ETag %s has quotes", name, key, i.ETag)
		}
	}
	if head.Modified.IsZero() || !head.Modified.Equal(info.Modified) {
		t.Errorf("%q was modified %v by head, %v by get", key, head.Modified, info.Modified)
	}
}

func metadata(t *testing.T, s blob.Store, _ Options) {
	bucket := newBucket(t, s)
	o := blob.PutOptions{ContentType: "text/markdown", Meta: map[string]string{"Language": "en", "x-company": "A & B"}}
	if _, err := s.Put(t.Context(), bucket, "m", strings.NewReader("x"), 1, o); err != nil {
		t.Fatal(err)
	}
	head, err := s.Head(t.Context(), bucket, "m")
	if err != nil {
		t.Fatal(err)
	}
	_, got, err := get(t, s, bucket, "m", blob.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []blob.Info{head, got} {
		if i.ContentType != "text/markdown" || i.Meta["language"] != "en" || i.Meta["x-company"] != "A & B" || len(i.Meta) != 2 {
			t.Errorf("metadata came back as %q %v", i.ContentType, i.Meta)
		}
	}
	put(t, s, bucket, "m", "y")
	if head, err = s.Head(t.Context(), bucket, "m"); err != nil || len(head.Meta) != 0 {
		t.Errorf("an overwrite without metadata left %v, %v", head.Meta, err)
	}
}

func ranges(t *testing.T, s blob.Store, _ Options) {
	bucket := newBucket(t, s)
	body := "0123456789"
	put(t, s, bucket, "r", body)
	put(t, s, bucket, "empty", "")
	counted := blob.Count(s)
	for _, c := range []struct {
		key            string
		offset, length int64
		want           string
		err            error
	}{
		{"r", 0, 0, body, nil}, {"r", 0, 1, "0", nil}, {"r", 9, 1, "9", nil}, {"r", 3, 4, "3456", nil},
		{"r", 0, 10, body, nil}, {"r", 4, 0, "456789", nil}, {"empty", 0, 0, "", nil},
		{"r", 0, 11, "", blob.ErrRange}, {"r", 9, 2, "", blob.ErrRange}, {"r", 10, 1, "", blob.ErrRange},
		{"r", 10, 0, "", blob.ErrRange}, {"r", 99, 5, "", blob.ErrRange}, {"empty", 0, 1, "", blob.ErrRange},
		{"r", -1, 3, "", blob.ErrRange}, {"r", 3, -1, "", blob.ErrRange}, {"r", 1 << 62, 1 << 62, "", blob.ErrRange},
	} {
		counted.Reset()
		got, info, err := get(t, counted, bucket, c.key, blob.GetOptions{Offset: c.offset, Length: c.length})
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s %d+%d: %q, %v; want %q, %v", c.key, c.offset, c.length, got, err, c.want, c.err)
		}
		if n := counted.Counts().Read; n != int64(len(c.want)) {
			t.Errorf("%s %d+%d handed over %d bytes, want %d", c.key, c.offset, c.length, n, len(c.want))
		}
		if c.err == nil && c.key == "r" && info.Size != 10 {
			t.Errorf("range %d+%d says size %d, want the object's 10", c.offset, c.length, info.Size)
		}
	}
}

func ifMatch(t *testing.T, s blob.Store, _ Options) {
	bucket := newBucket(t, s)
	old := put(t, s, bucket, "k", "old").ETag
	if got, _, err := get(t, s, bucket, "k", blob.GetOptions{IfMatch: old, Offset: 1, Length: 1}); got != "l" || err != nil {
		t.Errorf("a range of the known version: %q, %v", got, err)
	}
	put(t, s, bucket, "k", "new")
	_, _, err := get(t, s, bucket, "k", blob.GetOptions{IfMatch: old})
	wantErr(t, "get of the overwritten version", err, blob.ErrPrecondition)
	_, _, err = get(t, s, bucket, "k", blob.GetOptions{IfMatch: old, Offset: 1, Length: 1})
	wantErr(t, "range of the overwritten version", err, blob.ErrPrecondition)
}

func missing(t *testing.T, s blob.Store, _ Options) {
	bucket := newBucket(t, s)
	put(t, s, bucket, "there", "x")
	ctx := t.Context()
	_, err := s.Head(ctx, bucket, "none")
	wantErr(t, "head of a missing key", err, blob.ErrNotFound)
	_, _, err = get(t, s, bucket, "none", blob.GetOptions{})
	wantErr(t, "get of a missing key", err, blob.ErrNotFound)
	_, _, err = get(t, s, bucket, "there", blob.GetOptions{VersionID: "00000000-0000-4000-8000-000000000000"})
	wantErr(t, "get of an unknown version", err, blob.ErrNotFound)
	noBucket(t, s, "blobtest-never-made")
}

// noBucket holds every method against a bucket that is not there.
func noBucket(t *testing.T, s blob.Store, bucket string) {
	t.Helper()
	ctx := t.Context()
	_, err := s.Head(ctx, bucket, "k")
	wantErr(t, "head without bucket", err, blob.ErrNoBucket)
	_, _, err = s.Get(ctx, bucket, "k", blob.GetOptions{})
	wantErr(t, "get without bucket", err, blob.ErrNoBucket)
	_, err = s.Put(ctx, bucket, "k", strings.NewReader("x"), 1, blob.PutOptions{})
	wantErr(t, "put without bucket", err, blob.ErrNoBucket)
	big := strings.Repeat("x", 4<<20) // a store may refuse it before it has read it all
	_, err = s.Put(ctx, bucket, "k", strings.NewReader(big), int64(len(big)), blob.PutOptions{})
	wantErr(t, "put of 4 MiB without bucket", err, blob.ErrNoBucket)
	wantErr(t, "delete without bucket", s.Delete(ctx, bucket, "k"), blob.ErrNoBucket)
	_, err = list(ctx, s, bucket, "", "")
	wantErr(t, "list without bucket", err, blob.ErrNoBucket)
}

func brokenReader(t *testing.T, s blob.Store, _ Options) {
	bucket := newBucket(t, s)
	put(t, s, bucket, "k", "old")
	broken := errors.New("disk on fire")
	for name, c := range map[string]struct {
		r    io.Reader
		size int64
	}{
		"fails":         {io.MultiReader(strings.NewReader("ab"), errReader{broken}), 4},
		"fails unsized": {io.MultiReader(strings.NewReader("ab"), errReader{broken}), -1},
		"ends early":    {strings.NewReader("ab"), 4},
	} {
		if _, err := s.Put(t.Context(), bucket, "k", c.r, c.size, blob.PutOptions{}); err == nil {
			t.Errorf("a reader that %s was stored", name)
		} else if strings.HasPrefix(name, "fails") {
			wantErr(t, "a reader that "+name, err, broken)
		}
		if got, _, err := get(t, s, bucket, "k", blob.GetOptions{}); got != "old" || err != nil {
			t.Errorf("after a reader that %s: %q, %v", name, got, err)
		}
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

func atomic(t *testing.T, s blob.Store, _ Options) {
	bucket := newBucket(t, s)
	a, b := bytes.Repeat([]byte("a"), 300_000), bytes.Repeat([]byte("b"), 200_000)
	put(t, s, bucket, "k", string(a))
	written := make(chan error, 1)
	go func() {
		for i := range 20 {
			body := [][]byte{b, a}[i%2]
			if _, err := s.Put(t.Context(), bucket, "k", bytes.NewReader(body), int64(len(body)), blob.PutOptions{}); err != nil {
				written <- err
				return
			}
		}
		written <- nil
	}()
	for {
		got, info, err := get(t, s, bucket, "k", blob.GetOptions{})
		if err != nil {
			t.Errorf("read during overwrite: %v", err)
		} else if got != string(a) && got != string(b) || info.Size != int64(len(got)) {
			t.Errorf("read during overwrite: %d bytes of a size of %d, mixed", len(got), info.Size)
		}
		select {
		case err := <-written:
			if err != nil {
				t.Errorf("overwrite: %v", err)
			}
			return
		default:
		}
	}
}

func deletes(t *testing.T, s blob.Store, o Options) {
	bucket := newBucket(t, s)
	put(t, s, bucket, "dir/a", "a")
	put(t, s, bucket, "dir/b", "b")
	for _, key := range []string{"dir/a", "dir/a", "never", "never/was", "dir", "dir/", "never/"} {
		if err := s.Delete(t.Context(), bucket, key); err != nil && !(o.Files && strings.HasPrefix(key, "dir") && errors.Is(err, blob.ErrBadKey)) {
			t.Errorf("delete %s: %v", key, err)
		}
	}
	_, err := s.Head(t.Context(), bucket, "dir/a")
	wantErr(t, "head after delete", err, blob.ErrNotFound)
	if got, _, err := get(t, s, bucket, "dir/b", blob.GetOptions{}); got != "b" || err != nil {
		t.Errorf("the neighbour of a deleted key: %q, %v", got, err)
	}
}

func cancelled(t *testing.T, s blob.Store, _ Options) {
	bucket := newBucket(t, s)
	put(t, s, bucket, "k", "x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Head(ctx, bucket, "k")
	wantErr(t, "head", err, context.Canceled)
	_, _, err = s.Get(ctx, bucket, "k", blob.GetOptions{})
	wantErr(t, "get", err, context.Canceled)
	_, err = s.Put(ctx, bucket, "k", strings.NewReader("y"), 1, blob.PutOptions{})
	wantErr(t, "put", err, context.Canceled)
	wantErr(t, "delete", s.Delete(ctx, bucket, "k"), context.Canceled)
	_, err = list(ctx, s, bucket, "", "")
	wantErr(t, "list", err, context.Canceled)
	if got, _, err := get(t, s, bucket, "k", blob.GetOptions{}); got != "x" || err != nil {
		t.Errorf("a cancelled put or delete did something: %q, %v", got, err)
	}
}

func bucketRemoved(t *testing.T, s blob.Store, o Options) {
	if o.RemoveBucket == nil {
		return
	}
	bucket := newBucket(t, s)
	put(t, s, bucket, "a/k", "x")
	if err := o.RemoveBucket(t.Context(), bucket); err != nil {
		t.Fatal(err)
	}
	noBucket(t, s, bucket)
	if err := s.MakeBucket(t.Context(), bucket); err != nil {
		t.Fatalf("make the bucket again: %v", err)
	}
	if keys, err := list(t.Context(), s, bucket, "", ""); len(keys) != 0 || err != nil {
		t.Errorf("a bucket made again lists %v, %v", keys, err)
	}
}
