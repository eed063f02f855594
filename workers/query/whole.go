package query

import (
	"regexp"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/formula"
	"github.com/fingerpost/fingerpost/pkg/spot"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// restMost is how many words of a question a metric may leave unsaid: more name a part of the whole, that a statement's line is
// not. A single line may leave none.
const restMost = 3

// parts are words by which a question shows that it is about a part of the whole.
var parts = regexp.MustCompile(`(?i)\b(segments?|divisions?|regions?|geograph\w*|countr(y|ies)|categor(y|ies)|customers?|products?|brands?|stores?|subsidiar\w+|attributable to the|per (share|store|employee)|сегмент\w*|регион\w*)\b`)

// whole reports whether the question is about the whole that the statements speak of, and nothing else.
func (a asker) whole(req formula.Request, q planned, x *readNode) bool {
	if x == nil {
		return true
	}
	lang := words.Language(x.record.Facts["language"])
	analyze := func(s string) []string { return words.Analyze(s, lang) }
	drop := spot.Idle(analyze)
	for t := range selfNamed(x, lang) {
		drop[t] = true
	}
	for _, s := range append([]string{statementWords}, q.Named...) {
		for _, t := range analyze(s) {
			drop[t] = true
		}
	}
	left := 0
	for _, clause := range clauses(req.Text, req.Said) {
		if parts.MatchString(clause) {
			return false
		}
		for _, t := range timeless(words.Question(clause, []words.Language{lang})) {
			if !drop[t] && (len(t) > 2 || t[0] > '9') { // a day of a month is no part
				left++
			}
		}
	}
	if req.Line != nil {
		return left == 0
	}
	return left <= restMost
}

// clauses are the clauses of a text in which one of the said parts stands, without these.
func clauses(text string, said []string) (out []string) {
	const mark = "\x00"
	for _, s := range said {
		if s = strings.TrimSpace(s); s != "" {
			text = strings.ReplaceAll(text, s, mark)
		}
	}
	for _, c := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".,;:?!", r) }) {
		if strings.Contains(c, mark) {
			out = append(out, strings.ReplaceAll(c, mark, " "))
		}
	}
	return out
}

// statementWords are words by which a question names where to look, or how to answer.
const statementWords = `income statement balance sheet cash flow statement statements profit and loss financial position operations
	consolidated total net annual average ratio percent percentage margin metric useful relevant profile improving healthy reasonably
	calculate calculated line items primarily information provided clearly shown usd eur dollars millions billions thousand units decimal places
	from between to fy fiscal year end ended respectively strength perspective details unadjusted adjusted define change
	growth grew grow grown rate fast faster yoy over percentage points increase decrease decline rise rose fall fell improve improved declined drop dropped
	as of on at date january february march april may june july august september october november december
	directly explicitly outlined
	approximation approximate what which was were historically consistent far current latest recent`
