package parse_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/faulty"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// artefacts is what is stored of all documents: bytes by key.
func artefacts(h *workertest.House) map[string]string {
	h.T.Helper()
	all := map[string]string{}
	for info, err := range h.Blobs.List(h.T.Context(), artefact.Bucket, "", "") {
		if err != nil {
			h.T.Fatal(err)
		}
		b, _, err := blob.ReadAll(h.T.Context(), h.Blobs, artefact.Bucket, info.Key, blob.GetOptions{}, 1<<30)
		if err != nil {
			h.T.Fatal(err)
		}
		all[info.Key] = string(b)
	}
	return all
}

// Twice is once: same job, same keys, same bytes, and the same job for chunk; then the same for chunk.
func TestTwiceIsOnce(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	id := h.Put("a.md", "\xef\xbb\xbf# A\r\n\r\ntext\r\n\r\n## B\r\n\r\nmore <b>text</b>\r\n")
	j := h.Take(wire.Parse)
	var before map[string]string
	for _, s := range []wire.Stage{wire.Parse, wire.Chunk} {
		for i := range 2 {
			if err := h.Do(s, j); err != nil {
				t.Fatal(err)
			}
			if i > 0 && !maps.Equal(before, artefacts(h)) {
				t.Errorf("%s twice leaves other artefacts", s)
			}
			before = artefacts(h)
		}
		next := wire.Chunk
		if s == wire.Chunk {
			next = wire.Index
		}
		if n := h.Waiting(next); n != 1 {
			t.Errorf("%d jobs wait for %s", n, next)
		}
		j = h.Take(next)
	}
	if n := h.Waiting(wire.Embed); n != 1 {
		t.Errorf("%d jobs wait for embed", n)
	}
	src := before[fmt.Sprintf("%s/%s/g1/%s/source.md", workertest.Tenant, id, artefact.Pipeline)]
	if src != "# A\n\ntext\n\n## B\n\nmore <b>text</b>\n" {
		t.Errorf("Source %q", src)
	}
}

// Without an embedder nothing is sent to embed.
func TestChunkWithoutEmbedder(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	h.Put("a.md", "# A\n\ntext\n")
	for _, s := range []wire.Stage{wire.Parse, wire.Chunk} {
		if err := h.Do(s, h.Take(s)); err != nil {
			t.Fatal(err)
		}
	}
	if h.Waiting(wire.Index) != 1 || h.Waiting(wire.Embed) != 0 {
		t.Errorf("%d wait for index, %d for embed", h.Waiting(wire.Index), h.Waiting(wire.Embed))
	}
}

// The bucket holds something else by now: this work ends quietly, and intake looks again.
func TestTheObjectMoved(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	for name, c := range map[string]struct {
		move func(key string)
		want string // of the record afterwards
	}{
		"other bytes": {func(k string) { h.Store(workertest.Bucket, k, "# Other\n") }, "pending/g2"},
		"gone":        {func(k string) { _ = h.Blobs.Delete(t.Context(), workertest.Bucket, k) }, "deleted/g2"},
	} {
		id := h.Put(name, "# A\n")
		j := h.Take(wire.Parse)
		c.move(name)
		err := h.Do(wire.Parse, j)
		if v, _ := fault.Of(err); v != fault.Superseded || h.Waiting(wire.Chunk) != 0 {
			t.Errorf("%s: %v", name, err)
		}
		if r := h.Record(id); fmt.Sprintf("%s/g%d", r.State, r.Generation) != c.want {
			t.Errorf("%s: %s, g%d, want %s", name, r.State, r.Generation, c.want)
		}
		for h.Waiting(wire.Parse) > 0 {
			h.Take(wire.Parse)
		}
	}
}

func TestVerdicts(t *testing.T) {
	h := workertest.Open(t, workertest.Config{MaxSize: 1000})
	for name, c := range map[string]struct {
		text    string
		verdict fault.Verdict
		class   doc.Class
	}{
		"empty":    {"", fault.Skip, doc.Empty},
		"blank":    {"\n \t\n", fault.Skip, doc.Empty},
		"picture":  {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00", fault.Skip, doc.Unsupported},
		"zip":      {"PK\x03\x04\x00\x00\x00", fault.Skip, doc.Unsupported},
		"no error": {"# A\n", fault.Retry, doc.Internal},
	} {
		h.Put(name+".md", c.text)
		err := h.Do(wire.Parse, h.Take(wire.Parse))
		if v, class := fault.Of(err); v != c.verdict || class != c.class || (err == nil) != (c.verdict == fault.Retry) {
			t.Errorf("%s: verdict %d, class %q: %v", name, v, class, err)
		}
	}
	h.Put("a.md", strings.Repeat("x", 999))
	j := h.Take(wire.Parse)
	h.Parse.MaxSize = 100
	if v, class := fault.Of(h.Do(wire.Parse, j)); v != fault.Fail || class != doc.TooLarge {
		t.Errorf("over the limit: verdict %d, class %q", v, class)
	}
}

// A store that is away, or a body that breaks off, is no verdict on the document.
func TestOutage(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	h.Put("a.md", "# A\n\ntext\n")
	j := h.Take(wire.Parse)
	for name, f := range map[string]faulty.Fault{"away": {Err: blob.ErrAway}, "torn": {After: 3}, "denied": {Err: blob.ErrDenied}} {
		h.Fail(func(op faulty.Op, b, _ string) faulty.Fault {
			if op == faulty.Get && b == workertest.Bucket {
				return f
			}
			return faulty.Fault{}
		})
		err := h.Do(wire.Parse, j)
		if v, _ := fault.Of(err); err == nil || v != fault.Retry || f.Err != nil && !errors.Is(err, f.Err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	h.Fail(func(faulty.Op, string, string) faulty.Fault { return faulty.Fault{Short: true} })
	if err := h.Do(wire.Parse, j); err != nil {
		t.Errorf("in single bytes: %v", err)
	}
}

// What is weaker than usual is told, once.
func TestNotes(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	id := h.Put("a.md", "# Bad \xff bytes\n\nand text\n")
	j := h.Take(wire.Parse)
	for range 2 {
		if err := h.Do(wire.Parse, j); err != nil {
			t.Fatal(err)
		}
	}
	if n := h.Record(id).Notes; len(n) != 1 || !strings.Contains(n[0], "UTF-8") {
		t.Errorf("notes %q", n)
	}
}
