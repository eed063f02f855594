package workers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/wire"
)

// Role is what a process does. Any number of processes may have any role, except that the embedded index is held by
// one process: the roles that need it (NeedsIndex) run there, or beside a Weaviate.
type Role string

// The roles. Reconcile walks the buckets and answers the operator.
const (
	RoleIntake    Role = "intake"
	RoleParse     Role = "parse"
	RoleChunk     Role = "chunk"
	RoleEmbed     Role = "embed"
	RoleIndex     Role = "index"
	RoleQuery     Role = "query"
	RoleReconcile Role = "reconcile"
)

// Roles is every role.
var Roles = []Role{RoleIntake, RoleParse, RoleChunk, RoleEmbed, RoleIndex, RoleQuery, RoleReconcile}

// NeedsIndex reports whether a role opens the index.
func (r Role) NeedsIndex() bool { return r == RoleIndex || r == RoleQuery || r == RoleReconcile }

// ParseRoles reads names of roles; none is all.
func ParseRoles(names []string) ([]Role, error) {
	if len(names) == 0 {
		return Roles, nil
	}
	var out []Role
	for _, n := range names {
		if !slices.Contains(Roles, Role(n)) {
			return nil, fmt.Errorf("role %q is not known; there are %s", n, roleNames())
		}
		out = append(out, Role(n))
	}
	return out, nil
}

func roleNames() string {
	var names []string
	for _, r := range Roles {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}

// has reports whether the process has the role.
func (s *System) has(r Role) bool { return slices.Contains(s.roles, r) }

// stageRole is the role of a stage: they have the same names.
func stageRole(s wire.Stage) Role { return Role(s) }
