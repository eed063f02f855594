package workers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/cost"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding/scripted"
	"github.com/fingerpost/fingerpost/workers"
	"github.com/fingerpost/fingerpost/workers/admin"
	"github.com/fingerpost/fingerpost/workers/audit"
	"github.com/fingerpost/fingerpost/workers/demo"
	"github.com/fingerpost/fingerpost/workers/transfer"
)

// carry joins a running site, as the commands do.
func (s *system) carry(do func(*transfer.Worker) error) {
	s.t.Helper()
	c := s.conf.Config
	if err := c.Join(); err != nil {
		s.t.Fatal(err)
	}
	sys, err := workers.Open(s.t.Context(), c, workers.Own{Embedder: scripted.New()}, slog.New(slog.DiscardHandler), workers.RoleParse)
	if err != nil {
		s.t.Fatal(err)
	}
	defer sys.Close()
	w, err := sys.Transfer(s.t.Context())
	if err == nil {
		err = do(w)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *system) exported(tenant doc.Tenant) (file []byte, x transfer.Exported) {
	s.t.Helper()
	var b bytes.Buffer
	s.carry(func(w *transfer.Worker) (err error) { x, err = w.Export(s.t.Context(), &b, tenant); return err })
	return b.Bytes(), x
}

func (s *system) imported(file []byte) (x transfer.Imported) {
	s.t.Helper()
	s.carry(func(w *transfer.Worker) (err error) {
		x, err = w.Import(s.t.Context(), bytes.NewReader(file), "default")
		return err
	})
	return x
}

// clean fails the test when the audit finds a difference, or anything waits on the shelf.
func (s *system) clean(waiting int) {
	s.t.Helper()
	var rep audit.Report
	s.operate("audit", admin.AuditRequest{Text: true}, &rep)
	if !rep.OK() {
		s.t.Errorf("audit: %+v", rep.Differences)
	}
	parcels := 0
	for info, err := range s.blobs.List(s.t.Context(), artefact.Bucket, "_import/", "") {
		if err != nil {
			s.t.Fatal(err)
		}
		if strings.HasSuffix(info.Key, "/parcel.json") {
			parcels++
		}
	}
	if parcels != waiting {
		s.t.Errorf("%d parcels lie on the shelf, want %d", parcels, waiting)
	}
}

// replies is what a site answers to the demo's questions, times aside.
func (s *system) replies() (all []string) {
	s.t.Helper()
	for _, q := range demo.Questions() {
		var found api.FindReply
		var asked api.AskReply
		if err := s.ask("default", api.Find, api.FindRequest{Question: q.Question, K: 5}, &found); err != nil {
			s.t.Fatal(err)
		}
		if err := s.ask("default", api.Ask, api.AskRequest{Question: q.Question}, &asked); err != nil {
			s.t.Fatal(err)
		}
		found.Took, found.Spent, asked.Spent = api.Took{}, cost.Spent{}, cost.Spent{}
		for _, v := range []any{found, asked} {
			b, err := json.Marshal(v)
			if err != nil {
				s.t.Fatal(err)
			}
			all = append(all, string(b))
		}
	}
	return all
}

// A new site that imports before the objects come makes no embedding, answers as the old one does, and holds the same
// entries one by one. Twice is once, and what an import brought is gone when it has served.
func TestAnExportSparesTheNewSiteTheModel(t *testing.T) {
	a := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	for _, d := range demo.Corpus() {
		a.put(d.Key, string(d.Bytes))
	}
	a.put("empty.md", "")
	a.settled(6)
	file, x := a.exported("default")
	if x.Documents != 5 || x.Partial+x.Older+x.Moved+x.Lost != 0 || x.Unfound != 1 {
		t.Fatalf("exported %+v", x)
	}
	b := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	if y := b.imported(file); y.Documents != 5 || y.Shelved != 5 || y.Parts != x.Parts || y.Bytes != x.Bytes {
		t.Fatalf("imported %+v of %+v", y, x)
	}
	if y := b.imported(file); y.Already != 5 || y.Shelved != 0 {
		t.Errorf("imported again %+v", y)
	}
	if st := b.status(); len(b.documents()) > 0 || st.Documents.Indexed != 0 || len(b.find("goodwill", 5).Sections) > 0 {
		t.Errorf("found before any object is there: %+v", st)
	}
	b.clean(5)
	for _, d := range demo.Corpus() {
		b.put(d.Key, string(d.Bytes))
	}
	b.put("empty.md", "")
	b.settled(6)
	if made, st := a.status().Embeddings.Made, b.status().Embeddings; st.Made != 0 || made == 0 || st.Saved != made {
		t.Errorf("%d embeddings made, %d saved; at the old site %d were made", st.Made, st.Saved, made)
	}
	was := a.replies()
	for i, two := range b.replies() {
		if one := was[i]; one != two {
			t.Errorf("the sites answer differently:\n%.500s\n%.500s", one, two)
		}
	}
	b.clean(0)
	if y := b.imported(file); y.Present != 5 || y.Shelved+y.Already != 0 {
		t.Errorf("imported once more %+v", y)
	}
	a.kill(syscall.SIGTERM)
	b.kill(syscall.SIGTERM)
	if one, two := dump(t, a.conf.Config.Data), dump(t, b.conf.Config.Data); len(one) == 0 || !maps.Equal(one, two) {
		t.Errorf("the indexes differ: %s", difference(two, one))
	}
}

// The bucket decides: of an object that changed only the changed text is embedded, and the old text is never found; an
// object that is gone is not found, whatever the import holds of it.
func TestImportedThenTheBucketChanges(t *testing.T) {
	n := 6
	a := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	for i := range n {
		a.put(fmt.Sprintf("%d.md", i), note(fmt.Sprint("Paper ", i), word(i), 8))
	}
	a.settled(n)
	file, _ := a.exported("default")
	b := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	b.imported(file)
	b.put("0.md", note("Paper 0", word(100), 8)) // changed before it came
	b.put("1.md", note("Paper 1", word(1), 8))
	b.put("2.md", note("Paper 2", word(2), 8))
	b.settled(3)
	if st := b.status(); st.Embeddings.Made != 1 { // the one chunk that holds the word
		t.Errorf("%d embeddings were made for one changed chunk", st.Embeddings.Made)
	}
	b.put("1.md", note("Paper 1", word(101), 8)) // changed after it came
	if err := b.blobs.Delete(t.Context(), "documents", "2.md"); err != nil {
		t.Fatal(err)
	}
	b.settled(2)
	for i, want := range map[int]string{100: "0.md", 101: "1.md", 0: "", 1: "", 2: "", 3: ""} {
		got := ""
		for _, s := range b.find(word(i), 5).Sections {
			if strings.Contains(s.Text, word(i)) {
				got = s.Key
			}
		}
		if got != want {
			t.Errorf("%s stands in %q, want %q", word(i), got, want)
		}
	}
	b.clean(n - 3)
	var rc admin.Receipt
	b.operate("erase", admin.DocumentRequest{Tenant: "default", Bucket: "documents", Key: "5.md"}, &rc)
	if !rc.Verified || len(rc.Removed) != 4 {
		t.Errorf("erased before it ever came: %+v", rc)
	}
	b.clean(n - 4)
	b.operate("erase", admin.DocumentRequest{Tenant: "default", Bucket: "documents", Key: "2.md"}, new(admin.Receipt))
	b.put("2.md", note("Paper 2", word(2), 8)) // back, and the import has served: it is a document like any other
	b.put("3.md", note("Paper 3", word(3), 8))
	b.settled(4)
	b.clean(n - 5)
}

// The objects alone are enough: without state, index and artefacts a start makes the same entries from them.
func TestTheBucketAloneRebuildsEverything(t *testing.T) {
	n := 12
	s := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	for i := range n {
		s.put(fmt.Sprintf("papers/%02d.md", i), note(fmt.Sprint("Paper ", i), word(i), 4))
	}
	s.settled(n)
	s.put("papers/00.md", note("Paper 0", word(100), 4))
	if err := s.blobs.Delete(t.Context(), "documents", "papers/01.md"); err != nil {
		t.Fatal(err)
	}
	s.settled(n - 1)
	s.kill(syscall.SIGTERM)
	data := s.conf.Config.Data
	before := dump(t, data)
	left := []string{}
	for _, name := range []string{"nats", "index.db", "index.db-wal", "index.db-shm", "objects/buckets/" + artefact.Bucket, "s3.json", "http", "version"} {
		if err := os.RemoveAll(filepath.Join(data, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := filepath.WalkDir(data, func(f string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			left = append(left, strings.TrimPrefix(f, data))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, f := range left {
		if !strings.HasPrefix(f, "/objects/buckets/documents/") && !strings.HasSuffix(f, ".lock") {
			t.Errorf("beside the bucket there is still %s", f)
		}
	}
	s.up()
	s.settled(n - 1)
	s.clean(0)
	s.kill(syscall.SIGTERM)
	if after := dump(t, data); len(before) == 0 || !maps.Equal(before, after) {
		t.Errorf("the index made of the bucket alone differs: %s", difference(after, before))
	}
}
