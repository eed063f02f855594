package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/archive"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding/minilm"
	"github.com/fingerpost/fingerpost/workers/transfer"
)

// programEnv makes the test binary the program: one that opens a site goes to its folder, and ends with a code.
const programEnv = "FINGERPOST_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programEnv) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// program runs a command in a folder.
func program(t *testing.T, dir string, in []byte, args ...string) (out, said string, code int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, append(os.Environ(), programEnv+"=1"), bytes.NewReader(in)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	_ = cmd.Run() // its end is its code
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// oneDocument is an export of a site with the built-in model.
func oneDocument(t *testing.T) []byte {
	t.Helper()
	const text = "# A\n"
	p := artefact.Parcel{Tenant: "default", DocID: doc.NewID("default", "documents", "a.md"), Bucket: "documents", Key: "a.md", Version: doc.VersionOf([]byte(text)),
		Pipeline: artefact.Pipeline, Level: doc.LevelWords}
	tree, err := json.Marshal(doc.Tree{DocID: p.DocID, Version: p.Version, Nodes: []doc.Node{{ID: "0000", Lines: doc.Lines{Start: 1, End: 1}, Span: doc.Lines{Start: 1, End: 1},
		Bytes: doc.Bytes{End: int64(len(text))}, SHA256: doc.SHA256([]byte(text))}}})
	if err != nil {
		t.Fatal(err)
	}
	bodies := [][]byte{[]byte(text), tree}
	for i, name := range []string{"source.md", "tree.json"} {
		p.Parts = append(p.Parts, artefact.Part{Name: name, Size: int64(len(bodies[i])), SHA256: doc.SHA256(bodies[i])})
	}
	var b bytes.Buffer
	w, err := archive.NewWriter(&b, archive.Head{Program: "test", Pipeline: artefact.Pipeline, Vectors: minilm.New().Fingerprint(), Tenant: "default"})
	if err == nil {
		err = w.Add(p, bodies)
	}
	if err == nil {
		_, err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The commands on a folder where nothing runs: what they refuse, with which code, and an import that is done twice.
func TestExportAndImportCommands(t *testing.T) {
	dir := t.TempDir()
	good := oneDocument(t)
	for name, b := range map[string][]byte{"good.fpx": good, "cut.fpx": good[:len(good)-9], "text.fpx": []byte("hello, world\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"export", "new.fpx", "--data", "nowhere"}, 3, "there is no site in the data folder"},
		{[]string{"export", "good.fpx", "--data", "nowhere"}, 2, "exists; say --force"},
		{[]string{"export"}, 1, "accepts 1 arg"},
		{[]string{"import", "good.fpx", "--data", "B", "--all", "--tenant", "default"}, 2, "not both"},
		{[]string{"import", "missing.fpx", "--data", "B"}, 1, "no such file"},
		{[]string{"import", "text.fpx", "--data", "B"}, 1, "this is no export of Fingerpost"},
		{[]string{"import", "cut.fpx", "--data", "B"}, 1, "the export is refused"},
		{[]string{"import", "good.fpx", "--data", "B", "--tenant", "rival"}, 1, "it is an export of tenant default, not of tenant rival"},
		{[]string{"import", "good.fpx", "--data", "B", "--sha256", "00"}, 1, "its SHA-256 is " + doc.SHA256(good)},
		{[]string{"import", "good.fpx", "--data", "B"}, 0, ""},
		{[]string{"export", "new.fpx", "--data", "B"}, 3, "there is no document to export"},
	} {
		if _, said, code := program(t, dir, nil, c.args...); code != c.code || !strings.Contains(said, c.want) || strings.Count(said, "\n") > 1 {
			t.Errorf("%q ended with %d: %s", c.args, code, said)
		}
	}
	out, said, code := program(t, dir, good, "import", "-", "--data", "B", "--json", "--sha256", doc.SHA256(good))
	var x transfer.Imported
	if err := json.Unmarshal([]byte(out), &x); err != nil || code != 0 || x.Documents != 1 || x.Already != 1 || x.Shelved+x.Present != 0 {
		t.Errorf("once more, from standard input: %d, %q, %s", code, out, said)
	}
	if names, err := filepath.Glob(filepath.Join(dir, "new.fpx*")); err != nil || len(names) > 0 {
		t.Errorf("exports that came to nothing left %q", names)
	}
}
