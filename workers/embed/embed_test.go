package embed_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/embedding/scripted"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// paper has n sections of one chunk each; change replaces the text of some.
func paper(n int, change map[int]string) string {
	var b strings.Builder
	for i := range n {
		text := fmt.Sprintf("Section number %d speaks of ordinary matters number %d.", i, i)
		if c, ok := change[i]; ok {
			text = c
		}
		fmt.Fprintf(&b, "# Part %d\n\n%s\n\n", i, text)
	}
	return b.String()
}

func ref(id doc.ID, g doc.Generation) artefact.Ref {
	return artefact.Ref{Tenant: workertest.Tenant, Doc: id, Generation: g}
}

// until does the jobs of a fresh document up to embed and returns the one for embed.
func until(h *workertest.House, stages ...wire.Stage) wire.Job {
	h.T.Helper()
	for _, s := range stages {
		if err := h.Do(s, h.Take(s)); err != nil {
			h.T.Fatal(err)
		}
	}
	return h.Take(wire.Embed)
}

// vectors is the bytes of the artefact.
func vectors(h *workertest.House, id doc.ID, g doc.Generation) string {
	h.T.Helper()
	key := fmt.Sprintf("%s/%s/g%d/%s/vectors", workertest.Tenant, id, g, artefact.Pipeline)
	b, _, err := blob.ReadAll(h.T.Context(), h.Blobs, artefact.Bucket, key, blob.GetOptions{}, 1<<30)
	if err != nil {
		h.T.Fatal(err)
	}
	return string(b)
}

// Of a new version only the text that changed is embedded.
func TestKnown47OnlyChangedTextIsEmbedded(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	id := h.Put("a.md", paper(100, nil))
	h.Settle()
	if n := len(h.Embedder.Texts()); n != 100 {
		t.Fatalf("%d texts were embedded at first", n)
	}
	h.Embedder.Reset()
	h.Put("a.md", paper(100, map[int]string{3: "All new here.", 50: "And here.", 99: "And at the end."}))
	h.Settle()
	texts := h.Embedder.Texts()
	if len(texts) != 3 || !strings.Contains(texts[0], "All new") {
		t.Errorf("%d texts were embedded: %.300q", len(texts), texts)
	}
	if r := h.Record(id); r.Made != 103 || r.Saved != 97 || r.Level != doc.LevelFull {
		t.Errorf("made %d, saved %d, level %s", r.Made, r.Saved, r.Level)
	}
	if n := h.Entries(id, 2)[doc.KindChunk]; n != 100 {
		t.Errorf("%d chunks have vectors", n)
	}
}

// The first chunk of every section comes first; the same job again makes no call and leaves the same bytes.
func TestKnown21TwiceIsOnce(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	long := strings.Repeat("A sentence of ordinary length that says one thing after the other. ", 60)
	id := h.Put("a.md", paper(5, map[int]string{2: long}))
	first := until(h, wire.Parse, wire.Chunk)
	if err := h.Do(wire.Embed, first); err != nil {
		t.Fatal(err)
	}
	if n := len(h.Embedder.Texts()); n != 5 {
		t.Errorf("%d texts in the first step, want one a section", n)
	}
	rest := h.Take(wire.Embed)
	if rest.Kind != wire.Sectioned {
		t.Fatalf("what follows is %s", rest.Kind)
	}
	if err := h.Do(wire.Embed, rest); err != nil {
		t.Fatal(err)
	}
	whole, made := vectors(h, id, 1), h.Record(id).Made
	if made <= 5 || made != len(h.Embedder.Texts()) {
		t.Errorf("%d made, %d texts", made, len(h.Embedder.Texts()))
	}
	h.Embedder.Reset()
	for _, j := range []wire.Job{first, rest, rest, first} {
		if err := h.Do(wire.Embed, j); err != nil {
			t.Fatal(err)
		}
	}
	if h.Embedder.Calls() != 0 || vectors(h, id, 1) != whole || h.Record(id).Made != made {
		t.Errorf("again: %d calls, same bytes %v, %d made", h.Embedder.Calls(), vectors(h, id, 1) == whole, h.Record(id).Made)
	}
}

// One bad text costs that text its vector, and nothing else: it is named, and found by words.
func TestKnown39APoisonedChunk(t *testing.T) {
	const bad = "zqpoisonxv"
	refusing := func(err func(i int) error) scripted.Option {
		return scripted.Failing(func(_ int, texts []string) error {
			for i, x := range texts {
				if strings.Contains(x, bad) {
					return err(i)
				}
			}
			return nil
		})
	}
	for name, o := range map[string]scripted.Option{
		"not a number":          scripted.Poisoned(bad, scripted.NaN),
		"zero":                  scripted.Poisoned(bad, scripted.Zero),
		"short":                 scripted.Poisoned(bad, scripted.Short),
		"the call is refused":   refusing(func(int) error { return fmt.Errorf("400: %w", embedding.ErrText) }),
		"too long (known 35)":   refusing(func(i int) error { return &embedding.TooLongError{Index: i, Tokens: 999, Limit: 256} }),
		"too long, wrong index": refusing(func(int) error { return &embedding.TooLongError{Index: 77, Tokens: 999, Limit: 256} }),
	} {
		t.Run(name, func(t *testing.T) {
			h := workertest.Open(t, workertest.Config{Embedder: scripted.New(o)})
			id := h.Put("a.md", paper(20, map[int]string{7: "The particular word is " + bad + "."}))
			h.Settle()
			r := h.Record(id)
			if n := h.Entries(id, 1)[doc.KindChunk]; n != 19 || r.Level != doc.LevelFull {
				t.Errorf("%d of 20 chunks have vectors, level %s", n, r.Level)
			}
			if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "found by words") || !strings.Contains(r.Notes[0], "lines 31-31") {
				t.Errorf("notes %q", r.Notes)
			}
			rep, err := h.Query.Find(t.Context(), workertest.Tenant, api.FindRequest{Question: bad, K: 1, Mode: "words"})
			if err != nil || len(rep.Sections) != 1 || !strings.Contains(rep.Sections[0].Text, bad) {
				t.Errorf("by words: %+v, %v", rep.Sections, err)
			}
		})
	}
}

// A model that is away is an outage: nobody's attempt, and nothing is written.
func TestAModelThatIsAway(t *testing.T) {
	down := true
	h := workertest.Open(t, workertest.Config{Embedder: scripted.New(scripted.Failing(func(int, []string) error {
		if down {
			return fault.Outagef("503 service unavailable")
		}
		return nil
	}))})
	id := h.Put("a.md", paper(3, nil))
	j := until(h, wire.Parse, wire.Chunk)
	err := h.Do(wire.Embed, j)
	if v, _ := fault.Of(err); v != fault.Outage || h.Waiting(wire.Embed) != 0 {
		t.Errorf("verdict %d: %v", v, err)
	}
	if _, err := h.Artefacts.Vectors(t.Context(), ref(id, 1), ""); !artefact.Missing(err) {
		t.Errorf("vectors were left: %v", err)
	}
	down = false
	if err := h.Do(wire.Embed, j); err != nil {
		t.Fatal(err)
	}
	if h.Settle(); h.Record(id).Level != doc.LevelFull {
		t.Errorf("record %+v", h.Record(id))
	}
}

// fewer gives one vector less than asked for.
type fewer struct{ *scripted.Embedder }

func (f fewer) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	v, err := f.Embedder.Embed(ctx, texts)
	return v[:max(0, len(v)-1)], err
}

func TestAModelThatGivesTooFew(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	h.Embed.Embedder = fewer{h.Embedder}
	h.Put("a.md", paper(3, nil))
	err := h.Do(wire.Embed, until(h, wire.Parse, wire.Chunk))
	if v, _ := fault.Of(err); v != fault.Retry || !strings.Contains(fmt.Sprint(err), "2 vectors for 3 texts") {
		t.Errorf("verdict %d: %v", v, err)
	}
}

func TestUnknownLanguageIsNoted(t *testing.T) {
	h := workertest.Open(t, workertest.Config{Embedder: scripted.New(scripted.Unknown("обычные"))})
	id := h.Put("a.md", paper(10, map[int]string{1: "обычные дела", 2: "обычные слова"}))
	h.Settle()
	r := h.Record(id)
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "2 of 10 chunks are in a language the model does not know") {
		t.Errorf("notes %q", r.Notes)
	}
	if n := h.Entries(id, 1)[doc.KindChunk]; n != 8 || r.Level != doc.LevelFull {
		t.Errorf("%d chunks have vectors, level %s", n, r.Level)
	}
}

// Vectors of another model are no cache; neither are damaged ones. Both are made again.
func TestKnown57NoCacheOfAnotherModel(t *testing.T) {
	damage := map[string]string{"cut": "", "garbage": "no JSON\n", "hostile": `{"digest":"` + scripted.New().Fingerprint().Digest + `","dimensions":-8,"count":1000000000}` + "\n" + strings.Repeat("x", 100)}
	for name, content := range damage {
		t.Run(name, func(t *testing.T) {
			h := workertest.Open(t, workertest.Config{})
			id := h.Put("a.md", paper(10, nil))
			h.Settle()
			if name == "cut" {
				content = vectors(h, id, 1)
				content = content[:len(content)-7]
			}
			h.Store(artefact.Bucket, fmt.Sprintf("%s/%s/g1/%s/vectors", workertest.Tenant, id, artefact.Pipeline), content)
			again(t, h, id)
		})
	}
	t.Run("another model", func(t *testing.T) {
		h := workertest.Open(t, workertest.Config{})
		id := h.Put("a.md", paper(10, nil))
		h.Settle()
		other := scripted.New(scripted.Model("other"))
		h.Embedder, h.Embed.Embedder, h.Indexer.Digest = other, other, other.Fingerprint().Digest
		again(t, h, id)
	})
}

// again puts a new version, whose every text must be embedded.
func again(t *testing.T, h *workertest.House, id doc.ID) {
	t.Helper()
	h.Embedder.Reset()
	h.Put("a.md", paper(10, map[int]string{1: "new"}))
	h.Settle()
	if n := len(h.Embedder.Texts()); n != 10 || h.Record(id).Level != doc.LevelFull || h.Record(id).Saved != 0 {
		t.Errorf("%d texts were embedded, level %s, %d saved", n, h.Record(id).Level, h.Record(id).Saved)
	}
}
