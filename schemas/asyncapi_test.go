package schemas_test

import (
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/schemas"
	"github.com/fingerpost/fingerpost/workers/admin"
)

type asyncAPI struct {
	AsyncAPI   string                              `yaml:"asyncapi"`
	Channels   map[string]struct{ Address string } `yaml:"channels"`
	Operations map[string]struct{ Channel ref }    `yaml:"operations"`
	Components struct{ Messages map[string]any }   `yaml:"components"`
}

type ref struct {
	Ref string `yaml:"$ref"`
}

func TestAsyncAPIListsTheChannelsThatTheCodeUses(t *testing.T) {
	var a asyncAPI
	if err := yaml.Unmarshal(schemas.AsyncAPI(), &a); err != nil {
		t.Fatal(err)
	}
	if a.AsyncAPI != "3.0.0" {
		t.Errorf("asyncapi %q", a.AsyncAPI)
	}
	want := map[string]string{
		"events": wire.EventSubject + ".{source}",
		"dead":   wire.DeadSubject + ".{stage}.{tenant}.{doc_id}",
		"trail":  wire.TrailSubject + ".{tenant}.{doc_id}",
	}
	for _, e := range new(admin.Worker).Service().Endpoints {
		want["admin."+e.Name] = e.Subject
	}
	for _, s := range wire.Stages {
		want[string(s)] = wire.Job{Tenant: "{tenant}", DocID: "{doc_id}"}.Subject("{lane}", s)
	}
	for _, v := range []api.Verb{api.Find, api.Ask, api.AskParts, api.Read, api.GetCell, api.Compare, api.Tree, api.Documents, api.Status} {
		want[string(v)] = api.Subject("{tenant}", v)
	}
	for name, address := range want {
		if got := a.Channels[name].Address; got != address {
			t.Errorf("channel %s has the address %q, the code publishes on %q", name, got, address)
		}
	}
	if len(a.Channels) != len(want) {
		t.Errorf("%d channels, want %d", len(a.Channels), len(want))
	}
	for _, k := range []wire.Kind{wire.Dropped, wire.Parsed, wire.Chunked, wire.Sectioned, wire.Embedded, wire.Removed} {
		if a.Components.Messages[string(k)] == nil {
			t.Errorf("no message %s", k)
		}
	}
	for name, o := range a.Operations {
		if _, ok := a.Channels[strings.TrimPrefix(o.Channel.Ref, "#/channels/")]; !ok {
			t.Errorf("operation %s is on %q, which is no channel", name, o.Channel.Ref)
		}
	}
}

func TestAsyncAPIRefersToWhatIsThere(t *testing.T) {
	var root map[string]any
	if err := yaml.Unmarshal(schemas.AsyncAPI(), &root); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	eachRef(root, func(r string) {
		if name, ok := strings.CutSuffix(r, ".json"); ok {
			seen[name] = true
			if !slices.Contains(schemas.Names(), name) {
				t.Errorf("no schema %s", r)
			}
			return
		}
		if at(root, strings.TrimPrefix(r, "#/")) == nil {
			t.Errorf("nothing at %s", r)
		}
	})
	kept := []string{"build", "card", "chunk", "export", "layout", "manifest", "parcel", "record", "tree", "walk", "windows"} // not sent: kept in buckets and files
	for _, name := range schemas.Names() {
		if !seen[name] && !slices.Contains(kept, name) {
			t.Errorf("schema %s is on no channel", name)
		}
	}
}

// eachRef calls f with every $ref below v.
func eachRef(v any, f func(string)) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if s, ok := x.(string); ok && k == "$ref" {
				f(s)
			}
			eachRef(x, f)
		}
	case []any:
		for _, x := range v {
			eachRef(x, f)
		}
	}
}

// at is the value at a/b/c below root; nil when there is none.
func at(root any, path string) any {
	for step := range strings.SplitSeq(path, "/") {
		m, ok := root.(map[string]any)
		if !ok {
			return nil
		}
		root = m[step]
	}
	return root
}
