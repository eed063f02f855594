package pdf

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/outline"
	"github.com/fingerpost/fingerpost/pkg/source/pdf/layout"
	"github.com/fingerpost/fingerpost/pkg/table"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// shared parses one of the shared PDFs, once a run.
func shared(t *testing.T, path string) (Result, *Layout) {
	t.Helper()
	if have, ok := parsed[path]; ok {
		return have.r, have.l
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Parse(context.Background(), filepath.Base(path), raw)
	if err != nil {
		t.Fatal(err)
	}
	l, err := ReadLayout(r.Layout)
	if err != nil {
		t.Fatal(err)
	}
	parsed[path] = file{r, l}
	return r, l
}

type file struct {
	r Result
	l *Layout
}

var parsed = map[string]file{}

// squeeze is t in lower case, letters and digits only.
func squeeze(t string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, t)
}

// titleBars are the shares of the listed titles that must be found: on any page, since the list places
// entries of an exhibit's contents where they are listed, and on the same page or one beside it.
var titleBars = map[string]struct{ any, near float64 }{
	"AMEX": {.90, .88}, "Boeing": {.91, .90}, "PepsiCo": {.90, .70}, "CLIP": {.92, .91}, "Galore": {.92, .92}, "NemoBot": {.92, .92},
}

func TestSharedTitles(t *testing.T) {
	type title struct {
		Doc   string `json:"doc_id"`
		Title string `json:"title"`
		Page  int    `json:"page"` // from 0
	}
	all := map[string][]title{}
	f, err := os.Open(testenv.Shared(t, "bench", "pdf_outline_dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var x title
		if err := json.Unmarshal(sc.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(x.Doc, ".pdf")] = append(all[strings.TrimSuffix(x.Doc, ".pdf")], x)
	}
	for name, bar := range titleBars {
		_, l := shared(t, testenv.Shared(t, "bench", "pdf", name+".pdf"))
		anywhere, near := 0, 0
		for _, x := range all[name] {
			on := find(l.Headings, x.Title)
			if len(on) > 0 {
				anywhere++
			}
			if slices.ContainsFunc(on, func(p int) bool { return p >= x.Page && p <= x.Page+2 }) {
				near++
			}
		}
		n := float64(len(all[name]))
		t.Logf("%s: %.3f of %d titles, %.3f on their page", name, float64(anywhere)/n, len(all[name]), float64(near)/n)
		if float64(anywhere)/n < bar.any || float64(near)/n < bar.near {
			t.Errorf("%s: want %v", name, bar)
		}
	}
}

// find is the pages of the headings with that title; one may hold the other.
func find(all []layout.Heading, title string) (pages []int) {
	b := squeeze(title)
	for _, h := range all {
		a := squeeze(h.Title)
		if a == b || len(b) > 6 && strings.Contains(a, b) || len(a) > 8 && strings.Contains(b, a) && len(a)*2 > len(b) {
			pages = append(pages, h.Page)
		}
	}
	return pages
}

// rowBars are the shares of the published tables' rows that must be found, label and every number in order.
var rowBars = map[string]struct{ all, statements float64 }{"AMEX": {.94, .97}, "Boeing": {.95, .97}, "PepsiCo": {.89, .97}}

func TestSharedTableRows(t *testing.T) {
	for name, bar := range rowBars {
		r, _ := shared(t, testenv.Shared(t, "bench", "pdf", name+".pdf"))
		have := map[string]bool{}
		for _, x := range rows(r.Markdown) {
			have[x.key] = true
		}
		md, err := os.ReadFile(testenv.Shared(t, "bench", "docs", name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		var n, hit, ns, hits int
		for _, x := range rows(md) {
			n++
			if x.statement {
				ns++
			}
			if have[x.key] {
				hit++
				if x.statement {
					hits++
				}
			} else if x.statement {
				t.Logf("%s: not found: %q", name, x.key)
			}
		}
		a, s := float64(hit)/float64(n), float64(hits)/float64(ns)
		t.Logf("%s: %.3f of %d rows, %.3f of %d rows of statements", name, a, n, s, ns)
		if a < bar.all || s < bar.statements {
			t.Errorf("%s: want %v", name, bar)
		}
	}
}

type wantedRow struct {
	key       string
	statement bool
}

var (
	reNumeral   = regexp.MustCompile(`\d[\d,.]*`)
	reStatement = regexp.MustCompile(`(?i)^total assets|^net cash (provided|used)[^.]*operating activities|^diluted (earnings|loss|net income)|^total revenues$`)
)

// rows are the rows with numbers, as label and numbers; statement rows are those of the primary
// statements, told by what stands in the same table.
func rows(md []byte) (out []wantedRow) {
	for _, tb := range table.Find(md, 1) {
		statement := len(tb.Rows) >= 18 && slices.ContainsFunc(tb.Rows, func(r table.Row) bool { return reStatement.MatchString(r.Label) })
		for _, r := range tb.Rows {
			var nums []string
			for _, c := range r.Cells {
				for _, n := range reNumeral.FindAllString(c.Text, -1) {
					nums = append(nums, strings.Trim(n, ".,"))
				}
			}
			if len(nums) > 0 {
				out = append(out, wantedRow{squeeze(r.Label) + " " + strings.Join(nums, " "), statement})
			}
		}
	}
	return out
}

var (
	reItemNo   = regexp.MustCompile(`(?i)^\s*items?\s+(\d{1,2}[a-c]?)\b`)
	reItemPage = regexp.MustCompile(`(?i)^\|\s*items?\s+(\d{1,2}[a-c]?)\b.*\|\s*(\d{1,3})\s*\|$`)
)

// Headings of annual reports stand under the right item. The truth is independent of links and headings: the
// printed numbers of the contents, tied to pages by the numbers printed on these. Pages where an item begins are left out.
func TestSharedNearestItem(t *testing.T) {
	right, n, reports := 0, 0, 0
	for _, p := range benchFiles(t) {
		base := strings.TrimSuffix(filepath.Base(p), ".pdf")
		if !strings.HasSuffix(base, "_10K") && base != "AMEX" && base != "Boeing" && base != "PepsiCo" {
			continue
		}
		r, l := shared(t, p)
		begins := itemPages(string(r.Markdown), l)
		tree, err := outline.Build("", "", r.Markdown, outline.Options{KeepLevels: r.KnownLevels})
		if err != nil {
			t.Fatal(err)
		}
		mine, of := 0, 0
		for i := 1; i < len(tree.Nodes); i++ {
			want := itemAt(begins, tree.Nodes[i].Pages)
			if want == "" || reItemNo.MatchString(tree.Nodes[i].Title) {
				continue
			}
			of++
			if got := itemAbove(tree, i); got == want {
				mine++
			} else if of-mine < 4 {
				t.Logf("%s: page %d %q stands under item %q, want %s", base, tree.Nodes[i].Pages.Start, tree.Nodes[i].Title, got, want)
			}
		}
		t.Logf("%s: %d of %d", base, mine, of)
		right, n, reports = right+mine, n+of, reports+1
	}
	share := float64(right) / float64(n)
	t.Logf("%d reports: %.3f of %d headings under the right item", reports, share, n)
	if n > 0 && share < .96 {
		t.Errorf("%.3f, want .96", share)
	}
}

type itemBegin struct {
	item string
	page int
}

// itemPages reads the items of the contents with the pages they begin on, in order.
func itemPages(md string, l *Layout) (out []itemBegin) {
	byLabel := map[string]int{}
	for i, p := range l.Pages {
		if _, have := byLabel[p.Label]; p.Label != "" && !have { // exhibits count anew
			byLabel[strings.Trim(p.Label, "- ")] = i + 1
		}
	}
	seen := map[string]bool{}
	for line := range strings.Lines(md) {
		m := reItemPage.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || seen[strings.ToLower(m[1])] {
			continue
		}
		if page := byLabel[m[2]]; page > 0 && (len(out) == 0 || page >= out[len(out)-1].page) {
			seen[strings.ToLower(m[1])] = true
			out = append(out, itemBegin{strings.ToLower(m[1]), page})
		}
	}
	if n := len(out); n > 0 { // where the last item ends nobody says
		out = append(out, itemBegin{"", out[n-1].page + 1})
	}
	return out
}

// itemAt is the item that the pages lie in, "" when they touch a page where one begins or ends.
func itemAt(begins []itemBegin, pages *doc.Pages) string {
	if pages == nil || len(begins) < 8 {
		return ""
	}
	for i := 0; i+1 < len(begins); i++ {
		if pages.Start > begins[i].page && pages.Start < begins[i+1].page {
			return begins[i].item
		}
	}
	return ""
}

func itemAbove(tree *doc.Tree, i int) string {
	path := tree.Path(i)
	for k := len(path) - 1; k >= 0; k-- {
		if m := reItemNo.FindStringSubmatch(path[k]); m != nil {
			return strings.ToLower(m[1])
		}
	}
	return ""
}
