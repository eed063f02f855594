package testenv

import (
	"fmt"
	"net"
	"path/filepath"
	"testing"
)

// NATSServer is a NATS server with JetStream in a process of its own, as other people run it.
type NATSServer struct {
	Process
	URL string // nats://127.0.0.1:port
}

// NATS starts a server with empty data on a free loopback port; it ends with the test.
func NATS(t testing.TB) *NATSServer {
	t.Helper()
	return natsNodes(t, 1)[0]
}

// NATSCluster starts n servers that know each other, and returns when they have a leader.
func NATSCluster(t testing.TB, n int) []*NATSServer {
	t.Helper()
	return natsNodes(t, n)
}

func natsNodes(t testing.TB, n int) []*NATSServer {
	t.Helper()
	program := built(t, "nats-server-v*", "scripts/servers-nats")
	routes, own := "", make([]string, n)
	for i := range own {
		own[i] = "nats://" + freeAddress(t)
		routes += own[i] + ","
	}
	nodes := make([]*NATSServer, n)
	for i := range nodes {
		client, monitor := freeAddress(t), freeAddress(t)
		_, port, _ := net.SplitHostPort(client)
		_, look, _ := net.SplitHostPort(monitor)
		name := fmt.Sprintf("node%d", i+1)
		s := &NATSServer{URL: "nats://" + client, Process: Process{Name: "nats-server " + name, Ready: "http://" + monitor + "/healthz",
			Command: []string{program, "-a", "127.0.0.1", "-p", port, "-m", look, "-js", "-sd", filepath.Join(t.TempDir(), name), "-n", name}}}
		if n > 1 {
			s.Command = append(s.Command, "--cluster_name", "test", "--cluster", own[i], "--routes", routes[:len(routes)-1])
		}
		t.Cleanup(s.Kill)
		if err := s.Launch(); err != nil {
			t.Fatal(err)
		}
		nodes[i] = s
	}
	for _, s := range nodes {
		if err := s.Await(); err != nil {
			t.Fatal(err)
		}
	}
	return nodes
}
