package layout

import (
	"regexp"
	"strings"
)

// joinSigns puts currency signs before, and brackets and percent signs behind, the numbers they belong to,
// and parts numbers that a narrow gap has joined.
func joinSigns(cells []cell) []cell {
	var out []cell
	for i := 0; i < len(cells); i++ {
		c := cells[i]
		c.text = strings.TrimSpace(c.text)
		if t, ok := strings.CutSuffix(c.text, " $"); ok && i+1 < len(cells) && amount(t) { // the sign of the next number
			c.text = t
			cells[i+1].text = "$" + strings.TrimSpace(cells[i+1].text)
		}
		switch c.text {
		case "$", "€", "£", "¥", "$(", "$ (", "(":
			if i+1 < len(cells) {
				next := cells[i+1]
				next.text, next.x0 = strings.ReplaceAll(c.text, " ", "")+strings.TrimSpace(next.text), c.x0
				cells[i+1] = next
				continue
			}
		case ")", "%", ")%", ") %", "pts", "bps", "x":
			if n := len(out); n > 0 && amount(out[n-1].text) {
				out[n-1].text += strings.ReplaceAll(c.text, " ", "")
				out[n-1].x1 = c.x1
				continue
			}
		}
		out = append(out, split(c, i > 0)...)
	}
	for i := range out {
		out[i].text = tidy(out[i].text)
	}
	return out
}

// tidy takes the blanks out of a number: "$ 1,234" is "$1,234".
func tidy(t string) string {
	if len(t) < 40 && amount(t) {
		return strings.ReplaceAll(t, " ", "")
	}
	return t
}

var reParts = regexp.MustCompile(`^(?:[$€£¥]?\s?\(?[\d][\d,.]*\)?%?|[—–-])(?:\s+(?:[$€£¥]?\s?\(?[\d][\d,.]*\)?%?|[—–-]))+$`)
var rePart1 = regexp.MustCompile(`[$€£¥]?\s?\(?[\d][\d,.]*\)?%?|[—–-]`)

// split parts a cell that holds several numbers.
func split(c cell, value bool) []cell {
	if !value || !reParts.MatchString(c.text) {
		return []cell{c}
	}
	at := rePart1.FindAllStringIndex(c.text, -1)
	if len(at) < 2 {
		return []cell{c}
	}
	var out []cell
	step := (c.x1 - c.x0) / float32(len(c.text))
	for _, p := range at {
		out = append(out, cell{c.text[p[0]:p[1]], c.x0 + step*float32(p[0]), c.x0 + step*float32(p[1]), c.bold})
	}
	return out
}
