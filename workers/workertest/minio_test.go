package workertest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/blob/miniotest"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/notice"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/intake"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// minio is a MinIO whose events reach FP_EVENTS by one target, and the broker in between.
type minio struct {
	*workertest.House
	target  miniotest.Target
	subject string
	away    bool  // no connection: an error at once
	late    int   // so many messages more are stored, and confirmed too late
	off     bool  // JETSTREAM=off: sent without asking whether anybody keeps it
	nobody  error // what a publish says whose subject no stream has; asked once, for it takes its time
	puts    int
}

// events is where the target of the compose file publishes.
const events = wire.EventSubject + ".minio"

// nowhere is a subject that no stream has.
const nowhere = "fp.nowhere"

func newMinIO(t *testing.T, queue, vectors bool) *minio {
	t.Helper()
	m := &minio{House: workertest.Open(t, workertest.Config{NoVectors: !vectors}), subject: events}
	m.target = miniotest.Target{T: t, Publish: m.publish}
	if queue {
		m.target.Dir = t.TempDir()
	}
	return m
}

func (m *minio) publish(ctx context.Context, body []byte) error {
	if m.away {
		return bus.ErrAway
	}
	if m.subject == nowhere {
		if m.nobody == nil {
			m.nobody = m.Bus.Publish(ctx, bus.Message{Subject: nowhere, Data: body})
		}
		if m.off {
			return nil
		}
		return m.nobody
	}
	err := m.Bus.Publish(ctx, bus.Message{Subject: m.subject, Data: body}) // without a message id, as MinIO does
	if err == nil && m.late > 0 {
		m.late--
		return errors.New("nats: timeout")
	}
	return err
}

// put puts n further objects, each answered with 200 whatever becomes of its event.
func (m *minio) put(n int) {
	m.T.Helper()
	for range n {
		key := fmt.Sprintf("dir a+b/100%% %03d.md", m.puts)
		m.puts++
		m.Store(workertest.Bucket, key, text("word"+key))
		m.target.Happened(miniotest.Message("s3:ObjectCreated:Put", workertest.Bucket, key))
	}
}

// restart is a MinIO that was killed: its queue is what lies on disk.
func (m *minio) restart() {
	m.target = miniotest.Target{T: m.T, Publish: m.publish, Dir: m.target.Dir, Limit: m.target.Limit}
	m.target.Tick()
}

// arrived is how many messages wait in FP_EVENTS.
func (m *minio) arrived() int {
	m.T.Helper()
	n, _, err := m.Bus.Backlog(m.T.Context(), wire.EventStream)
	if err != nil {
		m.T.Fatal(err)
	}
	return int(n)
}

// handle has intake do every event that waits, and the chain what follows; it returns how many documents are found.
func (m *minio) handle() int {
	m.T.Helper()
	for m.arrived() > 0 {
		got, err := m.Bus.Fetch(m.T.Context(), intake.Consumer, 100, 5*time.Second)
		if err != nil {
			m.T.Fatal(err)
		}
		for _, d := range got {
			if err := errors.Join(m.Intake.Handle(m.T.Context(), d.Message().Data, notice.Auto), d.Ack(m.T.Context())); err != nil {
				m.T.Fatal(err)
			}
		}
	}
	m.Settle()
	return m.found()
}

// found is how many documents are shown; each must be an object of the bucket, with its bytes.
func (m *minio) found() (n int) {
	m.T.Helper()
	err := m.Ledger.Each(m.T.Context(), workertest.Tenant, func(r ledger.Record) error {
		info, err := m.Blobs.Head(m.T.Context(), r.Bucket, r.Key)
		if r.State == doc.Indexed && r.Current == r.Generation && len(m.Entries(r.DocID, r.Current)) > 0 {
			n++
			if err != nil || info.ETag != r.ETag {
				m.T.Errorf("%q is shown and is not in the bucket so: %v", r.Key, err)
			}
		}
		return nil
	})
	if err != nil {
		m.T.Fatal(err)
	}
	return n
}

// whole has the walk close what events left open, and holds that every object is found.
func (m *minio) whole(objects, found int) {
	m.T.Helper()
	gaps, err := m.Walk()
	if err != nil {
		m.T.Fatal(err)
	}
	m.Settle()
	if n := m.found(); n != objects || gaps.Missing != objects-found {
		m.T.Errorf("after the walk %d of %d objects are found; it met %+v, want %d missing", n, objects, gaps, objects-found)
	}
}

// failure is a row of the table of a real MinIO's failures: what happens, how many messages arrive with a queue on disk
// and without, and how many of the objects are found by them. The walk finds the rest.
type failure struct {
	name    string
	happens func(m *minio)
	objects int
	queue   [2]int // messages, documents found by events; -1: not in the table
	none    [2]int
}

var failures = []failure{
	{"NATS up", func(m *minio) { m.put(20); m.target.Tick() }, 20, [2]int{20, 20}, [2]int{20, 20}},
	{"a burst", func(m *minio) { m.put(60); m.target.Tick() }, 60, [2]int{60, 60}, [2]int{60, 60}},
	{"NATS stopped during the PUTs, started later", func(m *minio) {
		m.away = true
		m.put(20)
		m.target.Tick()
		m.away = false
		m.target.Tick()
	}, 20, [2]int{20, 20}, [2]int{0, 0}},
	{"NATS killed and back while PUTs run", func(m *minio) {
		m.put(15)
		m.target.Tick()
		m.away = true
		m.put(11)
		m.target.Tick()
		m.away = false
		m.put(14)
		m.target.Tick()
	}, 40, [2]int{40, 40}, [2]int{29, 29}},
	{"NATS frozen: confirmed too late", func(m *minio) {
		m.put(20)
		m.late = 1
		m.target.Tick()
		m.late = 1
		m.target.Tick()
		m.target.Tick()
	}, 20, [2]int{22, 20}, [2]int{20, 20}},
	{"NATS down, MinIO killed, both back", func(m *minio) {
		m.away = true
		m.put(20)
		m.away = false
		m.restart()
	}, 20, [2]int{20, 20}, [2]int{0, 0}},
	{"MinIO killed between the confirmation and its note of it", func(m *minio) {
		n := 0
		m.target.Crash = func() bool { n++; return n == 8 }
		m.put(20)
		m.target.Tick()
		m.Store(workertest.Bucket, "stored without an answer.md", text("unanswered"))
		m.restart()
	}, 21, [2]int{21, 20}, [2]int{20, 20}},
	{"no stream, made later", func(m *minio) {
		m.subject = nowhere
		m.put(20)
		m.target.Tick()
		m.subject = events
		m.target.Tick()
	}, 20, [2]int{20, 20}, [2]int{0, 0}},
	{"queue limit 10, NATS down", func(m *minio) {
		m.target.Limit, m.away = 10, true
		m.put(20)
		m.away = false
		m.target.Tick()
	}, 20, [2]int{10, 10}, [2]int{0, 0}},
	{"NATS down when MinIO starts", func(m *minio) {
		m.away = true
		m.restart()
		m.put(20)
		m.away = false
		m.put(5)
		m.target.Tick()
	}, 25, [2]int{25, 25}, [2]int{5, 5}},
	{"JETSTREAM=off, with a stream", func(m *minio) { m.off = true; m.put(20); m.target.Tick() }, 20, [2]int{-1, -1}, [2]int{20, 20}},
	{"JETSTREAM=off, without a stream", func(m *minio) {
		m.off, m.subject = true, nowhere
		m.put(20)
		m.target.Tick()
		m.subject = events
		m.target.Tick()
	}, 20, [2]int{0, 0}, [2]int{0, 0}}, // the queue's file is gone before the broker has it
	{"synchronous events, NATS down", func(m *minio) { // the PUT is answered 200 all the same
		m.away = true
		m.put(20)
		m.away = false
		m.target.Tick()
	}, 20, [2]int{20, 20}, [2]int{0, 0}},
	{"synchronous events, NATS frozen", func(m *minio) { m.late = 3; m.put(3); m.target.Tick(); m.late = 0; m.target.Tick() }, 3, [2]int{4, 3}, [2]int{3, 3}},
	{"an empty queue file", func(m *minio) {
		m.put(20)
		damage(m, 5, 0)
		m.restart()
		m.put(5)
		m.target.Tick()
	}, 25, [2]int{24, 24}, [2]int{-1, -1}},
	{"a torn queue file", func(m *minio) {
		m.put(20)
		damage(m, 5, 100)
		m.restart()
		m.put(5)
		m.target.Tick()
		m.restart() // a restart does not help
	}, 25, [2]int{5, 5}, [2]int{-1, -1}},
	{"a torn queue file, removed by hand", func(m *minio) {
		m.put(20)
		damage(m, 5, 100)
		m.restart()
		m.put(5)
		if err := os.Remove(m.target.Queue()[0]); err != nil {
			m.T.Fatal(err)
		}
		m.target.Tick()
	}, 25, [2]int{24, 24}, [2]int{-1, -1}},
}

// damage cuts the n-th file of the queue, as a crash of the machine does.
func damage(m *minio, n int, size int64) {
	if m.target.Dir == "" {
		return
	}
	if err := os.Truncate(m.target.Queue()[n], size); err != nil {
		m.T.Fatal(err)
	}
}

// Whatever a real MinIO does to its events, the index ends at what the bucket holds (known 1, 2, 8, 12): exactly those
// events are missing that the table says, and the walk finds their objects.
func TestKnown2FailuresOfMinIO(t *testing.T) {
	for _, f := range failures {
		for kind, want := range map[string][2]int{"with a queue": f.queue, "without": f.none} {
			if want[0] < 0 {
				continue
			}
			t.Run(f.name+"/"+kind, func(t *testing.T) {
				m := newMinIO(t, kind == "with a queue", false)
				f.happens(m)
				if n := m.arrived(); n != want[0] {
					t.Errorf("%d messages arrive, want %d", n, want[0])
				}
				found := m.handle()
				if found != want[1] {
					t.Errorf("%d documents are found by events, want %d", found, want[1])
				}
				m.whole(f.objects, found)
			})
		}
	}
}

// A full FP_EVENTS refuses: with a queue what was refused comes when there is room, without it is lost and walked to.
func TestKnown24AFullEventStream(t *testing.T) {
	for _, queue := range []bool{true, false} {
		m := newMinIO(t, queue, false)
		resize := func(bytes int64) {
			if err := m.Bus.Declare(t.Context(), []bus.Stream{{Name: wire.EventStream, Subjects: []string{wire.EventSubject + ".>"}, MaxBytes: bytes}}, nil); err != nil {
				t.Fatal(err)
			}
		}
		resize(4000)
		m.put(20)
		m.target.Tick()
		full := m.arrived()
		if full == 0 || full >= 20 {
			t.Fatalf("%d messages fit", full)
		}
		resize(1 << 20)
		m.target.Tick()
		want := full
		if queue {
			want = 20
		}
		if n := m.arrived(); n != want {
			t.Errorf("queue %v: %d messages after there is room, want %d", queue, n, want)
		}
		m.whole(20, m.handle())
	}
}

// Two targets on a bucket, one with a queue and one without: each event comes twice, byte for byte, and the second is no
// work. While NATS is away the one is lost and the other comes.
func TestKnown8TwoTargets(t *testing.T) {
	m := newMinIO(t, true, true)
	fast := miniotest.Target{T: t, Publish: m.publish}
	safe := m.target.Happened
	both := func(n int) {
		for range n {
			key := fmt.Sprintf("%03d.md", m.puts)
			m.puts++
			m.Store(workertest.Bucket, key, text("word"+key))
			body := miniotest.Message("s3:ObjectCreated:Put", workertest.Bucket, key)
			fast.Happened(body)
			safe(body)
		}
	}
	both(20)
	if first := m.handle(); first != 20 {
		t.Errorf("%d of 20 are found by the fast target", first)
	}
	calls := m.Embedder.Calls()
	m.target.Tick()
	if n := m.arrived(); n != 20 {
		t.Errorf("%d second copies", n)
	}
	if m.handle(); m.Embedder.Calls() != calls {
		t.Errorf("the second copies cost %d embeddings", m.Embedder.Calls()-calls)
	}
	m.away = true
	both(10)
	m.away = false
	m.target.Tick()
	if fast.Lost != 10 || m.handle() != 30 {
		t.Errorf("the fast target lost %d, want 10; %d found, want 30", fast.Lost, m.found())
	}
	m.whole(30, 30)
}

// Overwrites of one key from many hands: a fifth of neighbours arrive swapped. The last bytes are what is found.
func TestKnown6SwappedOverwrites(t *testing.T) {
	m := newMinIO(t, false, false)
	r := rand.New(rand.NewPCG(7, 8))
	var bodies [][]byte
	for i := range 100 {
		bodies = append(bodies, miniotest.Message("s3:ObjectCreated:Put", workertest.Bucket, "one.md"))
		if i > 0 && r.IntN(5) == 0 {
			bodies[i-1], bodies[i] = bodies[i], bodies[i-1]
		}
	}
	for i, b := range bodies {
		m.Store(workertest.Bucket, "one.md", text(fmt.Sprintf("zq%dxv", i)))
		m.target.Happened(b)
		if i%10 == 9 {
			m.handle()
		}
	}
	if m.handle() != 1 || len(keys(t, m.House, "zq99xv")) != 1 || len(keys(t, m.House, "zq98xv")) != 0 {
		t.Error("what is found is not the last content")
	}
}

// In 5 of 150 races of PUT and DELETE a real MinIO's greatest sequencer said Removed while the object was there.
func TestKnown6TheLastEventLies(t *testing.T) {
	for name, c := range map[string]struct {
		events []string
		there  bool
	}{
		"removed last, and there":  {[]string{"s3:ObjectCreated:Put", "s3:ObjectRemoved:Delete"}, true},
		"created last, and gone":   {[]string{"s3:ObjectRemoved:Delete", "s3:ObjectCreated:Put"}, false},
		"a marker removed: back":   {[]string{"s3:ObjectCreated:Put", "s3:ObjectRemoved:DeleteMarkerCreated"}, true},
		"nothing happened (NoOP)":  {[]string{"s3:ObjectCreated:Put", "s3:ObjectRemoved:NoOP"}, true},
		"a legal hold of a hidden": {[]string{"s3:ObjectRemoved:DeleteMarkerCreated", "s3:ObjectCreated:PutLegalHold"}, false},
	} {
		m := newMinIO(t, false, false)
		m.Put("one.md", text("before"))
		m.Settle()
		if m.Store(workertest.Bucket, "one.md", text("after")); !c.there {
			if err := m.Blobs.Delete(t.Context(), workertest.Bucket, "one.md"); err != nil {
				t.Fatal(err)
			}
		}
		for _, e := range c.events {
			m.target.Happened(miniotest.Message(e, workertest.Bucket, "one.md"))
		}
		if found := m.handle(); found != map[bool]int{true: 1}[c.there] {
			t.Errorf("%s: %d found", name, found)
		}
	}
}

// Nothing is told of these (known 1): only the walk sees them.
func TestKnown1WhatMinIONeverTells(t *testing.T) {
	m := newMinIO(t, false, false)
	m.put(5)
	m.handle()
	m.Store(workertest.Bucket, "replica.md", text("replica"))                    // a replica's PUT
	for _, key := range []string{"dir a+b/100% 000.md", "dir a+b/100% 001.md"} { // a forced delete of a prefix
		if err := m.Blobs.Delete(t.Context(), workertest.Bucket, key); err != nil {
			t.Fatal(err)
		}
	}
	gaps, err := m.Walk()
	if err != nil || gaps.Missing != 1 || gaps.Gone != 2 {
		t.Errorf("%+v, %v", gaps, err)
	}
	m.Settle()
	if n := m.found(); n != 4 {
		t.Errorf("%d found, want 4", n)
	}
}
