package minilm

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/embedding/embeddingtest"
)

// reference is a text with what the published tokenizer and the published float32 weights make of
// it, as it is and normalised. testdata is made by `scripts/model reference`.
type reference struct {
	text       string
	ids, plain []int32   // plain: of the normalised text
	raw, vec   []float32 // vec: of the normalised text
}

func references(t testing.TB) []reference {
	var texts []string
	read(t, "texts.json", &texts)
	var entries []struct{ IDs, Normalised []int32 }
	read(t, "reference.json", &entries)
	vectors, err := os.ReadFile("testdata/reference.bin")
	if err != nil {
		t.Fatal(err)
	}
	const size = 2 * 384
	if len(entries) != len(texts) || len(vectors) != 2*size*len(texts) {
		t.Fatalf("%d texts, %d entries, %d bytes of vectors: run scripts/model reference", len(texts), len(entries), len(vectors))
	}
	refs := make([]reference, len(texts))
	for i, e := range entries {
		at := vectors[2*size*i:]
		refs[i] = reference{texts[i], e.IDs, e.Normalised, vector(at[:size]), vector(at[size : 2*size])}
		if e.Normalised == nil {
			refs[i].plain = e.IDs
		}
	}
	return refs
}

// extent says how many texts of the reference run: "all" also in plain Go, which is slow, "few"
// (twenty of at most 64 tokens, of all kinds) also in assembly, for an emulated machine.
var extent = flag.String("texts", "", "which texts of the reference are tested: all, few; few in plain Go and all in assembly when empty")

func chosen(refs []reference, k *kernels) (out []reference) {
	if *extent == "all" || *extent == "" && k != generic {
		return refs
	}
	for i := 0; i < len(refs) && len(out) < 20; i++ {
		if i%11 == 5 && len(refs[i].ids) <= 64 && len(refs[i].plain) <= 64 {
			out = append(out, refs[i])
		}
	}
	return out
}

func read(t testing.TB, name string, to any) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err == nil {
		err = json.Unmarshal(b, to)
	}
	if err != nil {
		t.Fatalf("read %s: %v", name, err)
	}
}

func vector(b []byte) []float32 {
	v := make([]float32, len(b)/2)
	for i := range v {
		v[i] = float32(int16(binary.LittleEndian.Uint16(b[2*i:]))) / 32767
	}
	embedding.Unit(v)
	return v
}

func TestDigest(t *testing.T) {
	if sum := sha256.Sum256(weights); hex.EncodeToString(sum[:]) != digest {
		t.Errorf("minilm.bin has digest %x, minilm.bin.sha256 says %s", sum, digest)
	}
}

func TestSuite(t *testing.T) {
	embeddingtest.Run(t, func(testing.TB) embedding.Embedder { return New() })
}

func TestTokensEqualReference(t *testing.T) {
	refs := references(t)
	if len(refs) < 200 {
		t.Errorf("%d texts", len(refs))
	}
	lengths := map[int]bool{}
	e := New()
	for _, r := range refs {
		lengths[len(r.ids)] = true
		for _, c := range []struct {
			text string
			want []int32
		}{{r.text, r.ids}, {embedding.Normalise(r.text), r.plain}} {
			got, n := e.m.tok.encode(c.text, maxTokens)
			if !slices.Equal(got, c.want) || n != len(c.want) {
				t.Errorf("%.60q: %v, want %v", c.text, got, c.want)
			}
		}
		if n := e.Count(r.text); n != len(r.plain) {
			t.Errorf("%.60q counts %d tokens, not %d", r.text, n, len(r.plain))
		}
	}
	if !lengths[2] || !lengths[3] || !lengths[maxTokens] {
		t.Error("no text of none, one or the most tokens")
	}
}

// likeness collects cosines.
type likeness struct {
	least, sum float64
	n          int
	text       string // with the least
}

func (l *likeness) add(text string, a, b []float32) {
	c := embedding.Cosine(a, b)
	if l.n == 0 || !(c >= l.least) {
		l.least, l.text = c, text
	}
	l.sum += c
	l.n++
}

func (l *likeness) mean() float64 { return l.sum / float64(l.n) }

func (l *likeness) want(t *testing.T, least, mean float64) {
	t.Helper()
	t.Logf("%d texts: cosine at least %.5f (%.40q), mean %.5f", l.n, l.least, l.text, l.mean())
	if !(l.least >= least) || !(l.mean() >= mean) {
		t.Errorf("want at least %v, mean %v", least, mean)
	}
}

// With every kernel of this machine: the texts as they are against the reference's reading of
// them, and through Embed (normalised) against the reference's reading of the normalised text.
func TestVectorsEqualReference(t *testing.T) {
	refs := references(t)
	for _, k := range available() {
		t.Run(k.name, func(t *testing.T) {
			e, err := NewWith(k.name)
			if err != nil {
				t.Fatal(err)
			}
			var raw, normal likeness
			for _, r := range chosen(refs, k) {
				v, err := e.Embed(t.Context(), []string{r.text})
				if err != nil {
					t.Fatalf("%.40q: %v", r.text, err)
				}
				normal.add(r.text, v[0], r.vec)
				if slices.Equal(r.ids, r.plain) {
					raw.add(r.text, v[0], r.raw)
				} else {
					raw.add(r.text, e.m.forward(new(scratch), [][]int32{r.ids})[0], r.raw)
				}
			}
			raw.want(t, 0.995, 0.999)
			normal.want(t, 0.995, 0.999)
		})
	}
}

// How far normalising moves a text's vector: little, since it replaces signs of print by what
// people type; far only where the model cannot read the text as it is ("ﬁnancial" is [UNK]). The
// bound is there so that a change of the normaliser shows.
func TestNormalisingMovesVectorsLittle(t *testing.T) {
	var moved likeness
	for _, r := range references(t) {
		moved.add(r.text, r.raw, r.vec)
	}
	moved.want(t, 0, 0.97)
}
