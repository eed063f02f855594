// Package embeddingtest is what every embedder must pass.
package embeddingtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/embedding"
)

// texts differ in length, script and signs; none is over the limit of a small model.
var texts = []string{
	"Net revenue rose by 44 % to $23.6 billion in 2022.",
	"",
	"The board of directors declared a dividend of $0.25 a share.",
	"cash",
	"“Quoted” — and a dash; accents: café, naïve, Zürich.",
	"Глава 2. Общие положения",
	"a + b = c; x < y | z ~ 3 ^ 2",
	"年度報告 2022",
	"😀 👍🏽 emoji",
	strings.Repeat("The company leases offices and data centres under operating leases. ", 8),
	"what is the quick ratio of the company at the end of the year",
}

// near is the least cosine between two vectors of one text.
const near = 0.999

// Run holds the embedder that open makes to the contract of package embedding. An embedder
// without dimensions gives empty vectors and is held to the rest.
func Run(t *testing.T, open func(testing.TB) embedding.Embedder) {
	for _, c := range []struct {
		name string
		test func(*testing.T, embedding.Embedder)
	}{
		{"fingerprint", fingerprint},
		{"every vector is sound", sound},
		{"batch equals single, in order", batch},
		{"same text, same vector", repeat},
		{"no texts", nothing},
		{"normalised before counting and embedding", normalised},
		{"count", count},
		{"too long", tooLong},
		{"cancelled", cancelled},
		{"concurrent", concurrent},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

func embed(t testing.TB, e embedding.Embedder, texts ...string) [][]float32 {
	t.Helper()
	v, err := e.Embed(context.Background(), texts)
	if err != nil {
		t.Fatalf("embed %d texts: %v", len(texts), err)
	}
	if len(v) != len(texts) {
		t.Fatalf("%d vectors for %d texts", len(v), len(texts))
	}
	return v
}

// alike compares two vectors of one text; it is nil for an embedder without dimensions.
func alike(e embedding.Embedder, a, b []float32) error {
	dim := e.Fingerprint().Dimensions
	if err := errors.Join(embedding.Check(a, dim), embedding.Check(b, dim)); err != nil || dim == 0 {
		return err
	}
	if c := embedding.Cosine(a, b); !(c > near) {
		return fmt.Errorf("cosine %.6f between two vectors of one text", c)
	}
	return nil
}

func fingerprint(t *testing.T, e embedding.Embedder) {
	f := e.Fingerprint()
	if f.Model == "" || f.Normaliser != embedding.NormaliserVersion || f.Dimensions < 0 {
		t.Errorf("fingerprint %+v", f)
	}
	if (f.Digest == "") != (f.Dimensions == 0) {
		t.Errorf("digest %q with %d dimensions", f.Digest, f.Dimensions)
	}
	if again := e.Fingerprint(); again != f {
		t.Errorf("fingerprint was %+v, is %+v", f, again)
	}
}

func sound(t *testing.T, e embedding.Embedder) {
	for i, v := range embed(t, e, texts...) {
		if err := embedding.Check(v, e.Fingerprint().Dimensions); err != nil {
			t.Errorf("%.40q: %v", texts[i], err)
		}
	}
}

func batch(t *testing.T, e embedding.Embedder) {
	together := embed(t, e, texts...)
	for i, text := range texts {
		if err := alike(e, together[i], embed(t, e, text)[0]); err != nil {
			t.Errorf("%.40q alone and as text %d of %d: %v", text, i, len(texts), err)
		}
	}
}

func repeat(t *testing.T, e embedding.Embedder) {
	v := embed(t, e, texts[0], texts[2], texts[0])
	if err := alike(e, v[0], v[2]); err != nil {
		t.Error(err)
	}
	if e.Fingerprint().Dimensions > 0 && embedding.Cosine(v[0], v[1]) > near {
		t.Error("two texts have one vector")
	}
}

func nothing(t *testing.T, e embedding.Embedder) { embed(t, e) }

func normalised(t *testing.T, e embedding.Embedder) {
	for _, text := range texts {
		plain := embedding.Normalise(text)
		if a, b := e.Count(text), e.Count(plain); a != b {
			t.Errorf("%.40q has %d tokens, %d when normalised", text, a, b)
		}
		if err := alike(e, embed(t, e, text)[0], embed(t, e, plain)[0]); err != nil {
			t.Errorf("%.40q as it is and normalised: %v", text, err)
		}
	}
}

func count(t *testing.T, e embedding.Embedder) {
	if few, many := e.Count("cash"), e.Count("cash and cash equivalents at the end of the year"); few < 1 || many <= few {
		t.Errorf("one word has %d tokens, nine have %d", few, many)
	}
}

// tooLong expects a text just under the limit to pass and one just over it to be named.
func tooLong(t *testing.T, e embedding.Embedder) {
	limit := e.Limit()
	if limit <= 0 {
		t.Fatalf("limit %d", limit)
	}
	if limit > 1<<20 {
		embed(t, e, strings.Repeat("long ", 10_000))
		return
	}
	words := limit
	for words > 0 && e.Count(strings.Repeat("cash ", words)) > limit {
		words--
	}
	fits, over := strings.Repeat("cash ", words), strings.Repeat("cash ", words+1)
	embed(t, e, fits)
	v, err := e.Embed(context.Background(), []string{"short", fits, over})
	long, ok := errors.AsType[*embedding.TooLongError](err)
	if !ok || v != nil {
		t.Fatalf("%d tokens over a limit of %d: %d vectors, error %v", e.Count(over), limit, len(v), err)
	}
	if long.Index != 2 || long.Tokens != e.Count(over) || long.Limit != limit {
		t.Errorf("error %+v", long)
	}
}

func cancelled(t *testing.T, e embedding.Embedder) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Embed(ctx, texts); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call: %v", err)
	}
}

func concurrent(t *testing.T, e embedding.Embedder) {
	want := embed(t, e, texts...)
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := range texts {
				at := (i + worker*3) % len(texts)
				v, err := e.Embed(context.Background(), texts[at:at+1])
				if err == nil {
					err = alike(e, v[0], want[at])
				}
				if err != nil {
					t.Errorf("%.40q beside other calls: %v", texts[at], err)
				}
				e.Count(texts[at])
				e.Knows(texts[at])
			}
		})
	}
	all.Wait()
}
