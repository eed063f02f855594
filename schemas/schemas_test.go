package schemas_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/archive"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/facts"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/source/pdf"
	"github.com/fingerpost/fingerpost/pkg/source/pdf/layout"
	"github.com/fingerpost/fingerpost/pkg/trail"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/schemas"
	"github.com/fingerpost/fingerpost/workers/admin"
	"github.com/fingerpost/fingerpost/workers/audit"
	"github.com/fingerpost/fingerpost/workers/reconcile"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

// types is the Go type of each schema. What is missing here is checked by its examples only.
var types = map[string]any{
	"job":               wire.Job{},
	"dead":              pipeline.Letter{},
	"record":            ledger.Record{},
	"tree":              doc.Tree{},
	"chunk":             doc.Chunk{},
	"find.request":      api.FindRequest{},
	"find.reply":        api.FindReply{},
	"ask.request":       api.AskRequest{},
	"ask.reply":         api.AskReply{},
	"ask_parts.request": api.AskRequest{},
	"ask_parts.reply":   api.AskPart{},
	"read.request":      api.ReadRequest{},
	"read.reply":        api.ReadReply{},
	"cell.request":      api.CellRequest{},
	"cell.reply":        api.CellReply{},
	"compare.request":   api.CompareRequest{},
	"compare.reply":     api.CompareReply{},
	"tree.request":      api.TreeRequest{},
	"tree.reply":        api.TreeReply{},
	"documents.request": api.DocumentsRequest{},
	"documents.reply":   api.DocumentsReply{},
	"status.reply":      api.StatusReply{},
	"trail":             trail.Event{},
	"windows":           doc.Windows{},
	"card":              route.Card{},
	"manifest":          artefact.Manifest{},
	"parcel":            artefact.Parcel{},
	"export":            archive.Head{},
	"layout":            pdf.Layout{},

	"admin.dead.request":      admin.DeadRequest{},
	"admin.dead.reply":        admin.DeadReply{},
	"admin.reconcile.request": admin.ReconcileRequest{},
	"admin.reconcile.reply":   reconcile.Gaps{},
	"admin.audit.request":     admin.AuditRequest{},
	"admin.audit.reply":       audit.Report{},
	"admin.explain.request":   admin.DocumentRequest{},
	"admin.explain.reply":     admin.ExplainReply{},
	"admin.erase.request":     admin.DocumentRequest{},
	"admin.erase.reply":       admin.Receipt{},
	"admin.status.reply":      admin.StatusReply{},
	"admin.reindex.request":   admin.ReindexRequest{},
	"admin.reindex.reply":     admin.ReindexReply{},
	"build":                   build.Record{},
}

// parts is the Go type of each shape below a message, by schema and path.
var parts = map[string]any{
	"defs/$defs/section":                   api.Section{},
	"defs/$defs/spot":                      api.Spot{},
	"defs/$defs/citation":                  api.Citation{},
	"defs/$defs/cell":                      api.Cell{},
	"defs/$defs/note":                      api.Note{},
	"defs/$defs/computed":                  api.Computed{},
	"defs/$defs/comparison":                api.Comparison{},
	"defs/$defs/document":                  api.Document{},
	"defs/$defs/node":                      doc.Node{},
	"parcel/$defs/part":                    artefact.Part{},
	"windows/$defs/window":                 doc.Window{},
	"admin.dead.request/$defs/which":       pipeline.Which{},
	"admin.audit.reply/$defs/difference":   audit.Difference{},
	"admin.erase.reply/$defs/removed":      admin.Removed{},
	"admin.status.reply/$defs/walks":       admin.Walks{},
	"card/$defs/identity":                  facts.Facts{},
	"layout/$defs/page":                    pdf.PageSize{},
	"layout/$defs/heading":                 layout.Heading{},
	"layout/$defs/figure":                  layout.Figure{},
	"build/properties/vectors":             embedding.Fingerprint{},
	"find.reply/properties/route":          api.Route{},
	"find.reply/properties/took_ms":        api.Took{},
	"status.reply/properties/documents":    api.Counts{},
	"status.reply/properties/levels":       api.Levels{},
	"status.reply/properties/embeddings":   api.Embeddings{},
	"admin.reindex.reply/$defs/task":       reindex.Task{},
	"admin.reindex.reply/$defs/comparison": reindex.Comparison{},
	"admin.reindex.reply/$defs/counts":     reindex.Counts{},
}

func TestEveryVerbAndKindHasItsSchema(t *testing.T) {
	names := schemas.Names()
	verbs := []string{string(api.Find), string(api.Ask), string(api.AskParts), string(api.Read), string(api.GetCell), string(api.Compare), string(api.Tree), string(api.Documents), string(api.Status)}
	for _, e := range new(admin.Worker).Service().Endpoints {
		verbs = append(verbs, "admin."+e.Name)
	}
	for _, v := range verbs {
		for _, way := range []string{".request", ".reply"} {
			if !slices.Contains(names, v+way) {
				t.Errorf("no schema %s%s", v, way)
			}
		}
	}
	for _, k := range []wire.Kind{wire.Dropped, wire.Parsed, wire.Chunked, wire.Sectioned, wire.Embedded, wire.Removed} {
		if schemas.Examples("job")[string(k)] == nil {
			t.Errorf("no example of a job that was %s", k)
		}
	}
}

func TestExamplesValidate(t *testing.T) {
	for _, name := range schemas.Names() {
		examples := schemas.Examples(name)
		if len(examples) == 0 {
			t.Errorf("%s: no example", name)
		}
		for of, b := range examples {
			if err := schemas.Validate(name, b); err != nil {
				t.Errorf("example %s: %v", of, err)
			}
		}
	}
}

func TestTypesRoundTripTheExamples(t *testing.T) {
	for name, zero := range types {
		for of, b := range schemas.Examples(name) {
			v := strict(t, name+"/"+of, zero, b)
			again, err := json.Marshal(v)
			if err != nil {
				t.Fatalf("%s/%s: %v", name, of, err)
			}
			if got, want := value(t, again), value(t, b); !reflect.DeepEqual(got, want) {
				t.Errorf("%s/%s comes back as\n%s\nwant\n%s", name, of, again, b)
			}
			if err := schemas.Validate(name, again); err != nil {
				t.Errorf("%s/%s, encoded again: %v", name, of, err)
			}
		}
	}
}

// strict decodes b into a new value of zero's type; a field that the type lacks is an error.
func strict(t *testing.T, what string, zero any, b []byte) any {
	t.Helper()
	v := reflect.New(reflect.TypeOf(zero)).Interface()
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return v
}

func value(t *testing.T, b []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestOldExamplesStillDecode(t *testing.T) {
	files, err := filepath.Glob("testdata/backcompat/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no old examples: %v", err)
	}
	old := map[string]bool{}
	for _, f := range files {
		name := filepath.Base(filepath.Dir(f))
		old[name] = true
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := schemas.Validate(name, b); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		if zero, ok := types[name]; ok {
			strict(t, f, zero, b)
		}
	}
	for _, name := range schemas.Names() {
		if !old[name] {
			t.Errorf("%s: no old example; keep one in testdata/backcompat before its first change", name)
		}
	}
}

// shape is what is compared of a schema.
type shape struct {
	Required   []string                   `json:"required"`
	Properties map[string]json.RawMessage `json:"properties"`
	Additional any                        `json:"additionalProperties"`
}

func TestSchemasNameTheFieldsOfTheirTypes(t *testing.T) {
	for name, zero := range types {
		if reflect.TypeOf(zero).Kind() == reflect.Struct {
			compare(t, name, shapeAt(t, name, ""), zero, strings.HasSuffix(name, ".request"))
		}
	}
	for where, zero := range parts {
		name, path, _ := strings.Cut(where, "/")
		compare(t, where, shapeAt(t, name, path), zero, false)
	}
}

// shapeAt is what stands in a schema at a/b/c; "" is the schema itself.
func shapeAt(t *testing.T, name, path string) (s shape) {
	t.Helper()
	b, err := schemas.Schema(name)
	if err != nil {
		t.Fatal(err)
	}
	if path != "" {
		if b, err = json.Marshal(at(value(t, b), path)); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// compare holds a schema's properties to the type's JSON fields. What we write always is required;
// a request may leave out more than the type would write.
func compare(t *testing.T, name string, s shape, zero any, request bool) {
	t.Helper()
	fields := jsonFields(reflect.TypeOf(zero))
	for f, always := range fields {
		if _, ok := s.Properties[f]; !ok {
			t.Errorf("%s: schema lacks the field %q of %T", name, f, zero)
		}
		if required := slices.Contains(s.Required, f); !request && required != always {
			t.Errorf("%s: field %q is required %v by the schema, always written %v by %T", name, f, required, always, zero)
		}
	}
	for p := range s.Properties {
		if _, ok := fields[p]; !ok {
			t.Errorf("%s: %T lacks the field %q of the schema", name, zero, p)
		}
	}
	if request && s.Additional != false {
		t.Errorf("%s: unknown fields of a request must be refused", name)
	}
}

// jsonFields is the JSON names of a struct's fields and whether each is always written.
func jsonFields(t reflect.Type) map[string]bool {
	out := map[string]bool{}
	for f := range t.Fields() {
		tag := f.Tag.Get("json")
		if tag == "-" || !f.IsExported() {
			continue
		}
		if f.Anonymous && tag == "" {
			for n, always := range jsonFields(f.Type) {
				out[n] = always
			}
			continue
		}
		n, options, _ := strings.Cut(tag, ",")
		out[n] = !strings.Contains(options, "omit")
	}
	return out
}

func TestBrokenMessagesAreRefused(t *testing.T) {
	const question = `{"question":"q"`
	job := string(schemas.Examples("job")["dropped"])
	for _, c := range []struct{ name, in, want string }{
		{"find.request", `{}`, "lacks question"},
		{"find.request", `{"question":""}`, "/question has 0 characters; it must have at least 1"},
		{"find.request", question + `,"k":10000}`, "/k is 10000; it may be at most 100"},
		{"find.request", question + `,"k":-1}`, "/k is -1; it must be at least 0"},
		{"find.request", question + `,"limit":3}`, `has "limit", which is not known`},
		{"find.request", question + `,"keys":"a.md"}`, "/keys is of type string; it must be array"},
		{"find.request", `{"question":`, "no JSON"},
		{"find.request", ``, "no JSON"},
		{"find.request", question + `}{}`, "no JSON"},
		{"read.request", `{"pointer":"fp:x"}`, "/pointer"},
		{"tree.request", `{}`, "lacks key"},
		{"documents.request", `{"state":"lost"}`, "/state"},
		{"job", strings.Replace(job, `"generation": 3`, `"generation": 0`, 1), "/generation is 0; it must be at least 1"},
		{"job", strings.Replace(job, `"kind": "dropped"`, `"kind": "eaten"`, 1), "/kind"},
		{"job", strings.Replace(job, `"version"`, `"versions"`, 1), "lacks version"},
		{"job", strings.Replace(job, "2026-03-02T", "yesterday ", 1), "/dropped"},
		{"job", strings.Replace(job, `"tenant": "default"`, `"tenant": "a.b"`, 1), "/tenant"},
		{"trail", `{"time":"2026-03-02T09:30:00Z","what":"parse","took_ms":1}`, "lacks outcome"},
		{"admin.dead.request", `{"do":"eat","which":{}}`, "/do"},
		{"admin.dead.request", `{"which":{"stage":"parse","staeg":"x"}}`, `has "staeg", which is not known`},
		{"admin.audit.request", `{"repair":"yes"}`, "/repair is of type string; it must be boolean"},
		{"admin.erase.request", `{"tenant":"default","key":"a.md"}`, "lacks bucket"},
		{"admin.erase.request", `{"tenant":"*","bucket":"documents","key":"a.md"}`, "/tenant"},
		{"admin.dead.reply", `{"done":0,"letters":[` + string(schemas.Examples("dead")["failed"]) + `]}`, "lacks number"},
		{"windows", `{"start":[]}`, "start"},
		{"no-such", `{}`, `schema "no-such"`},
		{"defs", `{}`, `schema "defs"`},
	} {
		err := schemas.Validate(c.name, []byte(c.in))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.name, c.in, err, c.want)
		}
	}
}

func TestAnErrorIsShortWhateverTheMessage(t *testing.T) {
	big := `{"question":"` + strings.Repeat("я", 500_000) + `","` + strings.Repeat("x", 100_000) + `":1}`
	err := schemas.Validate("find.request", []byte(big))
	if err == nil || len(err.Error()) > 1000 {
		t.Errorf("error of %d bytes", len(err.Error()))
	}
}

func TestReadersIgnoreFieldsOfALaterVersion(t *testing.T) {
	b := bytes.Replace(schemas.Examples("job")["parsed"], []byte("{"), []byte(`{"later": {"a": [1]},`), 1)
	if err := schemas.Validate("job", b); err != nil {
		t.Error(err)
	}
	var j wire.Job
	if err := json.Unmarshal(b, &j); err != nil || j.Kind != wire.Parsed {
		t.Errorf("kind %q, %v", j.Kind, err)
	}
}
