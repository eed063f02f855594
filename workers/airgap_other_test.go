//go:build !linux

package workers_test

// airgapped: there are no network namespaces here.
func airgapped() (bool, error) { return false, nil }
