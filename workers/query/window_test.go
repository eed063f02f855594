package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// log is n lines without a heading; those named hold words of their own.
func log(n int, special map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "entry %d is as ordinary as the others are %s\n", i, special[i])
		if i%20 == 0 {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// exact checks that a section is what its lines and bytes name, and that read follows its pointer to the same.
func exact(t *testing.T, h *workertest.House, text string, s api.Section) {
	t.Helper()
	lines := strings.SplitAfter(text, "\n")
	got := strings.Join(lines[s.Lines.Start-1:s.Lines.End], "")
	if s.NodeID != "0000" || s.Cut || s.Text != got || text[s.Bytes.Start:s.Bytes.End] != got {
		t.Errorf("%s: lines %v are %d bytes, bytes %v, shown %d, cut %v", s.NodeID, s.Lines, len(got), s.Bytes, len(s.Text), s.Cut)
	}
	rep, err := ask[api.ReadReply](t, h, api.Read, api.ReadRequest{Pointer: s.Pointer})
	if err != nil || rep.Text != got || rep.SHA256 != doc.SHA256([]byte(got)) {
		t.Errorf("read of %s: %d bytes, %v", s.Pointer, len(rep.Text), err)
	}
}

// A document without headings is as many places as its best windows, wherever they stand: each with lines, bytes and a
// pointer of its own, of which only its bytes are read.
func TestWindowsAreReadAsPlaces(t *testing.T) {
	for _, vectors := range []bool{false, true} {
		var read *blob.Counted
		h := workertest.Open(t, workertest.Config{NoVectors: !vectors, Blobs: func(s blob.Store) blob.Store { read = blob.Count(s); return sources{s, read} }})
		n := 60_000
		if vectors {
			n = 6_000
		}
		at := map[int]string{n / 100: "zqkeyxv", n / 2: "zqkeyxv", n - 10: "zqkeyxv zqkeyxv zqlastxv"}
		text := log(n, at)
		h.Put("big.txt", text)
		h.Put("other.md", paper("Other", 3))
		h.Settle()
		one(t, h, "zqlastxv") // the tree is read once and kept
		read.Reset()
		sections := find(t, h, "zqkeyxv", 3)
		var size int64
		for i, s := range sections {
			if size += s.Bytes.Len(); i < 3 && !strings.Contains(s.Text, "zqkeyxv") {
				t.Errorf("place %d, lines %v: %.100s", i+1, s.Lines, s.Text)
			}
		}
		if c := read.Counts(); len(sections) != 3 || c.Gets != 3 || c.Read != size || size > 20_000 {
			t.Errorf("%d places of %d bytes: %+v", len(sections), size, c)
		}
		for _, s := range sections {
			exact(t, h, text, s)
		}
		if s := one(t, h, "zqlastxv"); !strings.Contains(s.Text, "zqlastxv") {
			t.Errorf("the end of the document: lines %v", s.Lines)
		}
		rep, err := ask[api.AskReply](t, h, api.Ask, api.AskRequest{Question: "zqlastxv"})
		if err != nil || !rep.Found || !strings.Contains(rep.Answer, "zqlastxv") {
			t.Errorf("answer %+v, %v", rep, err)
		}
		for _, l := range []doc.Lines{{Start: 1, End: 400}, {Start: 7, End: 7}, {Start: 21, End: 21}} {
			p := doc.Pointer{Doc: sections[0].DocID, Version: sections[0].Version, Anchor: sections[0].Anchor, Lines: l}.String()
			got, err := ask[api.ReadReply](t, h, api.Read, api.ReadRequest{Pointer: p})
			if want := strings.Join(strings.SplitAfter(text, "\n")[l.Start-1:l.End], ""); err != nil || got.Text != want {
				t.Errorf("lines %v: %d bytes of %d, %v", l, len(got.Text), len(want), err)
			}
		}
	}
}

// A line of megabytes is shown around the hit.
func TestWindowsWithinOneLine(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	text := strings.TrimSpace(strings.ReplaceAll(log(60_000, map[int]string{50_000: "zqkeyxv", 9: "zqfirstxv"}), "\n", " "))
	h.Put("line.txt", text)
	h.Settle()
	for _, word := range []string{"zqkeyxv", "zqfirstxv"} {
		s := one(t, h, word)
		if !strings.Contains(s.Shown, word) || !s.Cut || s.Text != text[s.Bytes.Start:s.Bytes.End] && !strings.Contains(s.Text, "[...") || s.Bytes.Len() > 10_000 {
			t.Errorf("%s: bytes %v, cut %v: %.100s", word, s.Bytes, s.Cut, s.Shown)
		}
		if rep, err := ask[api.ReadReply](t, h, api.Read, api.ReadRequest{Pointer: s.Pointer}); err != nil || !strings.HasPrefix(text, rep.Text) || rep.Next == 0 {
			t.Errorf("read: %d bytes, next %d, %v", len(rep.Text), rep.Next, err)
		}
	}
}

// A hit deep in a section of megabytes is shown.
func TestHitBeyondAMegabyteOfASection(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	h.Put("long.md", "# Heading\n\n"+log(60_000, map[int]string{50_000: "zqkeyxv"})+"\n# Next\n\nend\n")
	h.Settle()
	if s := one(t, h, "zqkeyxv"); !strings.Contains(s.Shown, "zqkeyxv") || s.NodeID != "0001" {
		t.Errorf("node %s: %.300s", s.NodeID, s.Shown)
	}
}

// A tree that is not trusted has windows over the whole text: a hit shows the window, not the text before the first heading.
func TestWindowsOfATreeThatIsNotTrusted(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	var b strings.Builder
	b.WriteString("An opening.\n\n")
	for i := range 60 {
		fmt.Fprintf(&b, "# Item %d\n\n# Note %d\n\n# Item %d\n\n# Note %d\n\n# Note %d\n\nThe key is here: %s.\n\n", 5*i+1, 5*i+2, 5*i+3, 5*i+4, 5*i+5, word(i))
	}
	h.Put("a.md", b.String())
	h.Settle()
	tree, err := ask[api.TreeReply](t, h, api.Tree, api.TreeRequest{Key: "a.md"})
	if err != nil {
		t.Fatal(err)
	}
	s := one(t, h, word(50))
	if !strings.Contains(s.Text, "here: "+word(50)) {
		t.Errorf("windows %v (%s), lines %v: %.200s", tree.Windows, tree.Why, s.Lines, s.Text)
	}
	if !tree.Windows || len(tree.Nodes) < 2 {
		t.Errorf("the tree is trusted: %s", tree.Why)
	} else {
		exact(t, h, b.String(), s)
	}
}

// A window whose bytes are not those that were stored is left out.
func TestDamagedWindowIsLeftOut(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	text := log(2000, map[int]string{100: "zqkeyxv", 1500: "zqkeyxv"})
	id := h.Put("a.txt", text)
	h.Settle()
	if n := len(find(t, h, "zqkeyxv", 9)); n != 2 {
		t.Fatalf("%d places", n)
	}
	lie := strings.Replace(text, "entry 1500 is as ordinary", "entry 1500 is as dreadful", 1)
	h.Store(artefact.Bucket, "default/"+string(id)+"/g1/"+artefact.Pipeline+"/source.md", lie)
	for _, s := range find(t, h, "zqkeyxv", 9) {
		if strings.Contains(s.Text, "dreadful") || s.Lines.Start > 1000 {
			t.Errorf("shown: lines %v", s.Lines)
		}
	}
}
