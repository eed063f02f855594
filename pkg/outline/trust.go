package outline

import (
	"fmt"
	"math"
)

// trust gives a heading its confidence and reason.
func (b *builder) trust(i int) {
	h := &b.all[i]
	switch {
	case h.synthetic:
	case h.lent != "":
		h.conf, h.why = 0.9, fmt.Sprintf("title of %q, the empty heading before it", h.lent)
	case h.is.rank == 0:
		h.conf, h.why = b.trustRest(h)
	case h.is.rank == rankTitle:
		h.conf, h.why = 0.8, "title of the document"
	case h.is.rank == rankRoot:
		h.conf, h.why = 0.85, "begins an exhibit"
		if h.is.family == "end" {
			h.why = "ends the body"
		}
	case h.is.rank == rankLeaf:
		h.conf, h.why = 0.8, "caption"
	case h.is.number.text != "":
		h.conf, h.why = 0.95, fmt.Sprintf("%s %s", h.is.family, h.is.number.text)
	default:
		h.conf, h.why = 0.85, h.is.family
	}
}

// trustRest is the confidence of a heading without a number: higher where the level of its
// parent was written on the same page and is lower.
func (b *builder) trustRest(h *heading) (float64, string) {
	if h.parent < 0 {
		return 0.6, "no number and nothing above it"
	}
	if p := &b.all[h.parent]; p.page == h.page && p.written < h.written && !p.synthetic {
		return 0.75, "no number; deeper than the heading above it on its page"
	}
	return 0.6, "no number; below the last numbered heading"
}

// judgeWhole sums the confidences up, and gives the tree up for windows when too little is sure:
// the mean is low, most headings were none, or hardly any has a text.
func (b *builder) judgeWhole(why string) {
	sum, with := 0.0, 0
	for i := range b.all {
		sum += b.all[i].conf
		if b.all[i].text {
			with++
		}
	}
	n := len(b.all)
	b.why = why
	switch {
	case b.demoted == 1:
		b.why += "; one heading was none and went back to the text"
	case b.demoted > 1:
		b.why += fmt.Sprintf("; %d headings were none and went back to the text", b.demoted)
	}
	if n == 0 {
		b.windows, b.confidence = true, 0
		return
	}
	b.confidence = math.Round(sum/float64(n)*100) / 100
	if b.confidence < 0.4 || b.demoted > 2*n || n >= 20 && with*4 < n {
		b.windows = true
		b.confidence = min(b.confidence, 0.3)
		b.why += "; too little is sure: the text is cut into windows"
	}
}
