package transfer_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/archive"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob/faulty"
	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/workers/intake"
	"github.com/fingerpost/fingerpost/workers/transfer"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

const rival doc.Tenant = "rival"

// site is a house with two tenants.
func site(t *testing.T) (*workertest.House, *transfer.Worker) {
	t.Helper()
	h := workertest.Open(t, workertest.Config{Sources: []intake.Source{{Bucket: workertest.Bucket, Tenant: workertest.Tenant}, {Bucket: "others", Tenant: rival}}})
	w := &transfer.Worker{Artefacts: h.Artefacts, Ledger: h.Ledger, Program: "test", Rules: artefact.Pipeline, Log: slog.New(slog.DiscardHandler), Tenants: []doc.Tenant{workertest.Tenant, rival},
		Build: build.Record{Sequence: 1, Pipeline: artefact.Pipeline, Vectors: h.Embedder.Fingerprint()}}
	return h, w
}

func text(n int, word string) string {
	return fmt.Sprintf("# Paper %d\n\nAn opening of some length.\n\n## Part\n\nThe word is %s.\n", n, word)
}

func export(t *testing.T, w *transfer.Worker, tenant doc.Tenant) ([]byte, transfer.Exported) {
	t.Helper()
	var b bytes.Buffer
	x, err := w.Export(t.Context(), &b, tenant)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), x
}

// held is what a file holds: the text of each document by key.
func held(t *testing.T, file []byte) map[string]string {
	t.Helper()
	r, err := archive.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all := map[string]string{}
	for {
		p, bodies, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all[string(p.Tenant)+" "+p.Key] = string(bodies[0])
	}
}

// An export of one tenant holds nothing of another one, nor of what is gone or not found yet.
func TestExportOfOneTenant(t *testing.T) {
	h, w := site(t)
	for i := range 3 {
		h.Put(fmt.Sprintf("%d.md", i), text(i, "heron"))
	}
	h.Store("others", "theirs.md", text(9, "osprey"))
	h.Look("others", "theirs.md")
	h.Settle()
	h.Delete("2.md")
	h.Settle()
	h.Put("late.md", text(7, "plover"))
	h.Put("1.md", text(1, "the next edition")) // both wait for parse
	file, x := export(t, w, workertest.Tenant)
	got := held(t, file)
	if len(got) != 2 || got["default 0.md"] != text(0, "heron") || got["default 1.md"] != text(1, "heron") {
		t.Errorf("the file holds %q", got)
	}
	if x.Documents != 2 || x.Older != 1 || x.Partial != 0 || x.Unfound != 1 || x.Moved+x.Lost != 0 || x.SHA256 != doc.SHA256(file) || x.FileBytes != int64(len(file)) {
		t.Errorf("exported %+v", x)
	}
	if file, x = export(t, w, ""); x.Documents != 3 || len(held(t, file)) != 3 {
		t.Errorf("of all tenants %+v", x)
	}
}

// A document that is replaced while it is read is read again, whole; one that is removed is left out.
func TestExportWhileDocumentsChange(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(h *workertest.House)
		want   string
	}{
		{"replaced", func(h *workertest.House) { h.Put("a.md", text(1, "new")); h.Settle() }, text(1, "new")},
		{"removed", func(h *workertest.House) { h.Delete("a.md"); h.Settle() }, ""},
	} {
		h, w := site(t)
		h.Put("a.md", text(1, "old"))
		h.Settle()
		var once atomic.Bool
		h.Fail(func(op faulty.Op, bucket, key string) faulty.Fault {
			if op == faulty.Get && strings.HasSuffix(key, "/vectors") && once.CompareAndSwap(false, true) { // text and tree are read by now
				c.change(h)
			}
			return faulty.Fault{}
		})
		file, x := export(t, w, "")
		if got := held(t, file); !once.Load() || got["default a.md"] != c.want || (c.want == "") != (x.Moved == 1) || (c.want == "") != (x.Documents == 0) {
			t.Errorf("%s: %q, %+v", c.name, got, x)
		}
	}
}

// What is lost or damaged at the old site is left out and counted; the rest is exported.
func TestExportOfADamagedSite(t *testing.T) {
	h, w := site(t)
	for i := range 3 {
		h.Put(fmt.Sprintf("%d.md", i), text(i, "heron"))
	}
	h.Settle()
	place := func(key, name string) string {
		return fmt.Sprintf("default/%s/g1/%s/%s", workertest.ID(key), artefact.Pipeline, name)
	}
	if err := h.Blobs.Delete(t.Context(), artefact.Bucket, place("0.md", "tree.json")); err != nil {
		t.Fatal(err)
	}
	h.Store(artefact.Bucket, place("1.md", "source.md"), "# Other text\n")
	h.Store(artefact.Bucket, place("2.md", "vectors"), "no vectors")
	file, x := export(t, w, "")
	if got := held(t, file); len(got) != 1 || got["default 2.md"] == "" || x.Lost != 2 {
		t.Errorf("%q, %+v", got, x)
	}
}

// What does not fit the site is refused with a sentence, and nothing of it is laid on the shelf.
func TestImportRefuses(t *testing.T) {
	h, w := site(t)
	h.Put("a.md", text(1, "heron"))
	h.Store("others", "theirs.md", text(9, "osprey"))
	h.Look("others", "theirs.md")
	h.Settle()
	both, _ := export(t, w, "")
	mine, _ := export(t, w, workertest.Tenant)
	changed := func(f func(*transfer.Worker)) *transfer.Worker {
		_, fresh := site(t)
		f(fresh)
		return fresh
	}
	same := func(*transfer.Worker) {}
	for _, c := range []struct {
		name, want string
		at         *transfer.Worker
		file       []byte
		tenant     doc.Tenant
	}{
		{"another model", "start the new site with that embedder", changed(func(w *transfer.Worker) { w.Build.Vectors.Digest = "other" }), mine, workertest.Tenant},
		{"no model", "start the new site with that embedder", changed(func(w *transfer.Worker) { w.Build.Vectors.Dimensions = 0 }), mine, workertest.Tenant},
		{"another pipeline", "bring both sites to one version", changed(func(w *transfer.Worker) { w.Rules = "p99" }), mine, workertest.Tenant},
		{"another tenant's", "it is an export of tenant default, not of tenant rival", changed(same), mine, rival},
		{"of all", "(say --all), not of tenant default", changed(same), both, workertest.Tenant},
		{"a tenant that is not here", "tenant rival, which no source of this site names", changed(func(w *transfer.Worker) { w.Tenants = w.Tenants[:1] }), both, ""},
		{"cut off", "cut off or damaged at its beginning", changed(same), both[:len(both)-50], ""},
	} {
		_, err := c.at.Import(t.Context(), bytes.NewReader(c.file), c.tenant)
		if !errors.Is(err, archive.ErrRefused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		for info := range c.at.Artefacts.Blobs.List(t.Context(), artefact.Bucket, "", "") {
			t.Errorf("%s: %s is there all the same", c.name, info.Key)
		}
	}
}

// An import that was cut off at any write is done again, and ends where one that was not cut off ends: each document costs
// no embedding.
func TestImportAfterItWasCutOff(t *testing.T) {
	a, from := site(t)
	for i := range 2 {
		a.Put(fmt.Sprintf("%d.md", i), text(i, "heron"))
	}
	a.Settle()
	file, x := export(t, from, workertest.Tenant)
	for n := 0; n < x.Parts+x.Documents; n += 2 {
		b, to := site(t)
		var writes atomic.Int64
		b.Fail(func(op faulty.Op, bucket, key string) faulty.Fault {
			if op == faulty.Put && writes.Add(1) > int64(n) {
				return faulty.Fault{Err: errors.New("cut off")}
			}
			return faulty.Fault{}
		})
		if _, err := to.Import(t.Context(), bytes.NewReader(file), workertest.Tenant); err == nil {
			t.Fatalf("write %d fails, and the import says nothing", n+1)
		}
		b.Fail(nil)
		if y, err := to.Import(t.Context(), bytes.NewReader(file), workertest.Tenant); err != nil || y.Shelved+y.Already != 2 {
			t.Fatalf("again after write %d: %+v, %v", n, y, err)
		}
		for i := range 2 {
			b.Put(fmt.Sprintf("%d.md", i), text(i, "heron"))
		}
		b.Settle()
		for i := range 2 {
			if r := b.Record(workertest.ID(fmt.Sprintf("%d.md", i))); r.Made != 0 || r.Saved == 0 || r.Level != doc.LevelFull {
				t.Errorf("after write %d: %s has %d embeddings made, %d saved, level %s", n, r.Key, r.Made, r.Saved, r.Level)
			}
		}
	}
}
