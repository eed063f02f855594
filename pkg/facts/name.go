package facts

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// legal are the forms of companies that end a name and tell nobody apart.
const legal = `(?:incorporated|inc|corporation|corp|company|co|limited|ltd|llc|l\.l\.c|llp|l\.p|lp|plc|p\.l\.c|n\.v|nv|s\.a|sa|s\.e|se|ag|gmbh|kg|kgaa|oyj|ab|asa|a/s|s\.p\.a|spa|bv|b\.v|pty|group|holdings?|cooperative|trust)`

var (
	legalEnd = regexp.MustCompile(`(?i)(?:^|[\s,])&?\s*` + legal + `\.?\s*$`)
	article  = regexp.MustCompile(`(?i)^the\s+`)
	state    = regexp.MustCompile(`\s*/[A-Z]{2,3}/?\s*$`) // "/DE/" behind names in registers
)

// Core is a name without article and legal form: "BEST BUY CO., INC." is "BEST BUY". A name that is nothing else
// stays.
func Core(name string) string {
	name = strings.TrimSpace(state.ReplaceAllString(name, ""))
	core := article.ReplaceAllString(name, "")
	for {
		cut := strings.TrimRight(core, " .,&")
		if m := legalEnd.FindStringIndex(cut); m != nil {
			cut = strings.TrimRight(cut[:m[0]], " ,&")
		}
		if cut == core {
			break
		}
		if cut == "" {
			return strings.TrimRight(name, " ,")
		}
		core = cut
	}
	return core
}

// Squash is a name's letters and digits, lower case, "&" and "and" left out: what different spellings of one name have in common.
func Squash(name string) string {
	var b strings.Builder
	for _, w := range Words(name) {
		if w != "and" {
			b.WriteString(w)
		}
	}
	return b.String()
}

// Words are the runs of letters and digits of s, lower case; "'s" behind one is left out.
func Words(s string) []string {
	var out []string
	s = strings.ReplaceAll(strings.ToLower(s), "’", "'")
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return r != '\'' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		w = strings.TrimSuffix(strings.Trim(w, "'"), "'s")
		if w = strings.ReplaceAll(w, "'", ""); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// plausible reports whether a line can be a name: letters, not a sentence, no blank of a form.
func plausible(name string) bool {
	n := utf8.RuneCountInString(name)
	if n < 2 || n > 100 || len(strings.Fields(name)) > 12 || notNames.MatchString(name) {
		return false
	}
	return strings.ContainsFunc(name, unicode.IsLetter)
}

var notNames = regexp.MustCompile(`(?i)^\W*(?:form|commission|united states|washington|securities|annual report|quarterly report|for the|or|mark one|table of contents|page|exhibit|low|delaware|transition)\b.{0,60}$|\d{3,}-\d{3,}|:\s|file n`)

// settle is a name as the text writes it most often: covers print names in capitals, and set small
// capitals apart ("MGM R ESORTS").
func settle(name string, text string) string {
	key := Squash(name)
	if key == "" || strings.ToUpper(name) != name {
		return name
	}
	counts := map[string]int{}
	best := name
	for _, s := range renderings(text, key) {
		if s = strings.Trim(s, " ,;:"); strings.ToUpper(s) == s {
			continue
		}
		if counts[s]++; counts[s] > counts[best] {
			best = s
		}
	}
	return best
}

// renderings are the places of text where words, put together, are key: at most 200.
func renderings(text, key string) (out []string) {
	first, _ := utf8.DecodeRuneInString(key)
	for i := 0; i < len(text) && len(out) < 200; {
		r, size := utf8.DecodeRuneInString(text[i:])
		if unicode.ToLower(r) != first || i > 0 && wordByte(text[i-1]) {
			i += size
			continue
		}
		if n := match(text[i:], key); n > 0 {
			out = append(out, strings.Join(strings.Fields(text[i:i+n]), " "))
			i += n
			continue
		}
		i += size
	}
	return out
}

func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b >= 0x80
}

// match is the length of the beginning of text that is key with blanks, points, commas and "&" in between; 0 when it is not.
func match(text, key string) int {
	at := 0
	for i, r := range text {
		switch l := unicode.ToLower(r); {
		case at < len(key) && strings.HasPrefix(key[at:], string(l)):
			at += len(string(l))
		case strings.ContainsRune(" .,&'-\n", r):
		default:
			if at == len(key) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return len(strings.TrimRight(text[:i], " ,&-\n"))
			}
			return 0
		}
		if at == len(key) {
			end := i + utf8.RuneLen(r)
			if end == len(text) || !wordByte(text[end]) {
				if end < len(text) && text[end] == '.' {
					end++
				}
				return end
			}
			return 0
		}
	}
	return 0
}

// frequent is the capitalised name with a legal form that stands most often in text; "" when none stands twice.
func frequent(text string) string {
	counts := map[string]int{}
	best := ""
	for _, m := range named.FindAllString(text, 2000) {
		m = strings.TrimSpace(m)
		if counts[m]++; counts[m] > counts[best] || counts[m] == counts[best] && m < best {
			best = m
		}
	}
	if counts[best] < 2 {
		return ""
	}
	return best
}

var named = regexp.MustCompile(`\b(?:[A-Z0-9][\w.&'-]*,? ){1,4}(?:Company|Inc\.|Incorporated|Corporation|Corp\.|plc|PLC|Ltd\.?|Limited|LLC|AG|GmbH|S\.A\.|N\.V\.)`)

// ordinary finds, among the words of the owner's name, those that the text also uses in lower case (common), and
// ordinary words of the text one edit away from them (near).
func ordinary(f *Facts, text string) {
	own := slices.DeleteFunc(append(Words(Core(f.Owner)), strings.ToLower(f.Ticker)), func(w string) bool { return len(w) < 2 })
	common, near := map[string]int{}, map[string]int{}
	start := -1
	for i := 0; i <= len(text); i++ {
		if i < len(text) && text[i] >= 'a' && text[i] <= 'z' {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 && i-start >= 2 && alone(text, start, i) {
			count(text[start:i], own, common, near)
		}
		start = -1
	}
	f.Common, f.Near = atLeast(common, 2), atLeast(near, 1)
}

// alone reports whether text[from:to] is a word by itself: no part of a longer one or of an address.
func alone(text string, from, to int) bool {
	if from > 0 && (wordByte(text[from-1]) || strings.IndexByte(".@/_-#", text[from-1]) >= 0) {
		return false
	}
	if to == len(text) {
		return true
	}
	if strings.IndexByte("@/_-", text[to]) >= 0 || wordByte(text[to]) {
		return false
	}
	return text[to] != '.' || to+1 == len(text) || !wordByte(text[to+1])
}

func count(word string, own []string, common, near map[string]int) {
	for _, o := range own {
		switch {
		case word == o:
			common[word]++
		case len(o) >= 4 && OneEdit(word, o):
			near[word]++
		}
	}
}

func atLeast(counts map[string]int, n int) (out []string) {
	for w, c := range counts {
		if c >= n {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return out[:min(len(out), maxWords)]
}

// maxWords bounds Common and Near.
const maxWords = 40

// OneEdit reports whether a becomes b by one letter put in, left out or replaced, or by two neighbours exchanged.
// Equal words are none.
func OneEdit(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(y)-len(x) > 1 || a == b {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	j := 0
	for j < len(x)-i && x[len(x)-1-j] == y[len(y)-1-j] {
		j++
	}
	if len(x) < len(y) {
		return i+j >= len(x)
	}
	rest := len(x) - i - j
	return rest == 1 || rest == 2 && x[i] == y[i+1] && x[i+1] == y[i]
}
