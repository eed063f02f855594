package workers_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/workers"
)

// note is a small document with a word of its own under a section of its own.
func note(title, word string, filler int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nAn opening of some length that says what this paper is about.\n\n", title)
	for i := range filler {
		fmt.Fprintf(&b, "## Part %d of %s\n\nThe part numbered %d speaks of ordinary matters at ordinary length, as parts do.\n\n", i+1, title, i+1)
	}
	fmt.Fprintf(&b, "## Particulars\n\nThe particular word of this paper is %s, and it stands on this line.\n", word)
	return b.String()
}

// word is the n-th of a row of invented words that stemming leaves apart.
func word(n int) string { return fmt.Sprintf("zq%dxv", n) }

func TestADocumentLivesAndDies(t *testing.T) {
	s := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	text := note("Ledger", word(1), 3)
	s.put("a b+c%25/Отчёт #1?.md", text)
	s.settled(1)

	found := s.find("where does "+word(1)+" stand", 1)
	if len(found.Sections) != 1 {
		t.Fatalf("found %d sections", len(found.Sections))
	}
	sec := found.Sections[0]
	lines := strings.SplitAfter(text, "\n")
	if want := strings.Join(lines[sec.Lines.Start-1:sec.Lines.End], ""); sec.Text != want {
		t.Errorf("lines %d-%d are %q, not the user's %q", sec.Lines.Start, sec.Lines.End, sec.Text, want)
	}
	if sec.Key != "a b+c%25/Отчёт #1?.md" || !slices.Equal(sec.Breadcrumb, []string{"Ledger", "Particulars"}) {
		t.Errorf("key %q, breadcrumb %q", sec.Key, sec.Breadcrumb)
	}

	// A new version that is shorter: the tail is gone, the pointer of the old one is told so.
	s.put(sec.Key, "# Ledger\n\nNothing particular.\n")
	s.until("the new version", func() bool {
		got := s.find(word(1), 1).Sections
		return len(got) == 0 || !strings.Contains(got[0].Text, word(1))
	})
	var rep api.ReadReply
	var refused *bus.ServiceError
	if err := s.ask("default", api.Read, api.ReadRequest{Pointer: sec.Pointer}, &rep); !errors.As(err, &refused) || refused.Code != 410 {
		t.Errorf("a pointer to the replaced version gives %v", err)
	}

	if err := s.blobs.Delete(t.Context(), "documents", sec.Key); err != nil {
		t.Fatal(err)
	}
	s.until("the deletion", func() bool { return len(s.find("ledger", 1).Sections) == 0 })
	s.until("the purge", func() bool { st := s.status(); return st.Index["node"]+st.Index["window"]+st.Index["chunk"] == 0 })
	if n := len(s.documents()); n != 0 {
		t.Errorf("%d documents are left", n)
	}
}

// The same bytes again cost nothing, whatever events say.
func TestTwiceIsOnce(t *testing.T) {
	n := 500
	if testing.Short() {
		n = 50
	}
	s := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	for range 2 {
		for i := range n {
			s.put(fmt.Sprintf("papers/%03d.md", i), note(fmt.Sprint("Paper ", i), word(i), 2))
		}
		s.settled(n)
	}
	first := s.status()
	s.kill(syscall.SIGTERM)
	before := dump(t, s.conf.Config.Data)
	s.up()
	for i := range n {
		s.put(fmt.Sprintf("papers/%03d.md", i), note(fmt.Sprint("Paper ", i), word(i), 2))
	}
	s.settled(n)
	if now := s.status(); now.Embeddings.Made != first.Embeddings.Made {
		t.Errorf("%d embeddings were made again", now.Embeddings.Made-first.Embeddings.Made)
	}
	s.kill(syscall.SIGTERM)
	if after := dump(t, s.conf.Config.Data); !maps.Equal(before, after) {
		t.Errorf("the index has %d entries of other content or place than before (%d)", len(after), len(before))
	}
}

// Killed at any moment, the system ends where it would have ended.
func TestKilledTwentyTimes(t *testing.T) {
	kills, n := many(t, 20), 50 // by hand: FINGERPOST_MANY=100
	if testing.Short() {
		kills, n = 4, 20
	}
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	s := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	var sent int
	for k := range kills {
		moment := time.Duration(5+rng.IntN(400)) * time.Millisecond
		timer := time.AfterFunc(moment, func() { _ = s.cmd.Process.Signal(syscall.SIGKILL) })
		for upTo := (k + 1) * n / kills; sent < upTo; {
			if s.tryPut(fmt.Sprintf("%02d.md", sent), note(fmt.Sprint("Paper ", sent), word(sent), 8)) != nil {
				break // unanswered: put again after the restart
			}
			sent++
		}
		_ = s.cmd.Wait()
		timer.Stop()
		s.up()
	}
	for ; sent < n; sent++ {
		s.put(fmt.Sprintf("%02d.md", sent), note(fmt.Sprint("Paper ", sent), word(sent), 8))
	}
	s.settled(n)
	s.kill(syscall.SIGTERM)
	killed := dump(t, s.conf.Config.Data)

	clean := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	for i := range n {
		clean.put(fmt.Sprintf("%02d.md", i), note(fmt.Sprint("Paper ", i), word(i), 8))
	}
	clean.settled(n)
	clean.kill(syscall.SIGTERM)
	if want := dump(t, clean.conf.Config.Data); !maps.Equal(killed, want) {
		t.Errorf("after %d kills the index differs from a clean build: %s", kills, difference(killed, want))
	}
}

// difference names some entries that only one side has.
func difference(a, b map[string]int) string {
	var out []string
	for k, n := range a {
		if b[k] != n {
			out = append(out, fmt.Sprintf("%.120s: %d, clean %d", k, n, b[k]))
		}
	}
	for k, n := range b {
		if _, ok := a[k]; !ok {
			out = append(out, fmt.Sprintf("%.120s: 0, clean %d", k, n))
		}
	}
	slices.Sort(out)
	return strings.Join(out[:min(len(out), 10)], "\n")
}

// While vectors are made a document is found by words; a chunk whose vector is bad costs that vector only.
func TestAPoisonedChunkIsFoundByWords(t *testing.T) {
	s := start(t, systemConfig{Config: testConfig(t), Scripted: true, Poison: word(7)})
	s.put("good.md", note("Good", word(3), 4))
	s.put("bad.md", note("Bad", word(7), 4))
	s.settled(2)
	if sec := s.find(word(7), 1).Sections; len(sec) != 1 || sec[0].Key != "bad.md" {
		t.Errorf("the poisoned chunk is not found by words: %+v", sec)
	}
	notes := s.documents()["bad.md"].Notes
	if len(notes) != 1 || !strings.Contains(notes[0], "found by words") {
		t.Errorf("notes %q", notes)
	}
	if st := s.status(); st.Index["chunk"] != 11 {
		t.Errorf("%d chunks have vectors, want 11 of 12", st.Index["chunk"])
	}
}

// Readers see the old version or the new one at every moment, never neither and never a mix.
func TestANewVersionComesWithoutAGap(t *testing.T) {
	s := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	s.put("edition.md", note("Edition", word(100), 30))
	s.settled(1)
	made := s.status().Embeddings.Made
	for v := 101; v <= 105; v++ {
		s.put("edition.md", note("Edition", word(v), 30))
		s.until("the next edition", func() bool {
			sec := s.find("the particular word of this paper", 1).Sections
			if len(sec) != 1 {
				t.Fatalf("a gap: %d sections", len(sec))
			}
			return strings.Contains(sec[0].Text, word(v))
		})
	}
	s.settled(1)
	// Of each edition one chunk changed; the other 31 were taken from the cache.
	if st := s.status(); st.Embeddings.Made-made > 5 || st.Embeddings.Saved == 0 {
		t.Errorf("%d embeddings for five changed chunks, %d saved", st.Embeddings.Made-made, st.Embeddings.Saved)
	}
}

// tenPages is a paper of forty sections with a table in each tenth, about 25 kB.
func tenPages(title, word string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nA paper of ten pages.\n\n", title)
	for i := range 40 {
		fmt.Fprintf(&b, "## Section %d of %s\n\n", i+1, title)
		for s := range 5 {
			fmt.Fprintf(&b, "Sentence %d of section %d says at ordinary length what a sentence of such a paper says, and then it ends. ", s+1, i+1)
		}
		b.WriteString("\n\n")
		if i%10 == 0 {
			b.WriteString("| Year | Pumps | Valves |\n|---|---|---|\n| 2024 | 12 | 31 |\n| 2025 | 14 | 29 |\n\n")
		}
	}
	fmt.Fprintf(&b, "## Particulars\n\nThe particular word of this paper is %s.\n", word)
	return b.String()
}

// From PUT to a find that returns the document, one document after the other.
func TestPutToFound(t *testing.T) {
	testenv.Slow(t, "200 documents one after the other")
	const n = 200
	s := start(t, systemConfig{Config: testConfig(t)})
	var took []time.Duration
	for i := range n {
		text := tenPages(fmt.Sprint("Paper ", i), word(i))
		from := time.Now()
		s.put(fmt.Sprintf("%03d.md", i), text)
		s.until("found", func() bool {
			sec := s.find(word(i), 1).Sections
			return len(sec) == 1 && strings.Contains(sec[0].Text, word(i))
		})
		took = append(took, time.Since(from))
	}
	slices.Sort(took)
	t.Logf("PUT to found, %d documents of %d kB: p50 %v, p95 %v", n, len(tenPages("Paper", word(1)))/1000, took[n/2], took[n*95/100])
	t.Log(stageShares(s.log.String()))
	if took[n/2] > 150*time.Millisecond || took[n*95/100] > 400*time.Millisecond {
		t.Errorf("p50 over 150 ms or p95 over 400 ms")
	}
}

func TestStartsThatCannotBe(t *testing.T) {
	taken := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	a, err := workers.ReadAddresses(taken.conf.Config.Data)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want string
		change     func(*workers.Config)
	}{
		{"the data folder is in use", "in use", func(c *workers.Config) { c.Data = taken.conf.Config.Data }},
		{"the S3 port is taken", "address already in use", func(c *workers.Config) { c.S3 = a.S3 }},
		{"the NATS port is taken", "in use", func(c *workers.Config) { c.NATS = a.NATS }},
		{"an address without a port", "want host:port", func(c *workers.Config) { c.NATS = "127.0.0.1" }},
		{"no such embedder", "auto, builtin, ollama, openai or none", func(c *workers.Config) { c.Embedder = "magic" }},
		{"a bucket of our own as source", "cannot be a source", func(c *workers.Config) { c.Sources[0].Bucket = "fingerpost-derived" }},
		{"a newer data folder", "newer version", func(c *workers.Config) { writeFile(t, filepath.Join(c.Data, "version"), "99\n") }},
		{"a damaged index", "index.db", func(c *workers.Config) {
			writeFile(t, filepath.Join(c.Data, "index.db"), strings.Repeat("no database ", 1000))
		}},
	} {
		conf := testConfig(t)
		c.change(&conf)
		out := refused(t, systemConfig{Config: conf, Scripted: true})
		if !strings.Contains(out, c.want) {
			t.Errorf("%s: the sentence is %q, without %q", c.name, out, c.want)
		}
		if n := strings.Count(strings.TrimSpace(out), "\n"); n > 3 {
			t.Errorf("%s: %d lines instead of a sentence:\n%s", c.name, n, out)
		}
	}
}

// Every input ends in its list, with class and reason, and the others go on.
func TestBadInputEndsInItsList(t *testing.T) {
	c := testConfig(t)
	c.Limits.ObjectBytes = 4 << 20
	c.Sources[0].Exclude = []string{".tmp"}
	s := start(t, systemConfig{Config: c, Scripted: true})
	bad := map[string]struct {
		text  string
		state doc.State
		class doc.Class
	}{
		"empty.md":       {"", doc.Skipped, doc.Empty},
		"blank.md":       {" \n\t\n", doc.Skipped, doc.Empty},
		"picture.md":     {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00", doc.Skipped, doc.Unsupported},
		"archive.md":     {"PK\x03\x04" + strings.Repeat("\x00\x01", 500), doc.Skipped, doc.Unsupported},
		"draft.md.tmp":   {"# Draft\n", doc.Skipped, doc.Excluded},
		"large.md":       {strings.Repeat("word ", 1<<20), doc.Failed, doc.TooLarge},
		"hashes.md":      {strings.Repeat("#", 3<<20), doc.Indexed, ""},
		"line.md":        {strings.Repeat("word ", 700_000), doc.Indexed, ""},
		"headings.md":    {strings.Repeat("# h\n", 900_000), doc.Failed, doc.ResourceLimit},
		"nested.md":      {strings.Repeat("> ", 1<<20) + "deep\n", doc.Indexed, ""},
		"replacement.md": {"# Bad \xff\xfe bytes\n\nand text\n", doc.Indexed, ""},
	}
	for key, b := range bad {
		s.put(key, b.text)
	}
	s.put("good.md", note("Good", word(1), 2))
	s.until("the good one", func() bool { return len(s.find(word(1), 1).Sections) == 1 })
	s.until("all at rest", func() bool {
		d := s.status().Documents
		return d.Pending == 0 && d.Indexed+d.Skipped+d.Failed == len(bad)+1
	})
	docs := s.documents()
	for key, b := range bad {
		if d := docs[key]; d.State != b.state || d.Class != b.class || b.class != "" && d.Reason == "" {
			t.Errorf("%s is %s, %q (%s), want %s, %q", key, d.State, d.Class, d.Reason, b.state, b.class)
		}
	}
	// Keys that S3 or the gateway refuse are refused at once, before anything is stored.
	for _, key := range []string{"../up.md", "a//b.md", "x/../y.md", strings.Repeat("k", 1030)} {
		if err := s.tryPut(key, "# x\n"); err == nil {
			t.Errorf("key %.20q was taken", key)
		}
	}
}

// A tenant sees only itself: every endpoint, every pointer, with two tenants and seeded requests.
func TestTenantsSeeOnlyThemselves(t *testing.T) {
	c := testConfig(t)
	c.Sources = []workers.Source{{Bucket: "documents", Tenant: "default"}, {Bucket: "others", Tenant: "acme"}}
	s := start(t, systemConfig{Config: c, Scripted: true})
	s.put("ours.md", note("Ours", word(1), 3))
	other := note("Theirs", word(2), 3)
	if _, err := s.blobs.Put(t.Context(), "others", "theirs.md", strings.NewReader(other), int64(len(other)), putOptions); err != nil {
		t.Fatal(err)
	}
	s.settled(1)
	s.until("the other tenant's document", func() bool {
		var st api.StatusReply
		return s.ask("acme", api.Status, struct{}{}, &st) == nil && st.Levels.Full == 1
	})
	var theirs api.FindReply
	if err := s.ask("acme", api.Find, api.FindRequest{Question: word(2)}, &theirs); err != nil || len(theirs.Sections) == 0 {
		t.Fatalf("the owner finds %d places: %v", len(theirs.Sections), err)
	}
	p := theirs.Sections[0]
	requests := map[api.Verb][]any{
		api.Find:      {api.FindRequest{Question: word(2)}, api.FindRequest{Question: "Theirs particulars", Keys: []string{"theirs.md"}}},
		api.Ask:       {api.AskRequest{Question: "What is the particular word " + word(2)}},
		api.Read:      {api.ReadRequest{Pointer: p.Pointer}},
		api.Tree:      {api.TreeRequest{Key: "theirs.md"}, api.TreeRequest{DocID: p.DocID}, api.TreeRequest{Bucket: "others", Key: "theirs.md"}},
		api.Documents: {api.DocumentsRequest{}, api.DocumentsRequest{Prefix: "theirs"}},
		api.Status:    {map[string]string{"tenant": "acme"}},
	}
	for v, reqs := range requests {
		for _, req := range reqs {
			// What it asked may come back in the reply; what stands in the document may not.
			if got := s.raw("default", api.Subject("default", v), req); strings.Contains(got, "of Theirs") || strings.Contains(got, "is "+word(2)) || strings.Contains(got, string(p.DocID)) {
				t.Errorf("%s %+v shows the other tenant: %.300s", v, req, got)
			}
			if got := s.raw("default", api.Subject("acme", v), req); got != "" {
				t.Errorf("default may ask acme's %s: %.200s", v, got)
			}
		}
	}
}

// stageShares folds the log's job lines into the mean time a stage takes and waits.
func stageShares(log string) string {
	type sum struct{ n, took, waited float64 }
	sums := map[string]*sum{}
	for line := range strings.Lines(log) {
		var l struct {
			Stage, Kind string
			Took        float64 `json:"took_ms"`
			Waited      float64 `json:"waited_ms"`
		}
		if decode(line, &l) && l.Stage != "" {
			k := l.Stage + " " + l.Kind
			if sums[k] == nil {
				sums[k] = &sum{}
			}
			sums[k].n++
			sums[k].took += l.Took
			sums[k].waited += l.Waited
		}
	}
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(sums)) {
		s := sums[k]
		fmt.Fprintf(&b, "%s: %.0f jobs, %.1f ms each, %.1f ms waited; ", k, s.n, s.took/s.n, s.waited/s.n)
	}
	return b.String()
}
