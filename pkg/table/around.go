package table

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/plain/inline"
)

// numbered is a caption that says so.
var numbered = regexp.MustCompile(`(?i)^(?:table|tab\.|exhibit|schedule|figure|таблица|табл\.|tabelle)\s+[A-Z]?\d[\w.]*`)

// furniture is a line of a page that says nothing about the table below it.
var furniture = regexp.MustCompile(`(?i)^(?:\d{1,4}|page \d+.*|table of contents|[a-z]-\d{1,3}|-+|=+|\*+|\(?unaudited\)?)$`)

// around looks at the lines above and below the table for its caption, unit, period and notes.
func (f *finder) around(t *Table) {
	sentence := ""
	for i := len(f.above) - 1; i >= 0; i-- {
		raw := f.src[f.above[i].start:f.above[i].end]
		if len(raw) > maxNote {
			raw = raw[len(raw)-maxNote:]
		}
		text := strings.TrimSpace(strings.TrimLeft(inline.Text(bytes.TrimLeft(raw, "#> \t-")), "#"))
		if text == "" || furniture.MatchString(text) {
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
		if numbered.MatchString(text) && t.Caption == "" {
			t.Caption = text
			break
		}
		if sentence == "" {
			sentence = text
		}
	}
	t.caption(sentence, len(f.above) == 0 && len(f.tables) > 0, f.tables)
	t.notes(f)
}

// caption settles the caption and the period of the lines above. A table right below another one
// goes on with its caption and unit.
func (t *Table) caption(sentence string, follows bool, before []Table) {
	if t.Caption == "" {
		t.Caption = lastSentence(sentence)
	}
	if follows {
		last := &before[len(before)-1]
		if t.Caption == "" {
			t.Caption = last.Caption
		}
		if t.Unit == "" {
			t.Unit, t.Scale = last.Unit, last.Scale
		}
	}
	if found := anyPeriod.FindAllString(sentence, 3); len(found) == 1 {
		t.Period = found[0]
	}
	if t.Scale == 0 {
		t.Scale = 1
	}
}

// lastSentence is what leads to a table: the last sentence of the text above it, 300 bytes at most.
func lastSentence(s string) string {
	if len(s) <= 200 {
		return s
	}
	if n := strings.LastIndex(s[:len(s)-1], ". "); n > 0 && len(s)-n > 12 {
		s = s[n+2:]
	}
	if len(s) > 300 {
		cut := strings.IndexByte(s[len(s)-300:], ' ')
		s = s[len(s)-300+max(cut, 0):]
	}
	return strings.ToValidUTF8(strings.TrimSpace(s), "")
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
		if len(raw) > 2*maxNote {
			return
		}
		text := inline.Text(bytes.TrimLeft(raw, "# "))
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
