package pdf

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/testenv"
)

//go:embed testdata/statements.txt
var statementPages string

var statementNames = []*regexp.Regexp{
	regexp.MustCompile(`balancesheets?|financial(position|condition)`),
	regexp.MustCompile(`statements?of(consolidated)?(income|operations|earnings)|incomestatement`),
	regexp.MustCompile(`cashflows?`),
}

// The pages of the primary statements are sections of their own, by a heading that names them.
func TestSharedStatementPages(t *testing.T) {
	files := map[string]string{}
	for _, p := range benchFiles(t) {
		files[strings.TrimSuffix(filepath.Base(p), ".pdf")] = p
	}
	_ = testenv.Shared(t, "bench", "filings", "pdf")
	hit, n := 0, 0
	for line := range strings.Lines(statementPages) {
		var name string
		var pages [3]int
		if _, err := fmt.Sscan(line, &name, &pages[0], &pages[1], &pages[2]); err != nil || files[name] == "" {
			continue
		}
		_, l := shared(t, files[name])
		for k, page := range pages {
			n++
			found := false
			for _, h := range l.Headings {
				found = found || h.Page == page && statementNames[k].MatchString(squeeze(h.Title))
			}
			if found {
				hit++
			} else {
				t.Logf("%s: nothing on page %d", name, page)
			}
		}
	}
	t.Logf("%d of %d pages of statements found", hit, n)
	if hit*100 < n*93 {
		t.Errorf("%d of %d, want .93", hit, n)
	}
}
