package gateway

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/blob"
)

// BenchmarkPut20kB is a PUT of 20 kB through the s3 client.
func BenchmarkPut20kB(b *testing.B) {
	s := store(b, open(b, Config{Notify: func(context.Context, []byte) error { return nil }}))
	ctx := context.Background()
	if err := s.MakeBucket(ctx, "bench"); err != nil {
		b.Fatal(err)
	}
	body := bytes.Repeat([]byte("a line of text\n"), 20_000/15)
	measure(b, func(i int) error {
		_, err := s.Put(ctx, "bench", fmt.Sprintf("dir/%d.md", i), bytes.NewReader(body), int64(len(body)), blob.PutOptions{})
		return err
	})
}

// BenchmarkRange4kB is a read of 4,000 bytes in the middle of an object of 1 MB.
func BenchmarkRange4kB(b *testing.B) {
	s := store(b, open(b, Config{}))
	ctx := context.Background()
	if err := s.MakeBucket(ctx, "bench"); err != nil {
		b.Fatal(err)
	}
	if _, err := s.Put(ctx, "bench", "source.md", bytes.NewReader(make([]byte, 1<<20)), 1<<20, blob.PutOptions{}); err != nil {
		b.Fatal(err)
	}
	measure(b, func(i int) error {
		r, _, err := s.Get(ctx, "bench", "source.md", blob.GetOptions{Offset: 500_000, Length: 4000})
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = io.Copy(io.Discard, r)
		return err
	})
}

// BenchmarkHead is a HEAD of one object.
func BenchmarkHead(b *testing.B) {
	s := store(b, open(b, Config{}))
	ctx := context.Background()
	if err := s.MakeBucket(ctx, "bench"); err != nil {
		b.Fatal(err)
	}
	if _, err := s.Put(ctx, "bench", "source.md", bytes.NewReader(nil), 0, blob.PutOptions{}); err != nil {
		b.Fatal(err)
	}
	measure(b, func(int) error {
		_, err := s.Head(ctx, "bench", "source.md")
		return err
	})
}

func measure(b *testing.B, f func(i int) error) {
	var took []time.Duration
	for i := range b.N {
		t := time.Now()
		if err := f(i); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(t))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
}
