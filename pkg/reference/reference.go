// Package reference reads structural references, "NOTE 15", "Item 7A", "Table A2.1.1",
// "Section 3.2(b)", "Статья 15", into one canonical form that titles and questions share:
// "note:15", "item:7a", "table:a2.1.1", "section:3.2(b)", "article:15". The words of each kind
// (English, Russian, German) are data: kinds.txt.
package reference

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed kinds.txt
var kindsFile string

// word is what a word of kinds.txt stands for.
type word struct {
	kind  string
	roman bool
}

var words = func() map[string]word {
	m := map[string]word{}
	for line := range strings.Lines(kindsFile) {
		kind, rest, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(rest)
		roman := len(fields) > 0 && fields[0] == "roman"
		if roman {
			fields = fields[1:]
		}
		for _, f := range fields {
			m[f] = word{strings.TrimSpace(kind), roman}
		}
	}
	return m
}()

// number is what may follow such a word: 15, 7A, A2.1.1, 3.2(b), II, B.
var number = regexp.MustCompile(`^[\s.]*(?:(?:no|nr)\.?\s*|№\s*|#\s*)?((?:[\p{L}]{1,2}[.-]?)?\d{1,4}(?:[.-]\d{1,3})*[a-zа-я]?(?:\([a-zа-я0-9]{1,4}\))*|[ivxlcdm]{1,7}|[a-zа-я])(?:$|[^\p{L}\p{N}(])`)

// another is a further number of a list: "Notes 3, 4 and 5".
var another = regexp.MustCompile(`^\s*(?:,|and|und|и|&|or|или|to|-|–)\s*((?:[a-z]{1,2}[.-]?)?\d{1,4}(?:\.\d{1,3})*[a-z]?(?:\([a-z0-9]{1,4}\))*)(?:$|[^\p{L}\p{N}(])`)

// dotted is a title that begins with its number: "3.2 Method", "A.1. Details", "15. Guarantees".
var dotted = regexp.MustCompile(`^(?:([a-z]\.?\d{1,3}(?:\.\d{1,3})*)|(\d{1,3}(?:\.\d{1,3})+)|(\d{1,3})[.)]|(\d{1,2}))\.?\s+\S`)

// maxText bounds what is read of one title or question, in bytes.
const maxText = 2000

// OfTitle is the references that a heading answers to: those it begins with. A numbered heading
// without a word ("3.2 Method") answers as a section, and as a chapter when its number is plain.
func OfTitle(title string) []string {
	text := lower(title)
	name := 0
	for name < len(text) {
		r, size := utf8.DecodeRuneInString(text[name:])
		if !unicode.IsLetter(r) && r != '§' {
			break
		}
		name += size
	}
	if w, ok := words[text[:name]]; ok {
		if ref, _ := w.read(text[name:]); ref != "" {
			return []string{ref}
		}
	}
	m := dotted.FindStringSubmatch(text)
	switch {
	case m == nil:
		return nil
	case m[1] != "":
		return []string{"section:" + m[1], "appendix:" + m[1]}
	case m[2] != "":
		return []string{"section:" + m[2]}
	default:
		return []string{"section:" + m[3] + m[4], "chapter:" + m[3] + m[4]}
	}
}

// OfQuestion is the references that a question names, in order, each once.
func OfQuestion(q string) []string {
	text := lower(q)
	var out []string
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !unicode.IsLetter(r) && r != '§' {
			at += size
			continue
		}
		end := at
		for end < len(text) && (unicode.IsLetter(r) || r == '§') {
			end += size
			r, size = utf8.DecodeRuneInString(text[end:])
		}
		w, ok := words[text[at:end]]
		at = end
		if !ok {
			continue
		}
		ref, n := w.read(text[end:])
		if ref == "" {
			continue
		}
		out = once(out, ref)
		at += n
		for {
			m := another.FindStringSubmatchIndex(text[at:])
			if m == nil || year(text[at+m[2]:at+m[3]]) {
				break
			}
			out = once(out, w.kind+":"+text[at+m[2]:at+m[3]])
			at += m[3]
		}
	}
	return out
}

// read reads the number after the word: its reference, and the bytes up to the number's end.
func (w word) read(rest string) (ref string, n int) {
	m := number.FindStringSubmatchIndex(rest)
	if m == nil {
		return "", 0
	}
	num := rest[m[2]:m[3]]
	if m[2] == 0 || year(num) {
		return "", 0
	}
	if w.roman {
		num = arabic(num)
	}
	if len(num) == 1 && (num[0] < '0' || num[0] > '9') && stop(num, rest[m[3]:]) {
		return "", 0
	}
	return w.kind + ":" + num, m[3]
}

// stop reports whether a single letter is rather a word: "item a day", "part i think".
func stop(letter, rest string) bool {
	return (letter == "a" || letter == "i" || letter == "и" || letter == "в" || letter == "с" || letter == "к") &&
		len(rest) > 1 && rest[0] == ' ' && unicode.IsLetter([]rune(rest[1:min(len(rest), 5)])[0])
}

// year reports whether a number is rather a year.
func year(s string) bool {
	return len(s) == 4 && (strings.HasPrefix(s, "19") || strings.HasPrefix(s, "20"))
}

func once(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}

func lower(s string) string {
	if len(s) > maxText {
		s = s[:maxText]
	}
	s = strings.ToLower(strings.ToValidUTF8(s, ""))
	return strings.TrimLeft(s, " \t*_#\u00a0")
}

// arabic is a roman number in digits; anything else, and the single letters c, d, l, m, stay.
func arabic(s string) string {
	if len(s) == 1 && strings.Contains("cdlm", s) {
		return s
	}
	value := map[byte]int{'i': 1, 'v': 5, 'x': 10, 'l': 50, 'c': 100, 'd': 500, 'm': 1000}
	sum := 0
	for i := range len(s) {
		v, ok := value[s[i]]
		if !ok {
			return s
		}
		if i+1 < len(s) && value[s[i+1]] > v {
			v = -v
		}
		sum += v
	}
	return strconv.Itoa(sum)
}
