//go:build !linux

package testenv

import "testing"

// Airgapped: there are no network namespaces here.
func Airgapped() (bool, error) { return false, nil }

// Alone skips the test.
func Alone(t *testing.T, _ string, _ ...string) string {
	t.Helper()
	Missing(t, "the right to make a network namespace")
	return ""
}
