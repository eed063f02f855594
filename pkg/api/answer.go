package api

import (
	"github.com/fingerpost/fingerpost/pkg/cost"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

// AskRequest asks for an answer.
type AskRequest struct {
	Question string   `json:"question"`
	Keys     []string `json:"keys,omitempty"`
	Code     bool     `json:"code,omitempty"` // built by code alone, though a model is there
}

// AskReply is an answer with its citations; Found false says that the documents do not hold it and
// Nearest where they come closest.
type AskReply struct {
	Question  string     `json:"question"`
	Build     uint32     `json:"build,omitempty"` // the build that answered, from beginning to end
	Answer    string     `json:"answer"`
	Found     bool       `json:"found"`
	Citations []Citation `json:"citations"`
	Nearest   []Citation `json:"nearest,omitempty"`
	// Form says how the answer was made: what it is made of stands beside it.
	Form Form `json:"form,omitempty"`
	// Computed are the numbers of the answer that stand in no document but were computed from cited cells.
	Computed   []Computed  `json:"computed,omitempty"`
	Comparison *Comparison `json:"comparison,omitempty"`
	// Statements are what a model wrote, sentence by sentence, with the verdict; Answer is made of the proven ones alone.
	Statements []Statement `json:"statements,omitempty"`
	// Note says what a reader should know of how the answer was made: that the model was away, or proved nothing.
	Note  string     `json:"note,omitempty"`
	Spent cost.Spent `json:"spent,omitzero"` // what models took for it
}

// Statement is a sentence of a model. Only a proven one may be shown as an answer.
type Statement struct {
	Text      string `json:"text"`                // with its citations as they stand in Citations, "[1]"
	Proven    bool   `json:"proven"`              // every quote and number of it stands in what it cites
	Why       string `json:"why,omitempty"`       // the reason of one that is not
	About     string `json:"about,omitempty"`     // the number or the quote that is at fault
	Citations []int  `json:"citations,omitempty"` // the places that prove it: numbers of AskReply.Citations, from 1
}

// AskPart is one of the replies to a question asked for in parts.
type AskPart struct {
	N    int  `json:"n"` // from 1
	Last bool `json:"last,omitempty"`
	// Reply is the answer built by code in the first part, and the whole in the last.
	Reply *AskReply `json:"reply,omitempty"`
	// Statement is the next sentence of a model, judged; its citations count in the last part only.
	Statement *Statement `json:"statement,omitempty"`
}

// SetSpent notes what models took.
func (r *AskReply) SetSpent(s cost.Spent) { r.Spent = s }

// Form is how an answer was made.
type Form string

// The forms.
const (
	FormCell       Form = "cell"       // cells of tables, with label, unit and period
	FormComputed   Form = "computed"   // a formula over cells
	FormComparison Form = "comparison" // a table whose every cell is cited
	FormDefinition Form = "definition"
	FormSection    Form = "section"   // what the section that the question names begins with
	FormList       Form = "list"      // the items that stand below what the question names
	FormSentences  Form = "sentences" // the best lines
	FormWritten    Form = "written"   // proven statements of a model
	FormNone       Form = "none"      // the documents do not say
)

// Citation is a place and its quote, verified against the stored Source.
type Citation struct {
	Pointer    string   `json:"pointer"`
	Key        string   `json:"key"`
	Breadcrumb []string `json:"breadcrumb"`
	Quote      string   `json:"quote"` // verbatim Source
	Shown      string   `json:"shown"`
	Verified   bool     `json:"verified"`
	Cell       *Cell    `json:"cell,omitempty"` // where the citation is one value of a table
}

// Cell is one value of a table and what says what it is.
type Cell struct {
	Pointer  string   `json:"pointer"` // with ";t<table>r<row>c<column>"
	Key      string   `json:"key"`
	Text     string   `json:"text"` // as it stands in the document
	Line     int      `json:"line"` // of the Source
	Row      string   `json:"row"`  // its label
	Parents  []string `json:"parents,omitempty"`
	Columns  []string `json:"columns,omitempty"` // headers over the column, topmost first
	Caption  string   `json:"caption,omitempty"`
	Period   string   `json:"period,omitempty"`
	Unit     string   `json:"unit,omitempty"`  // as it is written
	Scale    int64    `json:"scale,omitempty"` // factor of the printed number; 0 is 1
	Currency string   `json:"currency,omitempty"`
	Percent  bool     `json:"percent,omitempty"`
	// Number is the value in units of one, an exact decimal: "-1234500000"; "" of a text.
	Number string `json:"number,omitempty"`
	Notes  []Note `json:"notes,omitempty"` // footnotes that it leads to
}

// Note is a footnote of a table.
type Note struct {
	Mark string `json:"mark"`
	Text string `json:"text"`
	Line int    `json:"line"`
}

// Computed is a number that was computed from cells by a formula.
type Computed struct {
	Name    string `json:"name"`    // "quick ratio", "change of Revenue"
	Formula string `json:"formula"` // in words: "(cash + receivables) / current liabilities"
	Filled  string `json:"filled"`  // with the numbers as they stand: "(4,835 + 4,126) / 6,369"
	Value   string `json:"value"`   // rounded, as it is said: "1.41", "12.5%"
	Number  string `json:"number"`  // a decimal of ten places at most; a percentage in hundredths: "0.125"
	Unit    string `json:"unit,omitempty"`
	Period  string `json:"period,omitempty"`
	Key     string `json:"key,omitempty"` // the document, where all cells are of one
	Cells   []Cell `json:"cells"`
}

// CellRequest asks for the cell that a pointer names.
type CellRequest struct {
	Pointer string `json:"pointer"`
}

// CellReply is a cell with the lines that say so.
type CellReply struct {
	Cell
	Title      string    `json:"title"`
	Breadcrumb []string  `json:"breadcrumb"`
	Lines      doc.Lines `json:"lines"` // of the row
	Quote      string    `json:"quote"` // these lines, verbatim
	Shown      string    `json:"shown"` // the row as a pipe row
	Verified   bool      `json:"verified"`
}

// CompareRequest asks for the same thing of several documents, editions or periods.
type CompareRequest struct {
	Question string   `json:"question"`          // what to compare: "revenue and net income"
	Keys     []string `json:"keys,omitempty"`    // these documents, in this order; none: those that the question names
	Periods  []string `json:"periods,omitempty"` // these years, in this order; none: those that the question names, else the newest of each
}

// CompareReply is a table whose every cell is cited.
type CompareReply struct {
	Question string `json:"question"`
	Comparison
}

// Comparison is rows that were found in several documents or periods, side by side.
type Comparison struct {
	Sides []Side        `json:"sides"` // the columns
	Rows  []ComparedRow `json:"rows"`
	Notes []string      `json:"notes,omitempty"` // what could not be compared, and why
}

// Side is a column of a comparison.
type Side struct {
	Key    string `json:"key"`
	Title  string `json:"title"` // what the document is: owner, form, year
	Period string `json:"period,omitempty"`
}

// ComparedRow is one thing that is compared.
type ComparedRow struct {
	Label string `json:"label"`
	// Cells has an element a side; null where the side does not say it.
	Cells     []*Cell    `json:"cells"`
	Citations []Citation `json:"citations"`
	Changes   []Computed `json:"changes,omitempty"` // differences, ratios and growth between the first side and each further one
	Missing   []string   `json:"missing,omitempty"` // which sides do not say it: their titles
}
