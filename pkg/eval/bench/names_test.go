package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/facts"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// written are ways in which people write an owner: as it is, without its legal form, in one case, in one word, with a
// letter missing, doubled or swapped.
func written(name string) (out []string) {
	core := []rune(facts.Core(name))
	add := func(s string) {
		if s = strings.TrimSpace(s); len(s) > 1 && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	add(name)
	add(string(core))
	add(strings.ToUpper(string(core)))
	add(strings.ReplaceAll(string(core), " ", ""))
	if len(core) < 6 {
		return out
	}
	at := len(core) / 2
	add(string(slices.Delete(slices.Clone(core), at, at+1)))
	add(string(slices.Insert(slices.Clone(core), at, core[at])))
	swapped := slices.Clone(core)
	swapped[at], swapped[at-1] = swapped[at-1], swapped[at]
	add(string(swapped))
	add(strings.ToLower(string(core)))
	return out
}

// holdNames asks for every filing by its owner under many spellings, its year and form: at least 95 of 100 must lead to
// the owner, none to another, of 200 questions.
func holdNames(t *testing.T, c *Corpus) {
	t.Helper()
	file, err := os.Open(testenv.Shared(t, "bench", "filings", "facts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	owner := map[doc.Prefix]string{}
	var all []stated
	for sc := bufio.NewScanner(file); sc.Scan(); {
		var g stated
		if err := json.Unmarshal(sc.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
		for _, e := range c.entries {
			if e.name == g.Doc+".md" {
				owner[e.prefix] = g.Owner
			}
		}
	}
	n, right, wrong := 0, 0, 0
	for round := 0; n < 200; round++ {
		for _, g := range all {
			ways := written(g.Owner)
			q := fmt.Sprintf([]string{"What was the operating income of %s in FY%d?", "%s total debt %d", "did %s pay dividends in fiscal %d?"}[round%3], ways[round%len(ways)], g.Years[0])
			n++
			ok := false
			for _, ch := range c.library.Choose(q).Choices {
				for _, d := range ch.Docs {
					if ok = owner[d.Prefix] == g.Owner; !ok {
						wrong++
						t.Errorf("another owner: %s: %s", q, ch.Reason)
						break
					}
				}
			}
			if ok {
				right++
			} else {
				t.Logf("no owner: %s", q)
			}
		}
	}
	t.Logf("names: %d of %d lead to their owner, %d to another", right, n, wrong)
	if 100*right < 95*n {
		t.Errorf("names: %d of %d right, want 95 of 100", right, n)
	}
}
