package reindex_test

import (
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

func TestConditionsAreParsed(t *testing.T) {
	for _, c := range []struct {
		text      string
		n         int
		questions bool
		wrong     string // part of what is said; "" when it is right
	}{
		{"", 0, false, ""},
		{" , ", 0, false, ""},
		{"audit ok", 1, false, ""},
		{"audit ok, any@5 drop <= .01", 2, true, ""},
		{"  any@5   drop  <=  0.01 ,all@1 drop <= 0", 2, true, ""},
		{"any@7 drop <= .01", 0, false, "k may be one of"},
		{"any@5 drop <= 1%", 0, false, "is not known"},
		{"any@5 drop < .01", 0, false, "is not known"},
		{"any@5 drop <= -.01", 0, false, "is not known"},
		{"any@5 drop <= .", 0, false, "is not known"},
		{"audit", 0, false, "is not known"},
		{"audit ok any@5 drop <= .01", 0, false, "is not known"},
		{strings.Repeat("x", 5000), 0, false, "is not known"},
		{"any@99999999999999999999 drop <= .1", 0, false, "k may be one of"},
	} {
		got, err := reindex.ParseConditions(c.text)
		if len(got) != c.n || reindex.NeedsQuestions(got) != c.questions || (err != nil) != (c.wrong != "") {
			t.Errorf("%.60q: %d conditions, questions %v, %v", c.text, len(got), reindex.NeedsQuestions(got), err)
		}
		if err != nil && (!strings.Contains(err.Error(), c.wrong) || len(err.Error()) > 200) {
			t.Errorf("%.60q: said %q", c.text, err)
		}
	}
}

func TestJudged(t *testing.T) {
	score := func(n, any5, all5 int) (s eval.Score) {
		s.N = n
		for range eval.Ks {
			s.Any, s.All = append(s.Any, any5), append(s.All, all5)
		}
		return s
	}
	sound := reindex.Comparison{AuditOK: true, Entries: map[doc.Kind]int{doc.KindNode: 7}}
	broken := reindex.Comparison{Differences: []string{"stray entry: documents/a.md"}}
	lossy := reindex.Comparison{AuditOK: true, Worse: 2}
	failing := score(100, 90, 80)
	failing.Errors = 1
	for _, c := range []struct {
		name, when    string
		c             reindex.Comparison
		before, after eval.Score
		want          bool
		found         string // of the last verdict
	}{
		{"nothing is asked", "", sound, eval.Score{}, eval.Score{}, true, "0 that are found now"},
		{"documents would be lost", "", lossy, eval.Score{}, eval.Score{}, false, "2 that are found now"},
		{"documents would be lost, whatever the rest says", "audit ok", lossy, eval.Score{}, eval.Score{}, false, "0 entries"},
		{"the audit adds up", "audit ok", sound, eval.Score{}, eval.Score{}, true, "7 entries"},
		{"the audit does not", "audit ok", broken, eval.Score{}, eval.Score{}, false, "stray entry"},
		{"as good as before", "any@5 drop <= 0", sound, score(100, 90, 80), score(100, 90, 80), true, "90 and then 90 of 100"},
		{"better", "any@5 drop <= 0", sound, score(100, 90, 80), score(100, 95, 80), true, "90 and then 95 of 100"},
		{"worse by as much as is allowed", "any@5 drop <= .01", sound, score(100, 90, 80), score(100, 89, 80), true, "90 and then 89 of 100"},
		{"worse by more", "any@5 drop <= .01", sound, score(100, 90, 80), score(100, 88, 80), false, "90 and then 88 of 100"},
		{"all is another measure than any", "all@5 drop <= .01", sound, score(100, 90, 80), score(100, 90, 70), false, "80 and then 70 of 100"},
		{"no question", "any@5 drop <= .5", sound, eval.Score{}, eval.Score{}, false, "nothing can be compared"},
		{"fewer questions after", "any@5 drop <= .5", sound, score(100, 90, 80), score(99, 90, 80), false, "nothing can be compared"},
		{"a question failed", "any@5 drop <= .5", sound, score(100, 90, 80), failing, false, "nothing can be compared"},
	} {
		conditions, err := reindex.ParseConditions(c.when)
		if err != nil {
			t.Fatal(err)
		}
		verdicts, ok := reindex.Judge(conditions, c.c, c.before, c.after)
		if last := verdicts[len(verdicts)-1]; ok != c.want || len(verdicts) != len(conditions)+1 || !strings.Contains(last.Found, c.found) {
			t.Errorf("%s: %v %+v", c.name, ok, verdicts)
		}
	}
}
