package artefact_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding"
)

const text = "# A\n\ntext\n"

var (
	version = doc.VersionOf([]byte("the object"))
	model   = embedding.Fingerprint{Model: "m", Digest: "digest", Dimensions: 2}
)

// whole is a document as its stages leave it, in generation 2.
func whole(t *testing.T, s artefact.Store) {
	t.Helper()
	tree := &doc.Tree{DocID: id, Version: version, Nodes: []doc.Node{{ID: "0000", SHA256: doc.SHA256(nil)},
		{ID: "0001", Title: "A", Lines: doc.Lines{Start: 1, End: 3}, Span: doc.Lines{Start: 1, End: 3}, Bytes: doc.Bytes{End: int64(len(text))}, SHA256: doc.SHA256([]byte(text))}}}
	v := artefact.NewVectors(model.Digest, 2)
	v.ByHash[hash(1)] = []float32{.6, .8}
	if err := errors.Join(s.PutSource(ctx, ref(2), []byte(text)), s.PutTree(ctx, ref(2), tree), s.PutLayout(ctx, ref(2), []byte("{}")),
		s.PutFigure(ctx, ref(2), "figures/p1-1.png", []byte("\x89PNG\r\n\x1a\n")), s.PutVectors(ctx, ref(2), v, [][32]byte{hash(1)})); err != nil {
		t.Fatal(err)
	}
}

// packed is its parcel.
func packed(t *testing.T, s artefact.Store) (p artefact.Parcel, bodies [][]byte) {
	t.Helper()
	p = artefact.Parcel{Tenant: "acme", DocID: id, Bucket: "documents", Key: "a.md", Version: version, Pipeline: artefact.Pipeline, Level: doc.LevelFull, Notes: []string{"a note"}}
	bodies, err := s.Pack(ctx, ref(2), &p, model.Digest, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil || len(p.Parts) != 5 {
		t.Fatalf("%d parts, %v", len(p.Parts), err)
	}
	return p, bodies
}

func keys(t *testing.T, s artefact.Store) (all []string) {
	t.Helper()
	if err := s.OnShelf(ctx, "acme", id, func(k string) error { all = append(all, k); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestShelf(t *testing.T) {
	from, _ := open()
	whole(t, from)
	p, bodies := packed(t, from)
	s, _ := open()
	for i := range 2 {
		if fresh, err := s.Shelve(ctx, p, bodies); err != nil || fresh != (i == 0) {
			t.Fatalf("time %d: fresh %v, %v", i+1, fresh, err)
		}
	}
	got, err := s.ShelvedText(ctx, "acme", id, version)
	if err != nil || got == nil || string(got.Source) != text || got.Tree.Nodes[1].Title != "A" || string(got.Layout) != "{}" || len(got.Figures) != 1 || got.Notes[0] != "a note" {
		t.Fatalf("%+v, %v", got, err)
	}
	if v, err := s.ShelvedVectors(ctx, "acme", id, model.Digest); err != nil || !reflect.DeepEqual(v.ByHash, map[[32]byte][]float32{hash(1): {.6, .8}}) {
		t.Errorf("vectors %+v, %v", v, err)
	}
	// Nothing of it serves another version, another document, another tenant.
	other := doc.NewID("rival", "documents", "a.md")
	for name, f := range map[string]func() (*artefact.Text, error){
		"another version": func() (*artefact.Text, error) {
			return s.ShelvedText(ctx, "acme", id, doc.VersionOf([]byte("another object")))
		},
		"another tenant":   func() (*artefact.Text, error) { return s.ShelvedText(ctx, "rival", other, version) },
		"another document": func() (*artefact.Text, error) { return s.ShelvedText(ctx, "acme", other, version) },
	} {
		if got, err := f(); got != nil || err != nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if v, err := s.ShelvedVectors(ctx, "acme", id, "another model"); err != nil || len(v.ByHash) > 0 {
		t.Errorf("vectors of another model: %+v, %v", v, err)
	}
	p.Pipeline = "p0" // of other rules: its text is not taken, its vectors are by the words that they are of
	if fresh, err := s.Shelve(ctx, p, bodies); err != nil || !fresh {
		t.Fatal(fresh, err)
	}
	if got, err := s.ShelvedText(ctx, "acme", id, version); got != nil || err != nil {
		t.Errorf("text of other rules: %+v, %v", got, err)
	}
	if v, err := s.ShelvedVectors(ctx, "acme", id, model.Digest); err != nil || len(v.ByHash) != 1 {
		t.Errorf("vectors beside text of other rules: %+v, %v", v, err)
	}
	// A newer parcel takes the place of the older one whole.
	p.Parts, bodies = p.Parts[:2], bodies[:2]
	p.Version = doc.VersionOf([]byte("newer"))
	if fresh, err := s.Shelve(ctx, p, bodies); err != nil || !fresh || len(keys(t, s)) != 3 {
		t.Errorf("replaced: %v, %v, %q", fresh, err, keys(t, s))
	}
	if _, err := s.Purge(ctx, "acme", id, 1, nil); err != nil || len(keys(t, s)) > 0 {
		t.Errorf("after the purge: %v, %q", err, keys(t, s))
	}
}

// What was written over or half removed on the shelf is not used.
func TestDamageOnTheShelf(t *testing.T) {
	from, _ := open()
	whole(t, from)
	p, bodies := packed(t, from)
	for _, name := range []string{"source.md", "tree.json", "vectors", "parcel.json"} {
		for _, damage := range []string{"written over", "gone"} {
			s, _ := open()
			if _, err := s.Shelve(ctx, p, bodies); err != nil {
				t.Fatal(err)
			}
			k := "_import/acme/" + string(id) + "/" + name
			if damage == "gone" {
				if err := s.Blobs.Delete(ctx, artefact.Bucket, k); err != nil {
					t.Fatal(err)
				}
			} else {
				write(t, s, k, `{"tenant":"acme"}`)
			}
			got, err := s.ShelvedText(ctx, "acme", id, version)
			v, verr := s.ShelvedVectors(ctx, "acme", id, model.Digest)
			if err != nil || verr != nil || got != nil && name != "vectors" || v != nil && (name == "vectors" || name == "parcel.json") {
				t.Errorf("%s %s: %+v, %v; %+v, %v", name, damage, got, err, v, verr)
			}
		}
	}
}

func TestUnclaimed(t *testing.T) {
	from, _ := open()
	whole(t, from)
	p, bodies := packed(t, from)
	s, _ := open()
	if _, err := s.Shelve(ctx, p, bodies); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Unclaimed(ctx, time.Now().Add(-time.Hour)); n != 0 || err != nil || len(keys(t, s)) != 6 {
		t.Errorf("an hour too early: %d, %v", n, err)
	}
	if n, err := s.Unclaimed(ctx, time.Now().Add(time.Hour)); n != 6 || err != nil || len(keys(t, s)) > 0 {
		t.Errorf("in time: %d, %v", n, err)
	}
}

// A parcel whose sums are right may still have been made by a stranger: what would lead a reader astray is refused.
func TestOpenRefuses(t *testing.T) {
	from, _ := open()
	whole(t, from)
	for want, change := range map[string]struct{ part, old, new string }{
		"another version":             {"tree.json", string(version), strings.Repeat("0", 64)},
		"out of order":                {"tree.json", `"node_id":"0001"`, `"node_id":"0007"`},
		"cover":                       {"tree.json", `"lines":{"start":1,"end":3}`, `"lines":{"start":1,"end":999999999}`},
		"not the one that was parsed": {"source.md", "text", "tixt"},
		"it is no JSON":               {"layout.json", "{}", "{x"},
		"no PNG":                      {"figures/p1-1.png", "PNG", "SVG"},
		"of model":                    {"vectors", `"digest":"digest"`, `"digest":"rival!"`},
		"1 vectors of 3 numbers":      {"vectors", `"dimensions":2`, `"dimensions":3`},
		"length":                      {"vectors", "\x3f", "\x40"},
	} {
		p, bodies := packed(t, from)
		for i, x := range p.Parts {
			if x.Name == change.part {
				bodies[i] = []byte(strings.ReplaceAll(string(bodies[i]), change.old, change.new))
				p.Parts[i] = artefact.Part{Name: x.Name, Size: int64(len(bodies[i])), SHA256: doc.SHA256(bodies[i])}
			}
		}
		if _, err := p.Open(bodies, model); !errors.Is(err, artefact.ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	p, bodies := packed(t, from)
	if _, err := p.Open(bodies, model); err != nil {
		t.Error(err)
	}
	p.Parts[0].SHA256 = strings.Repeat("0", 64)
	if _, err := p.Open(bodies, model); !errors.Is(err, artefact.ErrDamaged) {
		t.Errorf("other bytes: %v", err)
	}
}
