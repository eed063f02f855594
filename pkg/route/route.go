package route

import "github.com/fingerpost/fingerpost/pkg/reference"

// Rules are what a question is read by. The zero Rules only clean it.
type Rules struct {
	References func(string) []string // finds structural references: reference.OfQuestion
	Names      *Table                // the tenant's documents by the words they call themselves
	Library    *Library              // and by their facts: owner, period, form
	Vocabulary *Vocabulary
}

// Route is what a question asks for.
type Route struct {
	Text  string   `json:"text"`            // the words worth searching, in the question's order
	Refs  []string `json:"refs,omitempty"`  // structural references, canonical: "note:7", "item:7a", "term:affiliate"
	Named []Named  `json:"named,omitempty"` // the documents it names: search only these
	Hint  Hint     `json:"hint,omitzero"`   // what the vocabulary adds
	Kind  Kind     `json:"kind"`
	// Statements are the statements of a report that it wants.
	Statements []Statement `json:"statements,omitempty"`
	// Chosen is what the documents' facts say: which owners it names and which of their documents; these are Named
	// as well.
	Chosen Chosen `json:"chosen,omitzero"`
}

// MaxQuestion bounds what is read of a question, in bytes; the rest is not looked at.
const MaxQuestion = 4 << 10

// Of reads a question by its references alone.
func Of(question string, references func(string) []string) Route {
	return Rules{References: references}.Read(question)
}

// Read reads a question.
func (r Rules) Read(question string) Route {
	question = cut(question, MaxQuestion)
	clean := Clean(question)
	out := Route{Text: clean, Hint: r.Vocabulary.Hint(question)}
	if r.References != nil {
		out.Refs = r.References(question)
	}
	if r.Library != nil {
		out.Chosen = r.Library.Choose(question)
		if len(out.Chosen.Choices) > 0 {
			out.Text = Clean(out.Chosen.without(question))
		}
	}
	if r.Names != nil {
		out.Named = r.Names.Documents(question)
		if len(out.Chosen.Choices) > 0 {
			out.Named = r.Library.ownerless(out.Named)
		}
		out.Text = Without(out.Text, out.Named)
	}
	out.Named = append(out.Chosen.named(), out.Named...)
	out.Statements = statements(question, clean, out.Hint)
	out.Kind = kindOf(question, out.Refs, out.Named)
	if r.References != nil && out.Kind == Definition {
		if term := reference.TermAsked(question); term != "" {
			out.Refs = append(out.Refs, term)
		}
	}
	return out
}

// cut is the first n bytes of s at most, whole runes only.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
