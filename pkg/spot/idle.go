package spot

import (
	_ "embed"
	"strings"
)

//go:embed idle.txt
var idleWords string

// forIdle is what an idle word of the question weighs.
const forIdle = 0.15

// idle are the words of idle.txt, analysed.
func (q *Question) idle() map[string]bool {
	m := map[string]bool{}
	for line := range strings.Lines(idleWords) {
		if !strings.HasPrefix(line, "#") {
			for _, w := range q.Words(line) {
				m[w] = true
			}
		}
	}
	return m
}
