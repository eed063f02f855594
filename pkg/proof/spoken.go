package proof

import (
	_ "embed"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/words"
)

// A statement whose numbers all stand where it says may still carry words that nothing proves: "rose to 5.2 because of
// fraud". So every word of it has to stand in the places that prove its numbers, in the headings over them or in the
// question, but for the few of free.txt; a word of alike.txt may stand for another of its line. Words that turn the sense
// have to stand in the proving sentence or row itself.

//go:embed free.txt
var freeText string

//go:embed alike.txt
var alikeText string

var (
	free = listed(freeText)
	kin  = groups(alikeText)
)

// rows is the lines of a word list without its comments.
func rows(text string) (out [][]string) {
	for l := range strings.Lines(text) {
		if !strings.HasPrefix(l, "#") {
			out = append(out, strings.Fields(strings.ToLower(l)))
		}
	}
	return out
}

func listed(text string) map[string]bool { return set(slices.Concat(rows(text)...)) }

// groups is for each word those that it may stand for.
func groups(text string) map[string][]string {
	m := map[string][]string{}
	for _, row := range rows(text) {
		for _, w := range row {
			m[w] = append(m[w], row...)
		}
	}
	return m
}

// turns are words that turn the sense of a sentence: each kind counts as said only where the proving place says one too.
var turns = []*regexp.Regexp{negation,
	turn(`because|due to|owing|caus(?:e|es|ed|ing)|driv(?:en|es|ing)|drove|led|leading|thanks|result(?:s|ed|ing)? (?:from|in)|attribut\pL+|reflect\pL*|therefore|thus|hence|consequently|despite|although|amid|since|weil|wegen|aufgrund|durch|trotz|потому|из-за|благодаря|вследствие|несмотря`),
	turn(`will|would|could|should|might|may|shall|must|can|expect\pL*|forecast\pL*|plan(?:s|ned)|estimat\pL*|wird|werden|könnte\pL*|будет|будут|может|ожида\pL+`),
}

var (
	negation = turn(`not|no|never|none|neither|nor|without|hardly|barely|cannot|failed|nicht|kein\pL*|nie|niemals|ohne|не|нет|без|ни|\pL+n['’]t`)
	upward   = turn(`r(?:ose|isen|ises?|ising)|increas\pL*|gr(?:ew|ow|ows|own|owing|owth)|up|higher|gain(?:s|ed)?|climb\pL*|improv\pL*|jump\pL*|surg(?:e|ed|ing)|soar\pL*|doubled|tripled|expand\pL*|stieg\pL*|gestiegen|wuchs\pL*|gewachsen|erhöht\pL*|выросл?\pL*|вырос|увелич\pL*|рост\pL*`)
	downward = turn(`f(?:ell|all|alls|allen|alling)|declin\pL*|decreas\pL*|drop\pL*|down|lower\pL*|shr[aiu]nk\pL*|reduc\pL*|slump\pL*|plung\pL*|halved|contracted|worsen\pL*|sank|sunk|sank\pL*|gesunken|fiel\pL*|gefallen|снизил\pL*|упал\pL*|сократил\pL*|уменьш\pL*|снижени\pL*`)
)

func turn(list string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^\pL])(` + list + `)(?:$|[^\pL])`)
}

// ground is what the words of a statement may stand on.
type ground struct {
	near  []string        // texts of the rows and sentences that prove it
	terms map[string]bool // of near, of what is around it, of the headings and the question
	own   map[string]bool // the same without the question
	names string          // of what was computed
}

// words refuses a statement that says more than its places: see free.txt. A statement of prose alone may say a part of
// it, untold, in words of its own.
func (c *Checker) words(cl *claim, from []*evidence, s *Statement) {
	prose := len(s.Evidence) == 0 && len(cl.numbers) == 0 && len(cl.quotes) == 0
	if len(s.Evidence) == 0 && (prose || len(cl.sums) == 0) {
		for _, e := range from {
			if best, at := e.nearest(cl); best > 0 {
				s.Evidence = append(s.Evidence, Evidence{Section: e.N, Lines: e.prose[at].lines})
			}
		}
	}
	g := c.ground(cl, from, s)
	allowed := 0.0
	if prose {
		allowed = untold
	}
	if why, about := c.spoken(cl, g, from, s, allowed); why != "" {
		s.Fault, s.About, s.Evidence = why, about, nil
	}
}

// untold is the share of the words of a statement without numbers and quotes that its places need not hold.
const untold = .25

// spoken judges the words.
func (c *Checker) spoken(cl *claim, g ground, from []*evidence, s *Statement, allowed float64) (Fault, string) {
	text := unquoted(cl.text)
	near := strings.Join(g.near, "\n")
	for _, t := range turns {
		if m := t.FindStringSubmatch(text); m != nil && !t.MatchString(near) {
			return NoWords, m[1]
		}
	}
	if len(g.near) > 0 && negation.MatchString(near) && !negation.MatchString(cl.text) && onlySentences(s) {
		return NoWords, negation.FindStringSubmatch(near)[1]
	}
	for _, d := range []struct {
		re   *regexp.Regexp
		sign int
	}{{upward, 1}, {downward, -1}} {
		if m := d.re.FindStringSubmatchIndex(text); m != nil && !c.moves(cl, g, from, s, m[2], d.re, d.sign) {
			return NoWords, text[m[2]:m[3]]
		}
	}
	total, own, missing := 0, 0, []string{}
	for _, w := range wordsOf(text) {
		if all(words.Analyze(w, from[0].Language), g.own) {
			own++
		}
		switch has, counts := g.has(w, from[0].Language); {
		case !counts:
		case !has:
			missing = append(missing, w)
			fallthrough
		default:
			total++
		}
	}
	if float64(len(missing)) > allowed*float64(total) {
		return NoWords, missing[0]
	}
	if allowed > 0 && (total == 0 || 2*own < total) || strings.HasSuffix(strings.TrimSpace(text), "?") { // it says nothing, or only what was asked
		return NoWords, ""
	}
	return "", ""
}

// onlySentences reports whether no cell proves the statement.
func onlySentences(s *Statement) bool {
	return !slices.ContainsFunc(s.Evidence, func(e Evidence) bool { return e.Spot.Table != 0 })
}

// has reports whether a word stands on the ground; a word that needs no proof does not count.
func (g *ground) has(w string, lang words.Language) (has, counts bool) {
	bare := strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
	if free[w] || free[bare] || turned(w) {
		return true, false
	}
	terms := words.Analyze(bare, lang)
	if len(terms) == 0 {
		return true, false
	}
	if all(terms, g.terms) {
		return true, true
	}
	return slices.ContainsFunc(kin[bare], func(o string) bool { return all(words.Analyze(o, lang), g.terms) }), true
}

// turned reports whether a word is judged among the turns.
func turned(w string) bool {
	if upward.MatchString(w) || downward.MatchString(w) {
		return true
	}
	return slices.ContainsFunc(turns, func(t *regexp.Regexp) bool { return t.MatchString(w) })
}

func all(terms []string, have map[string]bool) bool {
	return len(terms) > 0 && !slices.ContainsFunc(terms, func(t string) bool { return !have[t] })
}

// ground collects what proves a statement.
func (c *Checker) ground(cl *claim, from []*evidence, s *Statement) ground {
	g := ground{terms: map[string]bool{}, own: map[string]bool{}}
	add := func(text string, lang words.Language) {
		for _, t := range words.Analyze(text, lang) {
			g.terms[t], g.own[t] = true, true
		}
	}
	for _, k := range c.computed {
		g.names += k.Name + "\n"
	}
	for _, e := range from {
		add(e.Head+"\n"+g.names, e.Language)
		for _, t := range words.Analyze(c.question, e.Language) {
			g.terms[t] = true
		}
		for _, ev := range s.Evidence {
			if ev.Section == e.N {
				near, around := e.texts(cl, ev)
				g.near = append(g.near, near...)
				add(strings.Join(near, "\n")+"\n"+around, e.Language)
			}
		}
	}
	return g
}

// texts is what a place says: its row with heads, caption, period and unit, or the sentences of its block that have most of the
// statement; and what stands around it in the block.
func (e *evidence) texts(cl *claim, ev Evidence) (near []string, around string) {
	if ev.Spot.Table != 0 {
		for i := range e.cells {
			if f := &e.cells[i]; f.Lines == ev.Lines && f.Spot == ev.Spot {
				near = append(near, strings.Join(append(slices.Clone(f.Columns), f.Row(), f.Period, f.Caption, f.Unit, f.Currency), " "))
			}
		}
		return near, e.titles()
	}
	best := -1.0
	for _, p := range e.prose {
		if p.lines != ev.Lines {
			continue
		}
		around += p.text + "\n"
		switch v := echo(cl, p); {
		case v > best:
			best, near = v, []string{p.text}
		case v == best:
			near = append(near, p.text)
		}
	}
	return near, around
}

// titles is the headings that stand in the section itself.
func (e *evidence) titles() string {
	var out []string
	for l := range strings.Lines(string(e.Text)) {
		if strings.HasPrefix(l, "#") {
			out = append(out, l)
		}
	}
	return strings.Join(out, "")
}

var letters = regexp.MustCompile(`[\pL\d][\pL\d]*(?:['’]\pL+)?`)

// wordsOf is the words of a text without its numbers, places and names with digits, in lower case.
func wordsOf(s string) (out []string) {
	for _, re := range []*regexp.Regexp{place, link, named} {
		s = re.ReplaceAllString(s, " ")
	}
	for _, w := range letters.FindAllString(s, -1) {
		if !strings.ContainsAny(w, "0123456789") {
			out = append(out, strings.ToLower(w))
		}
	}
	return out
}

// unquoted is a text whose quotations are blank, byte for byte: they were found word for word.
func unquoted(s string) string {
	return quotation.ReplaceAllStringFunc(s, func(q string) string { return strings.Repeat(" ", len(q)) })
}

// moves reports whether something went up (sign 1) or down (-1) as the word at a byte of the statement says: by the two numbers
// that it speaks of, by the result of a computation, by the row's number of the year before; else the place has to say so.
func (c *Checker) moves(cl *claim, g ground, from []*evidence, s *Statement, at int, re *regexp.Regexp, sign int) bool {
	if a, b, ok := cl.pair(at); ok {
		return sign == direction(a, b)
	}
	for _, k := range cl.sums {
		if n := cl.numbers[k.result]; k.right && n.Number != nil {
			return n.Number.Sign() == sign
		}
	}
	if re.MatchString(strings.Join(g.near, "\n")) || re.MatchString(g.names) {
		return true
	}
	for _, ev := range s.Evidence {
		for _, e := range from {
			if e.N == ev.Section && ev.Spot.Table != 0 && e.moved(ev) == sign {
				return true
			}
		}
	}
	return false
}

// pair is the two numbers of different years that a word at a byte compares: "rose from 5 in 2021 to 6 in 2022", "6 in 2022, up
// from 5 in 2021", "5 in 2021 and 6 in 2022, an increase".
func (cl *claim) pair(at int) (a, b *number, ok bool) {
	for i := 0; i+1 < len(cl.numbers); i++ {
		a, b = &cl.numbers[i], &cl.numbers[i+1]
		if len(a.years) != 1 || len(b.years) != 1 || a.years[0] == b.years[0] || a.Percent != b.Percent || a.Number == nil || b.Number == nil {
			continue
		}
		behind := i+2 >= len(cl.numbers) || at < cl.numbers[i+2].Start
		spans := a.End <= at && at < b.Start
		before := at < a.Start && strings.Contains(cl.text[at:a.Start], "from")
		if spans || before || behind && b.End <= at || i+2 >= len(cl.numbers) {
			return a, b, true
		}
	}
	return nil, nil, false
}

// direction is the sign of the change from the earlier of two numbers to the later.
func direction(a, b *number) int {
	if a.years[0] > b.years[0] {
		a, b = b, a
	}
	return size(b.Amount()).Cmp(size(a.Amount()))
}

// size is an amount as sentences speak of it: costs in parentheses grow when they get larger.
func size(n *big.Rat) *big.Rat { return new(big.Rat).Abs(n) }

// moved is the sign of the change of a cell's row from the latest earlier year to the cell's; 0 when there is none.
func (e *evidence) moved(ev Evidence) int {
	var at, before *fact
	for i := range e.cells {
		if f := &e.cells[i]; f.Lines == ev.Lines && f.Spot == ev.Spot && len(f.years) == 1 {
			at = f
		}
	}
	if at == nil || at.Amount() == nil {
		return 0
	}
	for i := range e.cells {
		f := &e.cells[i]
		if f.sheet != at.sheet || f.Spot.Row != at.Spot.Row || len(f.years) != 1 || f.span != at.span || f.Amount() == nil || f.years[0] >= at.years[0] {
			continue
		}
		if before == nil || f.years[0] > before.years[0] {
			before = f
		}
	}
	if before == nil {
		return 0
	}
	return size(at.Amount()).Cmp(size(before.Amount()))
}
