package workers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/notice"
	"github.com/fingerpost/fingerpost/workers"
	"github.com/fingerpost/fingerpost/workers/admin"
	"github.com/fingerpost/fingerpost/workers/audit"
	"github.com/fingerpost/fingerpost/workers/reconcile"
)

// scrambler treats events as a bad network does: of ten, two are lost, two come twice, two come after a later one, and
// one is escaped twice, or one is invented beside it.
type scrambler struct {
	mu   sync.Mutex
	rng  *rand.Rand
	late [][]byte
}

func newScrambler(seed uint64) *scrambler { return &scrambler{rng: rand.New(rand.NewPCG(seed, 0))} }

func (s *scrambler) event(ctx context.Context, body []byte, publish func(context.Context, []byte) error) error {
	for _, b := range s.scramble(body) {
		if err := publish(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// scramble is the events that are told for one that happened.
func (s *scrambler) scramble(body []byte) (out [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out, s.late = s.late, nil
	switch n := s.rng.IntN(10); {
	case n < 2: // lost
	case n < 4:
		out = append(out, body, body)
	case n < 6:
		s.late = append(s.late, body)
	case n < 7 && s.rng.IntN(2) == 0:
		out = append(out, escapedTwice(body))
	case n < 7:
		invented, err := notice.Encode("documents", fmt.Sprintf("never-%d.md", s.rng.IntN(50)))
		if err == nil {
			out = append(out, invented)
		}
		out = append(out, body)
	default:
		out = append(out, body)
	}
	return out
}

// escapedTwice is the event with its key escaped twice, as it comes through one gateway too many.
func escapedTwice(body []byte) []byte {
	ns, err := notice.Decode(body, "")
	if err != nil || len(ns) == 0 {
		return body
	}
	b, err := notice.Encode(ns[0].Bucket, url.QueryEscape(url.QueryEscape(ns[0].Key)))
	if err != nil {
		return body
	}
	return b
}

// Whatever happens to events, one walk makes the index what the bucket holds: compared entry by entry with a clean build
// of the final bucket.
func TestAnyEventsOneWalk(t *testing.T) {
	rounds, n := 10, 200
	if testing.Short() {
		rounds, n = 2, 40
	}
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 1))
	s := start(t, systemConfig{Config: testConfig(t), Scripted: true, Scramble: seed})
	bucket := map[string]string{}
	for round := range rounds {
		for range n {
			key := fmt.Sprintf("d/%03d.md", rng.IntN(n))
			if _, there := bucket[key]; there && rng.IntN(3) == 0 {
				delete(bucket, key)
				if err := s.blobs.Delete(t.Context(), "documents", key); err != nil {
					t.Fatal(err)
				}
				continue
			}
			bucket[key] = note(key, word(rng.IntN(1000)), rng.IntN(6))
			s.put(key, bucket[key])
		}
		var g reconcile.Gaps
		s.operate("reconcile", admin.ReconcileRequest{Yes: true}, &g)
		s.settled(len(bucket))
		t.Logf("round %d: %d objects, gaps %+v", round+1, len(bucket), g)
	}
	var rep audit.Report
	s.until("an audit that adds up", func() bool {
		s.operate("audit", admin.AuditRequest{}, &rep)
		return rep.OK() && rep.Objects == len(bucket)
	})
	s.kill(syscall.SIGTERM)
	got := dump(t, s.conf.Config.Data)

	clean := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	for key, text := range bucket {
		clean.put(key, text)
	}
	clean.settled(len(bucket))
	clean.kill(syscall.SIGTERM)
	if want := dump(t, clean.conf.Config.Data); !maps.Equal(got, want) {
		t.Errorf("the index differs from a clean build of the bucket: %s", difference(got, want))
	}
}

// Worker processes are killed and paused past their lease while documents are put, overwritten and deleted: nothing is
// lost, doubled, stale or left behind.
func TestWorkersKilledAndPaused(t *testing.T) {
	moments, n := many(t, 20), 30 // by hand: FINGERPOST_MANY=100
	if testing.Short() {
		moments, n = 4, 10
	}
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, 2))
	c := testConfig(t)
	c.Lease, c.Grace, c.ReconcileEvery = 400*time.Millisecond, 200*time.Millisecond, 0
	s := start(t, systemConfig{Config: c, Scripted: true, Roles: []workers.Role{"intake", "index", "query", "reconcile"}})
	join := systemConfig{Config: c, Scripted: true, Join: true, Roles: []workers.Role{"parse", "chunk", "embed"}}
	hands := []*system{start(t, join), start(t, join)}
	bucket := map[string]string{}
	for m := range moments {
		for range n / 2 {
			key := fmt.Sprintf("%02d.md", rng.IntN(n))
			if _, there := bucket[key]; there && rng.IntN(4) == 0 {
				delete(bucket, key)
				if err := s.blobs.Delete(t.Context(), "documents", key); err != nil {
					t.Fatal(err)
				}
				continue
			}
			bucket[key] = note(key, word(rng.IntN(1000)), rng.IntN(20))
			s.put(key, bucket[key])
		}
		hand := hands[rng.IntN(len(hands))]
		if m%2 == 0 {
			hand.kill(syscall.SIGKILL)
			hand.up()
			continue
		}
		pause(t, hand, 3*c.Lease)
	}
	s.settled(len(bucket))
	var rep audit.Report
	s.until("an audit that adds up", func() bool {
		s.operate("audit", admin.AuditRequest{}, &rep)
		return rep.OK() && rep.Objects == len(bucket)
	})
	for _, h := range hands {
		h.kill(syscall.SIGTERM)
	}
	s.kill(syscall.SIGTERM)
	got := dump(t, c.Data)

	clean := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	for key, text := range bucket {
		clean.put(key, text)
	}
	clean.settled(len(bucket))
	clean.kill(syscall.SIGTERM)
	if want := dump(t, clean.conf.Config.Data); !maps.Equal(got, want) {
		t.Errorf("the index differs from a clean build of the bucket: %s", difference(got, want))
	}
}

// pause stops a process for longer than its lease, so that what it had in hand is taken by another, and lets it go on.
func pause(t *testing.T, s *system, d time.Duration) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	timer := time.NewTimer(d) // the pause itself is what is tested
	<-timer.C
	if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

// A document that is erased is nowhere, and the receipt says from where it went.
func TestErasedIsNowhere(t *testing.T) {
	s := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	s.put("gone.md", note("Gone", word(5), 5))
	s.put("stays.md", note("Stays", word(6), 5))
	s.settled(2)
	var rc admin.Receipt
	s.operate("erase", admin.DocumentRequest{Tenant: "default", Bucket: "documents", Key: "gone.md"}, &rc)
	if !rc.Verified {
		t.Errorf("not read back: %+v", rc)
	}
	where := map[string]int{}
	for _, r := range rc.Removed {
		where[r.Where] += r.Count
	}
	if where["bucket documents"] != 1 || where["index"] == 0 || where["bucket fingerpost-derived"] < 4 || where["trail"] == 0 {
		t.Errorf("removed %v", where)
	}
	if found := s.find(word(5), 5).Sections; len(found) > 0 && found[0].Key == "gone.md" {
		t.Errorf("the erased document is found")
	}
	var rep audit.Report
	s.operate("audit", admin.AuditRequest{}, &rep)
	if !rep.OK() || rep.Objects != 1 {
		t.Errorf("audit %+v", rep)
	}
	s.kill(syscall.SIGTERM)
	if hit := grep(t, s.conf.Config.Data, word(5)); hit != "" { // also as a word of the index
		t.Errorf("its text is still in %s", hit)
	}
}

// From the acknowledged deletion on nothing shows the text: a reader asks all the while.
func TestDeletedTextIsNeverShown(t *testing.T) {
	s := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	for i := range 20 {
		key := fmt.Sprintf("%02d.md", i)
		s.put(key, note(key, word(i), 10))
	}
	s.settled(20)
	for i := range 20 {
		key := fmt.Sprintf("%02d.md", i)
		pointer := s.find(word(i), 1).Sections[0].Pointer
		if err := s.blobs.Delete(t.Context(), "documents", key); err != nil {
			t.Fatal(err)
		}
		s.until("the tombstone", func() bool { return s.documents()[key].DocID == "" })
		for range 10 {
			for _, sec := range s.find(word(i), 5).Sections {
				if sec.Key == key {
					t.Fatalf("%s is shown after its tombstone", key)
				}
			}
			if got := s.raw("default", "fingerpost.default.read", map[string]string{"pointer": pointer}); got != "" {
				t.Fatalf("%s is read after its tombstone", key)
			}
		}
	}
	s.until("the purge", func() bool { return s.status().Index["window"] == 0 })
}

// What ends as a dead letter is listed; a document that is mended leaves the list by itself; a replay is a real new try.
func TestDeadLettersComeAndGo(t *testing.T) {
	s := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	bad := headings(200_000)
	s.put("bad.md", bad)
	s.until("the failure", func() bool { return s.documents()["bad.md"].State == doc.Failed })
	letters := func() []string {
		var rep admin.DeadReply
		s.operate("dead", admin.DeadRequest{Do: "ls"}, &rep)
		var keys []string
		for _, l := range rep.Letters {
			keys = append(keys, l.Job.Key+" "+string(l.Class))
		}
		return keys
	}
	if got := fmt.Sprint(letters()); got != "[bad.md resource_limit]" {
		t.Errorf("letters %s", got)
	}
	for range 3 { // each replay inside the deduplication window is a new try and a new letter
		var rep admin.DeadReply
		s.operate("dead", admin.DeadRequest{Do: "replay"}, &rep)
		if rep.Done != 1 {
			t.Fatalf("%d replayed", rep.Done)
		}
		s.until("the failure", func() bool { return len(letters()) == 1 && s.documents()["bad.md"].State == doc.Failed })
	}
	s.put("bad.md", note("Mended", word(9), 2))
	s.settled(1)
	s.until("an empty list", func() bool { return len(letters()) == 0 })
	var life admin.ExplainReply
	s.operate("explain", admin.DocumentRequest{Tenant: "default", Bucket: "documents", Key: "bad.md"}, &life)
	if b, _ := json.Marshal(life); len(life.Trail) < 8 || life.Record.State != doc.Indexed {
		t.Errorf("the life of the document: %s", b)
	}
}
