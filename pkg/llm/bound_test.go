package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/llm/scripted"
)

func TestBound(t *testing.T) {
	own := errors.New("own")
	short := llm.Limits{First: 50 * time.Millisecond, Between: 50 * time.Millisecond, Total: 400 * time.Millisecond, Bytes: 1000}
	for _, c := range []struct {
		name    string
		turn    scripted.Turn
		want    error
		verdict fault.Verdict
		text    string // a beginning
	}{
		{"well", scripted.Turn{Text: "a b c"}, nil, fault.Retry, "a b c"},
		{"no word", scripted.Turn{Text: "a", Before: time.Hour}, llm.ErrSlow, fault.Outage, ""},
		{"dead in the middle", scripted.Turn{Text: "a b", Dead: true}, llm.ErrSlow, fault.Outage, "a b"},
		{"a word an hour", scripted.Turn{Text: "a b", Between: time.Hour}, llm.ErrSlow, fault.Outage, "a "},
		{"a word now and then, for ever", scripted.Turn{Text: "a ", Endless: true, Between: 5 * time.Millisecond}, llm.ErrSlow, fault.Outage, "a "},
		{"endless", scripted.Turn{Text: "spam ", Endless: true}, llm.ErrEndless, fault.Retry, "spam spam "},
		{"its own error", scripted.Turn{Text: "a", Err: own}, own, fault.Retry, "a"},
		{"away", scripted.Turn{Err: llm.ErrAway}, llm.ErrAway, fault.Outage, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := scripted.New(c.turn)
			a, err := llm.Generate(t.Context(), llm.Bound(m, short), "", "q")
			verdict, _ := fault.Of(err)
			if !errors.Is(err, c.want) || verdict != c.verdict || !strings.HasPrefix(a.Text, c.text) || len(a.Text) > 1000 {
				t.Errorf("verdict %v, error %v, answer %.40q", verdict, err, a.Text)
			}
			if m.Open() != 0 {
				t.Error("the model still speaks")
			}
		})
	}
}

// A caller's deadline is the caller's: no verdict blames the server for it.
func TestBoundTellsTheCallersEnd(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := llm.Generate(ctx, llm.Bound(scripted.New(scripted.Turn{Dead: true}), llm.Limits{}), "", "q")
	if verdict, _ := fault.Of(err); !errors.Is(err, context.DeadlineExceeded) || verdict != fault.Retry {
		t.Errorf("verdict %v, error %v", verdict, err)
	}
}

func TestBoundChecksTheSchema(t *testing.T) {
	schema := json.RawMessage(`{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}`)
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{`{"n": 3}`, true}, {` {"n": 3} `, true}, {`{"n": "3"}`, false}, {`{}`, false}, {`{"n": 3`, false}, {`{"n": 3} and more`, false},
		{"```json\n{\"n\": 3}\n```", false}, {"", false}, {"null", false}, {`{"n": 3, "n": 4`, false},
	} {
		r := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "q"}}, Schema: schema}
		a, err := llm.Bound(scripted.Saying(c.text), llm.Limits{}).Chat(t.Context(), r, nil)
		if (err == nil) != c.ok || !c.ok && !errors.Is(err, llm.ErrJSON) || a.Text != c.text {
			t.Errorf("%q: answer %q, error %v", c.text, a.Text, err)
		}
	}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		err     error
		verdict fault.Verdict
		class   doc.Class
	}{
		{nil, fault.Retry, doc.Internal}, {llm.ErrAway, fault.Outage, ""}, {llm.ErrBusy, fault.Outage, ""}, {llm.ErrModel, fault.Outage, ""},
		{llm.ErrSlow, fault.Outage, ""}, {llm.ErrLong, fault.Fail, doc.TooLarge}, {llm.ErrJSON, fault.Retry, doc.Internal},
		{llm.ErrEndless, fault.Retry, doc.Internal}, {errors.Join(llm.ErrAway, context.Canceled), fault.Retry, doc.Internal},
	} {
		if v, class := fault.Of(llm.Judge(c.err)); v != c.verdict || class != c.class {
			t.Errorf("%v: verdict %v %s", c.err, v, class)
		}
	}
}

func TestWhole(t *testing.T) {
	r := llm.Request{System: "a b", Messages: []llm.Message{{Role: llm.User, Text: "c d e"}}}
	for _, c := range []struct {
		read, window int
		ok           bool
	}{{0, 100, true}, {5, 100, true}, {5, 0, true}, {4, 100, false}, {100, 100, false}} {
		if err := r.Whole(c.read, c.window); (err == nil) != c.ok {
			t.Errorf("%d of %d: %v", c.read, c.window, err)
		}
	}
}
