package workers

import (
	"context"
	"errors"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// faultyIndex is an index whose server says that.
type faultyIndex struct {
	vector.Index
	says error
}

func (x faultyIndex) Writable(context.Context, vector.Build) error { return x.says }

// A process that writes is not ready while the index is read-only; one that only answers is, for finding goes on. Neither is
// while it is away.
func TestReadyByTheIndex(t *testing.T) {
	for _, c := range []struct {
		role  Role
		says  error
		ready bool
	}{
		{RoleIndex, nil, true}, {RoleIndex, vector.ErrReadOnly, false}, {RoleReconcile, vector.ErrReadOnly, false}, {RoleQuery, vector.ErrReadOnly, true},
		{RoleQuery, vector.ErrAway, false}, {RoleIndex, vector.ErrAway, false},
	} {
		s := &System{roles: []Role{c.role}, Builds: new(build.Registry), Index: faultyIndex{says: c.says}}
		if err := s.indexes(t.Context()); (err == nil) != c.ready || c.says != nil && !c.ready && !errors.Is(err, c.says) {
			t.Errorf("%s, index says %v: %v", c.role, c.says, err)
		}
	}
}
