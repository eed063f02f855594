package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Question is one line of a question file: what is asked, and the places that answer it.
type Question struct {
	ID       string   `json:"id"`
	Corpus   string   `json:"corpus,omitempty"`
	DocIDs   []string `json:"doc_ids,omitempty"` // keys of the documents it is about
	Question string   `json:"question"`
	// Kind is table_cell, definition, structural, comparison, factual, multi_section or unanswerable.
	Kind   string `json:"kind"`
	Answer string `json:"answer,omitempty"`
	NFacts int    `json:"n_facts"` // separate facts the answer needs; 0 for unanswerable
	Gold   []Gold `json:"gold"`    // empty for unanswerable
}

// Gold is a place that answers a question or one fact of it. Places with the same Fact are
// alternatives, different ones are needed together. Lines count from 1, both ends included.
type Gold struct {
	DocID     string   `json:"doc_id"` // key of the document
	Fact      int      `json:"fact"`
	TitlePath []string `json:"title_path,omitempty"`
	StartLine int      `json:"start_line"`
	EndLine   int      `json:"end_line"`
	// The section: from its heading to the line before the next heading of any level.
	SectionStartLine int      `json:"section_start_line"`
	SectionEndLine   int      `json:"section_end_line"`
	MustContain      []string `json:"must_contain"` // strings that stand in the lines
	Cell             *Cell    `json:"cell,omitempty"`
}

// Cell is a cell of a table: its row label, column heading, value as printed, and the line of the value.
type Cell struct {
	Row   string `json:"row"`
	Col   string `json:"col"`
	Value string `json:"value"`
	Line  int    `json:"line"`
}

// Questions is what the demo asks: a cell, a definition, a structure, a comparison, and
// something that no document answers.
func Questions() []Question { return mustRead("questions.jsonl", questions) }

// Quality is the quality file: questions over the demo's documents that a test holds to a floor.
func Quality() []Question { return mustRead("quality.jsonl", quality) }

// QualityFile is the bytes of the quality file, one JSON object a line.
func QualityFile() []byte { return bytes.Clone(quality) }

func mustRead(name string, b []byte) []Question {
	q, err := readQuestions(b)
	if err != nil {
		panic("demo: the embedded " + name + ": " + err.Error())
	}
	return q
}

func readQuestions(b []byte) ([]Question, error) {
	var all []Question
	for i, line := range bytes.Split(b, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var q Question
		if err := json.Unmarshal(line, &q); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		all = append(all, q)
	}
	return all, nil
}
