package route

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/llm/scripted"
	"github.com/fingerpost/fingerpost/pkg/reference"
)

// A model adds what the question leaves open; what it gets wrong leads nowhere, and its faults cost nothing.
func TestReader(t *testing.T) {
	l, _ := shelf()
	rules := Rules{References: reference.OfQuestion, Library: l}
	const q = "how did Zennor do the year before last?"
	plain := rules.Read(q)
	for _, c := range []struct {
		name  string
		turn  scripted.Turn
		fault bool
		check func(Route) bool
	}{
		{"a period and a reference", scripted.Turn{Text: `{"kind":"summary","periods":["FY2021"],"references":["Note 7"],"words":["net income"]}`}, false, func(r Route) bool {
			return r.Kind == Summary && slices.Contains(r.Refs, "note:7") && r.Chosen.Choices[0].Docs[0].What == "Zennor, 10-K, 2021" && slices.Contains(r.Hint.Words, "net income")
		}},
		{"an owner that is not there", scripted.Turn{Text: `{"kind":"factual","periods":["Nobody Inc."],"references":["Acme"],"words":[]}`}, false, func(r Route) bool {
			return len(r.Chosen.Choices) == 1 && r.Chosen.Choices[0].Owner == "Zennor"
		}},
		{"no JSON", scripted.Turn{Text: `the annual report, I guess`}, true, nil},
		{"another shape", scripted.Turn{Text: `{"kind":"poem","periods":[],"references":[],"words":[]}`}, true, nil},
		{"away", scripted.Turn{Err: errors.New("connection refused")}, true, nil},
	} {
		r := Reader{Rules: rules, Model: llm.Bound(scripted.New(c.turn), llm.Limits{})}
		got, err := r.Read(t.Context(), q)
		if (err != nil) != c.fault {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.fault && !reflect.DeepEqual(got, plain) || !c.fault && !c.check(got) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	if got, err := (Reader{Rules: rules}).Read(t.Context(), q); err != nil || !reflect.DeepEqual(got, plain) {
		t.Errorf("without a model: %v", err)
	}
}
