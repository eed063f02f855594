// Package testenv finds what tests need from outside: shared material and real servers.
// A missing one skips the test on a user's machine and fails it where CI=true.
package testenv

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Root is the repository's root folder.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// Shared is the path of elem below the shared material beside the repository
// (FINGERPOST_SHARED names another place).
func Shared(t testing.TB, elem ...string) string {
	t.Helper()
	dir := os.Getenv("FINGERPOST_SHARED")
	if dir == "" {
		dir = filepath.Join(Root(), "..", "shared")
	}
	p := filepath.Join(append([]string{dir}, elem...)...)
	if _, err := os.Stat(p); err != nil {
		Missing(t, "shared material "+filepath.Join(elem...))
	}
	return p
}

// Missing skips the test, or fails it in CI, because `what` is not here.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing, and CI=true does not skip", what)
	}
	t.Skipf("%s is missing", what)
}

// Slow skips the test under -short, because `what` takes its time.
func Slow(t testing.TB, what string) {
	t.Helper()
	if testing.Short() {
		t.Skipf("%s: not with -short", what)
	}
}
