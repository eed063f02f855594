package workers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUserWords(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("good.txt", "ask: freeboard\nlook: height above water\nin: Weirs\n")
	names := file("names.txt", "Larkmoor Instruments, Inc. = the instrument people\n")
	for _, c := range []struct {
		vocabulary, aliases, want string
	}{
		{good, names, ""},
		{file("broken.txt", "ask: (freeboard\n"), "", "broken.txt: vocabulary line 1"},
		{file("other.txt", "sought: x\n"), "", "other.txt: vocabulary line 1"},
		{"", file("noequals.txt", "\nLarkmoor\n"), "noequals.txt: aliases line 2"},
		{filepath.Join(dir, "nowhere.txt"), "", "nowhere.txt"},
		{file("large.txt", strings.Repeat("#", maxWords+1)), "", "at most"},
	} {
		s := Source{Bucket: "documents", Tenant: "default", Vocabulary: c.vocabulary, Aliases: c.aliases}
		err := s.check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.vocabulary, c.aliases, err, c.want)
		}
	}
	conf := Config{Sources: []Source{{Bucket: "documents", Tenant: "default", Vocabulary: good, Aliases: names}, {Bucket: "more", Tenant: "acme"}}}
	vs, as := conf.userWords()
	if h := vs["default"].Hint("what freeboard is needed, and the quick ratio?"); len(h.Words) < 2 || h.Words[0] != "height above water" {
		t.Errorf("%+v", h)
	}
	if vs["acme"] != nil || as["acme"] != "" || !strings.Contains(as["default"], "instrument people") {
		t.Errorf("%v %v", vs, as)
	}
}
