package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// emit appends the terms of one run.
func (s *scratch) emit(dst []string, r run) []string {
	switch {
	case r.links == 0 && !r.digits && !r.path && !r.camel:
		return s.word(dst, r.text)
	case !r.alpha:
		return s.numbers(dst, r)
	}
	if r.alpha && s.rules.apostrophe {
		r.text = strings.TrimSuffix(strings.TrimSuffix(r.text, "'s"), "’s")
	}
	if a := acronym(r.text); a != "" {
		return s.word(dst, a)
	}
	if r.links == 0 && !r.path {
		return s.single(dst, r)
	}
	if r.path || wantsWhole(r) {
		dst = s.identifier(dst, r)
	}
	return s.parts(dst, r)
}

// single appends an identifier without joints: "IdleConns", "FY2022", "10K".
func (s *scratch) single(dst []string, r run) []string {
	if !r.digits {
		return s.humps(s.word(dst, r.text), r.text)
	}
	dst = s.keep(dst, s.lower(r.text))
	if i := strings.IndexFunc(r.text, unicode.IsDigit); i >= 2 && len(r.text)-i >= 2 {
		dst = s.word(dst, r.text[:i])
		if allDigits(r.text[i:]) {
			dst = s.keep(dst, append(s.buf[:0], r.text[i:]...))
		}
	}
	return dst
}

// humps appends the parts of a word in camel case that have at least three letters.
func (s *scratch) humps(dst []string, t string) []string {
	if r := []rune(t); len(t) <= maxRun {
		start := 0
		for i := 1; i <= len(r); i++ {
			if i < len(r) && !humpAt(r, i) {
				continue
			}
			if i-start >= 3 && i-start < len(r) {
				dst = s.word(dst, string(r[start:i]))
			}
			start = i
		}
	}
	return dst
}

// humpAt reports whether a part begins at i: "idleConns" at C, "HTTPServer" at S.
func humpAt(r []rune, i int) bool {
	if !unicode.IsUpper(r[i]) {
		return false
	}
	return !unicode.IsUpper(r[i-1]) || i+1 < len(r) && unicode.IsLower(r[i+1])
}

// wantsWhole reports whether a run with joints is an identifier, not words with hyphens or slashes.
func wantsWhole(r run) bool {
	return r.digits || strings.ContainsAny(r.text, "_.&")
}

func (s *scratch) identifier(dst []string, r run) []string {
	if len(r.text) >= MaxTerm {
		return dst
	}
	b := s.lower(r.text)
	if r.path {
		b = append(b, 0)
		copy(b[1:], b)
		b[0] = '/'
	}
	return s.keep(dst, b)
}

// parts appends what stands between the joints. Of three and more parts those of one character are left out.
func (s *scratch) parts(dst []string, r run) []string {
	rest := r.text
	for first, dot := true, false; rest != ""; first = false {
		i := jointIn(rest, dot)
		p := rest[:i]
		dot = i < len(rest) && rest[i] == '.'
		rest = strings.TrimLeft(rest[i:], "_.-/&,()‐‑")
		if p == "" || !first && p == r.text {
			continue
		}
		if r.links > 1 && utf8.RuneCountInString(p) == 1 {
			continue
		}
		dst = s.part(dst, p)
	}
	return dst
}

// jointIn is where the first joint of t is; dots inside a number ("3.2" of "3.2(b)") are none,
// unless a dot stands before t ("1.1" of "A2.1.1").
func jointIn(t string, dot bool) int {
	numeric := !dot
	for i, r := range t {
		switch {
		case r == '.' && numeric && i > 0 && i+1 < len(t) && isDigit(t[i+1]):
		case strings.ContainsRune("_.-/&,()‐‑", r):
			return i
		case !unicode.IsDigit(r):
			numeric = false
		}
	}
	return len(t)
}

func (s *scratch) part(dst []string, p string) []string {
	q := run{text: p, camel: hasHump(p), digits: strings.ContainsFunc(p, unicode.IsDigit), alpha: strings.ContainsFunc(p, unicode.IsLetter)}
	switch {
	case !q.alpha:
		return s.numbers(dst, q)
	case q.digits || q.camel:
		return s.single(dst, q)
	}
	return s.word(dst, p)
}

func hasHump(p string) bool {
	small := false
	for _, r := range p {
		if unicode.IsUpper(r) && small {
			return true
		}
		small = unicode.IsLower(r)
	}
	return false
}

// acronym is "us" of "U.S": single letters with dots between, "" of anything else.
func acronym(t string) string {
	if len(t) < 3 || len(t) > 15 || len(t)%2 == 0 {
		return ""
	}
	b := make([]byte, 0, 8)
	for i := 0; i < len(t); i++ {
		if i%2 == 1 {
			if t[i] != '.' {
				return ""
			}
			continue
		}
		if ascii[t[i]&0x7f] != letter || t[i] >= utf8.RuneSelf {
			return ""
		}
		b = append(b, t[i])
	}
	return string(b)
}

func allDigits(t string) bool {
	return !strings.ContainsFunc(t, func(r rune) bool { return !unicode.IsDigit(r) })
}
