package bench

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/facts"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// stated is what a filing is, as its cover says.
type stated struct {
	Doc     string `json:"doc"`
	Owner   string `json:"owner"`
	Form    string `json:"form"`
	Years   []int  `json:"fiscal_year_labels"`
	Quarter int    `json:"quarter"`
	End     string `json:"period_end"`
	Number  string `json:"ein"`
}

// holdFacts compares what was read from the filings with what they are: 38 of 39 of each kind must be right.
func holdFacts(t *testing.T, c *Corpus) {
	t.Helper()
	file, err := os.Open(testenv.Shared(t, "bench", "filings", "facts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	right, n := map[string]int{}, 0
	for sc := bufio.NewScanner(file); sc.Scan(); n++ {
		var g stated
		if err := json.Unmarshal(sc.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		var f facts.Facts
		for _, e := range c.entries {
			if e.name == g.Doc+".md" {
				f, _ = c.library.Facts(e.prefix)
			}
		}
		for what, ok := range map[string]bool{
			"owner": facts.Squash(facts.Core(f.Owner)) == facts.Squash(facts.Core(g.Owner)), "form": f.Form == g.Form,
			"year": len(f.Years) > 0 && slices.Contains(g.Years, f.Years[0]), "quarter": f.Quarter == g.Quarter,
			"period end": f.PeriodEnd == g.End, "registration": f.Registration == g.Number,
		} {
			if ok {
				right[what]++
			} else {
				t.Logf("%s of %s: %+v", what, g.Doc, f)
			}
		}
	}
	t.Logf("facts of %d documents, right: %v", n, right)
	for _, what := range []string{"owner", "form", "year", "quarter"} {
		if right[what] < n-1 {
			t.Errorf("%s: %d of %d right", what, right[what], n)
		}
	}
}
