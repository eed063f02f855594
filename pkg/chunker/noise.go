package chunker

import (
	_ "embed"
	"regexp"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

//go:embed noise.txt
var noiseFile string

// noiseTitle and deepTitle match normalised titles; deepTitle those whose descendants count too.
var noiseTitle, deepTitle = func() (all, deep *regexp.Regexp) {
	var a, d []string
	for line := range strings.Lines(noiseFile) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		pattern, isDeep := strings.CutPrefix(line, "deep ")
		a = append(a, pattern)
		if isDeep {
			d = append(d, pattern)
		}
	}
	return regexp.MustCompile(`^(?:` + strings.Join(a, "|") + `)$`), regexp.MustCompile(`^(?:` + strings.Join(d, "|") + `)$`)
}()

// titleEdge is what is cut from a title before it is matched: "Item 15.", "A.", "4.2 ", "(continued)".
var titleEdge = regexp.MustCompile(`^(?:item\s+\d+[a-z]?|part\s+[ivx]+|appendix\s+[a-z]|приложение\s+\d+|[a-z]|[ivx]+|\d+(?:\.\d+)*)[.:)–—-]*\s+|\s*\((?:continued|unaudited|cont'?d|продолжение|fortsetzung)\)\s*$`)

// maxNoise is how long a noise title may be, in bytes.
const maxNoise = 160

// normalised is a title for matching: lower case, one blank between words, bare at its ends.
func normalised(title string) string {
	if len(title) > maxNoise {
		return ""
	}
	t := strings.Join(strings.Fields(strings.ToLower(title)), " ")
	t = strings.Trim(titleEdge.ReplaceAllString(t, ""), " .,:;*_#–—-") // once a node
	return t
}

// noise says for every node whether it is noise. A deep title takes its subtree with it unless
// that is more than a third of the document: then the tree, not the title, is likely wrong.
func noise(t *doc.Tree) []bool {
	out := make([]bool, len(t.Nodes))
	deep := make([]bool, len(t.Nodes))
	last := 0
	for i := range t.Nodes {
		last = max(last, t.Nodes[i].Lines.End)
	}
	for i := 1; i < len(t.Nodes); i++ {
		n := &t.Nodes[i]
		title := normalised(n.Title)
		out[i] = title != "" && noiseTitle.MatchString(title)
		deep[i] = out[i] && deepTitle.MatchString(title) && (n.Span.End-n.Span.Start)*3 < last
		if p := n.Parent.Number(); p > 0 && p < i && deep[p] {
			out[i], deep[i] = true, true
		}
	}
	return out
}
