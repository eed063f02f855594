package workers_test

import (
	"testing"

	"github.com/fingerpost/fingerpost/workers"
)

// A system without hands of its own stores and waits; a worker process that joins it does the work.
func TestAWorkerOfItsOwnJoins(t *testing.T) {
	c := testConfig(t)
	s := start(t, systemConfig{Config: c, Scripted: true, Roles: []workers.Role{workers.RoleIntake, workers.RoleIndex, workers.RoleQuery, workers.RoleReconcile}})
	s.put("ledger.md", note("Ledger", word(1), 3))
	s.until("the document waits", func() bool { return s.status().Documents.Pending == 1 })
	start(t, systemConfig{Config: c, Scripted: true, Join: true, Roles: []workers.Role{workers.RoleParse, workers.RoleChunk, workers.RoleEmbed}})
	s.settled(1)
	if found := s.find("where does "+word(1)+" stand", 1); len(found.Sections) != 1 || found.Sections[0].Key != "ledger.md" {
		t.Errorf("found %+v", found.Sections)
	}
}
