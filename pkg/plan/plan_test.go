package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/rank"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/words"
)

func TestHalves(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"How are strokes extracted from the image, and how does it compare with baselines?",
			"How are strokes extracted from the image|, and how does it compare with baselines?"},
		{"Does the pump run dry in winter? Which valve is closed first?", "Does the pump run dry in winter|? Which valve is closed first?"},
		{"Both papers train models. How do they differ in memory?", "Both papers train models.| How do they differ in memory?"},
		{"the goodwill acquired with Xilinx and the debt assumed from it", "the goodwill acquired with Xilinx |the debt assumed from it"},
		{"Explain the roles of the SVG encoder, the diffusion model, and the dropout mechanism.",
			"the roles of the SVG encoder|the diffusion model|the dropout mechanism"},
		{"Как чередуют агрегаты и кто отвечает за это?", "Как чередуют агрегаты| и кто отвечает за это?"},
		{"How much of the U.S. direct deposits did it hold?", ""},
		{"What is goodwill and why?", ""},
		{"", ""},
	} {
		if got := strings.Join(halves(c.question), "|"); got != c.want {
			t.Errorf("%q: %q, want %q", c.question, got, c.want)
		}
	}
}

func TestPlan(t *testing.T) {
	r := route.Route{
		Text: "goodwill of the pumps", Refs: []string{"note:7"}, Kind: route.Cell,
		Hint:       route.Hint{Words: []string{"goodwill, net", "goodwill"}, Titles: []string{"Balance sheet"}},
		Named:      []route.Named{{Word: "Acme", Docs: vector.Filter{doc.Prefix{1}}}},
		Statements: []route.Statement{{Kind: "balance", Named: true}},
		Chosen:     route.Chosen{Choices: []route.Choice{{Owner: "Acme"}}},
	}
	p := Of(r, []words.Language{words.English}, rank.Standard())
	if !slices.Equal(p.Terms, []string{"goodwil", "pump"}) || !slices.Equal(p.Extra, []string{"goodwil", "net"}) || len(p.Titles) != 1 {
		t.Errorf("terms %q extra %q titles %q", p.Terms, p.Extra, p.Titles)
	}
	if !slices.Equal(p.Named, []string{"Acme"}) || len(p.Routed) != 1 || p.Refs[0] != "note:7" || p.Kind != route.Cell || p.Halves != nil {
		t.Errorf("%+v", p)
	}
	if p.Weights != rank.Standard().Chosen() || p.Statements[0].Weight != rank.Standard().Statement {
		t.Errorf("weights %+v, statements %+v", p.Weights, p.Statements)
	}
}
