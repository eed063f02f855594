package layout

import (
	"regexp"
	"strconv"
	"strings"
)

// open is a heading under which others may stand.
type open struct {
	score float64
	style string
	level int
	fixed bool // its level is known, not inferred
}

// maxLevel is what Markdown has.
const maxLevel = 6

// Styles of headings whose kind is known; every other style is how a heading looks.
const (
	styleNote      = "note"      // a note of financial statements, a chapter, an article
	styleStatement = "statement" // a financial statement, a report on them
	styleNotes     = "notes"     // the notes as a whole
	styleSection   = "section"   // a run-in section of a contract
	styleList      = "list"      // begins with numerals, letters or numbers
)

// ladder is the state while headings get their levels.
type ladder struct {
	stack   []open
	items   int  // items of a filing in the document
	dotted  int  // titles with numbers such as 3.1
	outline bool // the file's outline says the levels
	beyond  bool // past the signatures of a filing
	note    int  // the number of the last note
	item    int  // in an outline, the level of the item that is open; 0 for none
}

// What stands after the body of a filing begins anew.
var (
	reSigned    = regexp.MustCompile(`(?i)^signature ?s?:?$`)
	reTail      = regexp.MustCompile(`(?i)^(exhibit|ex-)\s*\(?\d|^signatures?:?$|^index to (the )?(consolidated )?financial|^power of attorney$`)
	reStatement = regexp.MustCompile(`(?i)^(the )?((un)?audited |interim |condensed |consolidated |combined |supplemental )*(statements? of|balance sheets?|income statements?|cash flow statements?)\b|^[^.]{0,60}\bconsolidated (statements? of|balance sheets?)\b|^reports? of independent|^management['’]?s (annual )?(report on|responsibility)`)
	reNotes     = regexp.MustCompile(`(?i)(^|\b)notes to (the )?(\w+ ){0,3}financial statements`)
	reCount     = regexp.MustCompile(`^(?:(?i:note)\s+)?(\d{1,2})\b\s*[.:\-–—)]?\s*\p{Lu}`)
)

// setLevels gives every heading its level: known ones first, then patterns, then style within what is open.
func (s *sheet) setLevels() {
	all := s.heads()
	d := &ladder{outline: len(s.anchors) > 0 && s.anchors[0].why == "outline"}
	for _, h := range all {
		if reItem.MatchString(h.title) {
			d.items++
		}
		if m := reDotted.FindStringSubmatch(h.title); m != nil && strings.Contains(m[1], ".") {
			d.dotted++
		}
	}
	for _, h := range all {
		d.put(h)
	}
}

// filing reports whether the document has the items of a filing.
func (d *ladder) filing() bool { return d.items >= 4 }

// put gives one heading its level and opens it.
func (d *ladder) put(h *head) {
	if h.why == "tags" && d.filing() {
		h.why = "" // the items of a filing say their level better than its writer's tags
	}
	if d.filing() {
		d.beyond = d.beyond || reSigned.MatchString(h.title)
		if d.outline {
			d.below(h)
		} else {
			fix(h, d.beyond)
		}
	}
	if h.why != "" && !(d.filing() && !d.outline && h.level > 2) {
		d.close(h.level)
		d.stack = append(d.stack, open{h.score, h.style, h.level, true})
		d.note = 0
		return
	}
	if m := reDotted.FindStringSubmatch(h.title); m != nil && !d.filing() && (d.dotted >= 3 || strings.Contains(m[1], ".")) {
		h.level, h.why = strings.Count(m[1], ".")+1, "number"
		d.close(h.level)
		d.stack = append(d.stack, open{h.score, h.style, h.level, false})
		return
	}
	d.place(h, d.style(h))
}

// below puts an entry of a flat outline, which has a filing's items and what stands in them on one level,
// under its item.
func (d *ladder) below(h *head) {
	switch {
	case h.why == "" || d.beyond:
	case rePart.MatchString(h.title):
		d.item = 0
	case reItem.MatchString(h.title):
		d.item = h.level
	case d.item > 0 && h.level <= d.item:
		h.level = d.item + 1
	}
}

// heads are the headings in order.
func (s *sheet) heads() (out []*head) {
	for _, p := range s.pages {
		for _, l := range p.lines {
			out = append(out, l.before...)
			if l.head != nil {
				out = append(out, l.head)
			}
		}
	}
	return out
}

// fix gives parts and items of a filing their level, and roots of their own to signatures and exhibits.
func fix(h *head, beyond bool) {
	switch {
	case beyond && reTail.MatchString(h.title):
		h.level, h.why = 1, "pattern"
	case beyond || h.why != "":
	case rePart.MatchString(h.title) && len(h.title) < 60:
		h.level, h.why = 1, "pattern"
	case reItem.MatchString(h.title):
		h.level, h.why = 2, "pattern"
	}
}

// close takes what is as deep as level or deeper from the stack.
func (d *ladder) close(level int) {
	for len(d.stack) > 0 && d.top().level >= level {
		d.stack = d.stack[:len(d.stack)-1]
	}
}

func (d *ladder) top() open { return d.stack[len(d.stack)-1] }

// place puts a heading of unknown level under what is open: beside the last of the same style, else
// below what stands out more.
func (d *ladder) place(h *head, style string) {
	at := len(d.stack) - 1
	for at >= 0 && !d.stack[at].fixed && d.stack[at].style != style {
		at--
	}
	if at >= 0 && !d.stack[at].fixed {
		d.stack = d.stack[:at]
	} else {
		for len(d.stack) > 0 && d.yields(d.top(), h, style) {
			d.stack = d.stack[:len(d.stack)-1]
		}
	}
	if h.level = 1; len(d.stack) > 0 {
		h.level = d.top().level + 1
		if !d.outline { // style alone does not tell levels that deep
			h.level = min(h.level, maxLevel)
		}
	}
	if h.why == "" {
		h.why = "style"
	}
	d.stack = append(d.stack, open{h.score, style, h.level, false})
}

// yields reports whether the open heading ends where h of that style begins.
func (d *ladder) yields(top open, h *head, style string) bool {
	if top.fixed {
		return false
	}
	switch style {
	case styleStatement, styleNotes:
		return true
	case styleNote:
		return top.style != styleNotes
	case styleSection:
		return false
	}
	if strings.HasPrefix(style, styleList) || strings.HasPrefix(top.style, styleList) {
		return false
	}
	switch top.style {
	case styleNote, styleNotes, styleStatement:
		return false
	}
	return top.score <= h.score
}

// style is equal for headings that stand beside each other.
func (d *ladder) style(h *head) string {
	low := strings.ToLower(h.title)
	switch {
	case reArticle.MatchString(h.title) && (strings.HasPrefix(low, "article") || strings.HasPrefix(low, "chapter")):
		return styleNote
	case d.filing() && reNotes.MatchString(h.title) && len(h.title) < 110:
		d.note = 0
		return styleNotes
	case d.filing() && reStatement.MatchString(h.title):
		return styleStatement
	case d.isNote(h):
		return styleNote
	case reClause.MatchString(h.title) && d.filing():
		return styleSection
	case d.filing() || h.style == styleSection:
		return h.style
	case reRoman.MatchString(h.title) && !strings.HasPrefix(h.title, "C.") && !strings.HasPrefix(h.title, "D."):
		return styleList + " roman"
	case reLetter.MatchString(h.title):
		return styleList + " letter"
	case reDotted.MatchString(h.title):
		return styleList + " number"
	}
	return h.style
}

// isNote reports whether h is the next note of financial statements: it names itself so, or counts on
// from the last one under the heading of the notes.
func (d *ladder) isNote(h *head) bool {
	m := reCount.FindStringSubmatch(h.title)
	n := 0
	if m != nil {
		n, _ = strconv.Atoi(m[1])
	}
	if reNote.MatchString(h.title) {
		d.note = max(n, d.note)
		return true
	}
	if n == 0 || n != d.note+1 || !d.inNotes() {
		return false
	}
	d.note = n
	return true
}

func (d *ladder) inNotes() bool {
	for _, o := range d.stack {
		if o.style == styleNotes {
			return true
		}
	}
	return false
}
