package reference

import "testing"

func TestTermAsked(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"What is a Business Day?", "term:business day"},
		{"How is a deviation defined?", "term:deviation"},
		{"what does \"Handling Units\" mean in this contract", "term:handling unit"},
		{"Give the definition of Loss Value.", "term:loss value"},
		{"Что такое авария?", "term:авария"},
		{"Was bedeutet Wartung?", "term:wartung"},
		{"Who owns the racks?", ""},
		{"What is the?", ""},
		{"", ""},
	} {
		if got := TermAsked(c.question); got != c.want {
			t.Errorf("%q: %q, want %q", c.question, got, c.want)
		}
	}
}
