package bustest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// kv is the test's own bucket.
func (s *suite) kv() bus.KV { return s.kvOf(s.bus) }

func (s *suite) kvOf(b bus.Bus) bus.KV {
	s.Helper()
	kv, err := b.KV(s.Context(), s.stream.Name)
	if err != nil {
		s.Fatal(err)
	}
	return kv
}

func (s *suite) put(kv bus.KV, key, value string, revision uint64) uint64 {
	s.Helper()
	rev, err := kv.Put(s.Context(), key, []byte(value), revision)
	if err != nil {
		s.Fatal(err)
	}
	return rev
}

func kvCompareAndSet(s *suite) {
	kv := s.kv()
	_, _, err := kv.Get(s.Context(), "t.doc")
	s.is(err, bus.ErrNoKey, "t.doc")
	first := s.put(kv, "t.doc", "1", 0)
	_, err = kv.Put(s.Context(), "t.doc", []byte("x"), 0)
	s.is(err, bus.ErrConflict, "t.doc")
	second := s.put(kv, "t.doc", "2", first)
	_, err = kv.Put(s.Context(), "t.doc", []byte("x"), first)
	s.is(err, bus.ErrConflict, "t.doc")
	if second <= first {
		s.Errorf("revision %d after %d", second, first)
	}
	value, rev, err := kv.Get(s.Context(), "t.doc")
	if string(value) != "2" || rev != second || err != nil {
		s.Errorf("got %q at %d, %v; want 2 at %d", value, rev, err, second)
	}
	for range 2 {
		if err := kv.Delete(s.Context(), "t.doc"); err != nil {
			s.Fatal(err)
		}
	}
	_, _, err = kv.Get(s.Context(), "t.doc")
	s.is(err, bus.ErrNoKey)
	_, err = kv.Put(s.Context(), "t.doc", []byte("x"), second)
	s.is(err, bus.ErrConflict)
	s.put(kv, "t.doc", "3", 0)
	s.put(kv, "t.empty", "", 0)
	if value, _, err := kv.Get(s.Context(), "t.empty"); len(value) != 0 || err != nil {
		s.Errorf("empty value: %q, %v", value, err)
	}
}

// Many add to one counter: each increment is there in the end, and of many creations one wins.
func kvRaces(s *suite) {
	const workers, rounds = 16, 8
	buckets := []bus.KV{s.kv(), s.kvOf(s.Connect(s.T))}
	s.put(buckets[0], "n", "0", 0)
	var all sync.WaitGroup
	var mu sync.Mutex
	winners := 0
	for w := range workers {
		kv := buckets[w%2]
		all.Go(func() {
			if _, err := kv.Put(s.Context(), "once", []byte("x"), 0); err == nil {
				mu.Lock()
				winners++
				mu.Unlock()
			} else if !errors.Is(err, bus.ErrConflict) {
				s.Error(err)
			}
			for range rounds {
				if err := increment(s.Context(), kv, "n"); err != nil {
					s.Error(err)
				}
			}
		})
	}
	all.Wait()
	value, _, err := buckets[1].Get(s.Context(), "n")
	if string(value) != strconv.Itoa(workers*rounds) || err != nil {
		s.Errorf("counted to %s, %v; want %d", value, err, workers*rounds)
	}
	if winners != 1 {
		s.Errorf("%d creations of one key won, want 1", winners)
	}
}

func increment(ctx context.Context, kv bus.KV, key string) error {
	for {
		value, rev, err := kv.Get(ctx, key)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(string(value))
		if err != nil {
			return err
		}
		if _, err = kv.Put(ctx, key, []byte(strconv.Itoa(n+1)), rev); !errors.Is(err, bus.ErrConflict) {
			return err
		}
	}
}

func kvReadsTheLeader(s *suite) {
	writer, reader := s.kv(), s.kvOf(s.Connect(s.T))
	rev := uint64(0)
	for i := range 100 {
		rev = s.put(writer, "k", strconv.Itoa(i), rev)
		if value, at, err := reader.Get(s.Context(), "k"); string(value) != strconv.Itoa(i) || at != rev || err != nil {
			s.Fatalf("wrote %d at %d, read %s at %d, %v", i, rev, value, at, err)
		}
	}
}

func kvHostileKeys(s *suite) {
	kv := s.kv()
	for _, key := range []string{"", ".", "a..b", "a.", ".a", "a b", "a.*", ">", "a\r\nb", "Größe"} {
		if _, err := kv.Put(s.Context(), key, []byte("x"), 0); err == nil {
			s.Errorf("key %q is taken", key)
		}
		if _, _, err := kv.Get(s.Context(), key); err == nil {
			s.Errorf("key %q is there", key)
		}
	}
	if _, err := s.bus.KV(s.Context(), "no bucket.*"); err == nil {
		s.Error("a bucket of that name is taken")
	}
}

// told collects what a watch tells.
type told struct {
	mu     sync.Mutex
	events []string
	last   uint64
	falls  int // revisions that did not rise
}

func (t *told) add(key string, value []byte, revision uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if revision <= t.last {
		t.falls++
	}
	t.last = revision
	if value == nil {
		t.events = append(t.events, key+" deleted")
		return
	}
	t.events = append(t.events, key+"="+string(value))
}

func (t *told) all() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.events)
}

// watch starts one and returns when the present keys are told; the watch ends with the test.
func (s *suite) watch(kv bus.KV, prefix string) *told {
	s.Helper()
	t, ready, done := &told{}, make(chan struct{}), make(chan error, 1)
	ctx, stop := context.WithCancel(s.Context())
	go func() { done <- kv.Watch(ctx, prefix, ready, t.add) }()
	select {
	case <-ready:
	case err := <-done:
		s.Fatalf("watch ended: %v", err)
	}
	s.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			s.Errorf("watch: %v", err)
		}
	})
	return t
}

func watchTellsInOrder(s *suite) {
	kv := s.kv()
	a := s.put(kv, "t.a", "1", 0)
	b := s.put(kv, "t.b", "1", 0)
	s.put(kv, "u.c", "1", 0)
	s.put(kv, "t.gone", "1", 0)
	if err := kv.Delete(s.Context(), "t.gone"); err != nil {
		s.Fatal(err)
	}
	a = s.put(kv, "t.a", "2", a)
	one, all := s.watch(kv, "t"), s.watch(s.kvOf(s.Connect(s.T)), "")
	if got := present(one.all()); !slices.Equal(got, []string{"t.b=1", "t.a=2"}) {
		s.Errorf("present below t: %v", got)
	}
	if got := present(all.all()); !slices.Equal(got, []string{"t.b=1", "u.c=1", "t.a=2"}) {
		s.Errorf("present: %v", got)
	}
	for i := range 50 {
		a = s.put(kv, "t.a", fmt.Sprint(i), a)
		b = s.put(kv, "t.b", fmt.Sprint(i), b)
	}
	if err := kv.Delete(s.Context(), "t.a"); err != nil {
		s.Fatal(err)
	}
	for _, w := range []*told{one, all} {
		s.await("the last changes are told", func() bool {
			e := w.all()
			return slices.Contains(e, "t.b=49") && e[len(e)-1] == "t.a deleted"
		})
		if w.falls > 0 {
			s.Errorf("%d changes were told out of order: %v", w.falls, w.all())
		}
	}
}

// present leaves out deletions, which may be told of keys that were never told.
func present(events []string) []string {
	return slices.DeleteFunc(slices.Clone(events), func(e string) bool { return len(e) > 8 && e[len(e)-8:] == " deleted" })
}

func watchOfNothing(s *suite) {
	kv := s.kv()
	t := s.watch(kv, "")
	s.put(kv, "a", "", 0)
	s.await("the empty value is told", func() bool { return len(t.all()) == 1 })
	if got := t.all(); got[0] != "a=" {
		s.Errorf("told %v: an empty value is not a deletion", got)
	}
	if err := kv.Watch(s.Context(), "a b", nil, t.add); err == nil {
		s.Error("a prefix that is no subject is taken")
	}
}

func eachWalks(s *suite) {
	kv := s.kv()
	for i := range 300 {
		s.put(kv, fmt.Sprintf("t%d.k%d", i%2, i), "v", 0)
	}
	if err := kv.Delete(s.Context(), "t1.k1"); err != nil {
		s.Fatal(err)
	}
	for prefix, want := range map[string]int{"": 299, "t0": 150, "t1": 149, "t": 0, "t0.k0": 0} {
		n := 0
		if err := kv.Each(s.Context(), prefix, func(string, []byte) error { n++; return nil }); err != nil || n != want {
			s.Errorf("below %q: %d keys, %v; want %d", prefix, n, err, want)
		}
	}
	enough, n := errors.New("enough"), 0
	err := kv.Each(s.Context(), "", func(string, []byte) error { n++; return enough })
	if !errors.Is(err, enough) || n != 1 {
		s.Errorf("%v after %d keys", err, n)
	}
}
