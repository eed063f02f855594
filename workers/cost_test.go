package workers_test

import (
	"math"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/workers/admin"
)

// What models take is told of a document and of a question; the same text once more takes nothing.
func TestCostIsTold(t *testing.T) {
	s := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	text := note("Ledger", word(1), 3)
	s.put("ledger.md", text)
	s.settled(1)
	first := s.status().Embeddings
	if first.Spent.Calls == 0 || first.Spent.Tokens == 0 || first.Spent.Seconds <= 0 || first.Made == 0 {
		t.Errorf("a document took %+v", first)
	}
	var rep api.AskReply
	if err := s.ask("default", api.Ask, api.AskRequest{Question: "where does " + word(1) + " stand"}, &rep); err != nil {
		t.Fatal(err)
	}
	if rep.Spent.Calls != 1 || rep.Spent.Tokens == 0 {
		t.Errorf("a question took %+v", rep.Spent)
	}
	if q := s.status().Questions; q.Asked != 1 || q.Spent != rep.Spent {
		t.Errorf("questions %+v", q)
	}

	s.put("ledger.md", text+"\nOne more line.\n")
	s.until("the new version", func() bool { e := s.status().Embeddings; return e.Saved > 0 })
	s.settled(1)
	second := s.status().Embeddings
	if second.Made-first.Made != 1 || second.Saved == 0 || second.Spent.Calls <= first.Spent.Calls {
		t.Errorf("before %+v, with one more line %+v", first, second)
	}
	var life admin.ExplainReply
	s.operate("explain", admin.DocumentRequest{Tenant: "default", Bucket: "documents", Key: "ledger.md"}, &life)
	one, all := life.Record.Spent, second.Spent
	// seconds are summed up in another order
	if one.Calls != all.Calls || one.Tokens != all.Tokens || math.Abs(one.Seconds-all.Seconds) > 1e-9 {
		t.Errorf("the document took %+v, all together %+v", life.Record.Spent, second.Spent)
	}
}
