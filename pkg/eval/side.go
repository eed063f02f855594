package eval

import (
	"fmt"
	"io"
)

// WriteSide writes runs over the same questions side by side, a run a line.
func WriteSide(w io.Writer, reports []*Report) error {
	p := &printer{w: w}
	p.line("%-8s %4s  %-14s %-14s %-6s %-5s %-9s %-7s  %-15s %-6s %-15s %s", "mode", "n", "any@1/3/5", "all@1/3/5", "cell", "doc",
		"abstained", "silent", "raw/clean at 5", "calls", "tokens in/out", "p50/p95 ms")
	for _, r := range reports {
		s := r.Sum(nil)
		last := len(Ks) - 1
		p.line("%-8s %4d  %-14s %-14s %-6s %-5d %-9s %-7d  %-15s %-6d %-15s %.1f/%.1f", r.Finder, s.N, counts(s.Any), counts(s.All),
			fmt.Sprintf("%d/%d", s.Cell, s.CellN), s.Doc, fmt.Sprintf("%d/%d", s.Abstained, s.Unanswerable), s.Silent,
			fmt.Sprintf("%.0f/%.0f", s.Raw[last], s.Clean[last]), s.Usage.Calls, fmt.Sprintf("%d/%d", s.Usage.Prompt, s.Usage.Output), s.P50, s.P95)
		if i := r.Ingest; i.Calls > 0 {
			p.line("%-8s taking the documents in: %d calls, %d/%d tokens, %.0f s", "", i.Calls, i.Prompt, i.Output, i.Seconds)
		}
	}
	return p.err
}

// Reason says why a question counts as failed; "" when every fact of its answer is among the places and shown.
func (r Result) Reason() string {
	last := Ks[len(Ks)-1]
	switch {
	case r.Error != "":
		return "error: " + r.Error
	case !r.Answerable && r.Abstained:
		return ""
	case !r.Answerable:
		return "answered, though the documents do not hold the answer"
	case len(r.Places) == 0:
		return "no place was given"
	case !r.Doc && r.Any == 0:
		return "another document came first: " + r.Places[0].Doc
	case r.Any == 0:
		return fmt.Sprintf("right document, but no place among %d covers the answer", last)
	case !within(r.All, last):
		return "only a part of the answer is covered"
	case r.Held == 0:
		return "covered, but what was kept of the section does not hold the answer"
	}
	return ""
}
