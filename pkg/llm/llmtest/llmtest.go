// Package llmtest is what every chat model must pass. It asks for nothing that a very small model cannot do: what a
// model says is not judged.
package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/llm"
)

// patience is for one call of a small model on a busy machine.
const patience = 2 * time.Minute

// Run holds the model that open makes to the contract of package llm.
func Run(t *testing.T, open func(testing.TB) llm.Model) {
	for _, c := range []struct {
		name string
		test func(*testing.T, llm.Model)
	}{
		{"describe", describe},
		{"the pieces are the answer", pieces},
		{"without a listener", silent},
		{"same seed, same answer", seed},
		{"cut at the most tokens", most},
		{"a talk with a system's word", talk},
		{"an answer by a schema", schema},
		{"a listener that has enough", enough},
		{"cancelled", cancelled},
		{"cancelled before", cancelledBefore},
		{"longer than the window", long},
		{"requests that are refused", refused},
		{"at once", atOnce},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, llm.Bound(open(t), llm.Limits{})) })
	}
}

func ask(text string, tokens int) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Text: text}}, MaxTokens: tokens, Seed: 7}
}

func chat(t testing.TB, m llm.Model, r llm.Request, piece func(string) error) llm.Answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	a, err := m.Chat(ctx, r, piece)
	if err != nil {
		t.Fatalf("chat: %v (after %q)", err, a.Text)
	}
	return a
}

func describe(t *testing.T, m llm.Model) {
	c, err := m.Describe(t.Context())
	if err != nil || c.Model == "" || c.Window < 0 {
		t.Errorf("card %+v, error %v", c, err)
	}
}

func pieces(t *testing.T, m llm.Model) {
	var heard []string
	a := chat(t, m, ask("Say three words about rivers.", 24), func(s string) error { heard = append(heard, s); return nil })
	if a.Text == "" || strings.Join(heard, "") != a.Text {
		t.Errorf("heard %q, answer %q", heard, a.Text)
	}
	if full := nonEmpty(heard); full < 2 {
		t.Errorf("the answer came in %d pieces: %q", full, heard)
	}
	if a.Model == "" || a.Prompt <= 0 || a.Output <= 0 || a.First <= 0 || a.Took < a.First || a.End != llm.Done && a.End != llm.Length {
		t.Errorf("answer %+v", a)
	}
}

func nonEmpty(all []string) (n int) {
	for _, s := range all {
		if s != "" {
			n++
		}
	}
	return n
}

func silent(t *testing.T, m llm.Model) {
	if a := chat(t, m, ask("Which colour has snow?", 8), nil); a.Text == "" {
		t.Errorf("answer %+v", a)
	}
}

func seed(t *testing.T, m llm.Model) {
	r := ask("Name a river.", 12)
	if one, two := chat(t, m, r, nil), chat(t, m, r, nil); one.Text != two.Text {
		t.Errorf("%q, then %q", one.Text, two.Text)
	}
}

func most(t *testing.T, m llm.Model) {
	a := chat(t, m, ask("Write a long story about a lighthouse and its keeper.", 5), nil)
	if a.End != llm.Length || a.Output > 5 || a.Text == "" {
		t.Errorf("answer %+v", a)
	}
}

func talk(t *testing.T, m llm.Model) {
	short := chat(t, m, ask("And the year after?", 8), nil)
	r := ask("", 8)
	r.System = "You are a clerk who answers with one number and nothing else."
	r.Messages = []llm.Message{{Role: llm.User, Text: "Which year follows 2021?"}, {Role: llm.Assistant, Text: "2022"}, {Role: llm.User, Text: "And the year after?"}}
	if a := chat(t, m, r, nil); a.Text == "" || a.Prompt < short.Prompt+10 {
		t.Errorf("the talk before is not read: %d tokens, %d without it", a.Prompt, short.Prompt)
	}
}

func schema(t *testing.T, m llm.Model) {
	r := ask("Is snow white? Answer in JSON with the fields white (true or false) and kind (one of ice, water).", 200)
	r.Schema = json.RawMessage(`{"type": "object", "properties": {"white": {"type": "boolean"}, "kind": {"type": "string", "enum": ["ice", "water"]}},
		"required": ["white", "kind"], "additionalProperties": false}`)
	a := chat(t, m, r, nil)
	if err := llm.Satisfies(r.Schema, a.Text); err != nil {
		t.Error(err)
	}
}

func enough(t *testing.T, m llm.Model) {
	own := errors.New("enough")
	calls := 0
	a, err := m.Chat(t.Context(), ask(strings.Repeat("Tell me everything about rivers. ", 4), 400), func(s string) error {
		if calls++; calls == 2 {
			return own
		}
		return nil
	})
	if !errors.Is(err, own) || calls != 2 {
		t.Errorf("%d calls, error %v, answer %q", calls, err, a.Text)
	}
}

// cancelled ends a call at its first word; within a second of that the call must be over.
func cancelled(t *testing.T, m llm.Model) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var at time.Time
	_, err := m.Chat(ctx, ask(strings.Repeat("Count from one to one thousand in words. ", 4), 2000), func(s string) error {
		if at.IsZero() && s != "" {
			at = time.Now()
			cancel()
		}
		return nil
	})
	if took := time.Since(at); !errors.Is(err, context.Canceled) || at.IsZero() || took > time.Second {
		t.Errorf("error %v, %v after the end of the context", err, took)
	}
	if verdict, _ := fault.Of(err); verdict != fault.Retry {
		t.Errorf("verdict %v on a cancelled call", verdict)
	}
}

func cancelledBefore(t *testing.T, m llm.Model) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Chat(ctx, ask("Name a river.", 8), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("chat: %v", err)
	}
	if _, err := m.Describe(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("describe: %v", err)
	}
}

func long(t *testing.T, m llm.Model) {
	c, err := m.Describe(t.Context())
	if err != nil || c.Window == 0 {
		t.Fatalf("card %+v, error %v", c, err)
	}
	r := ask(strings.Repeat("The company leases offices. ", c.Window/3), 8)
	r.System = "You are a clerk."
	a, err := m.Chat(t.Context(), r, nil)
	verdict, class := fault.Of(err)
	if !errors.Is(err, llm.ErrLong) || verdict != fault.Fail || class != doc.TooLarge {
		t.Errorf("verdict %v %s, error %v, answer %.60q of %d tokens", verdict, class, err, a.Text, a.Prompt)
	}
}

func refused(t *testing.T, m llm.Model) {
	cold, wild := ask("a", 1), ask("a", 1)
	cold.Temperature, wild.Temperature = -1, 3
	negative, broken, remote := ask("a", -1), ask("a", 1), ask("a", 1)
	broken.Schema = json.RawMessage(`{"type": `)
	remote.Schema = json.RawMessage(`{"$ref": "http://127.0.0.1:1/x.json"}`)
	for name, r := range map[string]llm.Request{
		"no message": {}, "unknown role": {Messages: []llm.Message{{Role: "tool", Text: "a"}}}, "not UTF-8": ask("\xff", 1),
		"last one not the user's": {Messages: []llm.Message{{Role: llm.Assistant, Text: "a"}}},
		"too cold":                cold, "too wild": wild, "tokens below 0": negative, "broken schema": broken, "schema from elsewhere": remote,
	} {
		if _, err := m.Chat(t.Context(), r, func(string) error { t.Errorf("%s: the model speaks", name); return nil }); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func atOnce(t *testing.T, m llm.Model) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			var heard strings.Builder
			a, err := m.Chat(ctx, ask("Name a river.", 8), func(s string) error { heard.WriteString(s); return nil })
			if err != nil || heard.String() != a.Text {
				t.Errorf("heard %q, answer %q, error %v", heard.String(), a.Text, err)
			}
		})
	}
	wg.Wait()
}
