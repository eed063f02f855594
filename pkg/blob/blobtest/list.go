package blobtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/blob"
)

// list is the keys of a walk to its end or to its error.
func list(ctx context.Context, s blob.Store, bucket, prefix, after string) ([]string, error) {
	var keys []string
	for i, err := range s.List(ctx, bucket, prefix, after) {
		if err != nil {
			return keys, err
		}
		keys = append(keys, i.Key)
	}
	return keys, nil
}

// ordered are keys in byte order that a walk of a file system brings out of order: '-', '.', ' '
// and '!' sort before the slash, digits and letters behind it.
var ordered = []string{
	"a b/x", "a!", "a-/z", "a-b", "a.", "a.b/c", "a/b", "a/b-c", "a/c/d", "a/c/e", "a/c0", "a0/1", "a00", "aa",
	"b/x", "b0", "e\u0301", "z", "z-/a", "\u00e9", "я/я", "文", "\U0001F4C4",
}

func listOrder(t *testing.T, s blob.Store, _ Options) {
	bucket := newBucket(t, s)
	if keys, err := list(t.Context(), s, bucket, "", ""); len(keys) != 0 || err != nil {
		t.Errorf("an empty bucket lists %q, %v", keys, err)
	}
	for i := range ordered {
		put(t, s, bucket, ordered[(i*7)%len(ordered)], "x")
	}
	for _, prefix := range []string{"", "a", "a/", "a-", "a/c", "a/c/", "я/", "e", "none", "a b"} {
		for _, after := range append([]string{"", "a/", "a/b", "a/zzz", "a.zz", "zz", "\U0010ffff"}, ordered...) {
			var want []string
			for _, k := range ordered {
				if strings.HasPrefix(k, prefix) && k > after {
					want = append(want, k)
				}
			}
			got, err := list(t.Context(), s, bucket, prefix, after)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("prefix %q after %q: %q, %v; want %q", prefix, after, got, err, want)
			}
		}
	}
	for i, err := range s.List(t.Context(), bucket, "a0", "") {
		head, herr := s.Head(t.Context(), bucket, i.Key)
		if err != nil || herr != nil || i.Size != 1 || i.ETag != head.ETag || i.Bucket != bucket || i.Modified.IsZero() {
			t.Errorf("list says %+v, %v; head says %+v, %v", i, err, head, herr)
		}
	}
}

func listPages(t *testing.T, s blob.Store, o Options) {
	bucket := newBucket(t, s)
	n := o.Pages
	if n == 0 {
		n = 1100
	}
	var want []string
	for i := range n {
		// Every third key lies in a folder; the files beside it sort before and behind it.
		want = append(want, fmt.Sprintf([]string{"k%04d-x", "k%04d/x", "k%04d0"}[i%3], i/3))
	}
	fill(t, s, bucket, want)
	slices.Sort(want)
	got, err := list(t.Context(), s, bucket, "", "")
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%d keys are listed, %v; want %d in order", len(got), err, len(want))
	}
	seen := 0
	for range s.List(t.Context(), bucket, "", want[1]) {
		if seen++; seen == 3 {
			break
		}
	}
	if seen != 3 {
		t.Errorf("a walk that breaks off at 3 saw %d", seen)
	}
}

// fill puts the keys, eight at a time.
func fill(t *testing.T, s blob.Store, bucket string, keys []string) {
	t.Helper()
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := w; i < len(keys); i += 8 {
				if _, err := s.Put(t.Context(), bucket, keys[i], strings.NewReader("x"), 1, blob.PutOptions{}); err != nil {
					t.Errorf("put %s: %v", keys[i], err)
					return
				}
			}
		})
	}
	wg.Wait()
}
