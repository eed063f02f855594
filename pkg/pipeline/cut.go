package pipeline

import "strings"

// most is how many bytes of one error text are kept: enough to understand it. Whole ones have no bound, and one that is
// larger than a message of the bus could never be written down: its job would come again for ever.
const most = 2000

// Cut is text of at most 2,000 bytes, valid UTF-8; where it was longer it ends in an ellipsis.
func Cut(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), most+4)], "")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("…")], "") + "…"
}

// Cuts is at most n of the texts, each one cut.
func Cuts(texts []string, n int) []string {
	out := make([]string, 0, min(len(texts), n))
	for _, t := range texts[:min(len(texts), n)] {
		out = append(out, Cut(t))
	}
	return out
}
