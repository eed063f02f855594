package eval

import (
	"bytes"
	"strings"
	"testing"
)

func TestSideBySideAndPage(t *testing.T) {
	none := Question{Set: "t", ID: "q3", Question: "<script>alert(1)</script>", Kind: Unanswerable}
	good := Place{Doc: "a.md", Lines: two.Gold[0].Lines(), Text: "abc"}
	first := &Report{Finder: "find", Results: []Result{Judge(two, []Place{good}), Judge(none, []Place{good})}}
	second := &Report{Finder: "tree", Ingest: Usage{7, 100, 20, 3}, Results: []Result{Judge(two, nil), Judge(none, nil)}}
	second.Results[0].Usage = Usage{4, 900, 60, 2}
	var side, html bytes.Buffer
	if err := WriteSide(&side, []*Report{first, second}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"abstained", "0/1", "1/1", "7 calls, 100/20 tokens", "900/60"} {
		if !strings.Contains(side.String(), want) {
			t.Errorf("%q is missing:\n%s", want, side.String())
		}
	}
	if err := WritePage(&html, "Run", []*Report{first, second}, second); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<h1>Run</h1>", "<rect", "only a part of the answer is covered", "answered, though", "lines 5-6", "Against the earlier run (tree)", "&lt;script&gt;"} {
		if !strings.Contains(html.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(html.String(), "<script>") || strings.Contains(html.String(), "ZgotmplZ") {
		t.Error("the page lets a question's markup in, or lost a colour")
	}
	if err := WritePage(&html, "", nil, nil); err == nil {
		t.Error("a page of no run")
	}
}

func TestReason(t *testing.T) {
	at := func(d string) []Found { return []Found{{Doc: d}} }
	for _, c := range []struct {
		r    Result
		want string
	}{
		{Result{Answerable: true, Any: 1, All: 2, Held: 1, Doc: true, Places: at("a")}, ""},
		{Result{Abstained: true}, ""},
		{Result{Places: at("a")}, "answered, though"},
		{Result{Answerable: true}, "no place"},
		{Result{Answerable: true, Places: at("b.md")}, "another document came first: b.md"},
		{Result{Answerable: true, Doc: true, Places: at("a")}, "right document, but"},
		{Result{Answerable: true, Doc: true, Any: 1, Places: at("a")}, "only a part"},
		{Result{Answerable: true, Doc: true, Any: 1, All: 1, Places: at("a")}, "covered, but"},
		{Result{Error: "away"}, "error: away"},
	} {
		if got := c.r.Reason(); !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%+v: %q, want %q", c.r, got, c.want)
		}
	}
}
