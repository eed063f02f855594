package blobtest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/blob"
)

// OddKeys are keys that real users have and that careless code confuses; every store takes each
// of them and keeps it as it is. Several differ only after one decoding too many.
func OddKeys() []string {
	long := strings.Repeat("n", 255)
	return []string{
		"a b+c%25.txt", "a+b.pdf", "a b.pdf", "a%20b.pdf", "a%2Fb.pdf", "a%2fb.pdf", "100%.pdf", "+", "%", "~*<>.md",
		"q?x=1&y#z.txt", "#.md", "?.md", `tick'quote"dq.txt`, `back\slash.txt`, "semi;colon:comma,eq=at@.md",
		"пробел и/вложенный ключ.pdf", "文件/年度報告.md", "\u00e9-composed.md", "e\u0301-decomposed.md",
		"caf\u00e9.md", "cafe\u0301.md", "emoji-\U0001F4C4.md", "trailing .txt", " leading.txt", "trailing./dot.", ".hidden/..dots",
		"...", "tab\there.md", "UPPER.md", "upper.md", "<html>&amp;.md", "$(x)`y`|z^{}[].md", "\u202eright-to-left.md",
		"x-amz-meta-key", "meta/acl", "meta~", "b/meta/etag/y", "a/meta", "uploads", "versionId=null", "a=b&list-type=2",
		long, strings.Repeat(strings.Repeat("o", 255)+"/", 3) + strings.Repeat("m", 132),
		strings.Repeat("я", 127) + "/" + strings.Repeat("文", 85),
	}
}

func keys(t *testing.T, s blob.Store, _ Options) {
	bucket := newBucket(t, s)
	for _, k := range OddKeys() {
		body := "body of " + k
		info, err := s.Put(t.Context(), bucket, k, strings.NewReader(body), int64(len(body)), blob.PutOptions{})
		if err != nil {
			t.Errorf("put %q: %v", k, err)
			continue
		}
		checkStored(t, s, bucket, k, body, info)
	}
	listed, err := list(t.Context(), s, bucket, "", "")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, k := range OddKeys() {
		want[k] = true
		got, _, err := get(t, s, bucket, k, blob.GetOptions{})
		if got != "body of "+k {
			t.Errorf("%q holds %q after the others were put, %v", k, got, err)
		}
	}
	for _, k := range listed {
		if !want[k] {
			t.Errorf("list says %q, which nobody put", k)
		}
		delete(want, k)
	}
	for k := range want {
		t.Errorf("list leaves out %q", k)
	}
	for _, k := range OddKeys() {
		if err := s.Delete(t.Context(), bucket, k); err != nil {
			t.Errorf("delete %q: %v", k, err)
		}
	}
	if listed, err = list(t.Context(), s, bucket, "", ""); len(listed) != 0 || err != nil {
		t.Errorf("after deleting all: %q, %v", listed, err)
	}
}

func refused(t *testing.T, s blob.Store, o Options) {
	bucket := newBucket(t, s)
	for _, k := range []string{"", strings.Repeat("k/", 513), "bad\xff.md", "nul\x00.md"} {
		_, err := s.Put(t.Context(), bucket, k, strings.NewReader("x"), 1, blob.PutOptions{})
		wantErr(t, fmt.Sprintf("put %.20q", k), err, blob.ErrBadKey)
		_, err = s.Head(t.Context(), bucket, k)
		wantErr(t, fmt.Sprintf("head %.20q", k), err, blob.ErrBadKey)
		_, _, err = s.Get(t.Context(), bucket, k, blob.GetOptions{})
		wantErr(t, fmt.Sprintf("get %.20q", k), err, blob.ErrBadKey)
		wantErr(t, fmt.Sprintf("delete %.20q", k), s.Delete(t.Context(), bucket, k), blob.ErrBadKey)
	}
	traversal(t, s, bucket, o)
	big := strings.Repeat("x", 4<<20)
	if _, err := s.Put(t.Context(), bucket, "x/../big", strings.NewReader(big), int64(len(big)), blob.PutOptions{}); err == nil {
		err = s.Delete(t.Context(), bucket, "x/../big")
		if err != nil {
			t.Error(err)
		}
	} else {
		wantErr(t, "put of 4 MiB under x/../big", err, blob.ErrBadKey)
	}
	if listed, err := list(t.Context(), s, bucket, "", ""); len(listed) != 0 || err != nil {
		t.Errorf("refused keys left %q, %v", listed, err)
	}
}

// traversal holds that a key with path steps is either refused or an object of its own: it never
// is another name of something else.
func traversal(t *testing.T, s blob.Store, bucket string, o Options) {
	other := newBucket(t, s)
	put(t, s, other, "secret", "s3cret")
	put(t, s, bucket, "y.md", "plain")
	steps := []string{"..", ".", "../" + other + "/secret", "x/../../" + other + "/secret", "y.md/"}
	if !o.Cleans {
		steps = append(steps, "x/../y.md", "x/./y.md", "./y.md", "a//b")
	}
	for _, k := range steps {
		got, _, err := get(t, s, bucket, k, blob.GetOptions{})
		if err == nil || !errors.Is(err, blob.ErrBadKey) && !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("get %q reads %q, %v", k, got, err)
		}
		_, err = s.Put(t.Context(), bucket, k, strings.NewReader("x"), 1, blob.PutOptions{})
		if err != nil {
			wantErr(t, fmt.Sprintf("put %q", k), err, blob.ErrBadKey)
			continue
		}
		if listed, err := list(t.Context(), s, bucket, k, ""); len(listed) != 1 || listed[0] != k {
			t.Errorf("put %q is listed as %q, %v", k, listed, err)
		}
		if err := s.Delete(t.Context(), bucket, k); err != nil {
			t.Errorf("delete %q: %v", k, err)
		}
	}
	if got, _, err := get(t, s, bucket, "y.md", blob.GetOptions{}); got != "plain" {
		t.Errorf("y.md holds %q, %v", got, err)
	}
	if got, _, err := get(t, s, other, "secret", blob.GetOptions{}); got != "s3cret" {
		t.Errorf("the other bucket's object holds %q, %v", got, err)
	}
	if err := s.Delete(t.Context(), bucket, "y.md"); err != nil {
		t.Error(err)
	}
}

// files holds what a key below another key does: both live, or the later is refused.
func files(t *testing.T, s blob.Store, o Options) {
	bucket := newBucket(t, s)
	put(t, s, bucket, "a", "file")
	put(t, s, bucket, "d/e", "file")
	for _, k := range []string{"a/b", "d", "d/"} {
		_, err := s.Put(t.Context(), bucket, k, strings.NewReader("x"), 1, blob.PutOptions{})
		if o.Files {
			wantErr(t, fmt.Sprintf("put %q", k), err, blob.ErrBadKey)
		} else if err != nil {
			t.Errorf("put %q: %v", k, err)
		}
		_, err = s.Head(t.Context(), bucket, k)
		if o.Files {
			wantErr(t, fmt.Sprintf("head %q", k), err, blob.ErrNotFound)
		} else if err != nil {
			t.Errorf("head %q: %v", k, err)
		}
	}
	for _, k := range []string{"a", "d/e"} {
		if got, _, err := get(t, s, bucket, k, blob.GetOptions{}); got != "file" {
			t.Errorf("%s holds %q, %v", k, got, err)
		}
	}
}

func atOnce(t *testing.T, s blob.Store, _ Options) {
	bucket := newBucket(t, s)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 10 {
				k := fmt.Sprintf("g%d/k%d", i, j)
				info, err := s.Put(t.Context(), bucket, k, strings.NewReader(k), int64(len(k)), blob.PutOptions{})
				if err != nil {
					t.Errorf("put %s: %v", k, err)
					return
				}
				checkStored(t, s, bucket, k, k, info)
				if j%2 == 1 {
					if err := s.Delete(t.Context(), bucket, k); err != nil {
						t.Errorf("delete %s: %v", k, err)
					}
				}
			}
		})
	}
	wg.Wait()
	if listed, err := list(t.Context(), s, bucket, "", ""); len(listed) != 80 || err != nil {
		t.Errorf("%d keys are left, %v; want 80", len(listed), err)
	}
}
