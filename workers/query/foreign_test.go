package query_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/workers/intake"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// secret marks every line of a tenant's documents.
var secret = map[doc.Tenant]string{"default": "OURSECRET", "acme": "THEIRSECRET"}

// requests makes seeded requests of a tenant out of pieces of both tenants: pointers, ids, keys, words.
type requests struct {
	*rand.Rand
	pointers []doc.Pointer
	keys     []string
	buckets  []string
}

func (r requests) pick(all []string) string { return all[r.IntN(len(all))] }

// pointer is one of the pointers, or a mixture of two, with lines and spots at random; sometimes broken.
func (r requests) pointer() string {
	p, q := r.pointers[r.IntN(len(r.pointers))], r.pointers[r.IntN(len(r.pointers))]
	switch r.IntN(6) {
	case 0:
		p.Version = q.Version
	case 1:
		p.Anchor = q.Anchor
	case 2:
		p.Lines = doc.Lines{Start: 1 + r.IntN(20), End: 1 + r.IntN(60)}
	case 3:
		p.Spot = doc.Spot{Table: r.IntN(3), Row: r.IntN(3), Column: r.IntN(3)}
	case 4:
		p.Doc = q.Doc
	}
	b := []byte(p.String())
	for range r.IntN(2) {
		b[r.IntN(len(b))] = byte(' ' + r.IntN(94))
	}
	return string(b)
}

func (r requests) question() string {
	return strings.Join([]string{r.pick([]string{"", "what is", "Part 2"}), secret["default"], r.pick([]string{"", secret["acme"], "*", "\"' OR 1=1"}), word(r.IntN(5))}, " ")
}

// next is a verb and its request.
func (r requests) next() (api.Verb, any) {
	key := []string{r.pick(r.keys)}
	switch r.IntN(7) {
	case 0:
		return api.Find, api.FindRequest{Question: r.question(), K: 1 + r.IntN(100)}
	case 1:
		return api.Find, api.FindRequest{Question: r.question(), Keys: key, Explain: true}
	case 2:
		return api.Ask, api.AskRequest{Question: r.question()}
	case 3:
		return api.Tree, api.TreeRequest{Key: key[0], Bucket: r.pick(append(r.buckets, ""))}
	case 4:
		return api.Tree, api.TreeRequest{DocID: r.pointers[r.IntN(len(r.pointers))].Doc}
	case 5:
		return api.Documents, api.DocumentsRequest{Prefix: r.pick([]string{"", "t", "theirs", "../"}), Cursor: r.pick([]string{"", "documents/", "a"})}
	}
	return api.Read, api.ReadRequest{Pointer: r.pointer(), Offset: r.IntN(3) * r.IntN(50)}
}

// Whatever a tenant asks, with whatever it learned of another one, it is shown its own text only.
func TestForeignTextIsNeverShown(t *testing.T) {
	const seed = 7
	rounds := 1000
	if testing.Short() {
		rounds = 200
	}
	h := workertest.Open(t, workertest.Config{Sources: []intake.Source{{Bucket: "documents", Tenant: "default"}, {Bucket: "others", Tenant: "acme"}, {Bucket: "documents", Prefix: "acme/", Tenant: "acme"}}})
	r := requests{Rand: rand.New(rand.NewPCG(seed, 0)), buckets: []string{"documents", "others"}}
	for _, s := range []struct {
		bucket, key string
		tenant      doc.Tenant
	}{{"documents", "same.md", "default"}, {"others", "same.md", "acme"}, {"documents", "ours.md", "default"}, {"documents", "acme/theirs.md", "acme"}} {
		h.Store(s.bucket, s.key, strings.ReplaceAll(paper("Paper "+s.key, 5), "word", secret[s.tenant]))
		h.Look(s.bucket, s.key)
		r.keys = append(r.keys, s.key)
	}
	h.Settle()
	for tn := range secret {
		rep, err := h.Query.Find(t.Context(), tn, api.FindRequest{Question: word(1), K: 20})
		if err != nil || len(rep.Sections) < 10 {
			t.Fatalf("%s finds %d sections, %v", tn, len(rep.Sections), err)
		}
		for _, s := range rep.Sections {
			p, err := doc.ParsePointer(s.Pointer)
			if err != nil {
				t.Fatal(err)
			}
			r.pointers = append(r.pointers, p)
		}
	}
	answered, own := map[api.Verb]int{}, 0
	for i := range rounds {
		for tn, other := range map[doc.Tenant]doc.Tenant{"default": "acme", "acme": "default"} {
			verb, req := r.next()
			b, err := json.Marshal(req)
			if err != nil {
				t.Fatal(err)
			}
			reply, err := raw(t, h, tn, verb, string(b))
			said := reply + fmt.Sprint(err)
			said = strings.ReplaceAll(said, questionOf(req), "")
			if strings.Contains(said, secret[other]) && !strings.Contains(said, `"question"`) || foreign(reply, tn) {
				t.Fatalf("seed %d, round %d: %s asks %s %s and is shown %s", seed, i, tn, verb, b, said)
			}
			if code := workertest.Code(err); err != nil && code != 400 && code != 404 && code != 410 {
				t.Errorf("%s %s: %v", verb, b, err)
			}
			if err == nil {
				answered[verb]++
				if strings.Contains(reply, secret[tn]) {
					own++
				}
			}
		}
	}
	if own < rounds/10 || answered[api.Read] < rounds/50 || answered[api.Tree] < rounds/50 {
		t.Errorf("the test asks for too little: %v answered, %d with own text", answered, own)
	}
}

// questionOf is the question that a reply may repeat.
func questionOf(req any) string {
	switch q := req.(type) {
	case api.FindRequest:
		return q.Question
	case api.AskRequest:
		return q.Question
	}
	return "\x00"
}

// foreign reports whether a reply holds text or names of a tenant other than tn.
func foreign(reply string, tn doc.Tenant) bool {
	var r struct {
		Sections []api.Section
		api.AskReply
		Documents []api.Document
		Text, Key string
	}
	_ = json.Unmarshal([]byte(reply), &r)
	texts := r.Answer + r.Text
	keys := []string{r.Key}
	for _, s := range r.Sections {
		texts += s.Text + s.Shown
		keys = append(keys, s.Key)
	}
	for _, c := range append(r.Citations, r.Nearest...) {
		texts += c.Quote + c.Shown
		keys = append(keys, c.Key)
	}
	for _, d := range r.Documents {
		keys = append(keys, d.Key)
	}
	for other, word := range secret {
		if other != tn && strings.Contains(texts, word) {
			return true
		}
	}
	not := map[doc.Tenant]string{"default": "acme/theirs.md", "acme": "ours.md"}[tn]
	for _, k := range keys {
		if k == not {
			return true
		}
	}
	return false
}
