package route

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/llm"
)

// Reader reads questions with a language model's help. What the model says is only another wording of the question, put
// before the same rules: it can bring in a period, a reference or other words, never a document that is not there, and
// with any fault the rules read the question alone.
type Reader struct {
	Rules Rules
	Model llm.Model
	// Within is how long the model may take; 0: five seconds.
	Within time.Duration
}

// wording is what the model answers.
type wording struct {
	Kind       Kind     `json:"kind"`
	Periods    []string `json:"periods"`
	References []string `json:"references"`
	Words      []string `json:"words"`
}

var wordingSchema = json.RawMessage(`{"type":"object","properties":{
"kind":{"enum":["table_cell","definition","structural","comparison","summary","factual"]},
"periods":{"type":"array","items":{"type":"string","maxLength":20},"maxItems":4},
"references":{"type":"array","items":{"type":"string","maxLength":40},"maxItems":4},
"words":{"type":"array","items":{"type":"string","maxLength":40},"maxItems":8}},
"required":["kind","periods","references","words"],"additionalProperties":false}`)

const wordingOrder = "Read the question that a person asks of a set of documents. Say what kind of answer it wants, which fiscal years or " +
	"quarters it means (written FY2022 or Q3 2024), which numbered parts it names (Note 7, Item 7A, Section 3.2), and up to " +
	"eight words that stand where the answer stands. Leave lists empty where the question says nothing."

// Read is the route of a question. The error is the model's fault, for the log: the route is the rules' then.
func (r Reader) Read(ctx context.Context, question string) (Route, error) {
	plain := r.Rules.Read(question)
	if r.Model == nil {
		return plain, nil
	}
	within := r.Within
	if within <= 0 {
		within = 5 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	a, err := r.Model.Chat(ctx, llm.Request{System: wordingOrder, Schema: wordingSchema, MaxTokens: 200,
		Messages: []llm.Message{{Role: llm.User, Text: cut(question, MaxQuestion)}}}, nil)
	var w wording
	if err == nil {
		err = json.Unmarshal([]byte(a.Text), &w)
	}
	if err != nil {
		return plain, fmt.Errorf("router's model: %w", err)
	}
	return r.with(plain, question, w), nil
}

// with puts the model's wording before the rules, and takes from it what the question left open.
func (r Reader) with(plain Route, question string, w wording) Route {
	more := r.Rules.Read(question + " (" + strings.Join(slices.Concat(w.Periods, w.References), ", ") + ")")
	out := plain
	if plain.Chosen.Asked.None() {
		out.Chosen, out.Named = more.Chosen, more.Named
	}
	for _, ref := range more.Refs {
		if !slices.Contains(out.Refs, ref) {
			out.Refs = append(slices.Clone(out.Refs), ref)
		}
	}
	if plain.Kind == Factual && w.Kind != "" {
		out.Kind = w.Kind
	}
	if words := strings.Join(w.Words, " "); words != "" {
		out.Hint.Words = append(slices.Clone(out.Hint.Words), words)
	}
	return out
}
