package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/rank"
	"github.com/fingerpost/fingerpost/pkg/section"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// PageQuestion is a question whose gold is pages of one of many look-alike documents.
type PageQuestion struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Docs     []string `json:"docs"` // the expected documents, by name without extension
	Gold     []struct {
		Doc  string `json:"doc"`
		Page int    `json:"page"` // from 0
	} `json:"gold"`
}

// ReadPages reads page questions, one JSON object a line.
func ReadPages(path string) ([]PageQuestion, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("questions: %w", err)
	}
	defer f.Close()
	var qs []PageQuestion
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		var q PageQuestion
		if err := json.Unmarshal(sc.Bytes(), &q); err != nil {
			return nil, fmt.Errorf("questions %s line %d: %w", path, len(qs)+1, err)
		}
		qs = append(qs, q)
	}
	return qs, sc.Err()
}

// PageResult is how one page question went; ranks count from 1, 0 is never.
type PageResult struct {
	ID    string
	Doc   int  // rank of the first section of an expected document
	Any   int  // of the first section that serves a gold page
	All   int  // with which every gold page is served
	Full  bool // a gold page is served when sections are cut into 16,000 characters in all
	Clean int  // those characters
	Found []string
}

// PageSum counts results.
type PageSum struct {
	N, Doc, Doc3, All5, Full, Clean int
	Any                             [3]int // @1, @3, @5
}

// Sum counts.
func Sum(rs []PageResult) PageSum {
	s := PageSum{N: len(rs)}
	in := func(rank, k int) int {
		if rank > 0 && rank <= k {
			return 1
		}
		return 0
	}
	for _, r := range rs {
		s.Doc += in(r.Doc, 1)
		s.Doc3 += in(r.Doc, 3)
		for i, k := range []int{1, 3, 5} {
			s.Any[i] += in(r.Any, k)
		}
		s.All5 += in(r.All, 5)
		if r.Full {
			s.Full++
		}
		s.Clean += r.Clean
	}
	if s.N > 0 {
		s.Clean /= s.N
	}
	return s
}

// String is a line of counts.
func (s PageSum) String() string {
	return fmt.Sprintf("n %d: any@1/3/5 %d/%d/%d, all@5 %d, right document first %d (@3 %d), any at 16k %d, context %d characters",
		s.N, s.Any[0], s.Any[1], s.Any[2], s.All5, s.Doc, s.Doc3, s.Full, s.Clean)
}

// What serves a page.
const (
	maxSpan    = 4     // pages of a section that serves by itself
	minServed  = 150   // letters and digits of the page in it, or half of those the page has
	pageCut    = 4000  // characters of the best cut of a longer section
	pageBudget = 16000 // of all cuts
	pagesAsked = 20    // sections that are looked at for the budget
)

// Pages asks page questions and writes what was found for each to w (nil: nothing).
func (c *Corpus) Pages(ctx context.Context, m Mode, qs []PageQuestion, w io.Writer) ([]PageResult, error) {
	if m.Weights == (rank.Weights{}) {
		m.Weights = rank.Standard()
	}
	var out []PageResult
	for _, q := range qs {
		nodes, terms, err := c.rank(ctx, m, q.Question)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.ID, err)
		}
		r := c.judgePages(q, c.distinct(nodes, pagesAsked), terms)
		out = append(out, r)
		if w != nil {
			fmt.Fprintf(w, "%s any %d doc %d full %v\n", q.ID, r.Any, r.Doc, r.Full)
			for i, f := range r.Found[:min(5, len(r.Found))] {
				fmt.Fprintf(w, "    %d %s\n", i+1, f)
			}
		}
	}
	return out, nil
}

func (c *Corpus) judgePages(q PageQuestion, nodes []rank.Node, terms []string) PageResult {
	r := PageResult{ID: q.ID}
	served, left := map[int]bool{}, pageBudget
	analyse := func(s string) []string { return words.Analyze(s, c.langs[0]) }
	for i, n := range nodes {
		e := c.by[n.Place.Prefix]
		name, node := strings.TrimSuffix(e.name, ".md"), e.tree.Nodes[n.Place.Node]
		if r.Doc == 0 && slices.Contains(q.Docs, name) {
			r.Doc = i + 1
		}
		r.Found = append(r.Found, c.describe(n))
		if i >= 5 && left <= 0 {
			break
		}
		cut := section.Cut(section.Source{Text: e.src[node.Bytes.Start:node.Bytes.End], Lines: node.Lines}, section.Words(terms, analyse), pageCut)
		size := utf8.RuneCountInString(cut.Shown)
		fits := size <= left
		left -= size
		for j, g := range q.Gold {
			if g.Doc != name {
				continue
			}
			byCut := e.serves(cut.Kept, g.Page+1)
			r.Full = r.Full || byCut && fits
			if byCut || e.span(node.Lines) <= maxSpan && e.serves([]doc.Lines{node.Lines}, g.Page+1) {
				served[j] = true
			}
		}
		if r.Any == 0 && len(served) > 0 {
			r.Any = i + 1
		}
		if r.All == 0 && len(served) == len(q.Gold) {
			r.All = i + 1
		}
	}
	r.Clean = pageBudget - max(0, left)
	return r
}

// describe is a node for reading results.
func (c *Corpus) describe(n rank.Node) string {
	e := c.by[n.Place.Prefix]
	pages := ""
	if p := e.tree.Nodes[n.Place.Node].Pages; p != nil {
		pages = fmt.Sprintf(" pages %d-%d (from 0)", p.Start-1, p.End-1)
	}
	why, _ := json.Marshal(n.Why)
	return fmt.Sprintf("%.3f %s: %s%s %s", n.Score, e.name, strings.Join(e.tree.Path(n.Place.Node), " > "), pages, why)
}

var pageMark = regexp.MustCompile(`^<!-- page: (\d+) -->$`)

// pageOf is the page of every line (from 1; index 0 is line 1), 0 before the first mark, and the letters and digits of each line.
func (e *entry) pageLines() (pages, sizes []int) {
	if e.pages == nil {
		page := 0
		for line := range bytes.Lines(e.src) {
			line = bytes.TrimSpace(line)
			if m := pageMark.FindSubmatch(line); m != nil {
				page, _ = strconv.Atoi(string(m[1]))
			}
			e.pages, e.sizes = append(e.pages, page), append(e.sizes, letters(line))
		}
	}
	return e.pages, e.sizes
}

// letters counts the letters and digits outside of tags.
func letters(line []byte) (n int) {
	tag := false
	for _, r := range string(line) {
		switch {
		case r == '<':
			tag = true
		case r == '>':
			tag = false
		case !tag && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			n++
		}
	}
	return n
}

// span is how many pages the lines stand on.
func (e *entry) span(l doc.Lines) int {
	pages, _ := e.pageLines()
	if l.Start < 1 || l.End > len(pages) {
		return maxSpan + 1
	}
	return pages[l.End-1] - pages[l.Start-1] + 1
}

// serves reports whether the lines hold enough of a page.
func (e *entry) serves(lines []doc.Lines, page int) bool {
	pages, sizes := e.pageLines()
	total, held := 0, 0
	for i, p := range pages {
		if p != page {
			continue
		}
		total += sizes[i]
		for _, l := range lines {
			if l.Start <= i+1 && i+1 <= l.End {
				held += sizes[i]
				break
			}
		}
	}
	return held >= minServed || total > 0 && 2*held >= total
}
