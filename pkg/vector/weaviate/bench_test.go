package weaviate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/rank"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/vectortest"
)

// benchmark's corpus: windows of 150 words and vectors of 384 numbers, in 200 documents.
const (
	corpus     = 20_000
	dimensions = 384
	vocabulary = 30_000
)

// fill puts the corpus: per place a window, a row, a node and a chunk.
func fill(b *testing.B, x *Index, at func(k doc.Kind) tenantClass) {
	r := rand.New(rand.NewPCG(7, 7))
	some := func(n int) (out []string) {
		for range n {
			out = append(out, vectortest.Word(r, vocabulary))
		}
		return out
	}
	for _, k := range doc.Kinds {
		start := time.Now()
		for done := 0; done < corpus; done += 2000 {
			var entries []vector.Entry
			for i := done; i < done+2000; i++ {
				e := vector.Entry{ID: place(byte(i%200), 1, i/200, 0)}
				switch k {
				case doc.KindChunk:
					e.Vector = vectortest.Unit(r, dimensions)
				case doc.KindWindow:
					e.Terms = some(150)
				case doc.KindRow:
					e.Terms = some(8)
				case doc.KindNode:
					e.Terms, e.Crumb = some(4), some(12)
				}
				entries = append(entries, e)
			}
			if err := x.Put(b.Context(), 1, "acme", k, entries); err != nil {
				b.Fatal(err)
			}
		}
		b.Logf("%d %ss in %v: %.0f a second", corpus, k, time.Since(start).Round(time.Millisecond), corpus/time.Since(start).Seconds())
	}
}

// BenchmarkFind is rank.Find through Weaviate against the requests that it sends, sent alone side by side; one after the other in
// turn, the same questions. Metrics: p50 of both in ms, and their ratio. Must: at most 1.3.
//
//	go test ./pkg/vector/weaviate -run '^$' -bench Find -benchtime 200x
func BenchmarkFind(b *testing.B) {
	x := open(b, fresh(b))
	at := func(k doc.Kind) tenantClass { return tenantClass{x.className(1, k), "acme"} }
	fill(b, x, at)
	for _, k := range []doc.Kind{doc.KindNode, doc.KindWindow, doc.KindRow} {
		settled(b, at(k))
	}
	for _, docs := range []int{0, 5} {
		for _, extra := range []bool{false, true} {
			b.Run(fmt.Sprintf("docs=%d/vocabulary=%v", docs, extra), func(b *testing.B) { findAgainstRequests(b, x, at, docs, extra) })
		}
	}
}

// settled waits until no words wait to be written.
func settled(b *testing.B, at tenantClass) {
	for start := time.Now(); time.Since(start) < 2*time.Minute; {
		if _, waits := segments(b, at); !waits {
			return
		}
		<-time.After(100 * time.Millisecond)
	}
	b.Fatalf("%s is not on disk after two minutes", at.class)
}

func findAgainstRequests(b *testing.B, x *Index, at func(doc.Kind) tenantClass, docs int, extra bool) {
	r := rand.New(rand.NewPCG(9, 9))
	var find, alone []time.Duration
	for i := range b.N + 10 {
		q := question(r, docs, extra)
		requests := requestsOf(q, at)
		half := func(into *[]time.Duration, f func() error) {
			start := time.Now()
			if err := f(); err != nil {
				b.Fatal(err)
			}
			if i >= 10 { // the first warm up
				*into = append(*into, time.Since(start))
			}
		}
		one := func() {
			half(&find, func() error {
				_, err := rank.Find(b.Context(), x, 1, "acme", q, nil, rank.Standard())
				return err
			})
		}
		if i%2 == 0 {
			one()
		}
		half(&alone, func() error { return send(b.Context(), x, requests) })
		if i%2 == 1 {
			one()
		}
	}
	a, c := p50(find), p50(alone)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(a)/1e6, "find-ms")
	b.ReportMetric(float64(c)/1e6, "requests-ms")
	b.ReportMetric(float64(a)/float64(c), "ratio")
}

func p50(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func question(r *rand.Rand, docs int, extra bool) rank.Query {
	q := rank.Query{Vector: vectortest.Unit(r, dimensions), Limit: rank.Candidates}
	for range 8 {
		q.Terms = append(q.Terms, vectortest.Word(r, vocabulary))
	}
	if extra {
		q.Extra = []string{vectortest.Word(r, vocabulary), vectortest.Word(r, vocabulary)}
	}
	for range docs {
		q.Docs = append(q.Docs, prefix(byte(r.IntN(200))))
	}
	return q
}

// requestsOf are the lists that rank.Search asks for.
func requestsOf(q rank.Query, at func(doc.Kind) tenantClass) (out []query) {
	words := func(k doc.Kind, f vector.Field, terms []string) {
		if len(terms) > 0 {
			out = append(out, query{tenantClass: at(k), property: string(f), tokens: tokens(terms), docs: q.Docs, limit: q.Limit})
		}
	}
	words(doc.KindWindow, vector.Terms, q.Terms)
	words(doc.KindRow, vector.Terms, q.Terms)
	words(doc.KindNode, vector.Crumb, q.Terms)
	words(doc.KindWindow, vector.Terms, q.Extra)
	words(doc.KindRow, vector.Terms, q.Extra)
	return append(out, query{tenantClass: at(doc.KindChunk), vector: q.Vector, docs: q.Docs, limit: q.Limit})
}

// send sends requests side by side and reads the answers no further than the stubs do.
func send(ctx context.Context, x *Index, requests []query) error {
	g, ctx := errgroup.WithContext(ctx)
	for i := range requests {
		g.Go(func() error {
			_, err := x.wire.(*grpcWire).client.Search(ctx, requests[i].message())
			return err
		})
	}
	return g.Wait()
}
