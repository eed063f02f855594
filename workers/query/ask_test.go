package query_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/schemas"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// paper is a document of n sections, the i-th of which holds word(i) on a line of its own.
func paper(title string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nAn opening of some length that says what this paper is about.\n\n", title)
	for i := range n {
		fmt.Fprintf(&b, "## Part %d\n\nOrdinary matters are spoken of at ordinary length here.\nThe particular word is %s.\n\n", i, word(i))
	}
	return b.String()
}

// word is the i-th of a row of invented words.
func word(i int) string { return fmt.Sprintf("zq%dxv", i) }

// raw asks a verb as a message would; the reply must keep to its schema.
func raw(t *testing.T, h *workertest.House, tn doc.Tenant, v api.Verb, req string) (string, error) {
	t.Helper()
	all := h.Query.Service().Endpoints
	i := slices.IndexFunc(all, func(e bus.Endpoint) bool { return e.Name == string(v) })
	rep, err := all[i].Handle(t.Context(), api.Subject(tn, v), []byte(req))
	if err == nil {
		if err := schemas.Validate(string(v)+".reply", rep); err != nil {
			t.Errorf("the reply to %s %.200s breaks its schema: %v", v, req, err)
		}
	}
	return string(rep), err
}

// ask asks for the default tenant and decodes the reply.
func ask[Rep any](t *testing.T, h *workertest.House, v api.Verb, req any) (rep Rep, err error) {
	t.Helper()
	b, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	s, err := raw(t, h, workertest.Tenant, v, string(b))
	if err == nil {
		err = json.Unmarshal([]byte(s), &rep)
	}
	return rep, err
}

func find(t *testing.T, h *workertest.House, question string, k int) []api.Section {
	t.Helper()
	rep, err := ask[api.FindReply](t, h, api.Find, api.FindRequest{Question: question, K: k})
	if err != nil {
		t.Fatal(err)
	}
	return rep.Sections
}

// one finds the best section and fails without.
func one(t *testing.T, h *workertest.House, question string) api.Section {
	t.Helper()
	all := find(t, h, question, 1)
	if len(all) != 1 {
		t.Fatalf("%q: %d sections", question, len(all))
	}
	return all[0]
}

// refused checks code and sentence of a refusal.
func refused(t *testing.T, what string, err error, code int, sentence string) {
	t.Helper()
	var se *bus.ServiceError
	if !errors.As(err, &se) || se.Code != code || !strings.Contains(se.Message, sentence) || len(se.Message) > 1000 {
		t.Errorf("%s: %v, want %d with %q", what, err, code, sentence)
	}
}

// What is answered stands in the quoted lines, also where a cell reaches down from a row above.
func TestQuotesSayWhatIsShown(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	h.Put("a.md", "# Regions\n\n<table>\n<tr><td>Area</td><td>Part</td><td>Sales</td></tr>\n<tr><td rowspan=\"2\">Zqregionxv</td><td>North</td><td>1,200</td></tr>\n<tr><td>Zqsouthxv</td><td>3,400</td></tr>\n</table>\n")
	h.Settle()
	rep, err := ask[api.AskReply](t, h, api.Ask, api.AskRequest{Question: "sales of zqregionxv zqsouthxv"})
	if err != nil || !rep.Found || !strings.Contains(rep.Answer, "3,400") {
		t.Fatalf("%+v, %v", rep, err)
	}
	for _, c := range rep.Citations {
		for _, cell := range strings.Split(strings.Trim(c.Shown, "| "), " | ") {
			if c.Verified && !strings.Contains(c.Quote, cell) {
				t.Errorf("%q is said to stand in %q", c.Shown, c.Quote)
			}
		}
		got, err := ask[api.ReadReply](t, h, api.Read, api.ReadRequest{Pointer: c.Pointer})
		if err != nil || strings.TrimRight(got.Text, "\n") != c.Quote {
			t.Errorf("%s reads %q, %v", c.Pointer, got.Text, err)
		}
	}
}
