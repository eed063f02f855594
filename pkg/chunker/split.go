package chunker

import (
	"strings"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// piece is what is never cut: a line, or a part of a line that was too long.
type piece struct {
	start, end int // in the node's text
	lines      doc.Lines
	cost       int
	head       int  // index of the header to repeat when a group begins here, or -1
	table      int  // index of its table, or -1
	glue       bool // goes on in the line of the piece before it
}

// split cuts text into parts of which none costs more than budget, at sentence ends, then blanks,
// then anywhere between characters. cost must not fall when text is added.
func split(text string, budget, step int, cost func(string) int) []string {
	var out []string
	for len(text) > 0 {
		part := text
		if len(part) > step {
			part = part[:boundary(text, step)]
		}
		out = halve(out, part, budget, cost)
		text = text[len(part):]
	}
	return out
}

// halve appends part, cut in two until it fits.
func halve(out []string, part string, budget int, cost func(string) int) []string {
	if cost(part) <= budget {
		return append(out, part)
	}
	at := boundary(part, len(part)/2)
	if at <= 0 || at >= len(part) {
		return append(out, part)
	}
	return halve(halve(out, part[:at], budget, cost), part[at:], budget, cost)
}

// boundary is the best place to cut s at or before n: after a sentence, else after a blank, in the
// second half of it; else between two characters. Never 0 unless s is one character.
func boundary(s string, n int) int {
	if n >= len(s) {
		n = len(s) - 1
	}
	low := n / 2
	for _, end := range []string{". ", "; ", " "} {
		if i := strings.LastIndex(s[low:n], end); i >= 0 {
			return low + i + len(end)
		}
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	if n == 0 {
		_, n = utf8.DecodeRuneInString(s)
	}
	return n
}
