// Package natstest starts plain NATS servers for tests, as other people run them: reached over TCP, alone or
// as a cluster on loopback, which can be stopped and started again on the same port and folder.
package natstest

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const startWithin = 30 * time.Second

// Server is one server. Its zero value is not usable.
type Server struct {
	opt server.Options
	ns  *server.Server
}

// Start starts a server with JetStream on a free loopback port; change may set more options.
func Start(t testing.TB, change ...func(*server.Options)) *Server {
	t.Helper()
	s := &Server{opt: options(t.TempDir(), "alone", freePorts(t, 1)[0])}
	for _, f := range change {
		f(&s.opt)
	}
	s.Start(t)
	t.Cleanup(s.Stop)
	return s
}

func options(dir, name string, port int) server.Options {
	return server.Options{ServerName: name, Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir,
		JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: 1 << 30, NoSigs: true, NoLog: true, DisableShortFirstPing: true}
}

// Start starts the server again after Stop.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	opt := s.opt
	ns, err := server.NewServer(&opt)
	if err != nil {
		t.Fatal(err)
	}
	s.ns = ns
	go ns.Start()
	if !ns.ReadyForConnections(startWithin) {
		t.Fatalf("nats server %s is not ready within %v", s.opt.ServerName, startWithin)
	}
}

// Stop stops the server and returns when it is gone. It may be called twice.
func (s *Server) Stop() {
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
}

// URL is nats://host:port.
func (s *Server) URL() string { return fmt.Sprintf("nats://127.0.0.1:%d", s.opt.Port) }

// Leads reports whether the server leads the stream of the global account.
func (s *Server) Leads(stream string) bool {
	return s.ns.Running() && s.ns.JetStreamIsStreamLeader(server.DEFAULT_GLOBAL_ACCOUNT, stream)
}

// Cluster starts n servers that know each other, and returns when they have a leader and all are current.
func Cluster(t testing.TB, n int) []*Server {
	t.Helper()
	dir, ports := t.TempDir(), freePorts(t, 2*n)
	var routes []*url.URL
	for _, p := range ports[n:] {
		routes = append(routes, &url.URL{Scheme: "nats-route", Host: fmt.Sprintf("127.0.0.1:%d", p)})
	}
	nodes := make([]*Server, n)
	for i := range nodes {
		name := fmt.Sprintf("node%d", i+1)
		opt := options(filepath.Join(dir, name), name, ports[i])
		opt.Cluster = server.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: ports[n+i], PoolSize: -1}
		opt.Routes = routes
		nodes[i] = &Server{opt: opt}
		nodes[i].Start(t)
		t.Cleanup(nodes[i].Stop)
	}
	Await(t, "the cluster has a leader and its members are current", func() bool { return elected(nodes) })
	return nodes
}

func elected(nodes []*Server) bool {
	leaders := 0
	for _, s := range nodes {
		if !s.ns.JetStreamIsCurrent() {
			return false
		}
		if s.ns.JetStreamIsLeader() {
			leaders++
			if len(s.ns.JetStreamClusterPeers()) != len(nodes) {
				return false
			}
		}
	}
	return leaders == 1
}

// freePorts are loopback ports that nobody listens on now.
func freePorts(t testing.TB, n int) []int {
	t.Helper()
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports
}

// Await asks until the fact holds, for half a minute at most.
func Await(t testing.TB, what string, fact func() bool) {
	t.Helper()
	late := time.After(startWithin)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !fact() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("not within %v: %s", startWithin, what)
		}
	}
}
