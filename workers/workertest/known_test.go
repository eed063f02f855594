package workertest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding/scripted"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// What goes wrong elsewhere, by the numbers of the list of known failures: those that need the whole chain.

func text(word string) string {
	return "# Paper\n\nAn opening.\n\n## Part\n\nThe particular word is " + word + ".\n"
}

// keys are the keys of the sections found.
func keys(t *testing.T, h *workertest.House, question string) (all []string) {
	t.Helper()
	rep, err := h.Query.Find(t.Context(), workertest.Tenant, api.FindRequest{Question: question, K: 20, Mode: "words"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range rep.Sections {
		if strings.Contains(s.Text, question) {
			all = append(all, s.Key)
		}
	}
	return all
}

// Ids come from what a document is, not from when it came: the same drops anywhere make the same entries.
func TestKnown46IdsAreDeterministic(t *testing.T) {
	var want map[doc.EntryID]bool
	for range 2 {
		h := workertest.Open(t, workertest.Config{})
		for i := range 3 {
			h.Put(fmt.Sprint(i, ".md"), text(fmt.Sprint("word", i)))
		}
		h.Settle()
		got := map[doc.EntryID]bool{}
		for _, k := range doc.Kinds {
			if err := h.Index.Each(t.Context(), workertest.Build, workertest.Tenant, k, func(id doc.EntryID) error { got[id] = true; return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if want != nil && fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the same drops make other entries")
		}
		want = got
	}
}

// A deletion asks no model anything, and touches no other document.
func TestKnown48DeletesCostNoEmbedding(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	for i := range 20 {
		h.Put(fmt.Sprint(i, ".md"), text(fmt.Sprintf("zq%dxv", i)))
	}
	h.Settle()
	h.Embedder.Reset()
	kept := h.Record(workertest.ID("19.md"))
	for i := range 19 {
		h.Delete(fmt.Sprint(i, ".md"))
	}
	h.Settle()
	if h.Embedder.Calls() != 0 || h.Record(workertest.ID("19.md")).Updated != kept.Updated {
		t.Errorf("%d calls of the model", h.Embedder.Calls())
	}
	if got := keys(t, h, "zq19xv"); len(got) != 1 || len(keys(t, h, "zq3xv")) != 0 {
		t.Errorf("found %q", got)
	}
}

// Two keys with the same bytes are two documents: ranking shows one and names the other, and one outlives the other.
func TestKnown49TwoKeysWithTheSameBytes(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	h.Put("a.md", text("zqonexv"))
	h.Put("b.md", text("zqonexv"))
	h.Put("c.md", text("zqonexv of its own"))
	h.Settle()
	both := func(when string) {
		t.Helper()
		rep, err := h.Query.Find(t.Context(), workertest.Tenant, api.FindRequest{Question: "zqonexv", K: 20, Mode: "words"})
		if err != nil {
			t.Fatal(err)
		}
		named := map[string][]string{}
		for _, s := range rep.Sections {
			if strings.Contains(s.Text, "zqonexv") {
				named[s.Key] = append(named[s.Key], s.Also...)
			}
		}
		if a, b := fmt.Sprint(named["a.md"]), fmt.Sprint(named["b.md"]); len(named) != 2 || a+b != "[b.md][]" && a+b != "[][a.md]" || len(named["c.md"]) != 0 {
			t.Errorf("%s: found %q", when, named)
		}
	}
	both("at first")
	if rep, err := h.Query.Find(t.Context(), workertest.Tenant, api.FindRequest{Question: "zqonexv", Keys: []string{"b.md"}}); err != nil || len(rep.Sections) == 0 || rep.Sections[0].Key != "b.md" || rep.Sections[0].Also != nil {
		t.Errorf("limited to b.md: %+v, %v", rep.Sections, err)
	}
	h.Delete("a.md")
	rep, err := h.Query.Find(t.Context(), workertest.Tenant, api.FindRequest{Question: "zqonexv", K: 20})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range rep.Sections {
		if s.Key == "a.md" || len(s.Also) != 0 {
			t.Errorf("before the purge of a.md: %s, also %q", s.Key, s.Also)
		}
	}
	h.Settle()
	if got := keys(t, h, "zqonexv"); len(got) != 2 || !slices.Contains(got, "b.md") {
		t.Errorf("after the deletion of a.md: %q", got)
	}
	h.Put("a.md", text("zqonexv")) // what was known of it died with it
	h.Settle()
	both("after its return")
}

// A document that fails at every try holds up no other, and ends with state, reason and letter.
func TestKnown50OneBadDocumentBlocksNoOther(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	h.Embed.Embedder = scripted.New(scripted.Failing(func(_ int, texts []string) error {
		for _, x := range texts {
			if strings.Contains(x, "zqbombxv") {
				panic("a text that the model's client does not survive")
			}
		}
		return nil
	}))
	h.Put("bad.md", text("zqbombxv"))
	for i := range 10 {
		h.Put(fmt.Sprint(i, ".md"), text("fine"))
	}
	h.Start(nil)
	h.Until("all have ended", func() bool {
		for i := range 10 {
			if h.Record(workertest.ID(fmt.Sprint(i, ".md"))).Level != doc.LevelFull {
				return false
			}
		}
		return h.Record(workertest.ID("bad.md")).State == doc.Failed
	})
	r := h.Record(workertest.ID("bad.md"))
	if r.Class != doc.Internal || !strings.Contains(r.Reason, "does not survive") {
		t.Errorf("bad.md: %s, %s", r.Class, r.Reason)
	}
	if l := h.Letters(); len(l) != 1 || l[0].Job.Key != "bad.md" || l[0].Stage != wire.Embed {
		t.Errorf("letters %+v", l)
	}
}

// What no try can mend is a dead letter at the first one.
func TestKnown52PermanentFaultsAreNotTriedAgain(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	outcomes := make(chan pipeline.Settled, 100)
	h.Put("headings.md", strings.Repeat("# h\n", 400_000))
	h.Start(func(s pipeline.Settled) { outcomes <- s })
	h.Until("it has failed", func() bool { return h.Record(workertest.ID("headings.md")).State == doc.Failed })
	s := <-outcomes
	for ; s.Stage != wire.Parse; s = <-outcomes { // the purge that follows may be told first
	}
	if s.Outcome != "failed" {
		t.Errorf("the first try: %s", s.Outcome)
	}
	r := h.Record(workertest.ID("headings.md"))
	if l := h.Letters(); len(l) != 1 || l[0].Attempts != 1 || r.Class != doc.ResourceLimit || r.Reason == "" {
		t.Errorf("letters %+v, class %s, reason %s", l, r.Class, r.Reason)
	}
}

// Dropped again and again while it is on its way, a document ends once, as the bucket has it.
func TestKnown8EventsThatComeTwice(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	h.Start(nil)
	for i := range 20 {
		h.Put("a.md", text(fmt.Sprintf("zq%dxv", i)))
		h.Look(workertest.Bucket, "a.md")
	}
	id := workertest.ID("a.md")
	// Two looks may overtake one another, so that an older content is accepted once more: its parse finds that the bucket
	// holds another, and looks again.
	last := doc.VersionOf([]byte(text("zq19xv")))
	h.Until("the last version is full", func() bool { r := h.Record(id); return r.CurrentVersion == last && r.Level == doc.LevelFull })
	h.Until("the older ones are gone", func() bool {
		for g := range h.Record(id).Generation {
			if len(h.Entries(id, g)) != 0 {
				return false
			}
		}
		return true
	})
	if got := keys(t, h, "zq19xv"); len(got) != 1 || len(keys(t, h, "zq18xv")) != 0 {
		t.Errorf("found %q", got)
	}
}
