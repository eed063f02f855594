package archive_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/fingerpost/fingerpost/pkg/archive"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

var head = archive.Head{Program: "test", Made: time.Unix(1_000_000_000, 0).UTC(), Build: 1, Pipeline: "p", Tenant: "acme"}

// parcel is a document whose parts have these texts, by name in this order.
func parcel(t doc.Tenant, key string, parts ...string) (p artefact.Parcel, bodies [][]byte) {
	p = artefact.Parcel{Tenant: t, DocID: doc.NewID(t, "documents", key), Bucket: "documents", Key: key, Version: doc.VersionOf([]byte(key)), Pipeline: "p", Level: doc.LevelFull}
	for i := 0; i < len(parts); i += 2 {
		b := []byte(parts[i+1])
		p.Parts = append(p.Parts, artefact.Part{Name: parts[i], Size: int64(len(b)), SHA256: doc.SHA256(b)})
		bodies = append(bodies, b)
	}
	return p, bodies
}

// written is an archive of documents in the order of their ids.
func written(t *testing.T, keys ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := archive.NewWriter(&b, head)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		p, bodies := parcel("acme", k, "source.md", "# "+k+"\n", "tree.json", "{}", "figures/p1-1.png", strings.Repeat(k, 1000))
		if err := w.Add(p, bodies); err != nil {
			t.Fatal(err)
		}
	}
	end, err := w.Close()
	if sum, n := w.Sum(); err != nil || end.Documents != len(keys) || sum != doc.SHA256(b.Bytes()) || n != int64(b.Len()) {
		t.Fatalf("%+v, sum %s of %d bytes, %v", end, sum, n, err)
	}
	return b.Bytes()
}

// ordered is two keys whose ids are in order.
var ordered = func() []string {
	if doc.NewID("acme", "documents", "a.md") < doc.NewID("acme", "documents", "b.md") {
		return []string{"a.md", "b.md"}
	}
	return []string{"b.md", "a.md"}
}()

// read is the keys of an archive, and the error that ended it.
func read(b io.Reader) (keys []string, err error) {
	r, err := archive.NewReader(b)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		p, bodies, err := r.Next()
		if errors.Is(err, io.EOF) {
			return keys, nil
		}
		if err != nil {
			return keys, err
		}
		if len(bodies) != len(p.Parts) || string(bodies[0]) != "# "+p.Key+"\n" {
			return keys, fmt.Errorf("%s has other parts than it was given", p.Key)
		}
		keys = append(keys, p.Key)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, keys := range [][]string{nil, ordered[:1], ordered} {
		b := written(t, keys...)
		if got, err := read(bytes.NewReader(b)); err != nil || strings.Join(got, " ") != strings.Join(keys, " ") {
			t.Errorf("%q came back as %q, %v", keys, got, err)
		}
		if !bytes.Equal(b, written(t, keys...)) {
			t.Error("the same documents leave other bytes")
		}
	}
	if p, bodies := parcel("acme", "a.md", "source.md", "x"); archiveRefuses(t, p, bodies) == nil {
		t.Error("a document without a tree is written")
	}
}

func archiveRefuses(t *testing.T, p artefact.Parcel, bodies [][]byte) error {
	t.Helper()
	w, err := archive.NewWriter(io.Discard, head)
	if err != nil {
		t.Fatal(err)
	}
	return w.Add(p, bodies)
}

// Cut off anywhere, or with any byte changed, a file is refused.
func TestCutAndChanged(t *testing.T) {
	b := written(t, ordered...)
	for n := range len(b) {
		if _, err := read(bytes.NewReader(b[:n])); !errors.Is(err, archive.ErrRefused) {
			t.Fatalf("cut after %d of %d bytes: %v", n, len(b), err)
		}
	}
	for n := range len(b) {
		c := bytes.Clone(b)
		c[n] ^= 0x40
		keys, err := read(bytes.NewReader(c))
		if err == nil && len(keys) == 2 {
			continue // a bit that says nothing (of the frame's head), and the sums hold
		}
		if !errors.Is(err, archive.ErrRefused) {
			t.Fatalf("byte %d changed: %v", n, err)
		}
	}
	if _, err := read(bytes.NewReader(append(bytes.Clone(b), b...))); err == nil || !strings.Contains(err.Error(), "follows its end") {
		t.Errorf("two archives in one: %v", err)
	}
}

// entry is one of a file that a stranger wrote.
type entry struct {
	tar.Header
	body string
}

// strange packs entries as they are.
func strange(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, e := range entries {
		if e.Size == 0 {
			e.Size = int64(len(e.body))
		}
		if err := w.WriteHeader(&e.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.body); err != nil {
			t.Fatal(err)
		}
	}
	_ = w.Close() // an entry may be shorter than it says
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func plain(name string, v any) entry {
	body, ok := v.(string)
	if !ok {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		body = string(b)
	}
	return entry{tar.Header{Name: name, Mode: 0o600, Format: tar.FormatUSTAR}, body}
}

func TestStrangersFiles(t *testing.T) {
	good := head
	good.Format = archive.Format
	first := plain("fingerpost-export.json", good)
	other, newer := good, good
	other.Tenant, newer.Format = "rival", 2
	p, _ := parcel("acme", "a.md", "source.md", "# a.md\n", "tree.json", "{}")
	dir := "acme/" + string(p.DocID)
	begin, src, tree := plain(dir+"/parcel.json", p), plain(dir+"/source.md", "# a.md\n"), plain(dir+"/tree.json", "{}")
	change := func(f func(*artefact.Parcel)) entry {
		q := p
		q.Parts = append([]artefact.Part(nil), p.Parts...)
		f(&q)
		return plain(dir+"/parcel.json", q)
	}
	link := plain(dir+"/source.md", "")
	link.Typeflag, link.Linkname = tar.TypeSymlink, "/etc/passwd"
	long := plain(dir+"/"+strings.Repeat("long", 100), "x")
	long.Format = tar.FormatPAX
	for name, c := range map[string]struct {
		want    string
		entries []entry
	}{
		"nothing":             {"no export of Fingerpost", nil},
		"another tar":         {"no export of Fingerpost", []entry{plain("README", "hello")}},
		"no format":           {"says no format", []entry{plain("fingerpost-export.json", "[]")}},
		"a newer format":      {"has format 2", []entry{plain("fingerpost-export.json", newer)}},
		"no end":              {"its end is missing", []entry{first, begin, src, tree}},
		"an end that lies":    {"holds 7 documents", []entry{first, begin, src, tree, plain("end.json", archive.End{Documents: 7})}},
		"a path upwards":      {`"../../etc/cron.d/x" stands where a document should begin`, []entry{first, plain("../../etc/cron.d/x", "x")}},
		"a path from root":    {"stands where", []entry{first, plain("/etc/passwd", "x")}},
		"a part upwards":      {"stands where " + dir + "/source.md should stand", []entry{first, begin, plain(dir+"/../x", "x")}},
		"a part named so":     {"has a name that none of ours has", []entry{first, change(func(p *artefact.Parcel) { p.Parts = append(p.Parts, artefact.Part{Name: "figures/../../x.png"}) })}},
		"a link":              {"no plain file", []entry{first, begin, link}},
		"a long name":         {"no plain file", []entry{first, begin, long}},
		"other bytes":         {"not of the size and SHA-256", []entry{first, begin, plain(dir+"/source.md", "# b.md\n")}},
		"fewer bytes":         {"not of the size and SHA-256", []entry{first, begin, plain(dir+"/source.md", "# a\n")}},
		"more bytes":          {"has 8 bytes; it may have 7", []entry{first, begin, plain(dir+"/source.md", "# a.md\n\n")}},
		"a huge part":         {"over the limit", []entry{first, change(func(p *artefact.Parcel) { p.Parts[0].Size = 1 << 40 })}},
		"a negative part":     {"over the limit", []entry{first, change(func(p *artefact.Parcel) { p.Parts[0].Size = -1 })}},
		"a huge parcel":       {"it may have", []entry{first, plain(dir+"/parcel.json", strings.Repeat("[", 2<<20))}},
		"a part twice":        {"stands there twice", []entry{first, change(func(p *artefact.Parcel) { p.Parts = append(p.Parts, p.Parts[0]) })}},
		"a document twice":    {"stands there twice", []entry{first, begin, src, tree, begin}},
		"another's id":        {"not that of its tenant, bucket and key", []entry{first, change(func(p *artefact.Parcel) { p.Key = "b.md" })}},
		"in another's folder": {"holds the parcel of", []entry{first, plain("rival/"+string(p.DocID)+"/parcel.json", p)}},
		"another tenant":      {"a document of tenant acme, in an export of tenant rival", []entry{plain("fingerpost-export.json", other), begin}},
		"another pipeline":    {"of pipeline", []entry{first, change(func(p *artefact.Parcel) { p.Pipeline = "p0" })}},
		"no version":          {"version", []entry{first, change(func(p *artefact.Parcel) { p.Version = "../x" })}},
	} {
		keys, err := read(bytes.NewReader(strange(t, c.entries...)))
		if !errors.Is(err, archive.ErrRefused) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, %v", name, keys, err)
		}
	}
	for name, b := range map[string]string{"empty": "", "text": "hello, world", "gzip": "\x1f\x8b\x08\x00", "noise": strings.Repeat("\xff\x00", 5000)} {
		if _, err := read(strings.NewReader(b)); !errors.Is(err, archive.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A small file that expands without end is refused long before it has.
func TestBomb(t *testing.T) {
	good := head
	good.Format = archive.Format
	zeros := make([]byte, 160<<20)
	p, _ := parcel("acme", "a.md", "source.md", "", "tree.json", "{}")
	p.Parts[0].Size, p.Parts[0].SHA256 = int64(len(zeros)), strings.Repeat("0", 64)
	dir := "acme/" + string(p.DocID)
	b := strange(t, plain("fingerpost-export.json", good), plain(dir+"/parcel.json", p), plain(dir+"/source.md", string(zeros)))
	if _, err := read(bytes.NewReader(b)); err == nil || !strings.Contains(err.Error(), "expands to more than") {
		t.Errorf("%d bytes that expand to %d: %v", len(b), len(zeros), err)
	}
}
