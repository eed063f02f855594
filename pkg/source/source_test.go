package source_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/source"
	"github.com/fingerpost/fingerpost/pkg/source/pdf"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

func TestMain(m *testing.M) {
	pdf.ChildMain()
	os.Exit(m.Run())
}

func TestEncodings(t *testing.T) {
	for _, c := range []struct {
		name, raw, want string
		replaced        int
	}{
		{"plain", "# a\ntext\n", "# a\ntext\n", 0},
		{"mark", "\xef\xbb\xbf# a\n", "# a\n", 0},
		{"crlf", "# a\r\n\r\nb\r\n", "# a\n\nb\n", 0},
		{"crlf and lf", "a\r\nb\nc\r\n", "a\nb\nc\n", 0},
		{"cr only", "# a\rtext\r\r## b\r", "# a\ntext\n\n## b\n", 0},
		{"lone cr beside lf", "a\rb\nc\r\r\nd\n", "a b\nc \nd\n", 0},
		{"nul", "a\x00b\n", "a\uFFFDb\n", 1},
		{"bad utf-8", "a\xff\xfeb\n", "a\uFFFD\uFFFDb\n", 2},
		{"cut utf-8", "text \xd0\n", "text \uFFFD\n", 1},
		{"other line ends stay", "a\vb\fc\u2028d\u0085e\n", "a\vb\fc\u2028d\u0085e\n", 0},
		{"utf-16le", "\xff\xfe#\x00 \x00\x16\x04\r\x00\n\x00", "# Ж\n", 0},
		{"utf-16be", "\xfe\xff\x00#\x00 \x04\x16\x00\n", "# Ж\n", 0},
		{"utf-16le without a mark", "#\x00 \x00a\x00b\x00c\x00\n\x00", "# abc\n", 0},
		{"utf-16le pair", "\xff\xfe\x3d\xd8\x00\xde", "\U0001F600", 0},
		{"utf-16le half a pair", "\xff\xfe\x3d\xd8a\x00", "\uFFFDa", 1},
		{"utf-16le odd byte", "\xff\xfea\x00b", "a\uFFFD", 1},
		{"no last line end", "a", "a", 0},
	} {
		s, err := source.Parse(context.Background(), c.name+".md", []byte(c.raw))
		if err != nil || string(s.Markdown) != c.want || s.Replaced != c.replaced {
			t.Errorf("%s: %q, %d replaced, %v; want %q, %d", c.name, s.Markdown, s.Replaced, err, c.want, c.replaced)
		}
	}
}

// A file that needs no change is not copied.
func TestZeroCopy(t *testing.T) {
	raw := []byte("\xef\xbb\xbf# a\n\ntext\n")
	s, err := source.Parse(context.Background(), "a.md", raw)
	if err != nil {
		t.Fatal(err)
	}
	if &s.Markdown[0] != &raw[3] {
		t.Error("a clean file was copied")
	}
}

func TestEveryInputHasAnAnswer(t *testing.T) {
	big := make([]byte, source.MaxBytes+1)
	for _, c := range []struct {
		name    string
		raw     []byte
		verdict fault.Verdict
		class   doc.Class
	}{
		{"empty.md", nil, fault.Skip, doc.Empty},
		{"blank.md", []byte(" \r\n\t\n"), fault.Skip, doc.Empty},
		{"mark-only.md", []byte("\xef\xbb\xbf"), fault.Skip, doc.Empty},
		{"binary.md", bytes.Repeat([]byte{0, 1, 2, 3, 0xfe, 0x80}, 100), fault.Skip, doc.Unsupported},
		{"picture.md", []byte("\x89PNG\r\n\x1a\n...."), fault.Skip, doc.Unsupported},
		{"office.md", []byte("PK\x03\x04...."), fault.Skip, doc.Unsupported},
		{"portable.md", []byte("%PDF-1.7\n...."), fault.Fail, doc.Corrupt},
		{"page.html", []byte("<!DOCTYPE html><html><body>x</body></html>"), fault.Skip, doc.Unsupported},
		{"big.md", big, fault.Fail, doc.TooLarge},
	} {
		_, err := source.Parse(context.Background(), c.name, c.raw)
		if v, class := fault.Of(err); err == nil || v != c.verdict || class != c.class {
			t.Errorf("%s: %v (%v, %s), want %v, %s", c.name, err, v, class, c.verdict, c.class)
		}
	}
}

func TestKinds(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.md", "just text\n", source.Markdown},
		{"a.MARKDOWN", "just text\n", source.Markdown},
		{"a.txt", "just text\n", source.Text},
		{"a.txt", "# Title\n\ntext\n\n## Sub\n\nmore\n", source.Markdown},
		{"a.sh", "#!/bin/sh\n# say it\necho hi\n# done\n", source.Text},
		{"a", "Title\n=====\n\ntext\n", source.Markdown},
		{"mentions.md", "A PDF begins with\n%PDF-1.4\nand goes on.\n", source.Markdown},
	} {
		s, err := source.Parse(context.Background(), c.name, []byte(c.text))
		if err != nil || s.Kind != c.want {
			t.Errorf("%s %q: kind %q, %v; want %s", c.name, c.text, s.Kind, err, c.want)
		}
	}
}

func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := source.Parse(ctx, "a.md", []byte("a")); err != context.Canceled {
		t.Errorf("stopped before it began: %v", err)
	}
}

// The shared broken files each end in a class; none is read as text.
func TestSharedCases(t *testing.T) {
	for _, dir := range []string{"pdf", "docx"} {
		paths, _ := filepath.Glob(filepath.Join(testenv.Shared(t, "cases", dir), "*"))
		for _, p := range paths {
			raw, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			_, err = source.Parse(context.Background(), filepath.Base(p), raw)
			v, class := fault.Of(err)
			t.Logf("%s: %v", filepath.Base(p), err)
			if filepath.Ext(p) != ".pdf" && filepath.Ext(p) != ".docx" {
				continue
			}
			if head := raw[:min(len(raw), 5)]; string(head[:min(2, len(head))]) == "PK" {
				if v != fault.Skip || class != doc.Unsupported {
					t.Errorf("%s: %v, want skipped as unsupported", p, err)
				}
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("# a\r\n\x00\xff"))
	f.Add([]byte("\xff\xfea\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		s, err := source.Parse(context.Background(), "x", raw)
		if !bytes.Equal(raw, before) {
			t.Fatal("the file was changed")
		}
		if err == nil && (bytes.ContainsAny(s.Markdown, "\r\x00") || len(s.Markdown) == 0) {
			t.Fatalf("%q became %q", raw, s.Markdown)
		}
	})
}
