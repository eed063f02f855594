package reference

import (
	"regexp"
	"strings"
)

// Term is the reference of a defined term: lower case, without article and quotes, in the singular.
// "" when there is hardly a word in it.
func Term(name string) string {
	fields := strings.FieldsFunc(lower(name), func(r rune) bool { return strings.ContainsRune(" \t\n\"'“”«»„`*?.,;:()", r) })
	if len(fields) > 0 && (fields[0] == "a" || fields[0] == "an" || fields[0] == "the") {
		fields = fields[1:]
	}
	if len(fields) == 0 || len(fields) > maxTerm {
		return ""
	}
	last := fields[len(fields)-1]
	if len(last) > 3 && strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss") {
		fields[len(fields)-1] = last[:len(last)-1]
	}
	return "term:" + strings.Join(fields, " ")
}

// maxTerm is the words of a defined term.
const maxTerm = 6

// asksTerm are the ways of asking for a definition; the first group is the term.
var asksTerm = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\bwhat (?:is|are) (?:meant by )?((?:an? |the )?[^,?]{2,60}?)\s*\?*\s*$`),
	regexp.MustCompile(`(?i)\bwhat (?:does|do) (.{2,60}?) (?:mean|stand for)\b`),
	regexp.MustCompile(`(?i)\bhow (?:is|are|does .{2,40} define) (.{2,60}?)(?: defined)?\s*\?*\s*$`),
	regexp.MustCompile(`(?i)\b(?:definition|meaning) of (.{2,60}?)\s*(?:\?|$|\bin\b)`),
	regexp.MustCompile(`(?i)^\s*define (.{2,60}?)\s*[?.]?\s*$`),
	regexp.MustCompile(`(?i)(?:что такое|что значит|что означает|что понимается под|определение(?: термина)?) (.{2,60}?)\s*\?*\s*$`),
	regexp.MustCompile(`(?i)\bwas (?:bedeutet|heißt|ist) (.{2,60}?)\s*\?*\s*$`),
}

// TermAsked is the reference of the term whose definition a question wants; "" when it wants none.
func TermAsked(question string) string {
	for _, re := range asksTerm {
		if m := re.FindStringSubmatch(question); m != nil {
			return Term(m[1])
		}
	}
	return ""
}
