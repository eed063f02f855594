// Package schemas is what crosses the network, as JSON Schema 2020-12: every message between the
// stages, the records in the key-value buckets, a document's trail, the artefacts tree.json, chunks.jsonl,
// windows.json, manifest.json, card.json and layout.json, and the requests and replies of the tenants' service
// and of the operator's (admin.<verb>). A schema has an example or more in examples/<name>/; asyncapi.yaml
// lists the channels. The code validates against these very bytes.
//
// Changes are additive: a field that was once written stays readable, and testdata/backcompat
// holds old examples that must validate and decode for ever.
package schemas

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed *.json examples asyncapi.yaml
var files embed.FS

// base is where the schemas' own $id stand. The host is reserved (RFC 2606) and never asked.
const base = "https://fingerpost.invalid/schemas/"

// shared is the schema that holds shapes of others and describes no message.
const shared = "defs"

// maxComplaints bounds how many faults of a message an error names.
const maxComplaints = 3

// Names is every schema that describes a message, sorted: "job", "find.request", ...
func Names() []string {
	entries, err := fs.Glob(files, "*.json")
	if err != nil {
		panic("schemas: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		if n := strings.TrimSuffix(e, ".json"); n != shared {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names
}

// Schema is the bytes of a schema, as a client may be given them.
func Schema(name string) ([]byte, error) {
	b, err := files.ReadFile(name + ".json")
	if err != nil {
		return nil, fmt.Errorf("schema %q: none of that name", name)
	}
	return b, nil
}

// AsyncAPI is the AsyncAPI 3.0 document of all channels and operations, in YAML.
func AsyncAPI() []byte {
	b, err := files.ReadFile("asyncapi.yaml")
	if err != nil {
		panic("schemas: " + err.Error())
	}
	return b
}

// Examples is the examples of a schema by their names, without ".json".
func Examples(name string) map[string][]byte {
	out := map[string][]byte{}
	paths, _ := fs.Glob(files, "examples/"+name+"/*.json") // the pattern is well formed
	for _, p := range paths {
		b, err := files.ReadFile(p)
		if err != nil {
			panic("schemas: " + err.Error())
		}
		out[strings.TrimSuffix(path.Base(p), ".json")] = b
	}
	return out
}

// Validate checks one JSON value against the schema of that name. The error names up to three
// places of the value and what is wrong there; it never repeats the value as a whole.
// Safe for concurrent use.
func Validate(name string, b []byte) error {
	all, err := compiled()
	if err != nil {
		return err
	}
	s := all[name]
	if s == nil {
		return fmt.Errorf("schema %q: none of that name", name)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		return fmt.Errorf("%s: no JSON: %w", name, err)
	}
	if n, ok := monster(v); ok {
		return fmt.Errorf("%s: the number %s... is out of range", name, n[:min(len(n), 20)])
	}
	err = s.Validate(v)
	if bad, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return fmt.Errorf("%s: %s", name, strings.Join(complaints(bad), "; "))
	}
	return err
}

// monster is a number below v that no field of ours can hold. The validator computes exactly, so a
// number with a million digits (or an exponent that makes them) would keep it busy for seconds.
func monster(v any) (json.Number, bool) {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		tiny := f == 0 && strings.ContainsAny(string(v), "123456789")
		return v, err != nil || tiny || len(v) > 400
	case []any:
		for _, x := range v {
			if n, bad := monster(x); bad {
				return n, true
			}
		}
	case map[string]any:
		for _, x := range v {
			if n, bad := monster(x); bad {
				return n, true
			}
		}
	}
	return "", false
}

var compiled = sync.OnceValues(compile)

func compile() (map[string]*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	names := append(Names(), shared)
	for _, name := range names {
		b, err := Schema(name)
		if err != nil {
			return nil, err
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			return nil, fmt.Errorf("schema %s: %w", name, err)
		}
		if err := c.AddResource(base+name+".json", v); err != nil {
			return nil, fmt.Errorf("schema %s: %w", name, err)
		}
	}
	all := map[string]*jsonschema.Schema{}
	for _, name := range names[:len(names)-1] {
		s, err := c.Compile(base + name + ".json")
		if err != nil {
			return nil, fmt.Errorf("schema %s: %w", name, err)
		}
		all[name] = s
	}
	return all, nil
}

// complaints is the innermost faults as sentences, at most maxComplaints of them.
func complaints(e *jsonschema.ValidationError) []string {
	var out []string
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 && len(out) < maxComplaints {
			out = append(out, clip(say(e)))
		}
		for _, c := range e.Causes {
			walk(c)
		}
	}
	walk(e)
	return out
}

// clip bounds a complaint: some kinds of fault repeat the value.
func clip(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
