package intake_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/faulty"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/notice"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/intake"
	"github.com/fingerpost/fingerpost/workers/reconcile"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// state is what matters of a record here.
func state(h *workertest.House, key string) string {
	r := h.Record(workertest.ID(key))
	return fmt.Sprintf("%s/%s/g%d", r.State, r.Class, r.Generation)
}

// put stores an object with metadata and has intake look.
func put(t *testing.T, h *workertest.House, key, text string, meta map[string]string) {
	t.Helper()
	if _, err := h.Blobs.Put(t.Context(), workertest.Bucket, key, strings.NewReader(text), int64(len(text)), blob.PutOptions{Meta: meta}); err != nil {
		t.Fatal(err)
	}
	h.Look(workertest.Bucket, key)
}

func TestKnown7AnOverwriteIsAnUpsert(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	h.Put("a.md", "one")
	j := h.Take(wire.Parse)
	want := wire.Job{Tenant: workertest.Tenant, DocID: workertest.ID("a.md"), Bucket: workertest.Bucket, Key: "a.md", Generation: 1,
		Version: doc.VersionOf([]byte("one")), ETag: j.ETag, Build: 1, Kind: wire.Dropped, Dropped: j.Dropped}
	if j != want || j.ETag == "" || j.Dropped.IsZero() {
		t.Errorf("job %+v", j)
	}
	h.Put("a.md", "two")
	if j := h.Take(wire.Parse); j.Generation != 2 || j.Version != doc.VersionOf([]byte("two")) {
		t.Errorf("the overwrite's job is %+v", j)
	}
	if h.Delete("a.md"); state(h, "a.md") != "deleted//g3" {
		t.Errorf("deleted: %s", state(h, "a.md"))
	}
	if j := h.Take(wire.Index); j.Kind != wire.Removed || j.Generation != 3 {
		t.Errorf("the deletion's job is %+v", j)
	}
	h.Put("a.md", "two")
	if j := h.Take(wire.Parse); j.Generation != 4 {
		t.Errorf("the job of the same bytes after the deletion is %+v", j)
	}
}

// The store says by an equal ETag that the bytes are the same: they are not read. An unequal one says nothing:
// they are read, and the same bytes make no work.
func TestKnown47SameBytesAreNoWork(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	put(t, h, "a.md", "# A\n\ntext\n", nil)
	h.Settle()
	h.Blobs.Reset()
	h.Look(workertest.Bucket, "a.md")
	if c := h.Blobs.Counts(); c.Gets != 0 || c.Heads != 1 {
		t.Errorf("an equal ETag: %+v", c)
	}
	put(t, h, "a.md", "# A\n\ntext\n", map[string]string{"owner": "me"})
	if r := h.Record(workertest.ID("a.md")); r.Meta["owner"] != "me" || r.Generation != 1 {
		t.Errorf("other metadata: %+v", r)
	}
	h.Intake.Blobs = otherETag{h.Blobs}
	h.Look(workertest.Bucket, "a.md")
	if r := h.Record(workertest.ID("a.md")); r.Generation != 1 || r.ETag != "multipart-3" || h.Waiting(wire.Parse) != 0 {
		t.Errorf("another ETag for the same bytes: generation %d, ETag %s, %d jobs", r.Generation, r.ETag, h.Waiting(wire.Parse))
	}
}

// otherETag is a store that knows its objects by other ETags, as after a multipart upload of the same bytes.
type otherETag struct{ *blob.Counted }

func (s otherETag) Head(ctx context.Context, bucket, key string) (blob.Info, error) {
	info, err := s.Counted.Head(ctx, bucket, key)
	info.ETag = "multipart-3"
	return info, err
}

func (s otherETag) Get(ctx context.Context, bucket, key string, o blob.GetOptions) (io.ReadCloser, blob.Info, error) {
	o.IfMatch = ""
	return s.Counted.Get(ctx, bucket, key, o)
}

// A pending document whose object has another ETag now gets a job that asks for it: the old one will not find it.
func TestAnotherETagWhilePending(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	h.Put("a.md", "# A\n")
	h.Intake.Blobs = otherETag{h.Blobs}
	h.Look(workertest.Bucket, "a.md")
	if n := h.Waiting(wire.Parse); n != 2 {
		t.Fatalf("%d jobs wait, want the one of the new ETag too", n)
	}
	h.Take(wire.Parse)
	if j := h.Take(wire.Parse); j.ETag != "multipart-3" || j.Generation != 1 || j.Epoch != 1 {
		t.Errorf("job %+v", j)
	}
}

func TestRefusedObjects(t *testing.T) {
	src := []intake.Source{{Bucket: workertest.Bucket, Tenant: workertest.Tenant, Exclude: []string{".tmp", "drafts/"}}}
	h := workertest.Open(t, workertest.Config{Sources: src, MaxSize: 10})
	for key, c := range map[string]struct{ text, want string }{
		"folder/":         {"", "skipped/excluded/g1"},
		"folder/with.md/": {"body", "pending//g1"},
		"a.tmp":           {"x", "skipped/excluded/g1"},
		"drafts/a.md":     {"x", "skipped/excluded/g1"},
		"old/drafts/a.md": {"x", "pending//g1"},
		"large.md":        {"eleven byte", "failed/too_large/g1"},
		"just.md":         {"ten bytes!", "pending//g1"},
		"empty.md":        {"", "pending//g1"},
	} {
		h.Blobs.Reset()
		h.Put(key, c.text)
		if got := state(h, key); got != c.want {
			t.Errorf("%s is %s, want %s", key, got, c.want)
		}
		refused := !strings.HasPrefix(c.want, "pending")
		if n := h.Blobs.Counts().Gets; refused != (n == 0) {
			t.Errorf("%s was read %d times", key, n)
		}
		if r := h.Record(workertest.ID(key)); refused && r.Reason == "" {
			t.Errorf("%s: no reason", key)
		}
	}
	letters := h.Letters()
	if len(letters) != 1 || letters[0].Job.Key != "large.md" || letters[0].Class != doc.TooLarge || !strings.Contains(letters[0].Errors[0], "limit of 10") {
		t.Errorf("letters %+v", letters)
	}
	// The rules of tomorrow: what was refused is read, what was read is refused, without a change in the bucket.
	for h.Waiting(wire.Parse) > 0 {
		h.Take(wire.Parse)
	}
	h.Intake.MaxSize, h.Intake.Sources[0].Exclude = 100, []string{"just.md"}
	if _, err := h.Walk(); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"large.md": "pending//g2", "a.tmp": "pending//g2", "just.md": "skipped/excluded/g2", "empty.md": "pending//g1"} {
		if got := state(h, key); got != want {
			t.Errorf("by the new rules %s is %s, want %s", key, got, want)
		}
	}
}

// A refused version hides the one before it, and has it purged.
func TestRefusedVersionPurgesTheOlder(t *testing.T) {
	h := workertest.Open(t, workertest.Config{MaxSize: 100})
	id := h.Put("a.md", "# A\n\nword\n")
	h.Settle()
	h.Put("a.md", strings.Repeat("x", 101))
	if r := h.Record(id); r.State != doc.Failed || r.Current != 0 {
		t.Errorf("record %+v", r)
	}
	h.Settle()
	if n := h.Entries(id, 1); len(n) != 0 {
		t.Errorf("the older version's entries are left: %v", n)
	}
}

// What no source maps is no document: another bucket, another prefix, our own bucket.
func TestKnown11UnmappedObjects(t *testing.T) {
	src := []intake.Source{{Bucket: workertest.Bucket, Prefix: "in/", Tenant: workertest.Tenant}, {Bucket: workertest.Bucket, Prefix: "in/acme/", Tenant: "acme"}, {Bucket: artefact.Bucket, Tenant: workertest.Tenant}}
	h := workertest.Open(t, workertest.Config{Sources: src})
	h.Store(workertest.Bucket, "out/a.md", "x")
	h.Store(workertest.Bucket, "in/a.md", "x")
	h.Store(workertest.Bucket, "in/acme/a.md", "x")
	for _, o := range [][2]string{{workertest.Bucket, "out/a.md"}, {"nowhere", "a.md"}, {artefact.Bucket, "a.md"}, {workertest.Bucket, "in/a.md"}, {workertest.Bucket, "in/acme/a.md"}} {
		h.Look(o[0], o[1])
	}
	owner := map[string]doc.Tenant{}
	if err := h.Ledger.Each(t.Context(), "", func(r ledger.Record) error { owner[r.Key] = r.Tenant; return nil }); err != nil {
		t.Fatal(err)
	}
	if len(owner) != 2 || owner["in/a.md"] != workertest.Tenant || owner["in/acme/a.md"] != "acme" {
		t.Errorf("documents %v", owner)
	}
}

// Events that cannot be read are done; those that can, in the same message, are not lost with them.
func TestUnreadableEvents(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	h.Store(workertest.Bucket, "a.md", "x")
	record := func(bucket, key string) string {
		return fmt.Sprintf(`{"eventSource":"minio:s3","eventName":"s3:ObjectCreated:Put","s3":{"bucket":{"name":%q},"object":{"key":%q}}}`, bucket, key)
	}
	for _, body := range []string{"", "garbage", "[]", "{}", `{"Records":null}`, strings.Repeat("[", 100_000)} {
		if err := h.Intake.Handle(t.Context(), []byte(body), notice.Auto); err != nil {
			t.Errorf("%.20q: %v", body, err)
		}
	}
	body := `{"Records":[` + record("", "x") + "," + record(workertest.Bucket, "a.md") + `]}`
	if err := h.Intake.Handle(t.Context(), []byte(body), notice.MinIO); err != nil {
		t.Error(err)
	}
	if got := state(h, "a.md"); got != "pending//g1" {
		t.Errorf("a.md is %q", got)
	}
}

// Two readings of a key: each object is looked at, and the one that is gone is removed although the other lives.
func TestKnown5BothReadingsOfAKey(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	h.Put("a b.md", "with a space")
	h.Put("a+b.md", "with a plus")
	if err := h.Blobs.Delete(t.Context(), workertest.Bucket, "a+b.md"); err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprintf(`{"Records":[{"eventName":"s3:ObjectRemoved:Delete","s3":{"bucket":{"name":%q},"object":{"key":"a+b.md"}}}]}`, workertest.Bucket)
	if err := h.Intake.Handle(t.Context(), []byte(body), notice.Ceph); err != nil {
		t.Fatal(err)
	}
	if state(h, "a+b.md") != "deleted//g2" || state(h, "a b.md") != "pending//g1" {
		t.Errorf("a+b.md is %s, a b.md is %s", state(h, "a+b.md"), state(h, "a b.md"))
	}
}

// A document that no record can hold is a dead letter, and its event is done.
func TestPrefixClashIsALetter(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	p := doc.PrefixOf(workertest.ID("a.md"))
	kv, err := h.Bus.KV(t.Context(), wire.PrefixesBucket)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Put(t.Context(), string(workertest.Tenant)+"."+doc.Base32(p[:]), []byte(workertest.ID("z.md")), 0); err != nil {
		t.Fatal(err)
	}
	h.Put("a.md", "x")
	if l := h.Letters(); len(l) != 1 || l[0].Job.Key != "a.md" || !strings.Contains(l[0].Errors[0], "rename the object") {
		t.Errorf("letters %+v", l)
	}
}

// Outages are errors, so that the event comes again; nothing is written on their account.
func TestOutageRemovesNothing(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	h.Put("a.md", "x")
	for _, away := range []error{blob.ErrAway, blob.ErrDenied, errors.New("reset")} {
		h.Fail(func(op faulty.Op, _, _ string) faulty.Fault { return faulty.Fault{Err: away} })
		if err := h.Intake.Object(t.Context(), workertest.Bucket, "a.md"); !errors.Is(err, away) {
			t.Errorf("%v: %v", away, err)
		}
		if v, _ := fault.Of(away); v != fault.Retry || state(h, "a.md") != "pending//g1" {
			t.Errorf("%v: a.md is %s", away, state(h, "a.md"))
		}
	}
	h.Fail(func(op faulty.Op, _, _ string) faulty.Fault { return faulty.Fault{Err: blob.ErrNoBucket} })
	if h.Look(workertest.Bucket, "a.md"); state(h, "a.md") != "pending//g1" {
		t.Errorf("without its bucket a.md is %s", state(h, "a.md"))
	}
}

// The object changes between HEAD and GET: the later one counts.
func TestChangedWhileItIsRead(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	h.Store(workertest.Bucket, "a.md", "one")
	var once sync.Once
	h.Fail(func(op faulty.Op, _, _ string) faulty.Fault {
		if op == faulty.Get {
			once.Do(func() { h.Store(workertest.Bucket, "a.md", "two") })
		}
		return faulty.Fault{}
	})
	h.Look(workertest.Bucket, "a.md")
	if j := h.Take(wire.Parse); j.Version != doc.VersionOf([]byte("two")) || j.Generation != 1 {
		t.Errorf("job %+v", j)
	}
}

// A bulk load goes to the bulk lane; a deletion never does.
func TestBulk(t *testing.T) {
	h := workertest.Open(t, workertest.Config{BulkOver: 3})
	for i := range 10 {
		h.Put(fmt.Sprint(i, ".md"), "x")
	}
	h.Delete("9.md")
	for stream, want := range map[string]uint64{"FP_PARSE": 4, "FP_PARSE_BULK": 6, "FP_INDEX": 1, "FP_INDEX_BULK": 0} {
		if n, _, err := h.Bus.Backlog(t.Context(), stream); err != nil || n != want {
			t.Errorf("%s holds %d, %v, want %d", stream, n, err, want)
		}
	}
}

// What no event told is found; what cannot be listed removes nothing and keeps no other source from it.
func TestKnown1TheWalkClosesGaps(t *testing.T) {
	src := []intake.Source{{Bucket: "broken", Tenant: workertest.Tenant}, {Bucket: workertest.Bucket, Tenant: workertest.Tenant}}
	h := workertest.Open(t, workertest.Config{Sources: src})
	for _, k := range []string{"same.md", "changed.md", "gone.md", "odd.md"} {
		h.Put(k, "# "+k+"\n")
	}
	h.Store("broken", "kept.md", "# kept\n")
	h.Look("broken", "kept.md")
	h.Settle()
	h.Put("pending.md", "# pending\n")
	h.Take(wire.Parse) // lost
	h.Store(workertest.Bucket, "missing.md", "# missing\n")
	h.Store(workertest.Bucket, "changed.md", "# other\n")
	if err := h.Blobs.Delete(t.Context(), workertest.Bucket, "gone.md"); err != nil {
		t.Fatal(err)
	}
	for name, plan := range map[string]func(faulty.Op, string, string) faulty.Fault{
		"the list ends early": func(op faulty.Op, b, _ string) faulty.Fault {
			if op == faulty.List {
				return faulty.Fault{Err: blob.ErrAway, After: 1}
			}
			return faulty.Fault{Err: blob.ErrAway}
		},
		"the bucket is missing": func(op faulty.Op, b, _ string) faulty.Fault { return faulty.Fault{Err: blob.ErrNoBucket} },
	} {
		h.Fail(plan)
		if _, err := h.Walk(); err == nil {
			t.Errorf("%s: no error", name)
		}
		if got := state(h, "gone.md"); got != "indexed//g1" {
			t.Errorf("%s: gone.md is %s", name, got)
		}
	}
	h.Fail(func(op faulty.Op, b, _ string) faulty.Fault {
		if b == "broken" {
			return faulty.Fault{Err: blob.ErrNoBucket}
		}
		return faulty.Fault{}
	})
	g, err := h.Walk()
	if want := (reconcile.Gaps{Missing: 1, Changed: 1, Gone: 1, Pending: 1}); g != want || !errors.Is(err, blob.ErrNoBucket) {
		t.Errorf("gaps %+v, %v, want %+v", g, err, want)
	}
	h.Fail(nil)
	h.Settle()
	for key, want := range map[string]string{"same.md": "indexed//g1", "changed.md": "indexed//g2", "gone.md": "deleted//g2", "missing.md": "indexed//g1"} {
		if got := state(h, key); got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
	if r, err := h.Ledger.Get(t.Context(), workertest.Tenant, doc.NewID(workertest.Tenant, "broken", "kept.md")); err != nil || r.State != doc.Indexed {
		t.Errorf("kept.md is %s, %v", r.State, err)
	}
	if g, err := h.Walk(); err != nil || g.Missing+g.Changed+g.Gone != 0 {
		t.Errorf("the next walk finds %+v, %v", g, err)
	}
}

// The same bytes in another language are analysed anew, in a new generation, without an embedding. A language that
// we do not know says nothing.
func TestAnotherLanguage(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	const text = "# Haus\n\nDie Häuser stehen am Rand der Stadt.\n"
	put(t, h, "a.md", text, map[string]string{"language": "en"})
	h.Settle()
	h.Embedder.Reset()
	for _, c := range []struct {
		language string
		want     doc.Generation
		facts    string
	}{{"en", 1, "en"}, {"EN", 1, "en"}, {"de", 2, "de"}, {"klingon", 3, "de"}, {strings.Repeat("x", 1000), 3, "de"}} {
		put(t, h, "a.md", text, map[string]string{"language": c.language})
		h.Settle()
		if r := h.Record(workertest.ID("a.md")); r.Generation != c.want || r.Facts["language"] != c.facts || r.State != doc.Indexed {
			t.Errorf("%.10s: generation %d, language %s, %s", c.language, r.Generation, r.Facts["language"], r.State)
		}
	}
	if h.Embedder.Calls() != 0 {
		t.Errorf("%d calls of the model", h.Embedder.Calls())
	}
}

// stalling holds the answer of a HEAD back: what it says is old when it comes.
type stalling struct {
	blob.Store
	hold atomic.Pointer[chan struct{}] // not nil: the next HEAD waits for it, with its answer in hand
	held chan struct{}
}

func (s *stalling) Head(ctx context.Context, bucket, key string) (blob.Info, error) {
	info, err := s.Store.Head(ctx, bucket, key)
	if c := s.hold.Swap(nil); c != nil {
		close(s.held)
		<-*c
	}
	return info, err
}

// Known failure 6: a handler saw the object missing and stalled; meanwhile another accepted its return. The decision of
// the first is about a bucket that is no more: it looks again.
func TestKnown6AnOldLookDecidesNothing(t *testing.T) {
	slow := &stalling{held: make(chan struct{})}
	h := workertest.Open(t, workertest.Config{Blobs: func(b blob.Store) blob.Store { slow.Store = b; return slow }})
	h.Put("a.md", "# one\n")
	h.Settle()
	if err := h.Blobs.Delete(t.Context(), workertest.Bucket, "a.md"); err != nil {
		t.Fatal(err)
	}
	goOn, done := make(chan struct{}), make(chan error, 1)
	slow.hold.Store(&goOn)
	go func() { done <- h.Intake.Object(t.Context(), workertest.Bucket, "a.md") }()
	<-slow.held // it knows: not found
	h.Put("a.md", "# two\n")
	close(goOn)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	h.Settle()
	if got := state(h, "a.md"); got != "indexed//g2" {
		t.Errorf("a.md is %s, want the second version indexed", got)
	}
}

// sealing is a store in which one object is encrypted by a key that only its writer has.
type sealing struct{ blob.Store }

func (x sealing) Head(ctx context.Context, bucket, key string) (blob.Info, error) {
	if key == "sealed.md" {
		return blob.Info{Bucket: bucket, Key: key, Sealed: true}, nil
	}
	return x.Store.Head(ctx, bucket, key)
}

// What cannot be read for want of its writer's key ends as failed, once: it is no outage, and never tried for ever.
func TestSealedObjectsFailOnce(t *testing.T) {
	h := workertest.Open(t, workertest.Config{Blobs: func(s blob.Store) blob.Store { return sealing{s} }})
	h.Put("sealed.md", "x")
	h.Look(workertest.Bucket, "sealed.md")
	if _, err := h.Walk(); err != nil {
		t.Fatal(err)
	}
	if l := h.Letters(); len(l) != 1 || l[0].Class != doc.Encrypted || state(h, "sealed.md") != "failed/encrypted/g1" {
		t.Errorf("letters %+v, it is %s", l, state(h, "sealed.md"))
	}
}
