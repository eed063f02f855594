package workers_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/doc"

	_ "modernc.org/sqlite" // to read the index as it lies on disk, not through our own code
)

var putOptions blob.PutOptions

// dump is the whole content of an index of a stopped system, generations aside: every entry's kind, document, node,
// ordinal and flags with a hash of what it holds, and how often it stands there.
func dump(t *testing.T, data string) map[string]int { return dumpBuild(t, data, 1) }

// dumpBuild is dump of one build.
func dumpBuild(t *testing.T, data string, build uint32) map[string]int {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(data, "index.db")+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all := map[string]int{}
	for _, kind := range doc.Kinds {
		rows, err := db.Query(fmt.Sprintf("SELECT tenant, id, terms, crumb, vector FROM b%d_%s", build, kind))
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var tenant int64
			var id, terms, crumb, vec []byte
			if err := rows.Scan(&tenant, &id, &terms, &crumb, &vec); err != nil {
				t.Fatal(err)
			}
			p := doc.EntryID(id).Place()
			sum := sha256.Sum256([]byte(fmt.Sprintf("%x|%x|%x", terms, crumb, vec)))
			all[fmt.Sprintf("%d %s %x node %d piece %d flags %d %x", tenant, kind, p.Prefix, p.Node, p.Ordinal, p.Flags, sum[:8])]++
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// decode reads a log line; a line that is no JSON is no job.
func decode(line string, v any) bool { return json.Unmarshal([]byte(line), v) == nil }

// raw asks a subject with a tenant's credentials and gives whatever comes back as text; "" when nothing does.
func (s *system) raw(tn doc.Tenant, subject string, req any) string {
	b, err := json.Marshal(req)
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Second) // a refused subject has no answer to wait for
	defer cancel()
	out, err := s.buses[tn].Request(ctx, subject, b)
	if err != nil {
		return "" // refused: 404, or no permission
	}
	return string(out)
}

// headings is a document of n headings.
func headings(n int) string { return strings.Repeat("# h\n", n) }

// grep is the first file below dir that holds the text; "" for none.
func grep(t *testing.T, dir, text string) (hit string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(file)
		if strings.Contains(string(b), text) {
			hit = file
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hit
}
