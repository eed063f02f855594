package workers_test

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// via is where a joined process reaches the servers instead of their own ports.
type via struct{ NATS, S3 string }

// cutter is a proxy whose connections can be cut.
type cutter struct {
	addr string
	mu   sync.Mutex
	open map[net.Conn]bool
	off  bool
}

// cut proxies to addr until the test ends.
func cut(t *testing.T, addr string) *cutter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{addr: l.Addr().String(), open: map[net.Conn]bool{}}
	t.Cleanup(func() { _ = l.Close(); c.close(true) })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go c.serve(in, addr)
		}
	}()
	return c
}

func (c *cutter) serve(in net.Conn, addr string) {
	defer in.Close()
	out, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil || !c.hold(in, out) {
		return
	}
	defer out.Close()
	go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
	_, _ = io.Copy(in, out)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, in)
	delete(c.open, out)
}

// hold notes a connection; false while the network is cut.
func (c *cutter) hold(conns ...net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range conns {
		if c.off {
			_ = x.Close()
		} else {
			c.open[x] = true
		}
	}
	return !c.off
}

func (c *cutter) close(off bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.off = off
	for x := range c.open {
		_ = x.Close()
		delete(c.open, x)
	}
}

// cut breaks every connection and refuses new ones for a while.
func (c *cutter) cut(d time.Duration) {
	c.close(true)
	time.AfterFunc(d, func() { c.close(false) })
}
