package query_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/outline"
	"github.com/fingerpost/fingerpost/pkg/rank"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/words"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// zipf draws words of a vocabulary of 50,000 as texts use them.
type zipf struct{ *rand.Zipf }

func newZipf(seed uint64) zipf {
	return zipf{rand.NewZipf(rand.New(rand.NewPCG(seed, 0)), 1.1, 2, 49_999)}
}

func (z zipf) words(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "w%d", z.Uint64())
	}
	return b.String()
}

// From question to the places read back, over 100,000 windows of 150 words in 500 documents of 200 sections.
func TestFindOverManyWindows(t *testing.T) {
	docs, sections, bound := 500, 200, 60*time.Millisecond
	if testing.Short() {
		docs = 20
	}
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	z := newZipf(1)
	begin := time.Now()
	for d := range docs {
		shelve(t, h, z, fmt.Sprintf("%04d.md", d), sections)
	}
	t.Logf("%d windows shelved in %v", docs*sections, time.Since(begin).Round(time.Second))
	var took []time.Duration
	for q := range 300 {
		question := z.words(6)
		from := time.Now()
		rep, err := h.Query.Find(t.Context(), workertest.Tenant, api.FindRequest{Question: question, K: 5})
		if err != nil {
			t.Fatal(err)
		}
		if took = append(took, time.Since(from)); len(rep.Sections) != 5 {
			t.Errorf("question %d: %d places", q, len(rep.Sections))
		}
	}
	slices.Sort(took)
	p95 := took[len(took)*95/100]
	t.Logf("search and resolve: p50 %v, p95 %v", took[len(took)/2], p95)
	if p95 > bound {
		t.Errorf("p95 %v is over %v", p95, bound)
	}
}

// shelve puts a document where the chain would put it, without going the way.
func shelve(t *testing.T, h *workertest.House, z zipf, key string, sections int) {
	t.Helper()
	var b strings.Builder
	for s := range sections {
		fmt.Fprintf(&b, "# Section %d\n\n%s\n\n", s+1, z.words(150))
	}
	src := []byte(b.String())
	r, _, err := h.Ledger.Accept(t.Context(), ledger.Object{Tenant: workertest.Tenant, Bucket: workertest.Bucket, Key: key, Version: doc.VersionOf(src), Size: int64(len(src))})
	must(t, err)
	tree, err := outline.Build(r.DocID, r.Version, src, outline.Options{})
	must(t, err)
	ref := artefact.Ref{Tenant: r.Tenant, Doc: r.DocID, Generation: r.Generation}
	must(t, h.Artefacts.PutSource(t.Context(), ref, src))
	must(t, h.Artefacts.PutTree(t.Context(), ref, tree))
	analyse := func(s string) []string { return words.Analyze(s, words.English) }
	entries := map[doc.Kind][]vector.Entry{}
	for i, n := range tree.Nodes[1:] {
		place := doc.Place{Prefix: doc.PrefixOf(r.DocID), Generation: r.Generation, Node: i + 1}
		for _, c := range []doc.Chunk{{Kind: doc.KindNode, Text: n.Title, Crumb: n.Title}, {Kind: doc.KindWindow, Text: string(src[n.Bytes.Start:n.Bytes.End]), Crumb: n.Title}} {
			e := vector.Entry{ID: place.ID()}
			e.Terms, e.Crumb = rank.NamedWords(rank.NameOf(key), c, analyse)
			entries[c.Kind] = append(entries[c.Kind], e)
		}
	}
	for k, es := range entries {
		must(t, h.Index.Put(t.Context(), workertest.Build, r.Tenant, k, es))
	}
	_, err = h.Ledger.SetCurrent(t.Context(), r.Tenant, r.DocID, r.Generation, doc.LevelFull, map[string]string{"language": "en"})
	must(t, err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
