package query_test

import (
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// A question for several things is answered by the list that holds them, each with its place: the items, the rows of a
// table of words, the sub-sections.
func TestListsAreAnsweredByTheirItems(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	h.Put("manual.md", `# Zqpumpxv manual

## Duties of the operator

The operator has these duties before each start:

- check the oil
- open the valve
  on the pressure side
- tell the control room

Nothing else is asked.

## Alarm codes

| Code | Meaning | What to do |
|---|---|---|
| E-1 | too hot | stop the pump |
| E-2 | no water | open the inlet |

## Hazards

The hazards are described one by one.

### Hot surfaces

Surfaces are hot.

### Moving parts

Parts move.
`)
	h.Settle()
	for _, c := range []struct {
		question string
		items    []string // the headings first
	}{
		{"What are the duties of the operator before each start?", []string{"Zqpumpxv manual > Duties of the operator:", "- check the oil", "- open the valve on the pressure side", "- tell the control room"}},
		{"List the alarm codes.", []string{"Zqpumpxv manual > Alarm codes:", "- E-1 (Meaning: too hot; What to do: stop the pump)", "- E-2 (Meaning: no water; What to do: open the inlet)"}},
		{"List the hazards.", []string{"Hazards:", "- Hot surfaces", "- Moving parts"}},
	} {
		rep := answerOf(t, h, c.question)
		if rep.Form != api.FormList || rep.Answer != strings.Join(c.items, "\n") || len(rep.Citations) != len(c.items)-1 {
			t.Errorf("%s: %s %q, %d citations", c.question, rep.Form, rep.Answer, len(rep.Citations))
		}
	}
	if rep := answerOf(t, h, "What should be done about code E-2?"); rep.Form == api.FormList || strings.Contains(rep.Answer, "|") {
		t.Errorf("one thing is asked for: %s %q", rep.Form, rep.Answer)
	}
}
