package workers_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fingerpost/fingerpost/workers/admin"
	"github.com/fingerpost/fingerpost/workers/audit"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

// The data folder of an earlier release (rules p2, one build, no stages' bulk work), killed with a job waiting before each
// stage: objects with their attributes, the index, the streams and KV buckets of the bus; without its keys. Made by that
// release's program: two documents indexed and a broken one, then one each by `up --roles` that left out embed; index and
// embed; chunk and after; all but intake; each ended by kill -9.
const earlier = "testdata/release-p2.tar.gz"

// What an earlier release left is taken up: its documents answer, its jobs are done, and a re-index brings the rules of
// today.
func TestTheFolderOfAnEarlierRelease(t *testing.T) {
	s := start(t, systemConfig{Config: testConfig(t)})
	s.kill(syscall.SIGTERM)
	unpack(t, earlier, s.conf.Config.Data)
	s.up()
	s.until("all jobs of the earlier release done", func() bool {
		st := s.status()
		return st.Documents.Pending == 0 && st.Documents.Failed == 1 && st.Documents.Indexed == 6 && st.Levels.Full == 6
	})
	s.answersAll(1)
	var rep audit.Report
	if s.operate("audit", admin.AuditRequest{}, &rep); !rep.OK() || rep.Objects != 7 {
		t.Errorf("audit: %+v", rep)
	}
	var dead admin.DeadReply
	s.operate("dead", admin.DeadRequest{Do: "ls"}, &dead)
	for _, l := range dead.Letters {
		if l.Job.Key != "broken.pdf" {
			t.Errorf("a job that could not be read: %+v", l)
		}
	}
	task := s.reindex(admin.ReindexRequest{Do: "start"}).Task
	if task.From != reindex.FromParse || !strings.Contains(task.Why, "not p2") {
		t.Errorf("the re-index begins at %s because %q", task.From, task.Why)
	}
	s.isReady()
	s.reindex(admin.ReindexRequest{Do: "promote"})
	s.until("answers of build 2", func() bool { return s.find("kilns", 1).Build == 2 })
	s.answersAll(2)
}

// answersAll asks for each document of the earlier release.
func (s *system) answersAll(build uint32) {
	s.t.Helper()
	for _, what := range []string{"kilns", "weirs", "looms", "locks", "mills", "ferries"} {
		rep := s.find("what does the warden inspect: "+what, 3)
		if len(rep.Sections) == 0 || rep.Sections[0].Key != what+".md" || rep.Build != build {
			s.t.Errorf("%s: build %d answers %+v", what, rep.Build, rep.Sections)
		}
	}
}

// unpack replaces what a stopped system has in its folder by an earlier one's; its keys stay.
func unpack(t *testing.T, archive, data string) {
	t.Helper()
	accounts, err := os.ReadDir(filepath.Join(data, "nats", "jetstream"))
	if err != nil || len(accounts) != 1 {
		t.Fatalf("accounts of the bus: %v, %v", accounts, err)
	}
	own := filepath.Join("nats", "jetstream", accounts[0].Name())
	for _, old := range []string{own, "objects", "index.db", "index.db-wal", "index.db-shm", "version"} {
		if err := os.RemoveAll(filepath.Join(data, old)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			err = unpackOne(filepath.Join(data, strings.Replace(h.Name, "nats/jetstream/account", own, 1)), h, r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func unpackOne(path string, h *tar.Header, r io.Reader) error {
	if h.Typeflag == tar.TypeDir {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return err
		}
	} else {
		b, err := io.ReadAll(r)
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, b, 0o600)); err != nil {
			return err
		}
	}
	for k, v := range h.PAXRecords {
		if name, ok := strings.CutPrefix(k, "SCHILY.xattr."); ok {
			if err := unix.Setxattr(path, name, []byte(v), 0); err != nil {
				return err
			}
		}
	}
	return nil
}
