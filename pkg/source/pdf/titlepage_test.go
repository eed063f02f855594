package pdf

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// placed tells on which page a published title stands, by the text that is published below it: the list of titles
// has found them by their words alone, and so places a contract's sections where its contents name them.
type placed struct {
	published []string // lines of the published Markdown
	pages     []string // text of the pages, squeezed
}

func newPlaced(t *testing.T, name string, md []byte, pages int) *placed {
	t.Helper()
	raw, err := os.ReadFile(testenv.Shared(t, "bench", "docs", name+".md"))
	if err != nil {
		t.Fatal(err)
	}
	return &placed{strings.Split(string(raw), "\n"), pageTexts(md, pages)}
}

var reMarkup = regexp.MustCompile(`<[^>]*>`)

// page is the page, from 0, of the text below the title of that line of the published Markdown, the nearest to the
// listed one; the listed one where no text is found.
func (p *placed) page(line, listed int) int {
	text := p.below(line)
	if text == "" {
		return listed
	}
	best := -1
	for n, have := range p.pages {
		if strings.Contains(have, text) && (best < 0 || max(n-listed, listed-n) < max(best-listed, listed-best)) {
			best = n
		}
	}
	if best < 0 {
		return listed
	}
	return best
}

// below is the beginning of the first paragraph below the title, squeezed; "" when there is none before a table or far below.
func (p *placed) below(line int) string {
	for _, l := range p.published[min(line, len(p.published)):min(line+12, len(p.published))] {
		if strings.HasPrefix(l, "#") {
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(l), "<t") || strings.HasPrefix(l, "|") {
			return ""
		}
		if t := squeeze(reMarkup.ReplaceAllString(l, "")); len(t) >= 40 {
			return t[:40]
		}
	}
	return ""
}

// pageTexts is the text of each page, squeezed.
func pageTexts(md []byte, pages int) []string {
	out := make([]strings.Builder, pages)
	page := 0
	for line := range strings.Lines(string(md)) {
		if n, ok := strings.CutPrefix(line, "<!-- page: "); ok {
			page, _ = strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(n), " -->"))
		} else if page > 0 && page <= pages {
			out[page-1].WriteString(squeeze(line))
		}
	}
	texts := make([]string, pages)
	for i := range out {
		texts[i] = out[i].String()
	}
	return texts
}
