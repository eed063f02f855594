package spot

import (
	_ "embed"
	"strings"
)

//go:embed idle.txt
var idleWords string

// forIdle is what an idle word of the question weighs.
const forIdle = 0.15

// Idle are the words of idle.txt as the analyzer gives them.
func Idle(analyze func(string) []string) map[string]bool {
	m := map[string]bool{}
	for line := range strings.Lines(idleWords) {
		if !strings.HasPrefix(line, "#") {
			for _, w := range analyze(line) {
				m[w] = true
			}
		}
	}
	return m
}
