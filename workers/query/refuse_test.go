package query_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/faulty"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding/scripted"
	"github.com/fingerpost/fingerpost/workers/intake"
	"github.com/fingerpost/fingerpost/workers/query"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// Every request gets an answer: a code, and a sentence that says what is wrong.
func TestBadRequests(t *testing.T) {
	h := workertest.Open(t, workertest.Config{Sources: []intake.Source{{Bucket: "documents", Tenant: "default"}, {Bucket: "others", Tenant: "acme"}}})
	h.Put("a.md", paper("Paper", 3))
	h.Put("gone.md", paper("Gone", 3))
	h.Store("others", "theirs.md", paper("Theirs", 3))
	h.Look("others", "theirs.md")
	h.Settle()
	good := one(t, h, "Paper "+word(1)).Pointer
	gone := one(t, h, "Gone "+word(1)).Pointer
	h.Delete("gone.md")
	theirs, err := h.Query.Find(t.Context(), "acme", api.FindRequest{Question: word(1), K: 1})
	if err != nil || len(theirs.Sections) != 1 {
		t.Fatal(err)
	}
	p, err := doc.ParsePointer(good)
	if err != nil {
		t.Fatal(err)
	}
	change := func(f func(*doc.Pointer)) string { c := p; f(&c); return fmt.Sprintf(`{"pointer":%q}`, c) }
	for _, c := range []struct {
		name, req string
		verb      api.Verb
		code      int
		sentence  string
	}{
		{"no JSON", `{"question"`, api.Find, 400, "no JSON"},
		{"nothing", ``, api.Find, 400, "question"},
		{"not an object", `[1]`, api.Find, 400, "object"},
		{"two values", `{"question":"a"}{"question":"b"}`, api.Find, 400, "find.request"},
		{"empty question", `{"question":""}`, api.Find, 400, "/question"},
		{"question of 100 kB", fmt.Sprintf(`{"question":%q}`, strings.Repeat("word ", 20_000)), api.Find, 400, "/question"},
		{"question of 4,000 characters in 8,000 bytes", fmt.Sprintf(`{"question":%q}`, strings.Repeat("ж", 4000)), api.Find, 400, "8000 bytes"},
		{"a megabyte", fmt.Sprintf(`{"question":%q}`, strings.Repeat("w", 2<<20)), api.Find, 400, "at most"},
		{"question of another type", `{"question":7}`, api.Find, 400, "/question"},
		{"k below 0", `{"question":"a","k":-1}`, api.Find, 400, "/k"},
		{"k over the limit", `{"question":"a","k":101}`, api.Find, 400, "/k"},
		{"k far over it", `{"question":"a","k":10000}`, api.Find, 400, "/k"},
		{"k without end", `{"question":"a","k":1e999}`, api.Find, 400, "out of range"},
		{"k in half", `{"question":"a","k":1.5}`, api.Find, 400, "/k"},
		{"unknown mode", `{"question":"a","mode":"magic"}`, api.Find, 400, "/mode"},
		{"signs only", `{"question":"?!"}`, api.Find, 400, "no word"},
		{"marks that nobody sees", `{"question":"\u200b \u0000\ud800"}`, api.Ask, 400, "no word"},
		{"misspelt field", `{"question":"a","kay":3}`, api.Find, 400, "kay"},
		{"a tenant in the request", `{"question":"a","tenant":"acme"}`, api.Find, 400, "tenant"},
		{"unknown key", `{"question":"a","keys":["nope.md"]}`, api.Find, 404, `"nope.md"`},
		{"key of another tenant", `{"question":"a","keys":["theirs.md"]}`, api.Find, 404, `"theirs.md"`},
		{"deleted key", `{"question":"a","keys":["gone.md"]}`, api.Find, 404, `"gone.md"`},
		{"too many keys", `{"question":"a","keys":["a"` + strings.Repeat(`,"a"`, 1000) + `]}`, api.Find, 400, "/keys"},
		{"ask: empty", `{"question":""}`, api.Ask, 400, "/question"},
		{"ask: unknown key", `{"question":"a","keys":["nope.md"]}`, api.Ask, 404, `"nope.md"`},
		{"pointer: none", `{}`, api.Read, 400, "pointer"},
		{"pointer: garbage", `{"pointer":"../../etc/passwd"}`, api.Read, 400, "/pointer"},
		{"pointer: a megabyte", fmt.Sprintf(`{"pointer":%q}`, strings.Repeat("fp:", 300_000)), api.Read, 400, "/pointer"},
		{"pointer: lines backwards", change(func(p *doc.Pointer) { p.Lines = doc.Lines{Start: 9, End: 2} }), api.Read, 400, "no range"},
		{"pointer: deleted document", fmt.Sprintf(`{"pointer":%q}`, gone), api.Read, 404, "no such document"},
		{"pointer: another tenant's", fmt.Sprintf(`{"pointer":%q}`, theirs.Sections[0].Pointer), api.Read, 404, "no such document"},
		{"pointer: unknown document", change(func(p *doc.Pointer) { p.Doc = doc.NewID("x", "y", "z") }), api.Read, 404, "no such document"},
		{"pointer: other version", change(func(p *doc.Pointer) { p.Version = doc.VersionOf(nil) }), api.Read, 404, "never had the version"},
		{"pointer: unknown section", change(func(p *doc.Pointer) { p.Anchor = "nowhere" }), api.Read, 404, "no section"},
		{"pointer: lines outside", change(func(p *doc.Pointer) { p.Lines.End += 1000 }), api.Read, 404, "has lines"},
		{"offset outside", fmt.Sprintf(`{"pointer":%q,"offset":999999}`, good), api.Read, 400, "outside the text"},
		{"offset below 0", fmt.Sprintf(`{"pointer":%q,"offset":-1}`, good), api.Read, 400, "/offset"},
		{"tree of nothing", `{}`, api.Tree, 400, "key"},
		{"tree: unknown", `{"key":"nope.md"}`, api.Tree, 404, "no such document"},
		{"tree: another tenant's", fmt.Sprintf(`{"doc_id":%q}`, theirs.Sections[0].DocID), api.Tree, 404, "no such document"},
		{"tree: another tenant's bucket", `{"bucket":"others","key":"theirs.md"}`, api.Tree, 404, "no such document"},
		{"tree: cursor beyond the end", `{"key":"a.md","cursor":99}`, api.Tree, 400, "beyond the end"},
		{"tree: cursor below 0", `{"key":"a.md","cursor":-1}`, api.Tree, 400, "/cursor"},
		{"tree: bad id", `{"doc_id":"DROP TABLE"}`, api.Tree, 400, "/doc_id"},
		{"documents: unknown state", `{"state":"lost"}`, api.Documents, 400, "/state"},
		{"documents: limit over", `{"limit":100000}`, api.Documents, 400, "/limit"},
		{"status: a field", `{"tenant":"acme"}`, api.Status, 400, "tenant"},
	} {
		_, err := raw(t, h, workertest.Tenant, c.verb, c.req)
		refused(t, c.name, err, c.code, c.sentence)
	}
	_, err = raw(t, h, "nobody", api.Find, `{"question":"a"}`)
	refused(t, "unknown tenant", err, 404, "no such tenant")
	for verb, req := range map[api.Verb]string{api.Status: ``, api.Documents: ``, api.Find: `{"question":"a?!"}`, api.Ask: `{"question":"\u0000\ud800 1"}`} {
		if _, err := raw(t, h, workertest.Tenant, verb, req); err != nil {
			t.Errorf("%s %q is refused: %v", verb, req, err)
		}
	}
}

// A tenant that asks too much at once is told so; another one does not feel it.
func TestBusy(t *testing.T) {
	h := workertest.Open(t, workertest.Config{Limits: query.Limits{Concurrent: 2, Deadline: time.Minute},
		Sources: []intake.Source{{Bucket: "documents", Tenant: "default"}, {Bucket: "others", Tenant: "acme"}}})
	h.Put("a.md", paper("Paper", 3))
	h.Settle()
	reading, goOn := make(chan struct{}, 2), make(chan struct{})
	h.Fail(func(op faulty.Op, _, key string) faulty.Fault {
		if op == faulty.Get && strings.HasSuffix(key, "source.md") {
			reading <- struct{}{}
			<-goOn
		}
		return faulty.Fault{}
	})
	req := fmt.Sprintf(`{"question":%q,"k":1}`, word(1))
	answers := make(chan error, 2)
	for range 2 {
		go func() { _, err := raw(t, h, workertest.Tenant, api.Find, req); answers <- err }()
		<-reading
	}
	_, err := raw(t, h, workertest.Tenant, api.Status, `{}`)
	refused(t, "a third request", err, 429, "ask again in a moment")
	if _, err := raw(t, h, "acme", api.Find, req); err != nil {
		t.Errorf("the other tenant: %v", err)
	}
	close(goOn)
	for range 2 {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	if _, err := raw(t, h, workertest.Tenant, api.Status, `{}`); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A part that does not answer costs a request its deadline, not more; one that is away is told without its insides.
func TestDeadlineAndOutage(t *testing.T) {
	h := workertest.Open(t, workertest.Config{Embedder: scripted.New(), Limits: query.Limits{Concurrent: 4, Deadline: 100 * time.Millisecond}})
	h.Put("a.md", paper("Paper", 3))
	h.Settle()
	h.Query.Embedder = scripted.New(scripted.Delay(time.Hour))
	_, err := raw(t, h, workertest.Tenant, api.Find, `{"question":"paper"}`)
	refused(t, "a slow model", err, 504, "longer than")
	if _, err := raw(t, h, workertest.Tenant, api.Find, `{"question":"paper","mode":"words"}`); err != nil {
		t.Errorf("by words alone: %v", err)
	}
	h.Fail(func(op faulty.Op, bucket, key string) faulty.Fault {
		return faulty.Fault{Err: fmt.Errorf("dial tcp 10.0.0.7:9000: %w", blob.ErrAway)}
	})
	_, err = raw(t, h, workertest.Tenant, api.Find, `{"question":"paper","mode":"words"}`)
	refused(t, "the store is away", err, 503, "ask again later")
	if strings.Contains(err.Error(), "10.0.0.7") {
		t.Errorf("the refusal shows the inside: %v", err)
	}
}

// A reply is JSON a client can rely on: lists are lists, never null.
func TestRepliesHaveNoNulls(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	for verb, req := range map[api.Verb]string{api.Find: `{"question":"a"}`, api.Ask: `{"question":"a"}`, api.Documents: ``, api.Status: ``} {
		reply, err := raw(t, h, workertest.Tenant, verb, req)
		if err != nil {
			t.Errorf("%s: %v", verb, err)
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(reply), &fields); err != nil {
			t.Fatal(err)
		}
		for k, v := range fields {
			if string(v) == "null" {
				t.Errorf("%s: %s is null", verb, k)
			}
		}
	}
}
