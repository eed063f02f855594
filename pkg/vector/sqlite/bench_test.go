package sqlite

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/vectortest"
)

// The corpus of BenchmarkIndex: 10,000 documents with windows of 150 words, rows of 12, and chunks.
var (
	docs    = flag.Int("docs", 10_000, "documents of BenchmarkIndex")
	windows = flag.Int("windows", 10, "windows a document")
	rows    = flag.Int("rows", 14, "rows a document")
	chunks  = flag.Int("chunks", 10, "chunks of 384 dimensions a document")
)

// BenchmarkIndex measures the embedded index at full size and prints a line a figure:
//
//	go test ./pkg/vector/sqlite -run '^$' -bench Index -benchtime 1x
//
// Words follow Zipf's law over a vocabulary of 200,000 without stop words; a question has 8 of them.
func BenchmarkIndex(b *testing.B) {
	for range b.N {
		m := &meter{b: b, r: rand.New(rand.NewPCG(1, 1)), path: filepath.Join(b.TempDir(), "index.db")}
		m.fill()
		m.reload()
		m.search()
		m.update()
		m.x.Close()
	}
}

type meter struct {
	b    *testing.B
	r    *rand.Rand
	path string
	x    *Index
}

func (m *meter) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "  "+format+"\n", args...)
}

func prefix(d int) doc.Prefix {
	return doc.Prefix{byte(d * 7919 >> 16), byte(d * 7919 >> 8), byte(d * 7919), byte(d >> 8), byte(d)}
}

func (m *meter) terms(n int) (out []string) {
	for range n {
		out = append(out, vectortest.Word(m.r, 200_000))
	}
	return out
}

// document is the entries of a document by kind.
func (m *meter) document(d int, g doc.Generation) map[doc.Kind][]vector.Entry {
	out := map[doc.Kind][]vector.Entry{}
	for k, n := range map[doc.Kind]int{doc.KindWindow: *windows, doc.KindRow: *rows, doc.KindChunk: *chunks} {
		for i := range n {
			e := vector.Entry{ID: doc.Place{Prefix: prefix(d), Generation: g, Node: i / 3, Ordinal: i}.ID()}
			switch k {
			case doc.KindWindow:
				e.Terms = m.terms(150)
			case doc.KindRow:
				e.Terms = m.terms(12)
			default:
				e.Vector = vectortest.Unit(m.r, 384)
			}
			out[k] = append(out[k], e)
		}
	}
	return out
}

func (m *meter) put(d int, g doc.Generation) time.Duration {
	entries := m.document(d, g)
	began := time.Now()
	for _, k := range doc.Kinds {
		if err := m.x.Put(ctx, 1, "acme", k, entries[k]); err != nil {
			m.b.Fatal(err)
		}
	}
	return time.Since(began)
}

func (m *meter) fill() {
	m.x = open(m.b, m.path, 0)
	var took []time.Duration
	for d := range *docs {
		took = append(took, m.put(d, 1))
	}
	m.say("put of a document into a growing index: %s", spread(took))
	m.x.Close()
	m.say("file: %d MB", m.x.Size()>>20)
}

func spread(ds []time.Duration) string {
	slices.Sort(ds)
	at := func(p float64) time.Duration { return ds[int(p*float64(len(ds)-1))].Round(10 * time.Microsecond) }
	return fmt.Sprintf("p50 %s p95 %s p99 %s max %s", at(.5), at(.95), at(.99), at(1))
}

func (m *meter) reload() {
	m.x = nil
	before, used := heap(), cpu()
	m.x = open(m.b, m.path, 0)
	used = cpu() - used
	n, took := m.x.Loaded()
	s := m.x.Stats(1, "acme")
	m.say("load: %s for %v, %.2f s per 100,000 entries; %.2f s of processor time", took.Round(time.Millisecond), s.Entries,
		took.Seconds()*1e5/float64(n), used.Seconds()*1e5/float64(n))
	m.say("memory: %d MB of heap, %d MB counted, %.0f bytes an entry", (heap()-before)>>20, s.Bytes>>20, float64(s.Bytes)/float64(n))
}

func heap() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

func (m *meter) search() {
	some := func(n int) (f vector.Filter) {
		for range n {
			f = append(f, prefix(m.r.IntN(*docs)))
		}
		return f
	}
	for _, f := range []struct {
		name string
		docs func() vector.Filter
	}{
		{"all documents", func() vector.Filter { return nil }},
		{"1 document", func() vector.Filter { return some(1) }},
		{"half of them", func() vector.Filter { return some(*docs / 2) }},
	} {
		for _, k := range []doc.Kind{doc.KindWindow, doc.KindRow} {
			m.say("%s, %s: %s", k, f.name, m.time(func() (int, error) {
				hits, err := m.x.Words(ctx, 1, "acme", k, vector.Terms, m.terms(8), f.docs(), 200)
				return len(hits), err
			}))
		}
		m.say("near, %s: %s", f.name, m.time(func() (int, error) {
			hits, err := m.x.Near(ctx, 1, "acme", vectortest.Unit(m.r, 384), f.docs(), 200)
			return len(hits), err
		}))
	}
}

// time is the spread of 200 calls, and the processor time of one.
func (m *meter) time(f func() (int, error)) string {
	var took []time.Duration
	used := cpu()
	for range 200 {
		began := time.Now()
		if _, err := f(); err != nil {
			m.b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	return fmt.Sprintf("%s; processor %s", spread(took), ((cpu() - used) / 200).Round(10*time.Microsecond))
}

// update puts new versions of documents of about ten pages while searches run, then purges the old ones.
func (m *meter) update() {
	*windows, *rows, *chunks = 10, 45, 0
	var puts, purges, during []time.Duration
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		r := rand.New(rand.NewPCG(9, 9))
		for {
			select {
			case <-stop:
				return
			default:
			}
			var terms []string
			for range 8 {
				terms = append(terms, vectortest.Word(r, 200_000))
			}
			began := time.Now()
			m.x.Words(ctx, 1, "acme", doc.KindWindow, vector.Terms, terms, nil, 200)
			during = append(during, time.Since(began))
		}
	}()
	for range 300 {
		d := m.r.IntN(*docs)
		puts = append(puts, m.put(d, 2))
		began := time.Now()
		if _, err := m.x.Purge(ctx, 1, "acme", prefix(d), 0, 1); err != nil {
			m.b.Fatal(err)
		}
		purges = append(purges, time.Since(began))
	}
	close(stop)
	<-done
	m.say("update, 55 entries: put %s; purge %s", spread(puts), spread(purges))
	m.say("window, all documents, while updated: %s", spread(during))
}
