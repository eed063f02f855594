package proof

import (
	"slices"
	"strings"
)

// orders refuses a statement that says what lines beside the text order, and nothing else does.
func (c *Checker) orders(cl *claim, from []*evidence, s *Statement) {
	for _, e := range from {
		for _, a := range e.apart {
			if echo(cl, a) > echoed && !slices.ContainsFunc(e.prose, func(p sentence) bool { return echo(cl, p) >= echo(cl, a) }) {
				s.Fault, s.About = Commands, a.text
				return
			}
		}
	}
}

// echoed is the share of a statement's words from which it repeats a sentence.
const echoed = .7

func echo(cl *claim, p sentence) float64 { return share(cl.terms, p.terms) }

// quotes looks for each quotation word for word.
func (c *Checker) quotes(cl *claim, from []*evidence, s *Statement) {
	for _, q := range cl.quotes {
		want := strings.TrimRight(fold(q), ".,;: ")
		want = strings.TrimSuffix(want, "...")
		at := slices.IndexFunc(from, func(e *evidence) bool { return stands(e.folded, want) })
		if at < 0 {
			s.Fault, s.About = NoQuote, q
			return
		}
		if ev, ok := from[at].holds(want); ok {
			s.Evidence = append(s.Evidence, ev)
		}
	}
}

// holds is the block of a section that a quote stands in; false when it stands in the heading, or goes over blocks.
func (e *evidence) holds(quote string) (Evidence, bool) {
	for _, b := range e.blocks {
		if stands(fold(b.Text), quote) {
			return Evidence{Section: e.N, Lines: b.Lines}, true
		}
	}
	return Evidence{}, false
}

// stands reports whether whole words of text are the quote: "12" does not stand in "112".
func stands(text, quote string) bool {
	for at := 0; quote != ""; {
		i := strings.Index(text[at:], quote)
		if i < 0 {
			return false
		}
		i += at
		if !joined(text, i, quote[0]) && !joined(text, i+len(quote), quote[len(quote)-1]) {
			return true
		}
		at = i + 1
	}
	return false
}

// joined reports whether a word or a number goes on over the border at i.
func joined(text string, i int, edge byte) bool {
	if i <= 0 || i >= len(text) {
		return false
	}
	return wordy(text[i-1]) && wordy(text[i]) && wordy(edge)
}

func wordy(b byte) bool { return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 0x80 }

// references looks for years and for numbered places.
func (c *Checker) references(cl *claim, from []*evidence, s *Statement) {
	for _, y := range cl.own {
		if !slices.ContainsFunc(from, func(e *evidence) bool { return e.names(y) }) {
			s.Fault, s.About = NoPlace, itoa(y)
			return
		}
	}
	for _, p := range cl.places {
		if !slices.ContainsFunc(from, func(e *evidence) bool { return stands(e.folded, p) }) {
			s.Fault, s.About = NoPlace, p
			return
		}
	}
}

// names reports whether a section speaks of a year, in words that may shorten it ("FY22").
func (e *evidence) names(y int) bool {
	return stands(e.folded, itoa(y)) || slices.Contains(e.years, y) || slices.ContainsFunc(e.cells, func(f fact) bool { return slices.Contains(f.years, y) })
}

// nearest is the sentence that holds most of the statement's words.
func (e *evidence) nearest(cl *claim) (best float64, at int) {
	for i, p := range e.prose {
		if v := echo(cl, p); v > best {
			best, at = v, i
		}
	}
	return best, at
}

// share is the part of want that have holds, 0..1; 1 of nothing.
func share(want, have map[string]bool) float64 {
	if len(want) == 0 {
		return 1
	}
	return float64(common(want, have)) / float64(len(want))
}

func common(a, b map[string]bool) (n int) {
	for t := range a {
		if b[t] {
			n++
		}
	}
	return n
}
