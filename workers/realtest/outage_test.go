package realtest

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
)

// goesOn is how soon after a server's return the work that needs it ends its first job.
const goesOn = 10 * time.Second

// away is how long a server is stopped: shorter than the must, 20 s, unless asked for.
func away(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("FINGERPOST_OUTAGE")
	if text == "" {
		return 8 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("FINGERPOST_OUTAGE: %v", err)
	}
	return d
}

// outages crashes each server in turn during the ingest of a hundred documents and starts it again after a while: work goes
// on, and in the end each document is indexed, once, and none is a dead letter.
func outages(t *testing.T, s *system, on servers) {
	s.t = t
	nats, s3 := on.nats[0], on.s3
	start := func(f func() error) {
		t.Helper()
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	var before api.StatusReply
	if err := s.ask(api.Status, struct{}{}, &before); err != nil {
		t.Fatal(err)
	}
	const each = 25
	n := 0
	for _, o := range []struct {
		name        string
		stop, start func()
		needs       string // the stage that can't work without it; "": none can
	}{
		{"nats", nats.Kill, func() { start(nats.Start) }, ""},
		{"s3", s3.Kill, func() { start(s3.Start) }, ""},
		{"weaviate", on.weaviate.Kill, func() { start(on.weaviate.Start) }, "index"},
		{"ollama", on.ollama.Stop, func() { on.ollama.Start(t) }, "embed"},
	} {
		done := func(x job) bool { return x.Outcome == "done" && (o.needs == "" || x.Stage == o.needs) }
		began := time.Now()
		for range each {
			s.put(fmt.Sprintf("outage/%03d.md", n), paper(n))
			n++
		}
		s.until("work on the documents before the outage", func() bool { _, ok := s.log.since(began, done); return ok })
		o.stop()
		stopped := time.Now()
		<-time.After(away(t))
		o.start()
		back := time.Now()
		s.until("work after the return of "+o.name, func() bool { _, ok := s.log.since(back, done); return ok })
		first, _ := s.log.since(back, done)
		took := first.Time.Sub(back)
		t.Logf("%s was away for %v; the first job (%s) ended %v after its return", o.name, back.Sub(stopped).Round(time.Millisecond), first.Stage, took.Round(time.Millisecond))
		if took > goesOn {
			t.Errorf("%s: work went on %v after its return", o.name, took)
		}
	}
	total := before.Documents.Indexed + n
	s.settled(total)
	s.once(total)
	t.Logf("jobs: %d done, %d met an outage, %d retried", s.log.count(func(x job) bool { return x.Outcome == "done" }),
		s.log.count(func(x job) bool { return x.Outcome == "outage" }), s.log.count(func(x job) bool { return x.Outcome == "retry" }))
}

// paper is a small document with a word of its own.
func paper(n int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Paper %d\n\nAn opening that says what this paper is about.\n", n)
	for i := range 4 {
		fmt.Fprintf(&b, "\n## Part %d\n\nThe part numbered %d of paper %d speaks of ordinary matters at ordinary length.\n", i+1, i+1, n)
	}
	fmt.Fprintf(&b, "\n## Particulars\n\nThe particular word of this paper is zq%dxv, and it stands on this line.\n", n)
	return []byte(b.String())
}
