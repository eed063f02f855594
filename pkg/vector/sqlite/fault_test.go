package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/vectortest"
)

var ctx = context.Background()

// entries is n windows of document d in generation g.
func entries(d byte, g doc.Generation, n int) (out []vector.Entry) {
	for i := range n {
		p := doc.Place{Prefix: doc.Prefix{d}, Generation: g, Node: 1, Ordinal: i}
		out = append(out, vector.Entry{ID: p.ID(), Terms: []string{"tariff", fmt.Sprint("w", i)}})
	}
	return out
}

func put(t *testing.T, x *Index, d byte, n int) {
	t.Helper()
	if err := x.Put(ctx, 1, "acme", doc.KindWindow, entries(d, 1, n)); err != nil {
		t.Fatal(err)
	}
}

// filled is the path of a closed index with 2,000 entries.
func filled(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "index.db")
	x := open(t, path, 0)
	put(t, x, 1, 2000)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDamageIsSaidInOneSentence(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"text":         func([]byte) []byte { return []byte(strings.Repeat("this is no database\n", 1000)) },
		"half":         func(b []byte) []byte { return b[:len(b)/2] },
		"header":       func(b []byte) []byte { copy(b, "SQLite"); b[18] = 9; copy(b[20:], "garbage garbage"); return b },
		"pages zeroed": func(b []byte) []byte { clear(b[len(b)/4 : len(b)/2]); return b },
	} {
		t.Run(name, func(t *testing.T) {
			path := filled(t)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, damage(b), 0o600); err != nil {
				t.Fatal(err)
			}
			x, err := Open(ctx, Config{Path: path})
			if err == nil {
				x.Close()
				t.Fatal("opened")
			}
			if !errors.Is(err, vector.ErrCorrupt) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "made again") {
				t.Errorf("not ErrCorrupt with path and advice: %v", err)
			}
		})
	}
}

func TestDamagedWordsAreFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	x := open(t, path, 0)
	put(t, x, 1, 10)
	if _, err := x.write.Exec("UPDATE b1_window SET terms = x'01ff' WHERE rowid = 5"); err != nil {
		t.Fatal(err)
	}
	x.Close()
	if _, err := Open(ctx, Config{Path: path}); !errors.Is(err, vector.ErrCorrupt) {
		t.Errorf("%v", err)
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		sql  string
		want error
		say  string
	}{
		"newer":           {"PRAGMA user_version = 99", vector.ErrNewer, "schema is 99"},
		"another program": {"PRAGMA application_id = 7", vector.ErrCorrupt, "another program"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filled(t)
			db, err := connect(path, 1)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec(c.sql); err != nil {
				t.Fatal(err)
			}
			db.Close()
			_, err = Open(ctx, Config{Path: path})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.say) || !strings.Contains(err.Error(), path) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestOneProcessAtATime(t *testing.T) {
	path := filled(t)
	x := open(t, path, 0)
	if _, err := Open(ctx, Config{Path: path}); !errors.Is(err, errInUse) {
		t.Errorf("a second one opens: %v", err)
	}
	x.Close()
	open(t, path, 0)
}

func TestFileIsForItsOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	x := open(t, path, 0)
	put(t, x, 1, 10)
	for _, p := range []string{path, path + "-wal"} {
		s, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if m := s.Mode().Perm(); runtime.GOOS != "windows" && m&0o077 != 0 {
			t.Errorf("%s has mode %o", filepath.Base(p), m)
		}
	}
}

func TestMissingFolder(t *testing.T) {
	_, err := Open(ctx, Config{Path: filepath.Join(t.TempDir(), "none", "index.db")})
	if err == nil || !strings.Contains(err.Error(), "folder exists") {
		t.Errorf("%v", err)
	}
}

func TestLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	x := open(t, path, 10)
	put(t, x, 1, 8)
	put(t, x, 1, 8) // the same ids: no growth
	err := x.Put(ctx, 1, "zeta", doc.KindWindow, entries(2, 1, 3))
	if !errors.Is(err, vector.ErrFull) || !strings.Contains(err.Error(), "Weaviate") || !strings.Contains(err.Error(), "10") {
		t.Errorf("over the limit: %v", err)
	}
	if n, _ := x.Count(ctx, 1, "zeta", doc.Prefix{2}, 1); len(n) != 0 {
		t.Errorf("%v was written", n)
	}
	if err := x.Put(ctx, 1, "zeta", doc.KindWindow, entries(2, 1, 2)); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if n, err := x.Purge(ctx, 1, "acme", doc.Prefix{1}, 1, 1); n != 8 || err != nil {
		t.Errorf("purged %d, %v", n, err)
	}
	put(t, x, 1, 8)
	x.Close()
	x = open(t, path, 5) // a lower limit later: what is there is kept and can be purged
	if n, _ := x.Loaded(); n != 10 {
		t.Errorf("%d entries, want 10", n)
	}
}

func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	x := open(t, path, 0)
	put(t, x, 1, 100)
	if _, err := x.write.Exec("PRAGMA max_page_count = 30"); err != nil {
		t.Fatal(err)
	}
	err := x.Put(ctx, 1, "acme", doc.KindWindow, entries(2, 1, 5000))
	if !errors.Is(err, vector.ErrNoRoom) || !strings.Contains(err.Error(), "disk") || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
	hits, err := x.Words(ctx, 1, "acme", doc.KindWindow, vector.Terms, []string{"tariff"}, nil, 1000)
	if len(hits) != 100 || err != nil {
		t.Errorf("memory has %d entries, the file 100; %v", len(hits), err)
	}
	if _, err := x.Purge(ctx, 1, "acme", doc.Prefix{1}, 1, 1); err != nil {
		t.Errorf("a purge must work then: %v", err)
	}
}

// TestKill kills a process that writes, at seeded moments, and looks whether all that it was told is there.
func TestKill(t *testing.T) {
	if path := os.Getenv("SQLITE_TEST_CHILD"); path != "" {
		child(t, path)
		return
	}
	path := filepath.Join(t.TempDir(), "index.db")
	r := rand.New(rand.NewPCG(4, 4))
	acked := map[byte]bool{}
	for round := range byte(5) {
		for _, d := range killed(t, path, round, 5+r.IntN(20)) {
			acked[d] = true
		}
		x := open(t, path, 0)
		for d := range acked {
			n, err := x.Count(ctx, 1, "acme", doc.Prefix{d}, 1)
			hits, _ := x.Words(ctx, 1, "acme", doc.KindWindow, vector.Terms, []string{"tariff"}, vector.Filter{{d}}, 100)
			if err != nil || n[doc.KindWindow] != 40 || len(hits) != 40 {
				t.Errorf("round %d: document %d has %v in the file, %d in memory, %v", round, d, n, len(hits), err)
			}
		}
		x.Close()
	}
}

// killed starts a child and kills it after its n-th answer; it returns the documents that were acknowledged.
func killed(t *testing.T, path string, round byte, n int) (acked []byte) {
	c := exec.Command(os.Args[0], "-test.run=^TestKill$")
	c.Env = append(os.Environ(), "SQLITE_TEST_CHILD="+path, fmt.Sprint("SQLITE_TEST_FIRST=", int(round)*50))
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(out)
	for s.Scan() {
		var d byte
		if _, err := fmt.Sscanf(s.Text(), "acked %d", &d); err != nil {
			t.Errorf("child says %q", s.Text())
			break
		}
		if acked = append(acked, d); len(acked) == n {
			break
		}
	}
	c.Process.Kill()
	c.Wait()
	if len(acked) != n {
		t.Fatalf("child acknowledged %d of %d", len(acked), n)
	}
	return acked
}

func child(t *testing.T, path string) {
	x := open(t, path, 0)
	first := 0
	fmt.Sscan(os.Getenv("SQLITE_TEST_FIRST"), &first)
	for d := first; d < first+50; d++ {
		put(t, x, byte(d), 40)
		fmt.Printf("acked %d\n", d)
	}
}

func TestTenantsAndBuildsSurvive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	x := open(t, path, 0)
	r := rand.New(rand.NewPCG(1, 1))
	for b := vector.Build(1); b <= 2; b++ {
		for _, tenant := range []doc.Tenant{"acme", "zeta"} {
			e := vector.Entry{ID: doc.Place{Prefix: doc.Prefix{byte(b), tenant[0]}, Generation: 1}.ID(), Vector: vectortest.Unit(r, int(b)*100)}
			if err := x.Put(ctx, b, tenant, doc.KindChunk, []vector.Entry{e}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := x.DropBuild(ctx, 1); err != nil {
		t.Fatal(err)
	}
	x.Close()
	x = open(t, path, 0)
	if n, _ := x.Loaded(); n != 2 {
		t.Errorf("%d entries, want 2", n)
	}
	hits, err := x.Near(ctx, 2, "zeta", vectortest.Unit(r, 200), nil, 9)
	if len(hits) != 1 || hits[0].ID[1] != 'z' || err != nil {
		t.Errorf("%v, %v", hits, err)
	}
}
