package chunker

import (
	"strings"
	"unicode/utf8"
)

// Limits of a breadcrumb, in characters.
const (
	maxTitle = 120 // one title
	maxCrumb = 400 // the whole, of entries found by words
	minOwn   = 24  // a whole breadcrumb, at the shortest
)

const arrow = " > "

// crumb joins the path of titles; its middle gives way first when it is longer than limit.
func crumb(path []string, limit int) string {
	parts := make([]string, 0, len(path))
	for _, p := range path {
		if p = strings.Join(strings.Fields(p), " "); p != "" {
			parts = append(parts, shorten(p, maxTitle))
		}
	}
	if s := strings.Join(parts, arrow); utf8.RuneCountInString(s) <= limit {
		return s
	}
	for len(parts) > 2 {
		mid := 1
		if parts[mid] == "…" {
			if len(parts) == 3 {
				break
			}
			parts = append(parts[:mid+1], parts[mid+2:]...)
		} else {
			parts[mid] = "…"
		}
		if s := strings.Join(parts, arrow); utf8.RuneCountInString(s) <= limit {
			return s
		}
	}
	if len(parts) == 0 {
		return ""
	}
	own := shorten(parts[len(parts)-1], limit)
	room := limit - utf8.RuneCountInString(own) - len(arrow)
	if len(parts) == 1 || room < minOwn/2 {
		return own
	}
	return shorten(parts[0], room) + arrow + own
}

// shorten cuts s to n characters at a blank where one is near, with an ellipsis.
func shorten(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	at, runes := 0, 0
	for i := range s {
		if runes == n-1 {
			at = i
			break
		}
		runes++
	}
	cut := strings.TrimRight(s[:at], " ")
	if blank := strings.LastIndexByte(cut, ' '); blank > len(cut)*2/3 {
		cut = cut[:blank]
	}
	return strings.TrimRight(cut, " ,;:-–—") + "…"
}
