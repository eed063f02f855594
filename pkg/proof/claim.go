package proof

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/value"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// marks are citations, "[1]", "[2, 3]", "[1][2]".
var marks = regexp.MustCompile(`\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]`)

// most bounds what is read of an answer.
const most = 200_000

// Split cuts an answer into statements: lines, and within a line sentences. A citation behind the full stop belongs to
// the sentence before it.
func Split(answer string) (out []string) {
	if len(answer) > most {
		answer = answer[:most]
	}
	for line := range strings.Lines(answer) {
		start := 0
		for i := 0; i < len(line); {
			r, n := utf8.DecodeRuneInString(line[i:])
			i += n
			if !strings.ContainsRune(".!?。", r) || !ends(line, i-n, i) {
				continue
			}
			for { // closing quotes and citations go with it
				rest := strings.TrimLeft(line[i:], " \"”»’)")
				at := marks.FindStringIndex(rest)
				if at == nil || at[0] != 0 {
					break
				}
				i = len(line) - len(rest) + at[1]
			}
			out, start = keep(out, line[start:i]), i
		}
		out = keep(out, line[start:])
	}
	return out
}

// ends reports whether the mark at [at:next] ends a sentence: a blank or the end follows, and no number, initial or
// abbreviation of a reference stands before it.
func ends(line string, at, next int) bool {
	rest := line[next:]
	after, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, "\"”»’)"))
	if rest != "" && after != utf8.RuneError && !unicode.IsSpace(after) && after != '[' {
		return false
	}
	word := line[strings.LastIndexAny(line[:at], " \t(")+1 : at]
	return line[at] != '.' || utf8.RuneCountInString(word) > 1 && !slices.Contains(abbreviated, strings.ToLower(word))
}

var abbreviated = []string{"no", "nos", "inc", "corp", "co", "ltd", "vs", "e.g", "i.e", "approx", "sec", "art", "fig", "mr", "ms", "dr", "u.s", "abs", "ст", "гл", "п", "nr", "bzw"}

func keep(out []string, s string) []string {
	if s = strings.TrimSpace(s); strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0 {
		return append(out, s)
	}
	return out
}

// cited is the numbers of the citations in a statement.
func cited(s string) (ns []int) {
	for _, m := range marks.FindAllString(s, -1) {
		for _, f := range strings.FieldsFunc(m, func(r rune) bool { return !unicode.IsDigit(r) }) {
			if n, err := strconv.Atoi(f); err == nil && !slices.Contains(ns, n) {
				ns = append(ns, n)
			}
		}
	}
	return ns
}

// claim is a statement as it is weighed.
type claim struct {
	text    string // without citations
	terms   map[string]bool
	asked   map[string]bool // terms of the question
	quotes  []string
	numbers []number
	places  []string // "note 15", "item 7a", folded
	times   []int    // years that it speaks of: its own, else the question's
	own     []int    // years that the statement itself names
	span    int      // months: 3, 6, 9, 12; 0 when none is named
	sums    []sum
	less    bool // a word says that something falls, is lost or paid
}

// number is a number of a statement with the years that it speaks of.
type number struct {
	value.Found
	years     []int
	words     string // as it stands
	about     bool   // said to be rounded
	bracketed bool   // "(5)": negative in a table, a remark in a sentence
}

// claim reads a statement about texts of a language.
func (c *Checker) claim(text string, lang words.Language) *claim {
	plain := marks.ReplaceAllStringFunc(text, func(m string) string { return strings.Repeat(" ", len(m)) })
	cl := &claim{text: plain, terms: set(words.Analyze(plain, lang)), asked: set(words.Analyze(c.question, lang)),
		quotes: quoted(plain), span: months(plain), less: falls(plain)}
	cl.own = yearsIn(plain)
	if cl.times = cl.own; len(cl.times) == 0 {
		cl.times = yearsIn(c.question)
	}
	if cl.span == 0 {
		cl.span = months(c.question)
	}
	cl.places = placesIn(plain)
	cl.numbers = numbersIn(plain, cl.times)
	cl.sums = sumsIn(plain, cl.numbers)
	for _, k := range cl.sums { // the operands are of several periods
		for i := k.first; i < k.result; i++ {
			cl.numbers[i].years = nil
		}
	}
	return cl
}

func set(terms []string) map[string]bool {
	m := map[string]bool{}
	for _, t := range terms {
		m[t] = true
	}
	return m
}

// quotation is what stands between marks of quotation.
var quotation = regexp.MustCompile(`"([^"]{2,900})"|“([^”]{2,900})”|«([^»]{2,900})»|„([^“”]{2,900})[“”]`)

func quoted(s string) (out []string) {
	for _, m := range quotation.FindAllStringSubmatch(s, 100) {
		if q := strings.TrimSpace(m[1] + m[2] + m[3] + m[4]); q != "" {
			out = append(out, q)
		}
	}
	return out
}

var negative = regexp.MustCompile(`(?i)\b(?:loss(?:es)?|lost|decreas\w*|declin\w*|fell|fall\w*|drop\w*|down|lower|less|reduc\w*|negative|minus|deficit|outflow\w*|used|paid|payments?|spent|repa\w+|repurchas\w*|expens\w*|costs?|charges?|dividends?|purchas\w*|acquisitions?|capital expenditures?|amortization|depreciation|provision|benefit|tax(?:es)?|treasury|contra|allowance|impairments?|issued|net of|Verlust\w*|gesunken|убыт\w*|сниз\w*|расход\w*)(?:\b|$)`)

// falls reports whether a text speaks of something that is written in parentheses or with a minus.
func falls(s string) bool { return negative.MatchString(s) }
