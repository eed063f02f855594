package workers

import (
	"testing"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/words"
)

func TestKnown57OlderBuildsAreServedNewerOnesRefused(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"p3", "p4", true}, {"p9", "p10", true}, {"p4", "p3", false}, {"p3", "p3", false}, {"words/1", "words/2", true},
		{"p3", "q4", false}, {"", "p4", false}, {"p", "p4", false}, {"p3-b2", "p4", false}, {"p3", "", false}, {"p3", "p4x", false},
	} {
		if got := older(c.a, c.b); got != c.want {
			t.Errorf("older(%q, %q) is %v", c.a, c.b, got)
		}
	}
	rec := func(pipeline, analyzer string) build.Record {
		return build.Record{Sequence: 1, Pipeline: pipeline, Analyzer: analyzer}
	}
	for _, c := range []struct {
		rec  build.Record
		want bool
	}{
		{rec(artefact.Pipeline, words.Version), true}, {rec("p1", "words/0"), true},
		{rec("p9999", words.Version), false}, {rec(artefact.Pipeline, "words/9999"), false}, {rec("p1", "words/9999"), false},
	} {
		if err := (stock{}).serves(c.rec); (err == nil) != c.want {
			t.Errorf("%s and %s: %v", c.rec.Pipeline, c.rec.Analyzer, err)
		}
	}
}
