package main

import (
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"

	"golang.org/x/term"
)

// tty says whether a person looks at standard output.
var tty = term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == ""

func bold(s string) string { return style("1", s) }
func dim(s string) string  { return style("2", s) }

func style(code, s string) string {
	if !tty {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// safe is text of a document, or a key, as it may reach a terminal: control characters are shown, not obeyed.
func safe(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// line is safe text that stays on one line.
func line(s string) string { return strings.ReplaceAll(safe(s), "\n", " ") }

// indent sets text apart from what is said about it.
func indent(s string) string {
	return "   | " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n   | ")
}

// clip is the first n lines, each at most 160 characters, and says how many more there are.
func clip(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(safe(s)), "\n")
	more := len(lines) - n
	if more > 0 {
		lines = lines[:n]
	}
	for i, l := range lines {
		if r := []rune(l); len(r) > 160 {
			lines[i] = string(r[:157]) + "..."
		}
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("... %d more lines", more))
	}
	return strings.Join(lines, "\n")
}

// progress shows one line that is written over, with the time that is left at the present pace.
// Without a terminal it prints a line a tenth of the way.
type progress struct {
	what  string
	total int
	start time.Time
	last  int // tenths printed
}

func newProgress(what string, total int) *progress {
	return &progress{what: what, total: total, start: time.Now(), last: -1}
}

// at shows that `done` of the total are done.
func (p *progress) at(done int, note string) {
	if p.total <= 0 {
		return
	}
	text := fmt.Sprintf("%s %d of %d%s %s", p.what, done, p.total, p.eta(done), note)
	if tty {
		fmt.Printf("\r\x1b[K%s", text)
		if done >= p.total {
			fmt.Println()
		}
		return
	}
	if tenth := done * 10 / p.total; tenth != p.last {
		p.last = tenth
		fmt.Println(text)
	}
}

func (p *progress) eta(done int) string {
	if done == 0 || done >= p.total {
		return ""
	}
	left := time.Since(p.start) / time.Duration(done) * time.Duration(p.total-done)
	if left < time.Second {
		return ""
	}
	return ", " + left.Round(time.Second).String() + " left"
}
