package reindex

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/eval"
)

// Condition is what must hold before a build is promoted unasked.
type Condition struct {
	text    string
	measure string // any or all; "" is none
	at      int    // index of k in eval.Ks
	most    float64
	audit   bool
}

var dropForm = regexp.MustCompile(`^(any|all)@([0-9]+) drop <= ([0-9]*\.?[0-9]+)$`)

// ParseConditions reads a list like "audit ok, any@5 drop <= .01": the audit adds up, and the share of questions with
// a right place among the first five falls by no more than one in a hundred.
func ParseConditions(s string) (out []Condition, err error) {
	for part := range strings.SplitSeq(s, ",") {
		c := Condition{text: strings.Join(strings.Fields(part), " ")}
		switch m := dropForm.FindStringSubmatch(c.text); {
		case c.text == "":
			continue
		case c.text == "audit ok":
			c.audit = true
		case m != nil:
			c.measure, c.at = m[1], -1
			for i, k := range eval.Ks {
				if strconv.Itoa(k) == m[2] {
					c.at = i
				}
			}
			if c.at < 0 {
				return nil, fmt.Errorf("condition %q: k may be one of %v", c.text, eval.Ks)
			}
			c.most, _ = strconv.ParseFloat(m[3], 64) // by its form it is a number
		default:
			return nil, fmt.Errorf("condition %.80q is not known; say \"audit ok\" or \"any@5 drop <= .01\"", c.text)
		}
		out = append(out, c)
	}
	return out, nil
}

// NeedsQuestions reports whether a question file must be asked of both builds.
func NeedsQuestions(cs []Condition) bool {
	for _, c := range cs {
		if c.measure != "" {
			return true
		}
	}
	return false
}

// Verdict is one condition and whether it holds.
type Verdict struct {
	Condition string `json:"condition"`
	Holds     bool   `json:"holds"`
	Found     string `json:"found"`
}

// Judge holds the conditions against what was found: the comparison, and the scores of both builds over the questions
// (the zero scores when none were asked). Documents that would be lost never pass.
func Judge(cs []Condition, c Comparison, before, after eval.Score) (out []Verdict, ok bool) {
	out = append(out, Verdict{"no document is lost", c.Worse == 0, fmt.Sprintf("%d that are found now have ended in the new build", c.Worse)})
	for _, x := range cs {
		v := Verdict{Condition: x.text}
		switch {
		case x.audit:
			v.Holds, v.Found = c.AuditOK, strings.Join(append([]string{fmt.Sprintf("%d entries", total(c))}, c.Differences...), "; ")
		case before.N == 0 || after.N != before.N || before.Errors+after.Errors > 0:
			v.Found = fmt.Sprintf("%d and %d questions answered, %d errors: nothing can be compared", before.N, after.N, before.Errors+after.Errors)
		default:
			b, a := before.Any, after.Any
			if x.measure == "all" {
				b, a = before.All, after.All
			}
			drop := float64(b[x.at]-a[x.at]) / float64(before.N)
			v.Holds, v.Found = drop <= x.most, fmt.Sprintf("%d and then %d of %d", b[x.at], a[x.at], before.N)
		}
		out = append(out, v)
	}
	ok = true
	for _, v := range out {
		ok = ok && v.Holds
	}
	return out, ok
}

func total(c Comparison) (n int) {
	for _, k := range c.Entries {
		n += k
	}
	return n
}
