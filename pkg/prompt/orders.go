package prompt

import (
	_ "embed" // the rules
	"regexp"
	"strings"
	"sync"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/plain"
)

//go:embed orders.txt
var rules string

// patterns are the rules of orders.txt.
var patterns = sync.OnceValue(func() (all []*regexp.Regexp) {
	for line := range strings.Lines(rules) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && !strings.HasPrefix(line, "# ") {
			all = append(all, regexp.MustCompile("(?i)"+line))
		}
	}
	return all
})

// Orders are the lines of a section (whose first line has the number first) that speak to a model, block by block, both
// ends inclusive: they stay in the document and in its search, but no model is shown them and they prove nothing.
func Orders(text []byte, first int) (out []doc.Lines) {
	for _, b := range plain.Blocks(text, first) {
		if b.Table == nil {
			if Speaks(b.Text) {
				out = append(out, b.Lines)
			}
			continue
		}
		for i, row := range strings.Split(b.Text, "\n") {
			if i < len(b.Rows) && Speaks(row) {
				out = append(out, b.Rows[i])
			}
		}
	}
	return out
}

// widest bounds the text that one rule looks at.
const widest = 4000

// Speaks reports whether a rule finds a text, sentence by sentence, to speak to a model.
func Speaks(text string) bool {
	for len(text) > 0 {
		n := min(len(text), widest)
		if i := strings.LastIndexAny(text[:n], ".!?\n"); n == widest && i > 0 {
			n = i + 1
		}
		for _, s := range sentences(text[:n]) {
			for _, p := range patterns() {
				if p.MatchString(s) {
					return true
				}
			}
		}
		text = text[n:]
	}
	return false
}

var border = regexp.MustCompile(`[.!?]\s+|\n|。`)

func sentences(s string) []string {
	folded := strings.ReplaceAll(s, "*", "")
	out := border.Split(folded, -1)
	return append(out, strings.Join(strings.Fields(folded), " ")) // an order may be broken over lines
}
