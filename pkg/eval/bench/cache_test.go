package bench

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/embedding/scripted"
)

func TestCacheMakesEachVectorOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "vectors")
	texts := []string{"one text", "another text", "one text"}
	open := func(e *scripted.Embedder) *Cache {
		t.Helper()
		c, err := OpenCache(path, e)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	e := scripted.New()
	var told []int
	first, err := open(e).Embed(t.Context(), texts, func(made, missing int) { told = append(told, made, missing) })
	if err != nil || len(first) != 3 || !slices.Equal(first[0], first[2]) || !slices.Equal(told, []int{2, 2}) {
		t.Fatalf("%v, told %v, %v", first, told, err)
	}
	again := scripted.New()
	second, err := open(again).Embed(t.Context(), texts, nil)
	if err != nil || again.Calls() != 0 || !slices.Equal(first[1], second[1]) {
		t.Errorf("%d calls for known texts, %v", again.Calls(), err)
	}

	// A run that was killed leaves half a record: the whole ones are kept.
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b[:len(b)-5], 0o644); err != nil {
		t.Fatal(err)
	}
	torn := scripted.New()
	if _, err := open(torn).Embed(t.Context(), texts, nil); err != nil || torn.Calls() != 1 {
		t.Errorf("torn file: %d calls, %v", torn.Calls(), err)
	}
	if now, _ := os.ReadFile(path); !slices.Equal(now, b) {
		t.Error("the file did not come back to what it was")
	}

	other := scripted.New(scripted.Model("other"))
	if _, err := open(other).Embed(t.Context(), texts, nil); err != nil || other.Calls() != 1 {
		t.Errorf("another model's vectors were taken: %d calls, %v", other.Calls(), err)
	}
}
