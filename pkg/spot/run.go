package spot

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/plain/inline"
	"github.com/fingerpost/fingerpost/pkg/value"
)

// Run is a row of a table whose columns a parser lost: a short line that names it, then its values, a line each. Which column
// a value stands in is not known; they stand in their order.
type Run struct {
	Label   string
	Caption string // the last line above that is called a table, "Table 3: ..."; "" when none is
	Values  []value.Value
	Lines   doc.Lines // from the label to the last value
}

// Limits of a Run.
const (
	maxRunLabel  = 80 // bytes
	maxRunValue  = 40
	minRunValues = 2
	maxRunValues = 40
	maxRuns      = 5000
)

// Runs finds the rows of lost tables in a section, outside of lines that a table covers.
func Runs(src []byte, firstLine int, tables []doc.Lines, c value.Convention) (runs []Run) {
	var open Run
	caption, line := "", firstLine-1
	flush := func() {
		if len(open.Values) >= minRunValues && len(runs) < maxRuns {
			runs = append(runs, open)
		}
		open = Run{}
	}
	for raw := range bytes.Lines(src) {
		line++
		text := strings.TrimSpace(strings.Trim(inline.Text(raw), "#*> \t\r\n"))
		switch {
		case text == "":
			continue
		case covered(tables, line), len(raw) > 0 && raw[0] == '|':
			flush()
			continue
		}
		if isCaption(text) {
			caption = text
		}
		if v := value.Parse(text, c); open.Label != "" && len(text) <= maxRunValue && (v.Number != nil || measured(text, c)) && len(open.Values) < maxRunValues {
			open.Values = append(open.Values, v)
			open.Lines.End = line
			continue
		}
		flush()
		if len(text) <= maxRunLabel && strings.IndexFunc(text, unicode.IsLetter) >= 0 {
			open = Run{Label: text, Caption: caption, Lines: doc.Lines{Start: line, End: line}}
		}
	}
	flush()
	return runs
}

// measured reports whether a text that is no number begins with one, "64 px2", "1.5/2K steps", or says that there is none.
func measured(text string, c value.Convention) bool {
	first, _, _ := strings.Cut(text, " ")
	digit := text[0] >= '0' && text[0] <= '9'
	return digit && (value.Parse(first, c).Number != nil || strings.Contains(first, "/")) || strings.EqualFold(text, "n/a")
}

func covered(tables []doc.Lines, line int) bool {
	for _, t := range tables {
		if t.Start <= line && line <= t.End {
			return true
		}
	}
	return false
}

// isCaption reports whether a line is called a table.
func isCaption(text string) bool { return TableOf(text) != "" }

// TableOf is the number of the table that a caption or a question names, "3" of "Table 3: ..." at its start or "in Table 3";
// "" when it names none.
func TableOf(text string) string {
	low := strings.ToLower(text)
	for _, word := range []string{"table ", "таблиц", "tabelle "} {
		at := strings.Index(low, word)
		if at < 0 || at > 200 {
			continue
		}
		rest := low[at+len(word):]
		if word == "таблиц" {
			rest = strings.TrimLeftFunc(rest, unicode.IsLetter)
		}
		n, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
		n = strings.Trim(n, ".,:;?)(\"'")
		if digit := strings.IndexAny(n, "0123456789"); digit >= 0 && digit <= 1 && len(n) <= 10 {
			return n
		}
	}
	return ""
}

// Rate rates a Run as Cells rates cells; Lines and Label tell where it stands.
func (q *Question) Rate(r *Run, titles []string) (h Hit) {
	if q.slack == nil {
		q.slack = Idle(q.Words)
	}
	h = q.rate(q.set(r.Label), nil, nil, q.set(r.Caption), q.set(strings.Join(titles, " ")), nil, nil)
	h.Undated = true
	named := q.table(r.Caption)
	if h.Literal = q.literal(r.Label); h.Literal {
		h.Score += forLiteral
	}
	h.Named = named > 0
	h.Score += named
	return h
}
