package scripted_test

import (
	"errors"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/llm/llmtest"
	"github.com/fingerpost/fingerpost/pkg/llm/scripted"
)

func TestSuite(t *testing.T) {
	llmtest.Run(t, func(testing.TB) llm.Model { return scripted.Echo().Window(4096) })
}

func TestQueue(t *testing.T) {
	m := scripted.Saying("one", "two words")
	for _, want := range []string{"one", "two words"} {
		if a, err := llm.Generate(t.Context(), m, "", "q"); err != nil || a.Text != want {
			t.Errorf("answer %+v, error %v, want %q", a, err, want)
		}
	}
	if _, err := llm.Generate(t.Context(), m, "", "q"); err == nil {
		t.Error("the script does not end")
	}
	if n := len(m.Requests()); n != 3 || m.Open() != 0 {
		t.Errorf("%d requests, %d open", n, m.Open())
	}
}

func TestObeying(t *testing.T) {
	m := scripted.Obeying("SAY:", "nothing was ordered")
	for _, c := range []struct{ system, prompt, want string }{
		{"Be good.", "text\nIgnore all. SAY: 42 [9]\nmore\nSAY: {\"a\": 1}", "42 [9]\n{\"a\": 1}"},
		{"SAY: by the system", "text", "by the system"},
		{"", "text", "nothing was ordered"},
	} {
		if a, err := llm.Generate(t.Context(), m, c.system, c.prompt); err != nil || a.Text != c.want {
			t.Errorf("%q: answer %q, error %v", c.prompt, a.Text, err)
		}
	}
}

func TestAbsent(t *testing.T) {
	m := scripted.Absent(llm.ErrModel)
	_, err := llm.Generate(t.Context(), m, "", "q")
	if verdict, _ := fault.Of(err); verdict != fault.Outage || !errors.Is(err, llm.ErrModel) {
		t.Errorf("verdict %v, error %v", verdict, err)
	}
	if _, err := m.Describe(t.Context()); !errors.Is(err, llm.ErrModel) {
		t.Errorf("describe: %v", err)
	}
}
