package layout

import (
	"strings"
	"unicode"
)

// clean takes out what must not stand in a line, and soft hyphens that parted nothing.
func clean(t string) string {
	t = strings.ReplaceAll(t, "\u00ad", "-")
	t = strings.Map(func(r rune) rune {
		if r < ' ' || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) || r == 0x85 {
			return ' '
		}
		return r
	}, t)
	return strings.Join(strings.Fields(t), " ")
}

// Escape makes one line of Markdown of a paragraph's text, in which nothing is markup.
func Escape(t string) string { return escape(clean(t)) }

// escape keeps the first characters of a paragraph from being read as Markdown.
func escape(t string) string {
	t = escapeInline(t)
	if t == "" {
		return t
	}
	switch t[0] {
	case '#', '>', '+', '=', '~', '|':
		return `\` + t
	case '-', '*', '_':
		if len(t) == 1 || t[1] == ' ' || t[1] == t[0] {
			return `\` + t
		}
	case '`':
		if strings.HasPrefix(t, "```") {
			return `\` + t
		}
	}
	return t
}

// escapeInline keeps a '<' from being read as a tag.
func escapeInline(t string) string {
	if !strings.Contains(t, "<") {
		return t
	}
	var b strings.Builder
	for i := 0; i < len(t); i++ {
		if t[i] == '<' && i+1 < len(t) && (t[i+1] == '/' || t[i+1] == '!' || t[i+1] == '?' || t[i+1]|0x20 >= 'a' && t[i+1]|0x20 <= 'z') {
			b.WriteByte('\\')
		}
		b.WriteByte(t[i])
	}
	return b.String()
}

// mend puts back the second f that fonts of slanted letters lose: "ef ective". It does so where the
// whole word stands elsewhere in the document, and oftener than the rest by itself.
func (w *writer) mend(l *line, t string) string {
	if !l.italic || !strings.Contains(t, "f ") {
		return t
	}
	parts := strings.Split(t, " ")
	out := parts[:1]
	for _, b := range parts[1:] {
		a := out[len(out)-1]
		if whole := word(a + "f" + b); strings.HasSuffix(a, "f") && w.words[whole] > w.words[word(b)] {
			out[len(out)-1] = a + "f" + b
			continue
		}
		out = append(out, b)
	}
	return strings.Join(out, " ")
}

// close takes out blanks that wide letters leave within a word: "Shee t" where the document has "Sheet".
func (w *writer) close(t string) string {
	parts := strings.Split(t, " ")
	out := parts[:1]
	for _, b := range parts[1:] {
		a := out[len(out)-1]
		whole := w.words[word(a+b)]
		if b == "s" && (strings.HasSuffix(a, "’") || strings.HasSuffix(a, "'")) {
			out[len(out)-1] = a + b
			continue
		}
		if len(a) == 1 && a >= "A" && a <= "Z" && len(b) > 2 && strings.ToUpper(b) == b && w.words[word(a+b)] > w.words[word(b)] {
			out[len(out)-1] = a + b // small capitals
			continue
		}
		letter := len(b) == 1 && b != "a" && b != "I" && b != "A" && unicode.IsLetter(rune(b[0]))
		if len(b) <= 5 && whole >= 2 && (letter || w.words[word(a)]*2 <= whole) && len(a) > 1 && allLetters(a+b) {
			out[len(out)-1] = a + b
			continue
		}
		out = append(out, b)
	}
	return strings.Join(out, " ")
}

func allLetters(t string) bool {
	return strings.IndexFunc(strings.TrimRight(t, ".,:"), func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// wordCounts counts the words of the document that hold a letter.
func (s *sheet) wordCounts() map[string]int {
	m := map[string]int{}
	for _, p := range s.pages {
		for _, l := range p.lines {
			if l.table != nil {
				continue
			}
			for w := range strings.FieldsSeq(l.text()) {
				if w = word(w); len(w) > 3 {
					m[w]++
				}
			}
		}
	}
	return m
}

// word is w in lower case without punctuation around it.
func word(w string) string {
	return strings.ToLower(strings.Trim(w, ".,;:()[]\"'“”‘’?!"))
}

// join adds the next line to a paragraph; a word parted by a hyphen at the end of a line becomes one again.
func (w *writer) join(text, next string) string {
	if text == "" {
		return next
	}
	soft := strings.HasSuffix(text, "\u00ad")
	if !soft && !strings.HasSuffix(text, "-") {
		return text + " " + next
	}
	head := strings.TrimSuffix(strings.TrimSuffix(text, "\u00ad"), "-")
	left := word(head[strings.LastIndexByte(head, ' ')+1:])
	first, _, _ := strings.Cut(next, " ")
	right := word(first)
	joined, hyphened := w.words[left+right], w.words[left+"-"+right]
	if left == "" || right == "" || !unicode.IsLower([]rune(right)[0]) || !unicode.IsLower([]rune(first)[0]) {
		return head + "-" + next
	}
	if joined > hyphened || joined == 0 && hyphened == 0 && soft && len(left) < 12 && w.words[left] == 0 {
		return head + next
	}
	return head + "-" + next
}
