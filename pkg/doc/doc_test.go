package doc

import (
	"encoding/json"
	oldrand "math/rand"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/quick"
)

func TestNewID(t *testing.T) {
	// printf 'acme\0documents\0a.md' | sha256sum, the first 20 bytes in base32
	const want = "lvlvzobifmswymoh5vqagnvxfby46jbi"
	id := NewID("acme", "documents", "a.md")
	if string(id) != want || !id.Valid() {
		t.Errorf("id %q, want %q", id, want)
	}
	for _, other := range []ID{NewID("acm", "edocuments", "a.md"), NewID("acme", "document", "sa.md"), NewID("acme", "documents", "A.md")} {
		if other == id {
			t.Errorf("two objects share the id %s", id)
		}
	}
	for _, bad := range []ID{"", "a", ID(want[:31]), ID(want + "a"), ID(strings.ToUpper(want)), ID(want[:31] + "1"), ID(want[:31] + "."), ID(want + "\n"), ID(want[:16] + "\r\n" + want[16:])} {
		if bad.Valid() {
			t.Errorf("%q is valid", bad)
		}
	}
}

func TestTenantValid(t *testing.T) {
	for name, want := range map[Tenant]bool{"a": true, "acme-2_x": true, Tenant(strings.Repeat("a", 32)): true,
		"": false, Tenant(strings.Repeat("a", 33)): false, "Acme": false, "a.b": false, "a*": false, ">": false, "a b": false, "é": false, "a/b": false} {
		if name.Valid() != want {
			t.Errorf("tenant %q: valid is %v", name, !want)
		}
	}
}

// place is a Place within its limits, for testing/quick.
type place struct{ Place }

func (place) Generate(r *oldrand.Rand, _ int) reflect.Value {
	p := Place{Generation: Generation(r.Uint32() % uint32(MaxGeneration+1)), Node: r.Intn(MaxNode + 1), Ordinal: r.Intn(MaxOrdinal + 1), Flags: Flags(r.Intn(16))}
	r.Read(p.Prefix[:])
	return reflect.ValueOf(place{p})
}

func TestEntryIDCarriesItsPlace(t *testing.T) {
	if err := quick.Check(func(p place) bool { return p.ID().Place() == p.Place }, nil); err != nil {
		t.Error(err)
	}
	most := Place{Prefix: Prefix{255, 255, 255, 255, 255, 255, 255}, Generation: MaxGeneration, Node: MaxNode, Ordinal: MaxOrdinal, Flags: 15}
	if got := most.ID().String(); got != "ffffffff-ffff-ffff-ffff-ffffffffffff" {
		t.Errorf("the last id is %s", got)
	}
	if (Place{}).ID() != (EntryID{}) || most.ID().Place() != most {
		t.Error("the ends of the range do not come back")
	}
}

// The order of ids is the order of reading: prefix, generation, node, flags and ordinal.
func TestEntryIDOrder(t *testing.T) {
	a := Place{Generation: 1, Node: 2, Ordinal: 3}
	for _, b := range []Place{{Generation: 2}, {Generation: 1, Node: 3}, {Generation: 1, Node: 2, Ordinal: 4}} {
		x, y := a.ID(), b.ID()
		if string(x[:]) >= string(y[:]) {
			t.Errorf("%+v does not stand before %+v", a, b)
		}
	}
}

func TestPlaceOverItsLimitsPanics(t *testing.T) {
	for _, p := range []Place{{Generation: MaxGeneration + 1}, {Node: MaxNode + 1}, {Node: -1}, {Ordinal: MaxOrdinal + 1}, {Ordinal: -1}, {Flags: 16}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v was packed", p)
				}
			}()
			p.ID()
		}()
	}
}

func TestPrefixOf(t *testing.T) {
	id := NewID("acme", "documents", "a.md")
	p := PrefixOf(id)
	if !strings.HasPrefix(string(id), Base32(p[:])[:11]) {
		t.Errorf("prefix %x does not begin %s", p, id)
	}
	for _, bad := range []ID{"", "!", "aaaaaaaaaa"} {
		if PrefixOf(bad) != (Prefix{}) {
			t.Errorf("malformed %q has a prefix", bad)
		}
	}
}

func TestPointerRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		start := 1 + r.IntN(1_000_000)
		p := Pointer{Doc: NewID("t", "b", string(rune(r.IntN(1000)))), Version: VersionOf([]byte{byte(r.IntN(256))}),
			Anchor: strings.Repeat("a-9", 1+r.IntN(21)), Lines: Lines{start, start + r.IntN(1000)}}
		if r.IntN(2) == 0 {
			p.Spot = Spot{r.IntN(100), r.IntN(100), 1 + r.IntN(100)}
		}
		if got, err := ParsePointer(p.String()); err != nil || got != p {
			t.Fatalf("%s came back as %+v, %v", p, got, err)
		}
	}
}

func TestPointerRefused(t *testing.T) {
	good := Pointer{Doc: NewID("t", "b", "k"), Version: VersionOf(nil), Anchor: "a", Lines: Lines{3, 4}}.String()
	for name, bad := range map[string]string{
		"empty": "", "no scheme": good[3:], "space before": " " + good, "newline after": good + "\n", "upper case": strings.ToUpper(good),
		"short id": strings.Replace(good, "fp:", "fp:a", 1), "short version": strings.Replace(good, "@", "@0", 1), "no anchor": strings.Replace(good, "/a#", "/#", 1),
		"path in anchor": strings.Replace(good, "/a#", "/../a#", 1), "long anchor": strings.Replace(good, "/a#", "/"+strings.Repeat("a", 65)+"#", 1),
		"line 0": strings.Replace(good, "L3-4", "L0-4", 1), "lines backwards": strings.Replace(good, "L3-4", "L4-3", 1), "huge line": strings.Replace(good, "L3-4", "L3-9999999999", 1),
		"negative": strings.Replace(good, "L3-4", "L-3-4", 1), "half a spot": good + ";t1", "two spots": good + ";t1r1c1;t1r1c1", "megabyte": strings.Repeat("fp:", 1<<20),
	} {
		if p, err := ParsePointer(bad); err == nil || len(err.Error()) > 400 {
			t.Errorf("%s: %+v, error of %d bytes", name, p, len(err.Error()))
		}
	}
}

func FuzzParsePointer(f *testing.F) {
	f.Add(Pointer{Doc: NewID("t", "b", "k"), Version: VersionOf(nil), Anchor: "a", Lines: Lines{3, 4}, Spot: Spot{1, 2, 3}}.String())
	f.Add("fp:")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParsePointer(s)
		if err != nil {
			return
		}
		if !p.Doc.Valid() || p.Lines.Start < 1 || p.Lines.End < p.Lines.Start {
			t.Errorf("%q was read as %+v", s, p)
		}
		if again, err := ParsePointer(p.String()); err != nil || again != p {
			t.Errorf("%q was read as %+v, which comes back as %+v, %v", s, p, again, err)
		}
	})
}

func TestNodeID(t *testing.T) {
	for n, want := range map[int]NodeID{0: "0000", 7: "0007", 9999: "9999", 10000: "10000"} {
		if got := NodeIDOf(n); got != want || got.Number() != n {
			t.Errorf("node %d is %q and back %d", n, got, got.Number())
		}
	}
	for _, bad := range []NodeID{"", "-1", "x", "1x", "99999999999999999999"} {
		if bad.Number() != -1 {
			t.Errorf("%q has the number %d", bad, bad.Number())
		}
	}
}

func TestPath(t *testing.T) {
	tree := Tree{Nodes: []Node{{ID: "0000"}, {ID: "0001", Title: "A"}, {ID: "0002", Parent: "0001", Title: "B"}, {ID: "0003", Parent: "0002", Title: "C"}, {ID: "0004", Parent: "0004", Title: "loop"}}}
	for n, want := range map[int][]string{0: nil, 1: {"A"}, 3: {"A", "B", "C"}, 5: nil} {
		if got := tree.Path(n); !reflect.DeepEqual(got, want) {
			t.Errorf("path of %d is %q, want %q", n, got, want)
		}
	}
	if got := tree.Path(4); len(got) > 64 {
		t.Errorf("a loop gives %d titles", len(got))
	}
}

func TestLevels(t *testing.T) {
	order := []Level{LevelNone, LevelWords, LevelSections, LevelFull}
	for i, a := range order {
		for j, b := range order {
			if a.AtLeast(b) != (i >= j) {
				t.Errorf("%q at least %q is %v", a, b, a.AtLeast(b))
			}
		}
	}
}

func TestEmbedText(t *testing.T) {
	if got := (Chunk{Crumb: "A > B", Text: "text"}).EmbedText(); got != "[A > B]\ntext" {
		t.Errorf("%q", got)
	}
	if got := (Chunk{Text: "text"}).EmbedText(); got != "text" {
		t.Errorf("%q", got)
	}
}

// The wire form is fixed: lines as start and end, no field lost.
func TestTreeJSON(t *testing.T) {
	in := Tree{DocID: "d", Version: "v", Confidence: .5, Why: "w", Windows: true, Nodes: []Node{{ID: "0001", Anchor: "a", Parent: "0000", Level: 2, Title: "T",
		Lines: Lines{1, 2}, Span: Lines{1, 9}, Bytes: Bytes{0, 5}, Pages: &Pages{1, 1}, SHA256: "s", Confidence: 1, Why: "atx", Synthetic: true, Lent: "NOTE 2"}}}
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out Tree
	if err := json.Unmarshal(b, &out); err != nil || !reflect.DeepEqual(in, out) {
		t.Errorf("%s came back as %+v, %v", b, out, err)
	}
	if !strings.Contains(string(b), `"lines":{"start":1,"end":2}`) {
		t.Errorf("%s", b)
	}
}
