package plan

import (
	"regexp"
	"strings"
)

// joint is where one part of a question ends and another begins: a new sentence, a semicolon, or "and" before a
// question word or an order.
var joint = regexp.MustCompile(`[?;]\s+|\p{Ll}{2}\.\s+|(?i:,?\s+(?:and|versus|vs\.?|und|и|а)\s+(?:(?:also|then|auch|также)\s+)?(?:how|what|which|why|when|where|who|whose|describe|explain|compare|list|give|` +
	`wie|was|welche[rs]?|warum|wann|wo|wer|как|что|какие|какой|какая|почему|зачем|когда|где|кто|сколько)\s)`)

// pair is two things, each with its own article: "the goodwill acquired and the debt assumed".
var pair = regexp.MustCompile(`(?i)\b(the (?:\pL[\pL\pN'’-]*\s+){2,8}?)and (the (?:\pL[\pL\pN'’-]*\s*){2,12})`)

// list is three and more things of several words: "roles of the alignment task, contrastive learning, and distillation".
var list = regexp.MustCompile(`(?i)(?:[\pL\pN'’/-]+ ){1,5}[\pL\pN'’/-]+(?:, (?:[\pL\pN'’/-]+ ){1,5}[\pL\pN'’/-]+)+,? and (?:[\pL\pN'’/-]+ ){1,5}[\pL\pN'’/-]+`)

// A question has at most so many parts that are looked at, each of at least so many words.
const (
	maxHalves = 4
	minHalf   = 3
)

// halves are the parts of a question that asks for several things; nil when it asks for one.
func halves(question string) []string {
	for _, parts := range [][]string{clauses(question), items(question)} {
		if len(parts) > 1 && len(parts) <= maxHalves {
			return parts
		}
	}
	return nil
}

// clauses are the sentences and clauses that ask each for something.
func clauses(question string) (parts []string) {
	at := 0
	for _, m := range joint.FindAllStringIndex(question, -1) {
		if len(strings.Fields(question[at:m[0]])) < minHalf || len(strings.Fields(question[m[1]:])) < minHalf {
			continue
		}
		cut := m[0]
		if dot := strings.Index(question[m[0]:m[1]], ". "); dot > 0 {
			cut += dot + 1 // the last letters of a sentence are its own
		}
		parts = append(parts, question[at:cut])
		at = cut
	}
	return append(parts, question[at:])
}

// items are the things named side by side in one clause.
func items(question string) []string {
	if m := pair.FindStringSubmatch(question); m != nil {
		return m[1:]
	}
	all := list.FindString(question)
	if all == "" {
		return nil
	}
	var parts []string
	for part := range strings.SplitSeq(strings.Replace(all, " and ", ", ", 1), ", ") {
		if part = strings.Trim(part, ", "); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}
