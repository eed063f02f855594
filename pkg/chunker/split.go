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

// split cuts text into parts of which none costs more than budget: sentence by sentence when asked
// to, else at sentence ends, then blanks, then anywhere between characters. No part is longer
// than step bytes.
func split(text string, budget, step int, sentences bool, cost func(string) int) []string {
	var out []string
	for len(text) > 0 {
		n := len(text)
		if sentences {
			n = sentence(text, step)
		}
		if n > step {
			n = boundary(text, step)
		}
		out = halve(out, text[:n], budget, cost)
		text = text[n:]
	}
	return out
}

// minSentence is the least length of a sentence, in bytes: "No. ", "Inc. " are none.
const minSentence = 40

// sentence is the length of the first sentence of text, with the blank after it, or of all that
// follows when it ends within limit bytes in none.
func sentence(text string, limit int) int {
	for at := minSentence; at < min(len(text), limit); {
		n := strings.Index(text[at:min(len(text), limit)], ". ")
		if n < 0 {
			break
		}
		at += n + 2
		if at >= len(text) || text[at] < 'a' || text[at] > 'z' {
			return at
		}
	}
	return len(text)
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
