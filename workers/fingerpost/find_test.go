package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
)

// Each record of a questions file has its line, also one that fails or is none; the others go on.
func TestEachQuestionHasItsLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "q.jsonl")
	text := `{"id":"a","question":"one"}` + "\n\n" + `{"id":"b","question":"two"}` + "\n" + `{"id":7}` + "\n" + `not json` + "\n" + `{"id":"c","question":"three","more":[1]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err := eachQuestion(t.Context(), &out, file, func(q asked) (any, error) {
		if q.ID == "b" {
			return foundOf{}, errors.New("find: a part does not answer")
		}
		return foundOf{q.ID, api.FindReply{Question: q.Question}}, nil
	})
	if err == nil || !strings.Contains(err.Error(), "3 of 5") {
		t.Errorf("%v", err)
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		var x struct {
			ID, Question, Error string
			Line                int
		}
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if (x.Error != "") != (x.Line != 0) {
			t.Errorf("%s", line)
		}
		kind := "ok"
		if x.Error != "" {
			kind = "failed"
		}
		got = append(got, x.ID+" "+x.Question+" "+kind)
	}
	want := []string{"a one ok", "b two failed", "  failed", "  failed", "c three ok"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q, want %q", got, want)
	}
	if err := eachQuestion(t.Context(), &out, file+".none", nil); err == nil {
		t.Error("a file that is not there")
	}
}
