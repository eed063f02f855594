package outline

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

//go:embed rules.json
var rulesFile []byte

// Ranks of headings that no family of the file names.
const (
	rankTitle  = 1   // the document's title in a flat document
	rankRoot   = 5   // an exhibit, the signatures
	rankDotted = 50  // plus the number of parts: 3.1 is 52
	rankList   = 600 // (a), A., iv.: below what is numbered, each style below the one before it
	rankRest   = 900 // no number: by its level as written
	rankLeaf   = 950 // captions: nothing stands below them
)

// family is a row of the rules' table.
type family struct {
	Name    string
	Rank    int
	Words   []string
	Numbers []string
	Alone   bool
	Deepens bool     // rank grows with the parts of a dotted number
	Outer   string   // stands above that family where it comes first and is the rarer
	Starts  []string // titles that begin so, without a number
	Whole   []string // titles that are so, without a number
	With    []string // counts only in documents that have one of these families
	Without []string // and none of these
}

type ruleSet struct {
	Families  []family
	Inner     struct{ Whole []string }
	End       struct{ With, Whole []string }
	Exhibit   struct{ Starts, Numbered, Anywhere, Capitals []string }
	Joins     struct{ Words []string }
	Furniture struct {
		Starts, Whole, Patterns []string
		Repeated                int
	}

	byWord   map[string]*family // first word or two words
	byWhole  map[string]*family
	byName   map[string]*family
	patterns []*regexp.Regexp
}

var rules = mustLoad(rulesFile)

func mustLoad(b []byte) *ruleSet {
	r, err := load(b)
	if err != nil {
		panic(err) // the file is part of the program; a test reads it
	}
	return r
}

func load(b []byte) (*ruleSet, error) {
	r := &ruleSet{byWord: map[string]*family{}, byWhole: map[string]*family{}, byName: map[string]*family{}}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("rules.json: %w", err)
	}
	for i := range r.Families {
		f := &r.Families[i]
		r.byName[f.Name] = f
		for _, w := range f.Words {
			r.byWord[w] = f
		}
		for _, w := range f.Whole {
			r.byWhole[w] = f
		}
	}
	for _, p := range r.Furniture.Patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return nil, fmt.Errorf("rules.json: %w", err)
		}
		r.patterns = append(r.patterns, re)
	}
	return r, nil
}

// rule is what a title says of its place; the zero rule says nothing.
type rule struct {
	family string // "item", "dotted", "(a)" ...; "" for none
	rank   int
	number number
	alone  bool // nothing but word and number
}

// key is a title as the rules read it: lower case, plain dashes and quotes.
func key(title string) string {
	return keyMap.Replace(strings.ToLower(title))
}

var keyMap = strings.NewReplacer("–", "-", "—", "-", "−", "-", "‑", "-", "’", "'", "‘", "'", "“", `"`, "”", `"`, "№", " ", "  ", " ")

// classify says what a title says of its place.
func (r *ruleSet) classify(title string) rule {
	k := key(title)
	first, rest, _ := strings.Cut(k, " ")
	second, after, _ := strings.Cut(rest, " ")
	if f := r.byWord[first+" "+second]; f != nil {
		if got, ok := f.read(after, word(title, 2)); ok {
			return got
		}
	}
	if f := r.byWord[first]; f != nil {
		if got, ok := f.read(rest, word(title, 1)); ok {
			return got
		}
	}
	if strings.HasPrefix(k, "§") && first != "§" {
		if got, ok := r.byWord["§"].read(strings.TrimPrefix(k, "§"), ""); ok {
			return got
		}
	}
	if f := r.byWhole[strings.TrimRight(k, ".: ")]; f != nil {
		return rule{family: f.Name, rank: f.Rank}
	}
	if f := r.start(k); f != nil {
		return rule{family: f.Name, rank: f.Rank}
	}
	return enumerated(title, k)
}

// start is the family one of whose starts begins k.
func (r *ruleSet) start(k string) *family {
	for i := range r.Families {
		f := &r.Families[i]
		if hasPrefix(k, f.Starts) {
			return f
		}
	}
	return nil
}

// read looks for a number of the family at the start of rest, what follows the family's word.
// asWritten is the word that would be the number: letters and numerals must be capitals there,
// so that "Schedule a meeting" names no appendix.
func (f *family) read(rest, asWritten string) (rule, bool) {
	got := rule{family: f.Name, rank: f.Rank}
	rest = strings.TrimLeft(rest, " ")
	n, tail, ok := readNumber(rest, f.Numbers)
	if ok && !isDigit(n.text[0]) && (!isUpper(asWritten) || small[n.text]) {
		ok = false
	}
	if !ok {
		got.alone = strings.Trim(rest, " .:-") == ""
		return got, f.Alone && (got.alone || rest[0] == '-' || rest[0] == ':' || rest[0] == '(' || strings.HasPrefix(rest, "to "))
	}
	got.number = n
	got.alone = strings.Trim(tail, " .:-") == ""
	if f.Deepens && len(n.parts) > 1 {
		got.rank += min(len(n.parts)-1, 5)
	}
	return got, true
}

// small are words that look like a code of an appendix in a title of capitals.
var small = map[string]bool{"of": true, "to": true, "for": true, "and": true, "the": true, "in": true, "on": true, "by": true, "is": true}

// word is the nth word of title, from 0; "" when it has fewer.
func word(title string, n int) string {
	for w := range strings.FieldsSeq(title) {
		if n == 0 {
			return w
		}
		n--
	}
	return ""
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func hasPrefix(k string, starts []string) bool {
	for _, s := range starts {
		if strings.HasPrefix(k, s) {
			return true
		}
	}
	return false
}

// furniture says why a title is none, "" when it may be one.
func (r *ruleSet) furniture(title string) string {
	k := key(title)
	f := &r.Furniture
	if hasPrefix(k, f.Starts) || slices.Contains(f.Whole, strings.Trim(k, " .:()")) {
		return "a footnote or a head of a column"
	}
	if len(k) > 24 || !strings.ContainsAny(k, "0123456789") && strings.ContainsFunc(k, unicode.IsLetter) {
		return "" // the patterns want a number, or no letter at all
	}
	for _, p := range r.patterns {
		if p.MatchString(k) {
			return "a number or a head of a column"
		}
	}
	return ""
}

// ends reports whether the title ends the body of a filing.
func (r *ruleSet) ends(title string) bool {
	return slices.Contains(r.End.Whole, strings.Trim(key(title), " .:"))
}

// exhibit reports whether an unnumbered title beyond the end begins an exhibit.
func (r *ruleSet) exhibit(title string) bool {
	k := key(title)
	if hasPrefix(k, r.Exhibit.Starts) {
		return true
	}
	caps := capitals(title)
	for w := range strings.FieldsSeq(k) {
		w = strings.Trim(w, ".,:;()")
		if slices.Contains(r.Exhibit.Anywhere, w) || caps && slices.Contains(r.Exhibit.Capitals, w) {
			return true
		}
	}
	return false
}

// numbersExhibit reports whether an appendix is an exhibit of a filing, by its own words or by
// those lent to it.
func (r *ruleSet) numbersExhibit(h *heading) bool {
	return hasPrefix(key(h.title), r.Exhibit.Numbered) || h.lent != "" && hasPrefix(key(h.lent), r.Exhibit.Numbered)
}

// capitals reports whether title is written in capitals, what stands in brackets left aside.
func capitals(title string) bool {
	head, _, _ := strings.Cut(title, "(")
	return strings.ToUpper(head) == head && strings.ToLower(head) != head
}

// goesOn reports whether a title ends in the middle of a phrase.
func (r *ruleSet) goesOn(title string) bool {
	if strings.HasSuffix(title, ",") {
		return true
	}
	k := key(title)
	return slices.Contains(r.Joins.Words, k[strings.LastIndexByte(k, ' ')+1:])
}
