package layout

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// joinLabels makes one row of a label that is wrapped over lines and its values.
func joinLabels(rows []row, cols []columnBox) []row {
	edge := float32(0)
	for _, r := range rows {
		edge = max(edge, r.x1)
	}
	pitch := pitchOf(rows)
	var out []row
	for _, r := range rows {
		if n := len(out); n > 0 && wraps(&out[n-1], &r, edge, pitch) {
			p := &out[n-1]
			p.label = joinText(p.label, r.label)
			if p.filled == 0 {
				p.values, p.filled = r.values, r.filled
			}
			p.x1, p.right = r.x1, max(p.right, r.right)
			p.y1, p.last, p.merged = r.y1, r.y0, true
			continue
		}
		out = append(out, r)
	}
	return out
}

// pitchOf is the usual distance of rows with values.
func pitchOf(rows []row) float32 {
	var all []float32
	for i := 1; i < len(rows); i++ {
		if rows[i].filled > 0 && rows[i-1].filled > 0 {
			all = append(all, rows[i].y0-rows[i-1].y0)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// wraps reports whether the label of r goes on that of p.
func wraps(p, r *row, edge, pitch float32) bool {
	if p.label == "" || r.label == "" || p.filled > 0 && r.filled > 0 || r.y0-p.last > 2*r.size {
		return false
	}
	first, _ := utf8.DecodeRuneInString(r.label)
	colon := strings.HasSuffix(p.label, ":")
	if unicode.IsLower(first) && !colon && !bullet(r.label) {
		return true
	}
	if p.filled > 0 || colon || !unicode.IsLetter(first) && !unicode.IsDigit(first) && first != '(' && first != '$' {
		return false
	}
	word, _, _ := strings.Cut(r.label, " ")
	space := (r.x1 - r.x0) / float32(max(1, utf8.RuneCountInString(r.label))) * float32(utf8.RuneCountInString(word)+1)
	full := p.x1+space > edge+2
	tight := pitch == 0 || r.y0-p.last < 0.95*pitch
	if dangles(p.label) {
		return true
	}
	return full && p.x1 > 0.8*edge && (r.x0 > p.x0+3 || tight) && r.filled > 0
}

// dangles reports whether a label ends in the middle of a phrase.
func dangles(t string) bool {
	i := strings.LastIndexByte(t, ' ')
	switch strings.ToLower(t[i+1:]) {
	case "and", "of", "the", "for", "to", "in", "on", "with", "by", "from", "or", "a", "per", "than", "at":
		return i > 0
	}
	return strings.HasSuffix(t, ",")
}

func bullet(t string) bool {
	return len(t) > 2 && (t[1] == '.' || t[1] == ')') || strings.HasPrefix(t, "(a)")
}

// joinText puts two parts of a wrapped text together.
func joinText(a, b string) string {
	if a == "" {
		return b
	}
	if strings.HasSuffix(a, "\u00ad") {
		return strings.TrimSuffix(a, "\u00ad") + b
	}
	return a + " " + b
}
