package index_test

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// paper has n sections, the i-th of which holds word(i) and, if it is given, a text of its own.
func paper(n int, change map[int]string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "# Part %d\n\nOrdinary matters and %s. %s\n\n", i, word(i), change[i])
	}
	return b.String()
}

func word(i int) string { return fmt.Sprintf("zq%dxv", i) }

func ref(id doc.ID, g doc.Generation) artefact.Ref {
	return artefact.Ref{Tenant: workertest.Tenant, Doc: id, Generation: g}
}

// prepare brings an object through parse, chunk and embed, and returns the jobs that wait for index.
func prepare(h *workertest.House, key, text string) (doc.ID, []wire.Job) {
	h.T.Helper()
	id := h.Put(key, text)
	for _, s := range []wire.Stage{wire.Parse, wire.Chunk, wire.Embed, wire.Embed} {
		if h.Waiting(s) > 0 {
			if err := h.Do(s, h.Take(s)); err != nil {
				h.T.Fatal(err)
			}
		}
	}
	var jobs []wire.Job
	for h.Waiting(wire.Index) > 0 {
		jobs = append(jobs, h.Take(wire.Index))
	}
	return id, jobs
}

// generations are those of which artefacts are left.
func generations(h *workertest.House, id doc.ID) (all []doc.Generation) {
	h.T.Helper()
	if err := h.Artefacts.Generations(h.T.Context(), workertest.Tenant, id, func(_ string, g doc.Generation) error {
		if !slices.Contains(all, g) {
			all = append(all, g)
		}
		return nil
	}); err != nil {
		h.T.Fatal(err)
	}
	return all
}

// found is the key of the best section; "" for none.
func found(h *workertest.House, question string) string {
	h.T.Helper()
	rep, err := h.Query.Find(h.T.Context(), workertest.Tenant, api.FindRequest{Question: question, K: 1, Mode: "words"})
	if err != nil {
		h.T.Fatal(err)
	}
	if len(rep.Sections) == 0 || !strings.Contains(rep.Sections[0].Text, question) {
		return ""
	}
	return rep.Sections[0].Key
}

// Messages overtake one another and come twice: the end is the same.
func TestAnyOrder(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	long := strings.Repeat("A sentence of ordinary length that says one thing after the other. ", 60)
	text := paper(4, map[int]string{2: long})
	var want string
	for i, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {2, 0, 1}, {0, 2, 1}, {1, 2, 0}, {0, 0, 1, 1, 2, 2, 0, 1}, {2}} {
		id, jobs := prepare(h, fmt.Sprint(i, ".md"), text)
		if len(jobs) != 3 || jobs[0].Kind != wire.Chunked || jobs[1].Kind != wire.Sectioned || jobs[2].Kind != wire.Embedded {
			t.Fatalf("jobs %+v", jobs)
		}
		for _, n := range order {
			if err := h.Do(wire.Index, jobs[n]); err != nil {
				t.Fatalf("order %v, %s: %v", order, jobs[n].Kind, err)
			}
		}
		m, err := h.Artefacts.Manifest(t.Context(), ref(id, 1))
		if err != nil {
			t.Fatal(err)
		}
		r := h.Record(id)
		got := fmt.Sprint(h.Entries(id, 1), r.State, r.Level, r.Current, r.Vectors, m)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("order %v\ngot  %s\nwant %s", order, got, want)
		}
	}
}

// Index, manifest and chunks.jsonl name the same entries; none is lost in a batch's border.
func TestKnown45EveryChunkIsIndexed(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	id, jobs := prepare(h, "a.md", paper(2100, nil))
	for _, j := range jobs {
		if err := h.Do(wire.Index, j); err != nil {
			t.Fatal(err)
		}
	}
	chunks, err := h.Artefacts.Chunks(t.Context(), ref(id, 1))
	if err != nil {
		t.Fatal(err)
	}
	want := map[doc.Kind]map[artefact.Member]bool{}
	for _, c := range chunks {
		if want[c.Kind] == nil {
			want[c.Kind] = map[artefact.Member]bool{}
		}
		want[c.Kind][artefact.Member{c.Node, c.Ordinal}] = true
	}
	m, err := h.Artefacts.Manifest(t.Context(), ref(id, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range doc.Kinds {
		indexed, listed := map[artefact.Member]bool{}, map[artefact.Member]bool{}
		if err := h.Index.Each(t.Context(), workertest.Build, workertest.Tenant, k, func(e doc.EntryID) error {
			p := e.Place()
			indexed[artefact.Member{p.Node, p.Ordinal}] = true
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for _, kinds := range m.Levels {
			for _, x := range kinds[k] {
				listed[x] = true
			}
		}
		if !maps.Equal(indexed, want[k]) || !maps.Equal(listed, want[k]) {
			t.Errorf("%s: %d chunks, %d indexed, %d in the manifest", k, len(want[k]), len(indexed), len(listed))
		}
	}
	if len(want[doc.KindChunk]) < 2100 || found(h, word(2099)) != "a.md" {
		t.Errorf("%d chunks", len(want[doc.KindChunk]))
	}
}

// lying is an index that does not do what it says, as long as it lies.
type lying struct {
	vector.Index
	put, purge atomic.Bool
}

func (l *lying) Put(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, all []vector.Entry) error {
	if l.put.Load() && k == doc.KindWindow {
		all = all[:len(all)-1]
	}
	return l.Index.Put(ctx, b, t, k, all)
}

func (l *lying) Purge(ctx context.Context, b vector.Build, t doc.Tenant, p doc.Prefix, from, to doc.Generation) (int, error) {
	if l.purge.Load() {
		return 0, nil
	}
	return l.Index.Purge(ctx, b, t, p, from, to)
}

func liar(t *testing.T) (*workertest.House, *lying) {
	l := &lying{}
	h := workertest.Open(t, workertest.Config{Index: func(ix vector.Index) vector.Index { l.Index = ix; return l }})
	return h, l
}

// A batch that "succeeds" though an entry was lost: the version is not shown before the count is right.
func TestKnown25AWriteIsCounted(t *testing.T) {
	h, l := liar(t)
	id, jobs := prepare(h, "a.md", paper(4, nil))
	l.put.Store(true)
	err := h.Do(wire.Index, jobs[0])
	if err == nil || !strings.Contains(err.Error(), "index holds 3 window entries of generation 1, not 4") {
		t.Errorf("%v", err)
	}
	if v, _ := fault.Of(err); v != fault.Retry || h.Record(id).Current != 0 || found(h, word(1)) != "" {
		t.Errorf("verdict %d, current %d", v, h.Record(id).Current)
	}
	l.put.Store(false)
	if err := h.Do(wire.Index, jobs[0]); err != nil || found(h, word(1)) != "a.md" {
		t.Errorf("afterwards: %v", err)
	}
}

// A purge that says it is done though entries are left: the tombstone stays until they are gone.
func TestKnown26APurgeIsReadBack(t *testing.T) {
	h, l := liar(t)
	id, jobs := prepare(h, "a.md", paper(4, nil))
	for _, j := range jobs {
		if err := h.Do(wire.Index, j); err != nil {
			t.Fatal(err)
		}
	}
	h.Delete("a.md")
	j := h.Take(wire.Index)
	l.purge.Store(true)
	if err := h.Do(wire.Index, j); err == nil || !strings.Contains(err.Error(), "after the purge") || h.Record(id).Purged {
		t.Errorf("%v, purged %v", err, h.Record(id).Purged)
	}
	l.purge.Store(false)
	if err := h.Do(wire.Index, j); err != nil || !h.Record(id).Purged || len(h.Entries(id, 1)) != 0 || len(generations(h, id)) != 0 {
		t.Errorf("afterwards: %v, %v, artefacts of %v", err, h.Entries(id, 1), generations(h, id))
	}
}

// An update that yields fewer chunks removes the tail; vectors that are known come with the words.
func TestAnUpdateThatShrinks(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	id := h.Put("a.md", paper(30, nil))
	h.Settle()
	_, jobs := prepare(h, "a.md", paper(3, map[int]string{1: "Changed."}))
	if err := h.Do(wire.Index, jobs[0]); err != nil {
		t.Fatal(err)
	}
	if r := h.Record(id); r.Current != 2 || r.Level != doc.LevelWords {
		t.Errorf("record %+v", r)
	}
	if n := h.Entries(id, 2); n[doc.KindChunk] != 2 || n[doc.KindWindow] != 3 {
		t.Errorf("in the write of the words: %v, want the two vectors that are known", n)
	}
	if n := h.Entries(id, 1); len(n) != 0 || found(h, word(29)) != "" || found(h, word(2)) != "a.md" {
		t.Errorf("the tail is left: %v", n)
	}
	if g := generations(h, id); !reflect.DeepEqual(g, []doc.Generation{1, 2}) {
		t.Errorf("artefacts of %v, want the old ones until the vectors are there", g)
	}
	for _, j := range jobs[1:] {
		if err := h.Do(wire.Index, j); err != nil {
			t.Fatal(err)
		}
	}
	if g := generations(h, id); !reflect.DeepEqual(g, []doc.Generation{2}) || h.Record(id).Level != doc.LevelFull {
		t.Errorf("artefacts of %v, level %s", g, h.Record(id).Level)
	}
}

// The purge of a deletion comes after the object is back: it does nothing.
func TestRemovedAfterARestore(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	id := h.Put("a.md", paper(3, nil))
	h.Settle()
	h.Delete("a.md")
	late := h.Take(wire.Index)
	h.Put("a.md", paper(3, nil))
	h.Settle()
	err := h.Do(wire.Index, late)
	if v, _ := fault.Of(err); v != fault.Superseded {
		t.Errorf("%v", err)
	}
	if r := h.Record(id); r.State != doc.Indexed || r.Current != 3 || found(h, word(1)) != "a.md" {
		t.Errorf("record %+v", r)
	}
	if len(h.Entries(id, 1)) != 0 {
		t.Error("the first life's entries are left")
	}
}

// A late job of an older version writes nothing.
func TestKnown43LateWorkIsFenced(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	id, old := prepare(h, "a.md", paper(3, nil))
	h.Put("a.md", paper(3, map[int]string{0: "New."}))
	h.Settle()
	for _, j := range old {
		err := h.Do(wire.Index, j)
		if v, _ := fault.Of(err); v != fault.Superseded {
			t.Errorf("%s: %v", j.Kind, err)
		}
	}
	h.Delete("a.md")
	for _, j := range old {
		if v, _ := fault.Of(h.Do(wire.Index, j)); v != fault.Superseded {
			t.Errorf("%s after the deletion", j.Kind)
		}
	}
	if n := h.Entries(id, 1); len(n) != 0 {
		t.Errorf("entries of the older version: %v", n)
	}
}

// Work of a version that has ended meanwhile is purged, not shown.
func TestWorkOfAnEndedVersion(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	id, jobs := prepare(h, "a.md", paper(3, nil))
	if err := h.Do(wire.Index, jobs[0]); err != nil {
		t.Fatal(err)
	}
	if err := h.Ledger.End(t.Context(), workertest.Tenant, id, 1, doc.Failed, doc.Internal, "panic"); err != nil {
		t.Fatal(err)
	}
	if err := h.Do(wire.Index, jobs[2]); err != nil {
		t.Fatal(err)
	}
	if r := h.Record(id); r.State != doc.Failed || r.Level != doc.LevelNone || len(h.Entries(id, 1)) != 0 || len(generations(h, id)) != 0 {
		t.Errorf("record %+v, entries %v, artefacts of %v", r, h.Entries(id, 1), generations(h, id))
	}
}

// A newer version that ends skipped or failed hides the older and purges both, through the real chain.
func TestAFailedVersionPurgesTheOlder(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	h.Start(nil)
	for key, bad := range map[string]string{"skipped.md": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00", "failed.md": strings.Repeat("# h\n", 400_000)} {
		id := h.Put(key, paper(3, nil))
		h.Until("full", func() bool { return h.Record(id).Level == doc.LevelFull })
		h.Put(key, bad)
		h.Until("ended and purged", func() bool {
			r := h.Record(id)
			return r.Ended() && len(h.Entries(id, 1)) == 0 && len(generations(h, id)) == 0
		})
		if r := h.Record(id); r.Current != 0 || r.Reason == "" || string(r.State)+".md" != key {
			t.Errorf("%s: record %+v", key, r)
		}
	}
	if key := found(h, word(1)); key != "" {
		t.Errorf("%s is still found", key)
	}
	if n := len(h.Letters()); n != 1 {
		t.Errorf("%d dead letters, want the failed one's", n)
	}
}

// Without an embedder words are all there is: full at once, and nothing of the older version is kept.
func TestWithoutEmbedder(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	id := h.Put("a.md", paper(3, nil))
	h.Settle()
	h.Put("a.md", paper(2, nil))
	h.Settle()
	if r := h.Record(id); r.Level != doc.LevelFull || r.Current != 2 || h.Embedder.Calls() != 0 {
		t.Errorf("record %+v, %d calls", r, h.Embedder.Calls())
	}
	if g := generations(h, id); !reflect.DeepEqual(g, []doc.Generation{2}) || h.Entries(id, 2)[doc.KindChunk] != 0 {
		t.Errorf("artefacts of %v, entries %v", g, h.Entries(id, 2))
	}
}
