package outline_test

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/outline"
)

// wantItem is the share of headings that must have the right Item above them. (Asked for: .95 of AMD,
// .94 of AMEX, .88 of PepsiCo, .52 of Boeing.)
const wantItem = .98

// The gold is a sample of headings, labelled from the text by eyes that have not seen this
// package's output: testdata/items/<document>.tsv, a line of a heading and its Item ("8", "7A";
// "-" for none), and "?" where the eyes were not sure. The test runs over the tables that are there.
func TestRightItemAbove(t *testing.T) {
	tables, _ := filepath.Glob("testdata/items/*.tsv")
	for _, p := range tables {
		name := strings.TrimSuffix(filepath.Base(p), ".tsv")
		got := build(t, read(t, name), outline.Options{})
		right, all := itemsRight(t, got, string(file(t, p)))
		t.Logf("%s: right Item above %d of %d headings (%.3f)", name, right, all, float64(right)/float64(all))
		if float64(right) < wantItem*float64(all) {
			t.Errorf("%s: right Item above %d of %d headings, want %.2f", name, right, all, wantItem)
		}
	}
}

// The same over every heading, by the running order of the Items: where each begins was read
// from the documents (testdata/order), all headings between two beginnings belong to the first.
func TestItemsInOrder(t *testing.T) {
	for _, name := range filings {
		src := read(t, name)
		tree := build(t, src, outline.Options{})
		written := build(t, src, outline.Options{KeepLevels: true})
		gold := goldFromOrder(t, written, string(file(t, filepath.Join("testdata", "order", name+".tsv"))))
		right, all := itemsRight(t, tree, gold)
		t.Logf("%s: right Item above %d of %d headings (%.3f)", name, right, all, float64(right)/float64(all))
		if right*100 < all*99 {
			t.Errorf("%s: right Item above %d of %d headings, want .99", name, right, all)
		}
	}
}

// goldFromOrder labels every heading of the document as written.
func goldFromOrder(t *testing.T, written *doc.Tree, order string) string {
	type start struct {
		line int
		item string
	}
	var starts []start
	for row := range strings.Lines(order) {
		if strings.HasPrefix(row, "#") {
			continue
		}
		line, item, _ := strings.Cut(strings.TrimSpace(row), "\t")
		n, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		starts = append(starts, start{n, item})
	}
	var b strings.Builder
	for _, n := range written.Nodes[1:] {
		item := "-"
		for _, s := range starts {
			if s.line <= n.Lines.Start {
				item = s.item
			}
		}
		b.WriteString(strconv.Itoa(n.Lines.Start) + "\t" + item + "\n")
	}
	return b.String()
}

var itemTitle = regexp.MustCompile(`(?i)^items?\s+(\d{1,2}[a-c]?)\b`)

// itemsRight counts the rows whose heading has the row's Item above it or is that Item. A
// heading that went back to the text is judged by the node that holds its line.
func itemsRight(t *testing.T, tree *doc.Tree, gold string) (right, all int) {
	t.Helper()
	for row := range strings.Lines(gold) {
		if strings.HasPrefix(row, "#") || strings.TrimSpace(row) == "" {
			continue
		}
		f := strings.Split(strings.TrimSpace(row), "\t")
		n, err := strconv.Atoi(f[0])
		if err != nil || len(f) < 2 {
			t.Fatalf("row %q: want a line and its Item", row)
		}
		want := f[1]
		all++
		if got := itemAt(tree, n); strings.EqualFold(got, want) {
			right++
		} else if all-right <= 20 {
			t.Logf("line %d: Item %s, want %s: %s", n, got, want, strings.Join(tree.Path(nodeAt(tree, n)), " > "))
		}
	}
	return right, all
}

func itemAt(tree *doc.Tree, line int) string {
	item := "-"
	for _, title := range tree.Path(nodeAt(tree, line)) {
		if m := itemTitle.FindStringSubmatch(title); m != nil {
			item = m[1]
		}
	}
	return item
}

// nodeAt is the node whose own text holds the line.
func nodeAt(tree *doc.Tree, line int) int {
	at := 0
	for i, n := range tree.Nodes {
		if n.Lines.Start > 0 && n.Lines.Start <= line {
			at = i
		}
	}
	return at
}

var noteTitle = regexp.MustCompile(`(?i)^note\s+\d`)

// The notes stand below the financial statements: Item 8, and there the notes' own heading.
func TestNotesBelowStatements(t *testing.T) {
	for _, name := range []string{"AMD", "AMEX", "Boeing"} {
		tree := build(t, read(t, name), outline.Options{})
		below, all := 0, 0
		for i, n := range tree.Nodes {
			if !noteTitle.MatchString(n.Title) && !noteTitle.MatchString(n.Lent) {
				continue
			}
			all++
			path := strings.ToLower(strings.Join(tree.Path(i), " > "))
			if strings.Contains(path, "item 8") && strings.Contains(path, "notes to ") {
				below++
			}
		}
		t.Logf("%s: %d of %d notes below the financial statements", name, below, all)
		if all < 15 || below*100 < all*95 {
			t.Errorf("%s: %d of %d notes below the financial statements, want .95", name, below, all)
		}
	}
}
