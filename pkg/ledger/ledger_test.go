package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/embedded"
	spending "github.com/fingerpost/fingerpost/pkg/cost"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// book is a ledger over a real server.
type book struct {
	*ledger.Ledger
	t        *testing.T
	docs     bus.KV
	prefixes bus.KV
	floor    doc.Generation // what artefacts of an earlier life hold
}

func open(t *testing.T) *book {
	t.Helper()
	srv, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Port: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Stop() })
	b, err := nats.Connect(t.Context(), srv.Client())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	docs, err1 := b.KV(t.Context(), wire.DocsBucket)
	prefixes, err2 := b.KV(t.Context(), wire.PrefixesBucket)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	k := &book{t: t, docs: docs, prefixes: prefixes}
	k.Ledger = ledger.New(docs, prefixes, func(context.Context, doc.Tenant, doc.ID) (doc.Generation, error) { return k.floor, nil })
	return k
}

const tenant doc.Tenant = "acme"

func object(key, content string) ledger.Object {
	return ledger.Object{Tenant: tenant, Bucket: "documents", Key: key, Version: doc.VersionOf([]byte(content)), ETag: "e-" + content, Size: int64(len(content))}
}

func (k *book) accept(o ledger.Object) (ledger.Record, ledger.Change) {
	k.t.Helper()
	r, c, err := k.Accept(k.t.Context(), o)
	if err != nil {
		k.t.Fatal(err)
	}
	return r, c
}

func (k *book) get(id doc.ID) ledger.Record {
	k.t.Helper()
	r, err := k.Get(k.t.Context(), tenant, id)
	if err != nil {
		k.t.Fatal(err)
	}
	return r
}

// facts of a record that a transition is about.
type facts struct {
	State   doc.State
	Level   doc.Level
	Gen     doc.Generation
	Current doc.Generation
	Vectors doc.Generation
	Class   doc.Class
	Reason  string
	Tries   int
	Purged  bool
	Made    int
}

func factsOf(r ledger.Record) facts {
	return facts{r.State, r.Level, r.Generation, r.Current, r.Vectors, r.Class, r.Reason, r.Attempts, r.Purged, r.Made}
}

// step is one transition of the document "a.md".
type step func(k *book) error

var (
	ctx = context.Background()
	id  = object("a.md", "").ID()
)

func put(content string, want ledger.Change) step {
	return func(k *book) error {
		if _, c := k.accept(object("a.md", content)); c != want {
			return fmt.Errorf("accept of %q is change %d, want %d", content, c, want)
		}
		return nil
	}
}

func current(g doc.Generation, l doc.Level) step {
	return func(k *book) error {
		_, err := k.SetCurrent(ctx, tenant, id, g, l, map[string]string{"title": "A"})
		return err
	}
}

func level(g doc.Generation, l doc.Level, whole bool) step {
	return func(k *book) error { return k.SetLevel(ctx, tenant, id, g, l, whole) }
}

func end(g doc.Generation, s doc.State, c doc.Class) step {
	return func(k *book) error { return k.End(ctx, tenant, id, g, s, c, "because") }
}

func try(g doc.Generation, cause string) step {
	return func(k *book) error { _, err := k.Attempt(ctx, tenant, id, g, cause); return err }
}

// replay makes a new epoch too.
func replay(g doc.Generation) step {
	return func(k *book) error {
		before := k.get(id)
		r, err := k.Replay(ctx, tenant, id, g)
		if err == nil && r.Epoch != before.Epoch+1 {
			return fmt.Errorf("epoch %d after %d", r.Epoch, before.Epoch)
		}
		return err
	}
}

func remove(k *book) error { _, _, err := k.Remove(ctx, tenant, id, time.Now()); return err }

func purged(g doc.Generation) step {
	return func(k *book) error { return k.Purged(ctx, tenant, id, g) }
}

func cost(g doc.Generation, made int) step {
	return func(k *book) error { return k.Embedded(ctx, tenant, id, g, made, 0, spending.Spent{}) }
}

// late is a step that must be refused as superseded and change nothing.
func late(s step) step {
	return func(k *book) error {
		before := k.get(id)
		err := s(k)
		if v, _ := fault.Of(err); v != fault.Superseded {
			return fmt.Errorf("a late step gives %w, not superseded", err)
		}
		if after := k.get(id); !reflect.DeepEqual(before, after) {
			return fmt.Errorf("a late step changed the record to %+v", after)
		}
		return nil
	}
}

func TestTransitions(t *testing.T) {
	k := open(t)
	const fresh, again, nothing = ledger.Fresh, ledger.Again, ledger.Nothing
	for _, c := range []struct {
		name  string
		steps []step
		want  facts
	}{
		{"accepted", []step{put("v1", fresh)}, facts{State: doc.Pending, Gen: 1}},
		{"accepted twice before it is worked on", []step{put("v1", fresh), put("v1", again)}, facts{State: doc.Pending, Gen: 1}},
		{"found by words", []step{put("v1", fresh), current(1, doc.LevelWords)}, facts{State: doc.Indexed, Level: doc.LevelWords, Gen: 1, Current: 1}},
		{"same bytes once indexed", []step{put("v1", fresh), current(1, doc.LevelWords), put("v1", nothing)},
			facts{State: doc.Indexed, Level: doc.LevelWords, Gen: 1, Current: 1}},
		{"whole", []step{put("v1", fresh), current(1, doc.LevelWords), level(1, doc.LevelSections, false), cost(1, 7), level(1, doc.LevelFull, true)},
			facts{State: doc.Indexed, Level: doc.LevelFull, Gen: 1, Current: 1, Vectors: 1, Made: 7}},
		{"levels out of order", []step{put("v1", fresh), current(1, doc.LevelWords), level(1, doc.LevelFull, true), level(1, doc.LevelSections, false), current(1, doc.LevelWords)},
			facts{State: doc.Indexed, Level: doc.LevelFull, Gen: 1, Current: 1, Vectors: 1}},
		{"a newer version: the old one is shown until it comes", []step{put("v1", fresh), current(1, doc.LevelFull), put("v2", fresh)},
			facts{State: doc.Pending, Gen: 2, Current: 1}},
		{"a newer version is found", []step{put("v1", fresh), current(1, doc.LevelFull), put("v2", fresh), current(2, doc.LevelWords)},
			facts{State: doc.Indexed, Level: doc.LevelWords, Gen: 2, Current: 2}},
		{"back to the older content", []step{put("v1", fresh), current(1, doc.LevelFull), put("v2", fresh), put("v1", fresh)},
			facts{State: doc.Pending, Gen: 3, Current: 1}},
		{"skipped", []step{put("v1", fresh), end(1, doc.Skipped, doc.Empty)}, facts{State: doc.Skipped, Gen: 1, Class: doc.Empty, Reason: "because"}},
		{"failed: the same bytes stay failed", []step{put("v1", fresh), end(1, doc.Failed, doc.Corrupt), put("v1", nothing)},
			facts{State: doc.Failed, Gen: 1, Class: doc.Corrupt, Reason: "because"}},
		{"a newer version fails: the older is hidden", []step{put("v1", fresh), current(1, doc.LevelFull), put("v2", fresh), end(2, doc.Failed, doc.Corrupt)},
			facts{State: doc.Failed, Gen: 2, Class: doc.Corrupt, Reason: "because"}},
		{"mended", []step{put("v1", fresh), end(1, doc.Failed, doc.Corrupt), put("v2", fresh)}, facts{State: doc.Pending, Gen: 2}},
		{"ended versions do not come back", []step{put("v1", fresh), end(1, doc.Failed, doc.Corrupt), late(current(1, doc.LevelWords)), late(level(1, doc.LevelFull, true))},
			facts{State: doc.Failed, Gen: 1, Class: doc.Corrupt, Reason: "because"}},
		{"tries are counted", []step{put("v1", fresh), try(1, "away"), try(1, "away again")}, facts{State: doc.Pending, Gen: 1, Tries: 2, Reason: "away again"}},
		{"a success forgets them, and why", []step{put("v1", fresh), try(1, "away"), current(1, doc.LevelWords), try(1, "away"), level(1, doc.LevelSections, false)},
			facts{State: doc.Indexed, Level: doc.LevelSections, Gen: 1, Current: 1}},
		{"a failed purge does not rename the end", []step{put("v1", fresh), end(1, doc.Failed, doc.Corrupt), try(1, "index away")},
			facts{State: doc.Failed, Gen: 1, Class: doc.Corrupt, Reason: "because", Tries: 1}},
		{"deleted: hidden at once", []step{put("v1", fresh), current(1, doc.LevelFull), level(1, doc.LevelFull, true), remove}, facts{State: doc.Deleted, Gen: 2}},
		{"deleted twice", []step{put("v1", fresh), remove, remove}, facts{State: doc.Deleted, Gen: 2}},
		{"deleted and purged", []step{put("v1", fresh), remove, purged(2), remove}, facts{State: doc.Deleted, Gen: 2, Purged: true}},
		{"a purge that is given up leaves the tombstone", []step{put("v1", fresh), remove, late(end(2, doc.Failed, doc.Upstream))}, facts{State: doc.Deleted, Gen: 2}},
		{"back after the deletion", []step{put("v1", fresh), remove, put("v1", fresh), late(purged(2))}, facts{State: doc.Pending, Gen: 3}},
		{"replayed", []step{put("v1", fresh), try(1, "x"), end(1, doc.Failed, doc.Corrupt), replay(1)}, facts{State: doc.Pending, Gen: 1}},
		{"replayed, and fails again", []step{put("v1", fresh), end(1, doc.Failed, doc.Corrupt), replay(1), end(1, doc.Failed, doc.Upstream)},
			facts{State: doc.Failed, Gen: 1, Class: doc.Upstream, Reason: "because"}},
		{"only what has ended is replayed", []step{put("v1", fresh), late(replay(1)), current(1, doc.LevelWords), late(replay(1)), remove, late(replay(1)), late(replay(2))},
			facts{State: doc.Deleted, Gen: 2}},
		{"embeddings are counted over versions", []step{put("v1", fresh), cost(1, 5), put("v2", fresh), cost(2, 3)}, facts{State: doc.Pending, Gen: 2, Made: 8}},
		{"older work is superseded, whatever it wants", []step{put("v1", fresh), put("v2", fresh),
			late(current(1, doc.LevelWords)), late(level(1, doc.LevelFull, true)), late(end(1, doc.Failed, doc.Corrupt)), late(try(1, "x")), late(cost(1, 1)), late(purged(1)),
			late(func(k *book) error { return k.Note(ctx, tenant, id, 1, []string{"n"}) }),
			late(func(k *book) error { _, err := k.Check(ctx, tenant, id, 1); return err })}, facts{State: doc.Pending, Gen: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			k.t = t
			if err := k.docs.Delete(ctx, string(tenant)+"."+string(id)); err != nil {
				t.Fatal(err)
			}
			for i, s := range c.steps {
				if err := s(k); err != nil {
					t.Fatalf("step %d: %v", i+1, err)
				}
			}
			if got := factsOf(k.get(id)); got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// The same bytes with other attributes: properties only; while the job waits, one that asks for the new ETag.
func TestPropertiesOfTheSameBytes(t *testing.T) {
	k := open(t)
	o := object("a.md", "v1")
	k.accept(o)
	if _, err := k.SetCurrent(ctx, tenant, id, 1, doc.LevelWords, nil); err != nil {
		t.Fatal(err)
	}
	o.Meta, o.ETag = map[string]string{"owner": "me"}, "multipart-3"
	if r, c := k.accept(o); c != ledger.Properties || r.Generation != 1 || r.Meta["owner"] != "me" || r.ETag != "multipart-3" || r.State != doc.Indexed || r.Epoch != 0 {
		t.Errorf("change %d, record %+v", c, r)
	}
	p := object("b.md", "v1")
	k.accept(p)
	p.ETag = "multipart-3"
	if r, c := k.accept(p); c != ledger.Again || r.Generation != 1 || r.Epoch != 1 {
		t.Errorf("change %d, record %+v; want the job again under another id", c, r)
	}
}

func TestNotesAreToldOnce(t *testing.T) {
	k := open(t)
	k.accept(object("a.md", "v1"))
	for range 2 {
		if err := k.Note(ctx, tenant, id, 1, []string{"3 bad bytes", "windows"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := k.get(id).Notes; !reflect.DeepEqual(n, []string{"3 bad bytes", "windows"}) {
		t.Errorf("notes %q", n)
	}
	if r, _ := k.accept(object("a.md", "v2")); len(r.Notes) != 0 {
		t.Errorf("a new version has the notes of the old one: %q", r.Notes)
	}
}

// What is not there: nothing to remove, nothing to work on.
func TestUnknownDocument(t *testing.T) {
	k := open(t)
	if _, err := k.Get(ctx, tenant, id); !errors.Is(err, bus.ErrNoKey) {
		t.Errorf("get: %v", err)
	}
	if _, found, err := k.Remove(ctx, tenant, id, time.Now()); found || err != nil {
		t.Errorf("remove: found %v, %v", found, err)
	}
	if _, err := k.Check(ctx, tenant, id, 1); !superseded(err) {
		t.Errorf("check: %v", err)
	}
	if err := k.SetLevel(ctx, tenant, id, 1, doc.LevelFull, true); !superseded(err) {
		t.Errorf("level: %v", err)
	}
}

func superseded(err error) bool { v, _ := fault.Of(err); return v == fault.Superseded }

// A new cluster over an old bucket starts above what artefacts still hold.
func TestGenerationStartsAboveLeftovers(t *testing.T) {
	k := open(t)
	k.floor = 41
	if r, c := k.accept(object("a.md", "v1")); c != ledger.Fresh || r.Generation != 42 {
		t.Errorf("change %d, generation %d, want 42", c, r.Generation)
	}
}

// A document whose entry prefix belongs to another one of the tenant is refused; in another tenant it is not.
func TestPrefixClashIsRefused(t *testing.T) {
	k := open(t)
	o := object("a.md", "v1")
	p := doc.PrefixOf(o.ID())
	if _, err := k.prefixes.Put(ctx, string(tenant)+"."+doc.Base32(p[:]), []byte(object("z.md", "").ID()), 0); err != nil {
		t.Fatal(err)
	}
	_, _, err := k.Accept(ctx, o)
	if v, c := fault.Of(err); v != fault.Fail || c != doc.Internal {
		t.Errorf("accept: %v", err)
	}
	if _, err := k.Get(ctx, tenant, o.ID()); !errors.Is(err, bus.ErrNoKey) {
		t.Errorf("a record was written all the same: %v", err)
	}
}

// Sixteen at once: every change is counted, no generation is given twice.
func TestRaces(t *testing.T) {
	k := open(t)
	k.accept(object("a.md", "v0"))
	var wg sync.WaitGroup
	var mu sync.Mutex
	given := map[doc.Generation]int{}
	for i := range 16 {
		wg.Go(func() {
			r, c, err := k.Accept(ctx, object("a.md", fmt.Sprint("content ", i)))
			if err != nil || c != ledger.Fresh {
				t.Errorf("accept %d: change %d, %v", i, c, err)
			}
			mu.Lock()
			given[r.Generation]++
			mu.Unlock()
		})
	}
	wg.Wait()
	if len(given) != 16 || k.get(id).Generation != 17 {
		t.Errorf("generations %v, the last %d", given, k.get(id).Generation)
	}
	counts := map[int]bool{}
	for range 16 {
		wg.Go(func() {
			n, err := k.Attempt(ctx, tenant, id, 17, "away")
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			counts[n] = true
			mu.Unlock()
		})
	}
	wg.Wait()
	if len(counts) != 16 || k.get(id).Attempts != 16 {
		t.Errorf("counts %v, attempts %d", counts, k.get(id).Attempts)
	}
}

// Sixteen find the same new object at once: one of them makes the generation.
func TestOneOfManyAccepts(t *testing.T) {
	k := open(t)
	var wg sync.WaitGroup
	changes := make([]ledger.Change, 16)
	for i := range changes {
		wg.Go(func() {
			var err error
			if _, changes[i], err = k.Accept(ctx, object("a.md", "v1")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	fresh := 0
	for _, c := range changes {
		if c == ledger.Fresh {
			fresh++
		}
	}
	if fresh != 1 || k.get(id).Generation != 1 {
		t.Errorf("%d of 16 made a generation; it is %d", fresh, k.get(id).Generation)
	}
}

func TestEachTellsOneTenant(t *testing.T) {
	k := open(t)
	for _, tn := range []doc.Tenant{"acme", "acme-2", "other"} {
		o := object("a.md", "v1")
		o.Tenant = tn
		k.accept(o)
	}
	for want, tn := range []doc.Tenant{"nobody", "acme"} {
		n := 0
		if err := k.Each(ctx, tn, func(r ledger.Record) error {
			if n++; r.Tenant != tn {
				t.Errorf("%s is told of %s", tn, r.Tenant)
			}
			return nil
		}); err != nil || n != want {
			t.Errorf("%s: %d records, %v", tn, n, err)
		}
	}
}
