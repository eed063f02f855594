package parse_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/pkg/source"
	"github.com/fingerpost/fingerpost/pkg/source/pdf"
	"github.com/fingerpost/fingerpost/pkg/source/pdf/pdftest"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

func TestMain(m *testing.M) {
	pdf.ChildMain()
	retry.Redelivery = retry.Delays{First: time.Millisecond, Most: 20 * time.Millisecond}
	os.Exit(m.Run())
}

const others = 20

// beside drops one bad document and then others. The way in which read treats the bad one may wait for the channel, which
// is closed when all others are full: when that is reached, none of them had waited for it. It returns what became of the
// bad one at parse.
func beside(t *testing.T, bad, text string, read func(othersAreFull <-chan struct{}) func(context.Context, string, []byte) (source.Source, error)) (*workertest.House, []pipeline.Settled) {
	t.Helper()
	h := workertest.Open(t, workertest.Config{})
	full := make(chan struct{})
	h.Parse.Read = read(full)
	settled := make(chan pipeline.Settled, 1000)
	var ended atomic.Bool
	h.Put(bad, text)
	for i := range others {
		h.Put(fmt.Sprint(i, ".md"), fmt.Sprintf("# Paper %d\n\nIts text.\n", i))
	}
	h.Start(func(s pipeline.Settled) {
		if s.Job.Key == bad && s.Stage == wire.Parse {
			settled <- s
			ended.Store(s.Outcome == "done" || s.Outcome == "failed")
		}
	})
	h.Until("the others are full", func() bool {
		for i := range others {
			if h.Record(workertest.ID(fmt.Sprint(i, ".md"))).Level != doc.LevelFull {
				return false
			}
		}
		return true
	})
	close(full)
	h.Until("the bad one has ended", func() bool {
		r := h.Record(workertest.ID(bad))
		return ended.Load() && (r.Ended() || r.Level == doc.LevelFull)
	})
	var all []pipeline.Settled
	for len(settled) > 0 {
		all = append(all, <-settled)
	}
	return h, all
}

// One that exhausts memory in a child is failed at its first try; the program and the other documents never notice.
func TestOneThatExhaustsMemoryInAChild(t *testing.T) {
	h, all := beside(t, "big.pdf", string(pdftest.Many(2000)), func(full <-chan struct{}) func(context.Context, string, []byte) (source.Source, error) {
		return func(ctx context.Context, key string, raw []byte) (source.Source, error) {
			if !strings.HasSuffix(key, ".pdf") {
				return source.Parse(ctx, key, raw)
			}
			_, err := pdf.Limits{Memory: 40e6}.Parse(ctx, key, raw)
			<-full
			return source.Source{}, err
		}
	})
	r := h.Record(workertest.ID("big.pdf"))
	if r.State != doc.Failed || r.Class != doc.ResourceLimit || !strings.Contains(r.Reason, "memory") || len(all) != 1 || all[0].Outcome != "failed" {
		t.Errorf("%s, %s: %s; %d tries", r.State, r.Class, r.Reason, len(all))
	}
	if l := h.Letters(); len(l) != 1 || l[0].Attempts != 1 || l[0].Job.Key != "big.pdf" {
		t.Errorf("letters %+v", l)
	}
}

// One that fails twice and then works is indexed, without a letter; the others are full before its last try is over.
func TestOneThatFailsTwiceThenWorks(t *testing.T) {
	var tries atomic.Int64
	h, all := beside(t, "flaky.md", "# Flaky\n\nText.\n", func(full <-chan struct{}) func(context.Context, string, []byte) (source.Source, error) {
		return func(ctx context.Context, key string, raw []byte) (source.Source, error) {
			if key == "flaky.md" {
				if n := tries.Add(1); n < 3 {
					return source.Source{}, errors.New("a fault that passes")
				}
				<-full
			}
			return source.Parse(ctx, key, raw)
		}
	})
	r := h.Record(workertest.ID("flaky.md"))
	if r.State != doc.Indexed || r.Level != doc.LevelFull || r.Attempts != 0 || r.Reason != "" || tries.Load() != 3 {
		t.Errorf("%s %s, %d attempts, reason %q after %d tries", r.State, r.Level, r.Attempts, r.Reason, tries.Load())
	}
	var outcomes []string
	for _, s := range all {
		outcomes = append(outcomes, s.Outcome)
	}
	if fmt.Sprint(outcomes) != "[retry retry done]" || len(h.Letters()) != 0 {
		t.Errorf("%q", outcomes)
	}
}

// The bucket holds B when A's job comes, and A again when intake looks: A's job comes once more, and the document does not
// stay pending because its message is taken for a duplicate.
func TestBackToTheSameBytesWhileItsJobIsUnderWay(t *testing.T) {
	const a, b = "# A\n\nFirst.\n", "# B\n\nSecond.\n"
	for _, order := range []string{"parse asks after A is back", "parse asks before A is back"} {
		t.Run(order, func(t *testing.T) {
			h := workertest.Open(t, workertest.Config{})
			var asked []string
			h.Parse.Look = func(_ context.Context, _, key string) error { asked = append(asked, key); return nil }
			id := h.Put("a.md", a)
			j := h.Take(wire.Parse)
			h.Store(workertest.Bucket, "a.md", b) // its event is late
			back := func() {
				h.Store(workertest.Bucket, "a.md", a)
				h.Look(workertest.Bucket, "a.md")
			}
			if order == "parse asks after A is back" {
				h.Parse.Look = func(_ context.Context, _, key string) error { back(); asked = append(asked, key); return nil }
			}
			if err := h.Do(wire.Parse, j); err == nil || len(asked) != 1 {
				t.Fatalf("%v, intake was asked %d times", err, len(asked))
			}
			if order != "parse asks after A is back" {
				back()
			}
			h.Look(workertest.Bucket, asked[0])
			if h.Settle(); h.Record(id).Level != doc.LevelFull || h.Record(id).Generation != 1 {
				t.Errorf("%+v", h.Record(id))
			}
		})
	}
}

// The child reads a thousand full pages page by page: it stays far below its limit, and this process holds little more
// than the text.
func TestKnown51AThousandPagesInLittleMemory(t *testing.T) {
	d := pdftest.New()
	for i := range 1000 {
		p := d.Page()
		p.Text(72, 72, 14, pdftest.Bold, fmt.Sprintf("Chapter %d", i+1))
		for line := range 45 {
			p.Text(72, 100+14*float64(line), 10, pdftest.Plain, fmt.Sprintf("Line %d of sheet %d tells what the line before it has not told yet.", line+1, i+1))
		}
	}
	r, err := pdf.Parse(t.Context(), "large.pdf", d.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pages, %d MB resident at most, CPU %v, %d bytes of Markdown", r.Pages, r.MaxMemory/1e6, r.CPU, len(r.Markdown))
	if r.Pages != 1000 || r.MaxMemory > 300e6 {
		t.Errorf("%d pages, %d MB resident", r.Pages, r.MaxMemory/1e6)
	}
}
