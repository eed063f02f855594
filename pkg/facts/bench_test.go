package facts

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/testenv"
)

type gold struct {
	Doc     string `json:"doc"`
	Owner   string `json:"owner"`
	Form    string `json:"form"`
	Years   []int  `json:"fiscal_year_labels"`
	Quarter int    `json:"quarter"`
	End     string `json:"period_end"`
	EIN     string `json:"ein"`
}

// texts is the folder with the Source of every filing, <name>.md, as FINGERPOST_FILINGS says.
func TestFilings(t *testing.T) {
	dir := os.Getenv("FINGERPOST_FILINGS")
	if dir == "" {
		testenv.Missing(t, "FINGERPOST_FILINGS: a folder with the Source of the filings")
	}
	file, err := os.Open(testenv.Shared(t, "bench", "filings", "facts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	right := map[string]int{}
	n := 0
	for sc := bufio.NewScanner(file); sc.Scan(); {
		var g gold
		if err := json.Unmarshal(sc.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		src, err := os.ReadFile(filepath.Join(dir, g.Doc+".md"))
		if err != nil {
			t.Fatal(err)
		}
		n++
		f := Of(src, nil)
		check := func(what string, ok bool) {
			if ok {
				right[what]++
			} else {
				t.Logf("%s %s: %+v", g.Doc, what, f)
			}
		}
		check("owner", Squash(Core(f.Owner)) == Squash(Core(g.Owner)))
		check("form", f.Form == g.Form)
		check("year", len(f.Years) > 0 && slices.Contains(g.Years, f.Years[0]))
		check("quarter", f.Quarter == g.Quarter)
		check("end", f.PeriodEnd == g.End)
		check("registration", f.Registration == g.EIN)
	}
	t.Logf("%d documents: %v", n, right)
	for _, what := range []string{"owner", "form", "year", "quarter"} {
		if right[what] < n-1 {
			t.Errorf("%s: %d of %d", what, right[what], n)
		}
	}
}
