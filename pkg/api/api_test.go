package api_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

func TestSubject(t *testing.T) {
	if got := api.Subject("acme", api.Find); got != "fingerpost.acme.find" {
		t.Errorf("%s", got)
	}
}

// fields of v as JSON, sorted; those of its first element when it is a list.
func fields(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	var names []string
	for k := range m {
		names = append(names, k)
	}
	slices.Sort(names)
	return fmt.Sprint(names)
}

// The shapes that scripts rely on: fields that are always there, by name.
func TestFixedShapes(t *testing.T) {
	for _, c := range []struct {
		of   any
		want string
	}{
		{api.FindReply{}, "[build question route sections took_ms]"},
		{api.Took{}, "[resolve search vector]"},
		{api.Section{}, "[anchor breadcrumb bucket bytes cut doc_id key lines node_id pages pointer rank score shown span spots text title version]"},
		{api.Spot{}, "[kind lines pointer text]"},
		{api.Spot{Row: "r", Column: "c", Value: "v"}, "[column kind lines pointer row text value]"},
		{api.AskReply{}, "[answer citations found question]"},
		{api.Citation{}, "[breadcrumb key pointer quote shown verified]"},
		{api.Document{}, "[bucket class doc_id facts generation key level reason state version]"},
		{api.StatusReply{}, "[documents embedder embeddings levels]"},
		{api.Counts{}, "[failed indexed pending skipped]"},
		{api.Levels{}, "[full sections words]"},
		{api.Embeddings{}, "[made saved]"},
		{doc.Lines{}, "[end start]"},
		{doc.Bytes{}, "[end start]"},
	} {
		if got := fields(t, c.of); got != c.want {
			t.Errorf("%T has the fields %s, want %s", c.of, got, c.want)
		}
	}
}
