package table

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/plain/inline"
)

// numbered is a caption, in lower case, that says so.
var numbered = regexp.MustCompile(`^(?:table|tab\.|exhibit|schedule|figure|таблица|табл\.|tabelle)\s+[a-z]{0,2}\d[\w.]*`)

// romanTable is such a caption with a roman number.
var romanTable = regexp.MustCompile(`^(?:table|tabelle)\s+[ivxlc]+[.:]`)

// furniture is a line of a page, in lower case, that says nothing about the table below it.
var furniture = regexp.MustCompile(`^(?:\d{1,4}|page \d+.*|table of contents|[a-z]-\d{1,3}|[ivxl]{1,7}|-+|=+|\*+|\(?unaudited\)?)$`)

func isFurniture(text string) bool {
	return len(text) < 60 && furniture.MatchString(strings.ToLower(text))
}

func isNumbered(text string) bool {
	head := cut(text, 40)
	return hasDigit(head) && numbered.MatchString(strings.ToLower(head)) || romanTable.MatchString(strings.ToLower(head))
}

// around looks at the lines above and below the table for its caption, unit, period and notes.
func (f *finder) around(t *Table) {
	sentence, better := "", ""
	for i := len(f.above) - 1; i >= 0; i-- {
		raw := f.src[f.above[i].start:f.above[i].end]
		if len(raw) > maxNote {
			raw = raw[len(raw)-maxNote:]
		}
		text := strings.TrimSpace(strings.TrimLeft(inline.Text(bytes.TrimLeft(raw, "#> \t-")), "#"))
		if text == "" || isFurniture(text) || len(f.tables) > 0 && noteMark.MatchString(text) && !(raw[0] == '#' && numberedTitle.MatchString(text)) {
			continue
		}
		if unit, scale, ok := unitText(text); ok {
			if t.Unit == "" {
				t.Unit, t.Scale = unit, scale
			}
			continue
		}
		if t.Unit == "" && len(text) < 400 {
			t.Unit, t.Scale, _ = unitInside(text)
		}
		if isNumbered(text) && t.Caption == "" {
			t.Caption = text
			break
		}
		switch {
		case sentence == "":
			sentence = text
		case better == "" && betterLead(sentence, text, raw[0] == '#'):
			better = text
		}
	}
	t.caption(sentence, better, f.tables)
	t.notes(f)
}

// betterLead reports whether a text further up leads to the table rather than the sentence, which is
// prose that does not say so: a heading does, and prose that says so, in a sentence short enough to
// name rows by.
func betterLead(sentence, text string, heading bool) bool {
	if !strings.HasSuffix(sentence, ".") {
		return false
	}
	if _, sure := leadIn(sentence); sure {
		return false
	}
	lead, sure := leadIn(text)
	return heading || sure && len(text) > maxTitle && len(lead) <= maxEntryCaption
}

// maxTitle is the longest line without a full stop, in bytes, that is taken for a title.
const maxTitle = 120

// caption settles the caption and the period of the lines above. A table right below another one
// goes on with its caption and unit. The sentence above it is no caption when it does not lead to
// the table and the header above the labels, or a better text further up, does.
func (t *Table) caption(sentence, better string, before []Table) {
	first := ""
	if cols := t.Heads[0].Columns; t.Heads[0].years() && len(cols[0].Path) > 0 && !slices.Equal(cols[0].Path, cols[1].Path) {
		first = bareLabel(cols[0].Path[len(cols[0].Path)-1])
	}
	lead, sure := leadIn(sentence)
	switch {
	case t.Caption != "":
	case sentence == "" && len(before) > 0:
		last := &before[len(before)-1]
		t.Caption = last.Caption
		if last.corner && first != "" && !isPeriod(first) {
			t.Caption, t.corner = first, true
		}
		if t.Unit == "" {
			t.Unit, t.Scale = last.Unit, last.Scale
		}
		t.follow(last)
	case !sure && first != "" && !isPeriod(first):
		t.Caption, t.corner = first, true
	default:
		if better != "" {
			lead, _ = leadIn(better)
		}
		t.Caption = lead
	}
	if t.Period == "" {
		t.Period = onlyPeriod(lead)
	}
	if t.Scale == 0 {
		t.Scale = 1
	}
}

// follow takes the header of the table before when this one has none and as many columns: it
// goes on on the next page.
func (t *Table) follow(last *Table) {
	head := &last.Heads[len(last.Heads)-1]
	if len(t.Heads[0].Rows) > 0 || len(head.Rows) == 0 || len(t.Heads[0].Columns) != len(head.Columns) {
		return
	}
	t.Continues = true
	t.Heads[0].Columns = head.Columns
}

// leads are the words by which a sentence says that a table follows.
var leads = regexp.MustCompile(`follow|table|chart|summar|below|consisted? of|components of|set forth|presented|is as|are as|was as|were as|следующ|таблиц|folgend|tabelle`)

// leadIn is what of the text above leads to a table: its last sentence that says so or ends in a
// colon, else the last one; 300 bytes at most. sure: it says so, or is as short as a heading.
func leadIn(s string) (lead string, sure bool) {
	sentences := sentencesOf(s)
	lead = sentences[len(sentences)-1]
	for i := len(sentences) - 1; i >= 0 && i >= len(sentences)-20; i-- {
		if p := strings.TrimSpace(sentences[i]); leads.MatchString(strings.ToLower(p)) || strings.HasSuffix(p, ":") {
			lead, sure = p, true
			break
		}
	}
	lead = strings.TrimSpace(lead)
	if !sure && len(sentences) == 1 && len(s) <= maxTitle && !strings.HasSuffix(s, ".") {
		sure = true
	}
	if len(lead) > 300 {
		cut := strings.IndexByte(lead[len(lead)-300:], ' ')
		lead = lead[len(lead)-300+max(cut, 0):]
	}
	return strings.ToValidUTF8(strings.TrimSpace(lead), ""), sure
}

// numberedTitle is the title of a numbered section, "3. Exhibits", which looks like a footnote.
var numberedTitle = regexp.MustCompile(`^\d{1,2}\. .{1,80}[^.]$`)

// abbreviated is a text that ends in a word with a full stop that ends no sentence: "the U.S. ",
// "e.g. ", "Acme Inc. "; or is the number of a title, "3. ".
var abbreviated = regexp.MustCompile(`^\d{1,2}\. $|(?:^|[\s(.])(?:[a-zA-Z]|[Nn]o|[Ii]nc|[Cc]orp|[Cc]o|[Ll]td|[Ll]lc|[Mm]r|[Mm]rs|[Mm]s|[Dd]r|[Ss]t|[Vv]s|[Aa]pprox|[Ff]ig|[Ss]ec|[Aa]rt|[Jj]r|[Ss]r|cf|et al|etc|тыс|млн|млрд|руб|г)\. $`)

// sentencesOf splits a text after each full stop that ends a sentence: a blank follows, the next
// letter is not a small one, and the word before is no abbreviation.
func sentencesOf(s string) []string {
	var out []string
	for _, part := range strings.SplitAfter(s, ". ") {
		if n := len(out); n > 0 {
			r, _ := utf8.DecodeRuneInString(part)
			if last := out[n-1]; unicode.IsLower(r) || abbreviated.MatchString(last[max(0, len(last)-12):]) {
				out[n-1] += part
				continue
			}
		}
		out = append(out, part)
	}
	return out
}

// noteMark is the mark at the start of a footnote.
var noteMark = regexp.MustCompile(`^(?:\(([a-z]{1,2}|\d{1,2})\)|(\d{1,2}|[a-z])[.)]|([*†‡§#^]+|[¹²³⁴⁵⁶⁷⁸⁹]+)|\[(\d{1,2}|[a-z])\])\s*\S`)

// notes reads the footnotes that follow the table.
func (t *Table) notes(f *finder) {
	at, line := int(t.Bytes.End), t.Lines.End
	if at > 0 && f.src[at-1] == '\n' {
		line++
	}
	for len(t.Notes) < maxNotes && at < len(f.src) {
		s := f.peek(at, line)
		at, line = s.end+1, line+1
		raw := bytes.TrimSpace(f.src[s.start:s.end])
		if len(raw) == 0 {
			continue
		}
		if len(raw) > 2*maxNote || raw[0] == '|' {
			return
		}
		if !bytes.HasPrefix(raw, []byte("# Denotes")) {
			raw = bytes.TrimLeft(raw, "# ")
		}
		text := inline.Text(raw)
		m := noteMark.FindStringSubmatchIndex(text)
		if m == nil {
			return
		}
		end := 0
		for i := 2; i < len(m); i += 2 {
			end = max(end, m[i+1])
		}
		for end < len(text) && strings.IndexByte(")]. ", text[end]) >= 0 {
			end++
		}
		t.Notes = append(t.Notes, Note{Mark: strings.TrimSpace(text[:end]), Text: text[end:], Line: s.line})
	}
}
