package realtest

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/workers"
)

// cluster keeps everything in three NATS servers. During one ingest a server crashes for good, the one that all know first:
// the other two go on. During a second one each process is replaced by one of another build, first the new, then the old: what
// was in flight between them is done once.
func cluster(t *testing.T, on servers) {
	on.nats = testenv.NATSCluster(t, 3)
	on.s3 = testenv.Versitygw(t, on.nats[0].URL, events)
	s := real(t, on, "cluster", func(c *workers.Config) { c.Servers.NATS.Replicas = len(on.nats) })
	s.work(oneBuild)
	const half = 40
	by := func(build string) int {
		return s.log.count(func(x job) bool { return x.Outcome == "done" && strings.HasSuffix(x.Version, build) })
	}
	n := 0
	put := func() {
		s.put(fmt.Sprintf("papers/%03d.md", n), paper(n))
		n++
	}
	for n < half {
		if n == half/2 {
			on.nats[0].Kill()
		}
		put()
	}
	s.settled(n)
	s.once(n)

	for _, r := range workers.Roles {
		for range half / len(workers.Roles) {
			put()
		}
		old := s.hands[r]
		s.work(anotherBuild, r)
		old.end(syscall.SIGTERM)
		if code := old.cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("%s ended with %d", old.who, code)
		}
	}
	put()
	s.settled(n)
	s.once(n)
	t.Logf("%d documents; jobs done: %d by %s, %d by %s", n, by(oneBuild), oneBuild, by(anotherBuild), anotherBuild)
	if by(anotherBuild) == 0 {
		t.Error("the other build did nothing")
	}
}
