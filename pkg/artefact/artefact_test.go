package artefact_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/faulty"
	"github.com/fingerpost/fingerpost/pkg/blob/mem"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

var (
	ctx = context.Background()
	id  = doc.NewID("acme", "documents", "a.md")
)

func ref(g doc.Generation) artefact.Ref {
	return artefact.Ref{Tenant: "acme", Doc: id, Generation: g}
}

func open() (artefact.Store, *mem.Store) {
	m := mem.New(artefact.Bucket)
	return artefact.Store{Blobs: m}, m
}

func key(g doc.Generation, name string) string {
	return fmt.Sprintf("acme/%s/g%d/%s/%s", id, g, artefact.Pipeline, name)
}

func read(t *testing.T, s artefact.Store, k string) string {
	t.Helper()
	b, _, err := blob.ReadAll(ctx, s.Blobs, artefact.Bucket, k, blob.GetOptions{}, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, s artefact.Store, k, text string) {
	t.Helper()
	if _, err := s.Blobs.Put(ctx, artefact.Bucket, k, strings.NewReader(text), int64(len(text)), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

var chunks = []doc.Chunk{
	{Kind: doc.KindNode, Node: 1, Lines: doc.Lines{Start: 1, End: 2}, Crumb: "A", Text: "A & <b>", Refs: []string{"=note:1"}, Flags: doc.FlagNoise},
	{Kind: doc.KindWindow, Node: 1, Ordinal: 3, Lines: doc.Lines{Start: 1, End: 9}, Text: "line\nline \u2028 «ё»"},
}

func TestRoundTrips(t *testing.T) {
	s, _ := open()
	tree := &doc.Tree{DocID: id, Version: "v", Confidence: 1, Nodes: []doc.Node{{ID: "0000"}, {ID: "0001", Title: "A"}}}
	manifest := artefact.Manifest{Build: 3, Levels: map[doc.Level]map[doc.Kind][]artefact.Member{doc.LevelWords: {doc.KindNode: {{1, 0}, {2, 0}}}}}
	for range 2 { // twice is once
		if err := errors.Join(s.PutSource(ctx, ref(2), []byte("# A\n")), s.PutTree(ctx, ref(2), tree), s.PutChunks(ctx, ref(2), chunks), s.PutManifest(ctx, ref(2), manifest)); err != nil {
			t.Fatal(err)
		}
	}
	src, err1 := s.Source(ctx, ref(2))
	gotTree, err2 := s.Tree(ctx, ref(2))
	gotChunks, err3 := s.Chunks(ctx, ref(2))
	gotManifest, err4 := s.Manifest(ctx, ref(2))
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	if string(src) != "# A\n" || !reflect.DeepEqual(gotTree, tree) || !reflect.DeepEqual(gotChunks, chunks) || !reflect.DeepEqual(gotManifest, manifest) {
		t.Errorf("%q\n%+v\n%+v\n%+v", src, gotTree, gotChunks, gotManifest)
	}
	if n := strings.Count(read(t, s, key(2, "chunks.jsonl")), "\n"); n != len(chunks) {
		t.Errorf("%d lines for %d chunks", n, len(chunks))
	}
	if !strings.Contains(read(t, s, key(2, "chunks.jsonl")), "A & <b>") {
		t.Error("chunks are escaped as if for HTML")
	}
}

func TestRange(t *testing.T) {
	s, _ := open()
	counted := blob.Count(s.Blobs)
	s.Blobs = counted
	if err := s.PutSource(ctx, ref(1), []byte("0123456789")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		b    doc.Bytes
		want string
		err  error
	}{{doc.Bytes{Start: 0, End: 10}, "0123456789", nil}, {doc.Bytes{Start: 3, End: 5}, "34", nil}, {doc.Bytes{Start: 9, End: 10}, "9", nil}, {doc.Bytes{Start: 5, End: 5}, "", nil},
		{doc.Bytes{Start: 7, End: 2}, "", nil}, {doc.Bytes{Start: 5, End: 11}, "", blob.ErrRange}, {doc.Bytes{Start: 10, End: 12}, "", blob.ErrRange}} {
		counted.Reset()
		got, err := s.Range(ctx, ref(1), c.b)
		if string(got) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%v: %q, %v", c.b, got, err)
		}
		if n := counted.Counts().Read; n != int64(len(c.want)) {
			t.Errorf("%v: %d bytes were read", c.b, n)
		}
	}
	if _, err := s.Range(ctx, ref(2), doc.Bytes{Start: 0, End: 1}); !artefact.Missing(err) {
		t.Errorf("of a generation that is not there: %v", err)
	}
}

func hash(b byte) (h [32]byte) { h[0] = b; return h }

func TestVectors(t *testing.T) {
	s, _ := open()
	v := artefact.NewVectors("digest", 2)
	v.ByHash[hash(1)], v.ByHash[hash(2)], v.ByHash[hash(9)] = []float32{1, 0}, []float32{.6, -.8}, []float32{0, 1}
	order := [][32]byte{hash(2), hash(1), hash(2), hash(7)} // a text twice; one without a vector; hash 9 is not asked for
	var files []string
	for range 2 {
		if err := s.PutVectors(ctx, ref(1), v, order); err != nil {
			t.Fatal(err)
		}
		files = append(files, read(t, s, key(1, "vectors")))
	}
	if files[0] != files[1] {
		t.Error("the same vectors leave other bytes")
	}
	got, err := s.Vectors(ctx, ref(1), "digest")
	want := map[[32]byte][]float32{hash(1): {1, 0}, hash(2): {.6, -.8}}
	if err != nil || !reflect.DeepEqual(got.ByHash, want) || got.Dimensions != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if other, err := s.Vectors(ctx, ref(1), "another"); err != nil || len(other.ByHash) != 0 {
		t.Errorf("of another model: %+v, %v", other, err)
	}
	if _, err := s.Vectors(ctx, ref(5), "digest"); !artefact.Missing(err) {
		t.Errorf("missing: %v", err)
	}
}

// A file that was cut or written over is told, in bounded time and memory.
func TestDamage(t *testing.T) {
	s, _ := open()
	head := func(dim, count int) string {
		return fmt.Sprintf(`{"digest":"d","dimensions":%d,"count":%d}`+"\n", dim, count)
	}
	body := strings.Repeat("x", 40)
	for name, text := range map[string]string{"empty": "", "no JSON": "x\n", "cut": head(2, 1) + body[:39], "more": head(2, 1) + body + "x", "lost": head(2, 2) + body,
		"negative size": head(-8, 1) + body, "negative count": head(2, -1) + body, "huge": head(1<<60, 1<<60) + body, "no head": body} {
		write(t, s, key(1, "vectors"), text)
		if v, err := s.Vectors(ctx, ref(1), "d"); !errors.Is(err, artefact.ErrDamaged) {
			t.Errorf("vectors %s: %+v, %v", name, v, err)
		}
	}
	for _, text := range []string{"", "{", `{"nodes":7}`, "\x00"} {
		write(t, s, key(1, "tree.json"), text)
		if x, err := s.Tree(ctx, ref(1)); !errors.Is(err, artefact.ErrDamaged) {
			t.Errorf("tree %q: %+v, %v", text, x, err)
		}
		write(t, s, key(1, "manifest.json"), strings.ReplaceAll(text, "nodes", "build")+"x")
		if x, err := s.Manifest(ctx, ref(1)); !errors.Is(err, artefact.ErrDamaged) {
			t.Errorf("manifest %q: %+v, %v", text, x, err)
		}
	}
	write(t, s, key(1, "chunks.jsonl"), `{"kind":"node"}`+"\n{\n")
	if x, err := s.Chunks(ctx, ref(1)); !errors.Is(err, artefact.ErrDamaged) {
		t.Errorf("chunks: %+v, %v", x, err)
	}
}

// A purge names its generations and leaves newer ones and other documents alone, even those whose name begins alike.
func TestKnown44PurgeTakesAllOfADocument(t *testing.T) {
	s, m := open()
	other := artefact.Ref{Tenant: "acme", Doc: doc.NewID("acme", "documents", "b.md"), Generation: 1}
	foreign := artefact.Ref{Tenant: "acme-2", Doc: id, Generation: 1}
	for _, r := range []artefact.Ref{ref(1), ref(2), ref(10), ref(11), other, foreign} {
		if err := errors.Join(s.PutSource(ctx, r, []byte("x")), s.PutChunks(ctx, r, chunks), s.PutTree(ctx, r, &doc.Tree{})); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.Purge(ctx, "acme", id, 10, nil); err != nil || n != 9 {
		t.Errorf("%d purged, %v", n, err)
	}
	if n, err := s.Purge(ctx, "acme", id, 10, nil); err != nil || n != 0 {
		t.Errorf("again: %d purged, %v", n, err)
	}
	if top, err := s.Highest(ctx, "acme", id); err != nil || top != 11 {
		t.Errorf("highest is %d, %v", top, err)
	}
	left := 0
	for _, err := range m.List(ctx, artefact.Bucket, "", "") {
		if left++; err != nil {
			t.Fatal(err)
		}
	}
	if left != 9 {
		t.Errorf("%d objects are left, want 9", left)
	}
	if top, err := s.Highest(ctx, "acme", doc.NewID("x", "y", "z")); err != nil || top != 0 {
		t.Errorf("of an unknown document: %d, %v", top, err)
	}
}

// A purge that breaks off says so, and goes on where it stopped.
func TestAPurgeThatBreaksOff(t *testing.T) {
	s, m := open()
	if err := errors.Join(s.PutSource(ctx, ref(1), []byte("x")), s.PutChunks(ctx, ref(1), chunks)); err != nil {
		t.Fatal(err)
	}
	deletes := 0
	s.Blobs = &faulty.Store{Store: m, Plan: func(op faulty.Op, _, _ string) faulty.Fault {
		if op == faulty.Delete {
			if deletes++; deletes == 2 {
				return faulty.Fault{Err: blob.ErrAway}
			}
		}
		return faulty.Fault{}
	}}
	if n, err := s.Purge(ctx, "acme", id, 1, nil); n != 1 || !errors.Is(err, blob.ErrAway) {
		t.Errorf("%d purged, %v", n, err)
	}
	if n, err := s.Purge(ctx, "acme", id, 1, nil); n != 1 || err != nil {
		t.Errorf("then %d, %v", n, err)
	}
	s.Blobs = &faulty.Store{Store: m, Plan: func(op faulty.Op, _, _ string) faulty.Fault { return faulty.Fault{Err: blob.ErrFull} }}
	if err := s.PutSource(ctx, ref(1), bytes.Repeat([]byte("x"), 10)); !errors.Is(err, blob.ErrFull) {
		t.Errorf("%v", err)
	}
}
