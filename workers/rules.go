package workers

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// pipeline is the version of the program's rules of parsing and cutting.
func (f stock) pipeline() string { return cmp.Or(f.rules, artefact.Pipeline) }

// serves refuses a build that a newer program has made: this one would write to it by rules that are of the past. A
// build of an older one is served: what is in it stays as it is, each answer is of that build alone, and a document
// that changes is parsed by today's rules, for there are no others. Those of one document never mix.
func (f stock) serves(rec build.Record) error {
	for _, v := range [][3]string{{"rules of parsing and cutting", rec.Pipeline, f.pipeline()}, {"analysis of words", rec.Analyzer, words.Version}} {
		if v[1] != v[2] && !older(v[1], v[2]) {
			return fmt.Errorf("build %d of this index was made by a newer program: its %s are %s, this program has %s; start the newer program, or re-index needed: roll back to a build of this one first",
				rec.Sequence, v[0], v[1], v[2])
		}
	}
	return nil
}

// older reports whether a version such as p3 or words/1 comes before another one; false where that cannot be told.
func older(a, b string) bool {
	name := strings.TrimRight(a, "0123456789")
	if !strings.HasPrefix(b, name) {
		return false
	}
	m, err := strconv.Atoi(a[len(name):])
	n, err2 := strconv.Atoi(b[len(name):])
	return err == nil && err2 == nil && m < n
}
