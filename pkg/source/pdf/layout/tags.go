package layout

// minTagged is how many lines a file must tag as headings for its structure to be real: writers of PDFs put marks on a title page alone,
// or on everything.
const minTagged = 5

// useTags makes headings of the lines that the file's own structure calls so, when it does that for some lines and not for most.
func (s *sheet) useTags() {
	tagged, all := 0, 0
	for _, p := range s.pages {
		for _, l := range p.lines {
			if !l.furniture {
				all++
			}
			if l.tag > 0 && !l.furniture {
				tagged++
			}
		}
	}
	if tagged < minTagged || tagged*3 > all {
		return
	}
	for _, p := range s.pages {
		for k := 0; k < len(p.lines); k++ {
			if n := p.takeTagged(k); n > 0 {
				k += n - 1
			}
		}
	}
}

// takeTagged makes one heading of the lines from k on that carry one tag, and is how many there are.
func (p *page) takeTagged(k int) (n int) {
	first := p.lines[k]
	if first.tag == 0 || first.furniture || first.entry || first.table != nil {
		return 0
	}
	title := ""
	for n < 4 && k+n < len(p.lines) {
		l := p.lines[k+n]
		if l.tag != first.tag || l.table != nil || l.furniture || n > 0 && (l.y0-p.lines[k+n-1].y1 > 0.75*l.size || abs(l.size-first.size) > 0.6) {
			break
		}
		title = joinText(title, l.text())
		l.head = nil
		n++
	}
	if len(title) < 3 || len(title) > 300 {
		return n
	}
	first.head = &head{title: title, merged: n - 1, level: first.tag, why: "tags", style: p.style(first, title), score: p.score(first, title)}
	return n
}
