package testenv

import (
	"os"
	"path/filepath"
	"testing"
)

// Helm is the path of the helm binary that scripts/servers-helm installs.
func Helm(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(cache, "fingerpost", "bin", "helm-*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		Missing(t, "helm (scripts/servers-helm)")
	}
	return found[len(found)-1]
}
