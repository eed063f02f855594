package layout

import (
	"regexp"
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

// setLevels gives every heading its level: known ones first, then patterns, then style within what is open.
func (s *sheet) setLevels() {
	all := s.heads()
	items, dotted := 0, 0
	for _, l := range all {
		if reItem.MatchString(l.head.title) {
			items++
		}
		if m := reDotted.FindStringSubmatch(l.head.title); m != nil && strings.Contains(m[1], ".") {
			dotted++
		}
	}
	outline := len(s.anchors) > 0 && s.anchors[0].why == "outline"
	beyond := false // the signatures of a filing
	var stack []open
	for _, l := range all {
		h := l.head
		if !outline && items >= 4 {
			beyond = beyond || h.why == "" && reSigned.MatchString(h.title)
			fix(h, beyond)
		}
		if h.why != "" {
			stack = append(close(stack, h.level), open{h.score, h.style, h.level, true})
			continue
		}
		if m := reDotted.FindStringSubmatch(h.title); m != nil && items < 4 && (dotted >= 3 || strings.Contains(m[1], ".")) {
			h.level, h.why = strings.Count(m[1], ".")+1, "number"
			stack = append(close(stack, h.level), open{h.score, h.style, h.level, false})
			continue
		}
		stack = place(stack, h, items)
	}
}

// heads are the lines with a heading, in order.
func (s *sheet) heads() (out []*line) {
	for _, p := range s.pages {
		for _, l := range p.lines {
			if l.head != nil {
				out = append(out, l)
			}
		}
	}
	return out
}

// What stands after the body of a filing begins anew.
var (
	reSigned = regexp.MustCompile(`(?i)^signatures?:?$`)
	reTail   = regexp.MustCompile(`(?i)^(exhibit|ex-)\s*\(?\d|^signatures?:?$|^index to (the )?(consolidated )?financial|^power of attorney$`)
)

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
func close(stack []open, level int) []open {
	for len(stack) > 0 && stack[len(stack)-1].level >= level {
		stack = stack[:len(stack)-1]
	}
	return stack
}

// place puts a heading of unknown level under what is open: beside the last of the same style, else
// below what stands out more.
func place(stack []open, h *head, items int) []open {
	key := styleKey(h, items)
	at := len(stack) - 1
	for at >= 0 && !stack[at].fixed && stack[at].style != key {
		at--
	}
	switch {
	case at >= 0 && !stack[at].fixed:
		stack = stack[:at]
	case key == "note":
		for len(stack) > 0 && !stack[len(stack)-1].fixed {
			stack = stack[:len(stack)-1]
		}
	case !strings.HasPrefix(key, "list") && key != "section":
		for len(stack) > 0 {
			top := stack[len(stack)-1]
			if top.fixed || strings.HasPrefix(top.style, "list") || top.style == "note" || top.score > h.score {
				break
			}
			stack = stack[:len(stack)-1]
		}
	}
	h.level, h.why = 1, "style"
	if len(stack) > 0 {
		h.level = min(stack[len(stack)-1].level+1, maxLevel)
	}
	return append(stack, open{h.score, key, h.level, false})
}

// styleKey is equal for headings that stand beside each other.
func styleKey(h *head, items int) string {
	low := strings.ToLower(h.title)
	switch {
	case reNote.MatchString(h.title), reArticle.MatchString(h.title) && (strings.HasPrefix(low, "article") || strings.HasPrefix(low, "chapter")):
		return "note"
	case items >= 4 || h.style == "section":
		return h.style
	case reRoman.MatchString(h.title) && !strings.HasPrefix(h.title, "C.") && !strings.HasPrefix(h.title, "D."):
		return "list roman"
	case reLetter.MatchString(h.title):
		return "list letter"
	case reDotted.MatchString(h.title):
		return "list number"
	}
	return h.style
}
