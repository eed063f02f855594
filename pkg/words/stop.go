package words

import (
	"embed"
	"strings"
)

// The stop words are our own choice: words that only hold a sentence together. Words that can
// turn a question round or name a place in it (not, no, end, before, under, can) stay.
//
//go:embed stop/*.txt
var stopFiles embed.FS

// stopWords reads stop/<l>.txt: words parted by white space, '#' begins a comment line.
func stopWords(l Language) map[string]bool {
	b, err := stopFiles.ReadFile("stop/" + string(l) + ".txt")
	if err != nil {
		panic("words: no stop words of " + string(l))
	}
	set := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, w := range strings.Fields(line) {
			set[w] = true
		}
	}
	return set
}
