package miniotest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// Operation is one recorded operation of a real store: its messages and what the store held after them.
type Operation struct {
	File     string `json:"-"` // base name without .json
	Name     string `json:"operation"`
	Bucket   string
	KeyUsed  string `json:"key_used"` // by the client
	Messages int
	Body     json.RawMessage                  // the first message
	More     []struct{ Body json.RawMessage } // the others, in order of arrival
	After    struct {
		Head struct {
			Status  int
			Headers map[string]string
		}
		Get  struct{ SHA256 string }
		List []struct { // the keys of the operation, not the whole bucket
			Key, ETag string
			Size      int64
		}
	} `json:"store_after"`
}

// StoredAs are the names under which stores hold what was asked for by another name.
var StoredAs = map[string]string{"/lead.md": "lead.md", "x/../y.md": "y.md", "x/./y.md": "x/y.md"}

// Bodies is the messages of an operation in order of arrival.
func (o Operation) Bodies() []json.RawMessage {
	if o.Messages == 0 {
		return nil
	}
	out := []json.RawMessage{o.Body}
	for _, m := range o.More {
		out = append(out, m.Body)
	}
	return out
}

// Stored is the key under which the store holds the operation's object.
func (o Operation) Stored() string {
	if as, ok := StoredAs[o.KeyUsed]; ok {
		return as
	}
	return o.KeyUsed
}

// Recorded is the recorded operations of a store (minio, versitygw) in order; tables of other facts are left out.
func Recorded(t testing.TB, store string) (all []Operation) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testenv.Shared(t, "cases", "events", store), "*.json"))
	if err != nil || len(files) < 70 {
		t.Fatalf("%d recorded operations of %s, %v", len(files), store, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		o := Operation{File: strings.TrimSuffix(filepath.Base(file), ".json")}
		if json.Unmarshal(b, &o) == nil {
			all = append(all, o)
		}
	}
	return all
}
