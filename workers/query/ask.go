package query

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/plain"
	"github.com/fingerpost/fingerpost/pkg/route"
	tabular "github.com/fingerpost/fingerpost/pkg/table"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/words"
)

const (
	askPlaces    = 8   // sections looked into
	askLines     = 3   // lines quoted
	askOtherwise = 0.8 // what a word counts that a text says by another word for the same thing
	askNear      = 0.8 // of the best score: places below it are not quoted
	askSides     = 8   // and of a comparison, one a section
	askOpening   = 4   // blocks quoted of a section that the question names
)

// byCode answers without a model: by cells, or it quotes the best lines of the best sections; when they hold too little of
// the question it says so and names the nearest. What was read is left in m.
func (w *Worker) byCode(ctx context.Context, t doc.Tenant, req api.AskRequest, m *material) (api.AskReply, error) {
	rep := api.AskReply{Question: req.Question, Build: w.Build, Citations: []api.Citation{}}
	freq := api.FindRequest{Question: req.Question, Keys: req.Keys, K: askPlaces}
	var frep api.FindReply
	q, err := w.route(ctx, t, &freq, &frep)
	if err != nil {
		return rep, err
	}
	places, read, err := w.places(ctx, t, q, askPlaces, &frep.Took)
	if err != nil {
		return rep, err
	}
	m.plan, m.read = q, read
	w.took(frep.Took)
	ctx, end := step(ctx, "answer")
	defer end(nil)
	a := asker{text: q.Text, kind: q.Kind, question: req.Question, asked: route.Ask(req.Question), sayings: map[string]string{},
		things: thingsOf(w.Vocabulary.Sayings(req.Question), w.table.languages(t))}
	if q.Kind == route.Definition { // the term asked for may be a name of its document: it stays
		a.text = route.Clean(req.Question)
	}
	if err := w.weigh(ctx, t, &a); err != nil {
		return rep, err
	}
	return rep, w.answerBy(ctx, t, inquiry{a, q, places, read, req.Keys}, &rep)
}

// inquiry is a question with all that was found for it.
type inquiry struct {
	asker
	q      planned
	places []found
	read   []*readNode
	keys   []string
}

// answerBy fills the reply: by a comparison, a formula, a cell, or the best lines, the first that gives an answer; or says that
// the documents do not hold it.
func (w *Worker) answerBy(ctx context.Context, t doc.Tenant, in inquiry, rep *api.AskReply) error {
	names, others := in.unknowns(w.Vocabulary, w.table.languages(t))
	if len(names) > 0 {
		w.refuseAnswer(rep, "The documents do not say: a name in the question stands in none of them.", in.nearest(in.places, in.read))
		return nil
	}
	if done, err := w.askCompare(ctx, t, in.asker, in.q, in.keys, rep); done || err != nil {
		return err
	}
	c, err := w.compute(ctx, t, in.asker, in.q, in.places, in.read)
	switch {
	case err != nil:
		return err
	case c != nil && c.refused:
		w.refuseAnswer(rep, c.text, c.cites)
	case c != nil && c.all == nil:
		w.tell(rep, api.FormCell, c.text, c.cites)
	case c != nil:
		w.tell(rep, api.FormComputed, c.text, c.cites)
		rep.Computed = c.all
	default:
		w.byLines(ctx, in, others, rep)
	}
	return nil
}

// byLines answers by a cell or a list, else by the best lines.
func (w *Worker) byLines(ctx context.Context, in inquiry, others []string, rep *api.AskReply) {
	if s := in.spot(in.places, in.read); s != nil && s.refused {
		w.refuseAnswer(rep, s.text, s.cites)
		return
	} else if s != nil {
		w.tell(rep, api.FormCell, s.text, s.cites)
		if rep.Computed = s.all; s.all != nil {
			rep.Form = api.FormComputed
		}
		return
	}
	if l := w.list(ctx, in); l != nil {
		w.tell(rep, api.FormList, l.text(), l.cites)
		return
	}
	places := in.places
	if in.kind != route.Comparison {
		places = near(places)
	}
	quotes, covered := in.quotes(places, in.read)
	floor := askFloor
	if len(others) > 0 {
		floor = askUnknown
	}
	if covered < floor || len(quotes) == 0 {
		w.refuseAnswer(rep, "The documents do not say.", quotes)
		return
	}
	form := api.FormSentences
	switch {
	case in.kind == route.Definition:
		form = api.FormDefinition
	case in.kind == route.Structural && covered == 1:
		form = api.FormSection
	}
	w.tell(rep, form, in.answer(quotes), quotes)
}

// tell gives the reply its answer.
func (w *Worker) tell(rep *api.AskReply, form api.Form, text string, cites []api.Citation) {
	rep.Found, rep.Form, rep.Answer, rep.Citations = true, form, text, cites
	w.quoted(cites)
}

// askCompare answers by a table, where a question names several documents and one row is found in all of them.
func (w *Worker) askCompare(ctx context.Context, t doc.Tenant, a asker, q planned, keys []string, rep *api.AskReply) (bool, error) {
	if a.kind != route.Comparison && len(q.Routed) < 2 || a.kind == route.Definition || proseAsked.MatchString(a.question) {
		return false, nil
	}
	sides, err := w.sides(ctx, t, q, a.asked, keys)
	if err != nil || !apart(sides) {
		return false, err
	}
	c, err := w.compare(ctx, t, a.question, q, sides)
	if err != nil || len(c.Rows) == 0 || !complete(c.Rows[:1]) {
		return false, err
	}
	var cites []api.Citation
	for _, r := range c.Rows {
		cites = append(cites, r.Citations...)
	}
	w.tell(rep, api.FormComparison, pipeTable(c), cites)
	rep.Comparison = c
	return true, nil
}

// apart reports whether the sides are of more than one document.
func apart(sides []side) bool {
	return slices.ContainsFunc(sides, func(s side) bool { return s.prefix != sides[0].prefix })
}

// refuseAnswer says that the documents do not hold it, and where they come closest.
func (w *Worker) refuseAnswer(rep *api.AskReply, text string, nearest []api.Citation) {
	if len(nearest) > 0 {
		text += " The nearest places are listed."
	}
	rep.Found, rep.Form, rep.Answer, rep.Nearest = false, api.FormNone, text, nearest
	w.quoted(nearest)
}

// nearest is the best blocks of the best places.
func (a asker) nearest(places []found, read []*readNode) []api.Citation {
	quotes, _ := a.quotes(near(places), read)
	return quotes
}

// weigh gives the terms of the question their idf.
func (w *Worker) weigh(ctx context.Context, t doc.Tenant, a *asker) (err error) {
	a.idf, a.most, err = w.idf(ctx, t, words.Question(a.text, w.table.languages(t)))
	return err
}

// idf weighs each term of the question by how rare it is among the windows; most is the weight of one that stands in none.
func (w *Worker) idf(ctx context.Context, t doc.Tenant, terms []string) (idf map[string]float64, most float64, err error) {
	n, total, err := w.Index.Frequencies(ctx, vector.Build(w.Build), t, doc.KindWindow, vector.Terms, terms)
	if err != nil {
		return nil, 0, err
	}
	idf = map[string]float64{}
	for i, term := range terms {
		idf[term] = math.Log(1 + (float64(total-n[i])+.5)/(float64(n[i])+.5))
	}
	return idf, rarest(total), nil
}

// asker is the question as it is weighed against texts.
type asker struct {
	text string
	idf  map[string]float64
	kind route.Kind

	most     float64     // the idf of a term that stands in no document
	question string      // as it was asked
	asked    route.Asked // the times and forms that it names

	sayings map[string]string                            // what is quoted, in words, by pointer
	things  map[words.Language]map[string][]route.Saying // see thingsOf
}

// candidate is a line block or a table row of a section, rated.
type candidate struct {
	node  *readNode
	lines doc.Lines
	shown string
	score float64
	top   int // of a table row: the first line of its table; 0 for other blocks
	table *tabular.Table
}

// quotes is the best blocks of the places, best first, and the share of the question's idf that the
// best place holds.
func (a asker) quotes(places []found, read []*readNode) ([]api.Citation, float64) {
	var all []candidate
	covered, named := 0.0, false
	for i, p := range places {
		x := read[i]
		if x == nil {
			continue
		}
		if a.kind == route.Comparison && p.Why.Noise && i > 0 {
			continue
		}
		head := strings.Join(x.breadcrumb(), " ")
		covered = max(covered, a.share(head+" "+plain.Text(x.text), x))
		all = append(all, a.candidates(x, head, p.Score/places[0].Score)...)
		if (i == 0 || named) && p.Why.S >= sureRef && a.kind == route.Structural { // the question names this section: what it says is the answer
			named = true
			if quotes := opening(x); len(quotes) > 0 {
				return quotes, 1
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	var out []api.Citation
	taken := map[*readNode]bool{}
	for _, c := range all {
		if a.kind == route.Comparison { // the best of each place: its sides stand in several
			if taken[c.node] || len(out) == askSides {
				continue
			}
			taken[c.node] = true
		} else if len(out) == askLines || c.score < all[0].score-farBelow {
			break
		}
		cite := c.cite()
		a.sayings[cite.Pointer] = c.said()
		out = append(out, cite)
	}
	return out, covered
}

// sureRef is the structural part from which a question names the section itself.
const sureRef = .85

// near keeps the places that come close to the best one: a look-alike far below it is not quoted beside it.
func near(places []found) []found {
	for i, p := range places {
		if i > 0 && p.Score < askNear*places[0].Score {
			return places[:i]
		}
	}
	return places
}

// opening quotes the first blocks of a section.
func opening(x *readNode) (out []api.Citation) {
	for _, b := range plain.Blocks(x.text, x.node.Lines.Start) {
		if len(out) == askOpening {
			break
		}
		out = append(out, candidate{node: x, lines: b.Lines, shown: b.Text}.cite())
	}
	return out
}

// candidates rates the blocks of a section, a table row by row: what of the question they add to the breadcrumb,
// and how the place itself ranks (weight, 1 for the best).
func (a asker) candidates(x *readNode, head string, weight float64) (out []candidate) {
	base := a.share(head, x)
	add := func(l doc.Lines, text string, top int, in *tabular.Table) {
		if s := a.share(head+" "+text, x); s > base {
			out = append(out, candidate{x, l, text, weight + s - base + a.fits(text, top > 0, x), top, in})
		}
	}
	for _, b := range plain.Blocks(x.text, x.node.Lines.Start) {
		if b.Table == nil {
			add(b.Lines, b.Text, 0, nil)
			continue
		}
		for i, row := range strings.Split(b.Text, "\n") {
			if i < len(b.Rows) {
				add(b.Rows[i], row, b.Lines.Start, b.Table)
			}
		}
	}
	return out
}

const (
	fitsKind = 1.0 // a block of the sort that the question wants goes before every other
	noValue  = 0.5 // a table row without a number is a head, or says nothing
	hasCell  = 0.3 // a row with a number, where a value is asked for
	farBelow = 0.7 // what is so far below the best is not quoted beside it
)

// fits is what a block's form adds for what the question wants: a definition begins with the term that is asked for;
// a row of a table holds a number.
func (a asker) fits(text string, row bool, x *readNode) (s float64) {
	switch {
	case row && !hasValue(text):
		s -= noValue
	case row && a.kind == route.Cell:
		s += hasCell
	}
	if a.kind != route.Definition {
		return s
	}
	var rarest string
	for _, t := range words.Question(a.text, []words.Language{words.Language(x.record.Facts["language"])}) {
		if rarest == "" || a.idf[t] > a.idf[rarest] {
			rarest = t
		}
	}
	begins := words.Analyze(string([]rune(text)[:min(len([]rune(text)), 60)]), words.Language(x.record.Facts["language"]))
	if slices.Contains(begins[:min(len(begins), 3)], rarest) {
		s += fitsKind
	}
	return s
}

// hasValue reports whether a cell of a pipe row other than its first holds a number.
func hasValue(row string) bool {
	_, cells, _ := strings.Cut(strings.TrimPrefix(row, "|"), "|")
	return strings.ContainsAny(cells, "0123456789")
}

// share is the part of the question's idf whose words stand in the text, 0..1, in the document's language.
func (a asker) share(text string, x *readNode) float64 {
	lang, lower := words.Language(x.record.Facts["language"]), strings.ToLower(text)
	have := map[string]bool{}
	for _, term := range words.Analyze(text, lang) {
		have[term] = true
	}
	var sum, hit float64
	for _, term := range words.Question(a.text, []words.Language{lang}) {
		v := a.idf[term]
		switch sum += v; {
		case have[term]:
			hit += v
		case a.otherwise(term, lang, lower):
			hit += askOtherwise * v
		}
	}
	if sum == 0 {
		return 0
	}
	return hit / sum
}

// otherwise reports whether a text, given in lower case, says a word of the question by another word for the same thing.
func (a asker) otherwise(term string, lang words.Language, lower string) bool {
	return slices.ContainsFunc(a.things[lang][term], func(s route.Saying) bool { return s.In(lower) })
}

// thingsOf is the things that the question names and for which there are other words, by the terms that say them.
func thingsOf(sayings []route.Saying, langs []words.Language) map[words.Language]map[string][]route.Saying {
	out := map[words.Language]map[string][]route.Saying{}
	for _, l := range langs {
		out[l] = map[string][]route.Saying{}
		for _, s := range sayings {
			for _, term := range words.Analyze(strings.Join(s.Held, " "), l) {
				out[l][term] = append(out[l][term], s)
			}
		}
	}
	return out
}

// cite quotes the block's lines, and verifies that they say what is shown. The lines are cut out of bytes whose hash and
// number of lines were verified.
func (c candidate) cite() api.Citation {
	l, quote, ok := c.vouch()
	return api.Citation{Pointer: c.node.pointer(l), Key: c.node.record.Key, Breadcrumb: c.node.breadcrumb(),
		Quote: strings.TrimRight(string(quote), "\n"), Shown: c.shown, Verified: ok}
}

// maxSpan is how far above a row the cells that reach down into it are sought, in lines.
const maxSpan = 200

// vouch is the lines that say what is shown: those of the block; of a table row, from the row in which its topmost
// cell begins. When nothing says it, the block's lines and false.
func (c candidate) vouch() (doc.Lines, []byte, bool) {
	own, err := lines(c.node, c.lines)
	if err != nil || vouched(own, c.shown) || c.top == 0 {
		return c.lines, own, err == nil && vouched(own, c.shown)
	}
	for l := c.lines; l.Start > c.top && l.Start > c.lines.Start-maxSpan; {
		l.Start--
		if quote, err := lines(c.node, l); err == nil && spanned(quote, c.shown) {
			return l, quote, true
		}
	}
	return c.lines, own, false
}

// answer strings the verified quotes together: rows of tables in words, their heads only where nothing else is there.
func (a asker) answer(quotes []api.Citation) string {
	var parts, heads []string
	for _, q := range quotes {
		if !q.Verified {
			continue
		}
		said, ok := a.sayings[q.Pointer]
		if !ok {
			said = q.Shown
		}
		if parts = append(parts, said); said == "" {
			parts, heads = parts[:len(parts)-1], append(heads, q.Shown)
		}
	}
	if len(parts) == 0 {
		parts = heads
	}
	return strings.Join(parts, "\n")
}
