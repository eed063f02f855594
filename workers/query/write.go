package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/prompt"
	"github.com/fingerpost/fingerpost/pkg/proof"
	"github.com/fingerpost/fingerpost/pkg/section"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// material is what an answer was built of.
type material struct {
	plan planned
	read []*readNode // best first; nil: could not be read
}

// written is how much a model is given to read at most, in clean characters: about 3,000 tokens; less where its window is
// small (see room), and a quarter when that was still too long.
var written = section.Budget{Section: 4000, Total: 12_000}

const (
	answered = 400 // tokens of an answer at most, and an eighth of the window
	perToken = 2   // characters: tables of numbers have about two a token, prose four
	least    = 300 // characters of text that a section is worth giving for
)

// room fits a request into a window of so many tokens: the text of the sections is cut, then the last ones are left out. A
// window of 0 is not known, and takes what is usual.
func (x *writer) room(q planned, asked []*readNode, b section.Budget, window int) llm.Request {
	for n := len(asked); ; {
		r := prompt.Compose(x.rep.Question, x.shown(q, asked[:n], b))
		r.MaxTokens = answered
		if window <= 0 {
			return r
		}
		r.MaxTokens = min(answered, max(window/8, 32))
		over := characters(r) - perToken*(window-r.MaxTokens)
		switch {
		case over <= 0, n == 1 && b.Total <= least:
			return r
		case b.Total > n*least:
			b.Total = max(b.Total-over, n*least)
		case n > 1:
			n--
		default:
			b.Total = least
		}
	}
}

// characters is the bytes of what a model is told: in alphabets of two bytes a token is about as many.
func characters(r llm.Request) int {
	n := len(r.System)
	for _, m := range r.Messages {
		n += len(m.Text)
	}
	return n
}

// window is that of the model in tokens, asked for once; 0 where its server does not tell, or not soon.
func (w *Worker) window(ctx context.Context) int {
	if n := w.taken.Load(); n > 0 {
		return int(n)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	card, err := w.LLM.Describe(ctx)
	if err != nil {
		return 0
	}
	w.taken.Store(int64(card.Window))
	return card.Window
}

// Ask answers a question: by code, and where a model is there, in its words as far as they are proven.
func (w *Worker) Ask(ctx context.Context, t doc.Tenant, req api.AskRequest) (api.AskReply, error) {
	return w.AskInParts(ctx, t, req, func(api.AskPart) error { return nil })
}

// AskInParts is Ask that tells the answer built by code as soon as it is there, and each sentence of the model with its
// verdict. An error of tell ends it. The last part is the reply, which is returned and not told.
func (w *Worker) AskInParts(ctx context.Context, t doc.Tenant, req api.AskRequest, tell func(api.AskPart) error) (api.AskReply, error) {
	var m material
	rep, err := w.byCode(ctx, t, req, &m)
	if err != nil {
		return rep, err
	}
	first := rep
	if err := tell(api.AskPart{Reply: &first}); err != nil || w.LLM == nil || req.Code {
		return rep, err
	}
	ctx, end := step(ctx, "write")
	out, err := w.write(ctx, rep, &m, tell)
	end(err)
	return out, err
}

// writer is one answer of a model on its way.
type writer struct {
	worker   *Worker
	rep      api.AskReply // built by code
	read     []*readNode  // those that it may cite, [1] first
	sections []proof.Section
	checker  *proof.Checker
	tell     func(api.AskPart) error
	text     string            // so far
	from     int               // where of text the first statement begins that is not judged
	all      []proof.Statement // those before it
}

// write has the model answer from the sections. Whatever it does, there is an answer: the one built by code.
func (w *Worker) write(ctx context.Context, rep api.AskReply, m *material, tell func(api.AskPart) error) (api.AskReply, error) {
	x := &writer{worker: w, rep: rep, tell: tell}
	asked := x.material(m)
	if len(asked) == 0 {
		return rep, nil
	}
	x.checker = proof.New(rep.Question, x.sections, results(rep.Computed))
	mctx, cancel := inTime(ctx)
	defer cancel()
	var err error
	budget, window := written, w.window(mctx)
	for range 2 {
		x.from, x.text, x.all = 0, "", nil
		if _, err = w.LLM.Chat(mctx, x.room(m.plan, asked, budget, window), x.piece); !errors.Is(err, llm.ErrLong) {
			break
		}
		budget.Total /= 4
	}
	if ctx.Err() != nil {
		return rep, context.Cause(ctx)
	}
	if gone := (*untold)(nil); errors.As(err, &gone) {
		return rep, gone.error
	}
	if mctx.Err() != nil {
		err = llm.ErrSlow
	}
	if err != nil {
		w.Log.Warn("the model failed", "err", err)
		x.rep.Note = fmt.Sprintf("Built by code: %v.", err)
		return x.rep, nil
	}
	return x.judged(), nil
}

// inTime is ctx with an end before the request's own, so that the answer built by code can still be given.
func inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(end)*9/10)
}

// untold says that whoever asked is gone.
type untold struct{ error }

// piece takes the model's text as it comes, and tells each statement that is whole.
func (x *writer) piece(text string) error {
	x.text += text
	if len(x.text) > mostWritten {
		return llm.ErrEndless
	}
	if strings.ContainsAny(text, ".!?]\n") {
		if err := x.whole(); err != nil {
			return err
		}
	}
	if err := x.tell(api.AskPart{}); err != nil { // nothing new, but are you there?
		return &untold{err}
	}
	return nil
}

// whole judges and tells the statements that are whole; the last one may go on.
func (x *writer) whole() error {
	all := proof.Split(x.text[x.from:])
	for _, text := range all[:max(len(all)-1, 0)] {
		x.from += strings.Index(x.text[x.from:], text) + len(text)
		for _, s := range x.checker.Check(text) {
			x.all = append(x.all, s)
			if err := x.tell(api.AskPart{Statement: verdict(s)}); err != nil {
				return &untold{err}
			}
		}
	}
	return nil
}

// mostWritten bounds an answer in bytes: several times the tokens that the model may write.
const mostWritten = 8000

func verdict(s proof.Statement) *api.Statement {
	return &api.Statement{Text: s.Text, Proven: s.Proven(), Why: string(s.Fault), About: s.About}
}

// material is the sections that may be cited, each with the lines that prove nothing.
func (x *writer) material(m *material) (asked []*readNode) {
	for _, n := range m.read {
		if n == nil || len(asked) == mostSections {
			continue
		}
		asked = append(asked, n)
		x.sections = append(x.sections, proof.Section{N: len(asked), Text: n.text, First: n.node.Lines.Start, Head: n.head(),
			Language: words.Language(n.record.Facts["language"]), Apart: prompt.Orders(n.text, n.node.Lines.Start)})
	}
	x.read = asked
	return asked
}

// mostSections is how many sections a model is given.
const mostSections = 6

// head is what a section's document is, and where in it the section stands.
func (x *readNode) head() string {
	f := x.record.Facts
	return strings.Join(slices.DeleteFunc([]string{f["owner"], f["form"], f["period"], x.record.Key, strings.Join(x.breadcrumb(), " > ")},
		func(s string) bool { return s == "" }), " | ")
}

// shown is the sections as the model reads them.
func (x *writer) shown(q planned, asked []*readNode, b section.Budget) (out []prompt.Section) {
	var sources []section.Source
	for i, n := range asked {
		clean := prompt.Without(n.text, n.node.Lines.Start, x.sections[i].Apart)
		sources = append(sources, section.Source{Text: clean, Lines: n.node.Lines, Around: n.around, Pointer: n.pointer, Score: scorer(q, n.record)})
	}
	for i, c := range section.Resolve(sources, nil, b) {
		out = append(out, prompt.Section{N: i + 1, Head: x.sections[i].Head, Shown: c.Shown})
	}
	return out
}
