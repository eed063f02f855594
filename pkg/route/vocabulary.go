package route

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed vocabulary.txt
var standardVocabulary string

// StandardVocabulary is the one in the program: finance, contracts, papers, manuals.
var StandardVocabulary = func() *Vocabulary {
	v, err := ParseVocabulary(standardVocabulary)
	if err == nil {
		v.same, err = parseSynonyms(standardSynonyms)
	}
	if err != nil {
		panic(err) // the program was built with a broken file; its test guards it
	}
	return v
}()

// Vocabulary says where things live: which words and titles the right place has for what is asked.
type Vocabulary struct {
	entries []meaning
	same    []synonyms // words for one thing
}

// meaning is one entry.
type meaning struct {
	ask    pattern
	look   string
	titles []string
	field  string
	shaped bool // with a benchmark's question in mind
}

// Hint is what the vocabulary adds to a question.
type Hint struct {
	Words  []string `json:"words,omitempty"`  // a text for each entry that matches: words of the right place
	Titles []string `json:"titles,omitempty"` // what the right place is called, each once
	Same   []string `json:"same,omitempty"`   // other words for what the question says
}

// MaxHints bounds the entries that count for one question: the first that match.
const MaxHints = 6

// ParseVocabulary reads the form that vocabulary.txt describes. An error names the line.
func ParseVocabulary(text string) (*Vocabulary, error) {
	v, sets, m := &Vocabulary{}, map[string][]string{}, meaning{}
	n := 0
	flush := func() error {
		if m.ask.Regexp == nil && (m.look != "" || m.titles != nil) {
			return fmt.Errorf("vocabulary line %d: an entry without ask", n)
		}
		if m.ask.Regexp != nil {
			v.entries = append(v.entries, m)
		}
		m = meaning{field: m.field}
		return nil
	}
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		var err error
		switch key, value, ok := strings.Cut(line, ":"); {
		case line == "":
			err = flush()
		case line[0] == '#':
		case line[0] == '@':
			err = define(sets, line)
		case ok && key == "ask":
			m.ask, err = newPattern(edge + `(?:` + strings.TrimSpace(value) + `)s?` + edge)
		case ok && key == "look":
			m.look = strings.TrimSpace(value)
		case line == "shaped":
			m.shaped = true
		case ok && key == "field":
			m.field = strings.TrimSpace(value)
		case ok && key == "in":
			m.titles, err = titles(sets, value)
		default:
			err = fmt.Errorf("want ask:, look:, in:, shaped or @name =")
		}
		if err != nil {
			return nil, fmt.Errorf("vocabulary line %d: %w", n, err)
		}
	}
	return v, flush()
}

// Strict is v without the entries that benchmark questions shaped: what figures are quoted with.
func (v *Vocabulary) Strict() *Vocabulary {
	return &Vocabulary{slices.DeleteFunc(slices.Clone(v.entries), func(m meaning) bool { return m.shaped }), v.same}
}

// With is v with the entries of more after its own.
func (v *Vocabulary) With(more *Vocabulary) *Vocabulary {
	return &Vocabulary{slices.Concat(v.entries, more.entries), slices.Concat(v.same, more.same)}
}

// Without is v without the entries of a field ("finance", "contracts", "papers", "manuals", "any").
func (v *Vocabulary) Without(field string) *Vocabulary {
	return &Vocabulary{
		slices.DeleteFunc(slices.Clone(v.entries), func(m meaning) bool { return m.field == field }),
		slices.DeleteFunc(slices.Clone(v.same), func(g synonyms) bool { return g.field == field }),
	}
}

// define reads "@name = title; title".
func define(sets map[string][]string, line string) error {
	name, list, ok := strings.Cut(line, "=")
	if !ok {
		return fmt.Errorf("want %s = title; title", strings.TrimSpace(name))
	}
	ts, err := titles(sets, list)
	sets[strings.TrimSpace(name)] = ts
	return err
}

// titles reads "title; @name; title".
func titles(sets map[string][]string, list string) ([]string, error) {
	var out []string
	for t := range strings.SplitSeq(list, ";") {
		t = strings.TrimSpace(t)
		if t == "" {
			continue
		}
		if t[0] != '@' {
			out = append(out, t)
			continue
		}
		set, ok := sets[t]
		if !ok {
			return nil, fmt.Errorf("%s is not defined above", t)
		}
		out = append(out, set...)
	}
	return out, nil
}

// Hint is what v knows of the question; the zero Hint of a nil Vocabulary.
func (v *Vocabulary) Hint(question string) Hint {
	var h Hint
	if v == nil {
		return h
	}
	question = cut(question, MaxQuestion)
	seen, lower := map[string]bool{}, strings.ToLower(question)
	h.Same = others(sayings(v.same, lower))
	for _, m := range v.entries {
		if len(h.Words) == MaxHints {
			break
		}
		if !m.ask.may(lower) || !m.ask.MatchString(question) {
			continue
		}
		h.Words = append(h.Words, m.look)
		for _, t := range m.titles {
			if !seen[t] {
				seen[t] = true
				h.Titles = append(h.Titles, t)
			}
		}
	}
	return h
}
