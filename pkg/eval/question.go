package eval

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Unanswerable is the Kind of questions that no place answers.
const Unanswerable = "unanswerable"

// Question is one record of a question file.
type Question struct {
	Set      string   `json:"-"` // the file's name without folder and extension
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Kind     string   `json:"kind"`
	Answer   string   `json:"answer"`
	Docs     []string `json:"doc_ids"` // documents the question is about
	Gold     []Gold   `json:"gold"`    // empty: unanswerable
}

// Gold is one place of the evidence.
type Gold struct {
	Doc  string `json:"doc_id"`
	Fact int    `json:"fact"` // same number: alternatives; different numbers: needed together
	// Start to End are the lines of the evidence, SectionStart to SectionEnd those of the section
	// that holds it; all from 1, both ends included.
	Start        int      `json:"start_line"`
	End          int      `json:"end_line"`
	SectionStart int      `json:"section_start_line"`
	SectionEnd   int      `json:"section_end_line"`
	Must         []string `json:"must_contain"` // strings that stand in the lines
	Cell         *Cell    `json:"cell"`         // nil: the evidence is no single cell
}

// Cell is a gold cell of a table. Column is "" where the head could not be tied to it.
type Cell struct {
	Row    string `json:"row"`
	Column string `json:"col"`
	Value  string `json:"value"`
	Line   int    `json:"line"`
}

// Lines is the range of the evidence.
func (g Gold) Lines() doc.Lines { return doc.Lines{Start: g.Start, End: g.End} }

// whole reports whether the evidence is a whole section.
func (g Gold) whole() bool { return g.Start == g.SectionStart && g.End == g.SectionEnd }

// Answerable reports whether the question has a gold place.
func (q Question) Answerable() bool { return len(q.Gold) > 0 }

// maxLine bounds one record of a question file, in bytes.
const maxLine = 16 << 20

// ReadFile reads a question file (JSON lines); Set is the file's name without extension.
func ReadFile(path string) ([]Question, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("questions: %w", err)
	}
	defer f.Close()
	name := filepath.Base(path)
	return Read(f, strings.TrimSuffix(name, filepath.Ext(name)))
}

// Read reads questions, one JSON object a line; empty lines are passed over. An error names set and line.
func Read(r io.Reader, set string) ([]Question, error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, maxLine)
	var qs []Question
	seen := map[string]bool{}
	for n := 1; sc.Scan(); n++ {
		if strings.TrimSpace(sc.Text()) == "" {
			continue
		}
		q := Question{Set: set}
		if err := json.Unmarshal(sc.Bytes(), &q); err != nil {
			return nil, fmt.Errorf("questions %s line %d: %w", set, n, err)
		}
		if err := q.check(); err != nil {
			return nil, fmt.Errorf("questions %s line %d: %w", set, n, err)
		}
		if seen[q.ID] {
			return nil, fmt.Errorf("questions %s line %d: id %q stands twice", set, n, q.ID)
		}
		seen[q.ID] = true
		qs = append(qs, q)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("questions %s: %w", set, err)
	}
	return qs, nil
}

func (q Question) check() error {
	if q.ID == "" || strings.TrimSpace(q.Question) == "" {
		return fmt.Errorf("a record needs id and question")
	}
	for i, g := range q.Gold {
		if g.Doc == "" || g.Start < 1 || g.End < g.Start {
			return fmt.Errorf("gold %d of %s: lines %d-%d of %q are no place", i+1, q.ID, g.Start, g.End, g.Doc)
		}
	}
	return nil
}
