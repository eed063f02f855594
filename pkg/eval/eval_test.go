package eval

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

func TestCovers(t *testing.T) {
	gold := Gold{Doc: "a.md", Start: 10, End: 12, SectionStart: 8, SectionEnd: 30, Must: []string{"Work in process", "$2,648"}}
	section := Gold{Doc: "a.md", Start: 8, End: 27, SectionStart: 8, SectionEnd: 27, Must: []string{"nowhere"}}
	at := func(start, end int) Place { return Place{Doc: "a.md", Lines: doc.Lines{Start: start, End: end}} }
	window := func(start, end int, text string) Place { p := at(start, end); p.Window, p.Text = true, text; return p }
	for _, c := range []struct {
		name string
		p    Place
		g    Gold
		want bool
	}{
		{"section holds the lines", at(8, 30), gold, true},
		{"exactly the lines", at(10, 12), gold, true},
		{"ends early", at(8, 11), gold, false},
		{"starts late", at(11, 30), gold, false},
		{"other document", Place{Doc: "b.md", Lines: doc.Lines{Start: 8, End: 30}}, gold, false},
		{"window overlaps and holds", window(12, 40, "<td>WORK in\n process</td> **2,648**"), gold, true},
		{"window overlaps, a string is missing", window(12, 40, "work in process"), gold, false},
		{"window holds, no overlap", window(13, 40, "work in process 2,648"), gold, false},
		{"half of the window in a whole section", window(1, 14, ""), section, true},
		{"less than half of the window and of the section", window(1, 13, ""), section, false},
		{"half of the section", window(18, 90, ""), section, true},
	} {
		if got := Covers(c.p, c.g); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// two is a question with two facts, the first of which has two alternatives.
var two = Question{Set: "s", ID: "q1", Question: "?", Kind: "comparison", Gold: []Gold{
	{Doc: "a.md", Fact: 0, Start: 5, End: 6},
	{Doc: "a.md", Fact: 0, Start: 50, End: 50},
	{Doc: "b.md", Fact: 1, Start: 7, End: 7, Cell: &Cell{Row: "Net sales", Column: "2022", Value: "$ 12", Line: 7}},
}}

func TestJudge(t *testing.T) {
	places := []Place{
		{Doc: "b.md", Lines: doc.Lines{Start: 90, End: 99}, Text: "<b>zwölf</b>", Shown: "zwölf"},
		{Doc: "a.md", Lines: doc.Lines{Start: 40, End: 60}, Text: "1234"},
		{Doc: "b.md", Lines: doc.Lines{Start: 1, End: 9}, Spots: []Spot{{Row: "net sales", Column: "2022", Value: "12"}}},
		{Doc: "a.md", Lines: doc.Lines{Start: 1, End: 9}},
	}
	r := Judge(two, places)
	if r.Any != 2 || r.All != 3 || r.Cell != 3 || !r.Doc || !r.HasCell || r.Abstained {
		t.Errorf("got any %d all %d cell %d doc %v", r.Any, r.All, r.Cell, r.Doc)
	}
	if r.Raw[0] != 12 || r.Clean[0] != 5 || r.Raw[1] != 16 || r.Clean[2] != 9 {
		t.Errorf("context: raw %v clean %v", r.Raw, r.Clean)
	}
	gold := Gold{Doc: "a.md", Start: 45, End: 46, Must: []string{"$5,678"}}
	if r := Judge(Question{Gold: []Gold{gold}}, places); r.Any != 2 || r.Held != 0 {
		t.Errorf("cut away: any %d held %d", r.Any, r.Held)
	}
	gold.Must[0] = "34"
	if r := Judge(Question{Gold: []Gold{gold}}, places); r.Held != 2 {
		t.Errorf("held %d", r.Held)
	}
	if r := Judge(two, places[:2]); r.Any != 2 || r.All != 0 {
		t.Errorf("half of the facts: any %d all %d", r.Any, r.All)
	}
	if r := Judge(Question{ID: "q"}, nil); !r.Abstained || r.Answerable || r.All != 0 {
		t.Errorf("unanswerable: %+v", r)
	}
}

func TestSpotNamesCell(t *testing.T) {
	g := two.Gold[2]
	for _, c := range []struct {
		name string
		doc  string
		s    Spot
		want bool
	}{
		{"line", "b.md", Spot{Lines: doc.Lines{Start: 7, End: 7}}, true},
		{"row, column and value", "b.md", Spot{Row: "NET SALES", Column: " 2022", Value: "12"}, true},
		{"wrong column", "b.md", Spot{Row: "Net sales", Column: "2021", Value: "12"}, false},
		{"wrong document", "a.md", Spot{Lines: doc.Lines{Start: 7, End: 7}}, false},
		{"a whole table", "b.md", Spot{Lines: doc.Lines{Start: 1, End: 400}}, false},
	} {
		if got := names(c.doc, c.s, g); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestRunReportsAndCompares(t *testing.T) {
	hit := Place{Doc: "a.md", Lines: doc.Lines{Start: 1, End: 9}, Text: "abc"}
	one := Question{Set: "t", ID: "q2", Question: "!", Kind: "factual", Gold: two.Gold[:1]}
	none := Question{Set: "t", ID: "q3", Question: ".", Kind: Unanswerable}
	find := func(_ context.Context, q string, k int) ([]Place, error) {
		switch q {
		case "?":
			return nil, errors.New("broken")
		case "!":
			return []Place{hit}, nil
		}
		return nil, nil
	}
	r, err := Run(t.Context(), "x", []Question{two, one, none}, find)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Sum(nil)
	if s.N != 2 || s.Any[0] != 1 || s.All[2] != 1 || s.Errors != 1 || s.Unanswerable != 1 || s.Abstained != 1 || s.Raw[0] != 1.5 {
		t.Errorf("sum: %+v", s)
	}
	var text, js bytes.Buffer
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "any 0.500/0.500/0.500 | all@5 0.500") {
		t.Errorf("%v\n%s", err, text.String())
	}
	if err := r.WriteJSON(&js); err != nil {
		t.Fatal(err)
	}
	back, err := ReadReport(&js)
	if err != nil || len(back.Results) != 3 || back.Finder != "x" {
		t.Fatalf("read back: %v, %+v", err, back)
	}
	better := &Report{Results: []Result{Judge(two, []Place{hit}), Judge(one, nil)}}
	c := Compare(back, better)[0]
	if c.Measure != "any@1" || c.Before != 1 || c.After != 1 || c.Won[0] != "q1" || c.Lost[0] != "q2" {
		t.Errorf("compare: %+v", c)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, "x", []Question{one}, find); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled run: %v", err)
	}
}

func TestReadNamesTheLine(t *testing.T) {
	good := `{"id":"a","question":"q","gold":[{"doc_id":"x.md","start_line":1,"end_line":2}]}`
	for _, c := range []struct{ in, want string }{
		{good + "\n\n" + `{"id":"b","question":"q","gold":[]}`, ""},
		{good + "\n{", "set line 2"},
		{good + "\n" + good, `"a" stands twice`},
		{`{"id":"a","question":" "}`, "needs id and question"},
		{`{"id":"a","question":"q","gold":[{"doc_id":"x.md","start_line":3,"end_line":2}]}`, "are no place"},
	} {
		_, err := Read(strings.NewReader(c.in), "set")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.in, err, c.want)
		}
	}
}
