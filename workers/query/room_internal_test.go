package query

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/proof"
)

// What a model is told fits into its window, whatever its size: by two characters a token, the answer's tokens counted.
func TestARequestFitsTheWindow(t *testing.T) {
	x := &writer{rep: api.AskReply{Question: "What was net revenue in 2031?"}}
	var asked []*readNode
	for i := range mostSections {
		text := fmt.Sprintf("## Part %d\n\n%s", i, strings.Repeat("Net revenue was 2,412.5 in 2031, and 1,931.0 in 2030.\n\n", 200))
		lines := doc.Lines{Start: 1, End: strings.Count(text, "\n")}
		asked = append(asked, &readNode{record: ledger.Record{}, tree: &shape{}, node: doc.Node{Title: "Part", Lines: lines}, text: []byte(text)})
		x.sections = append(x.sections, proof.Section{N: i + 1, Head: "Pump Works AG | annual report | Part"})
	}
	for _, window := range []int{1024, 1536, 2048, 4096, 8192, 1 << 17} {
		r := x.room(planned{}, asked, written, window)
		if n := characters(r); n > perToken*(window-r.MaxTokens) || r.MaxTokens > answered {
			t.Errorf("a window of %d: %d characters, %d tokens of answer", window, n, r.MaxTokens)
		}
		if n := characters(r); window >= 8192 && n < written.Total {
			t.Errorf("a window of %d: only %d characters", window, n)
		}
		if !strings.Contains(r.Messages[0].Text, "Section [1]") {
			t.Errorf("a window of %d: without the best section", window)
		}
	}
	if r := x.room(planned{}, asked, written, 16); r.MaxTokens != 32 {
		t.Errorf("a window that nothing fits in: %d tokens", r.MaxTokens)
	}
}
