// Package nats is the bus over NATS JetStream, the only package beside its own folders that knows nats.go.
// The server is ours in the same process (package embedded) or any NATS 2.10 or later, alone or a cluster.
//
// What it holds on to, beyond the port's contract:
//   - Nothing is fetched ahead: a pull asks for what the caller starts now, and a message whose lease
//     ran out on the way is left to its redelivery.
//   - Redelivery never ends by itself (MaxDeliver -1): ending a document is the pipeline's decision.
//   - A lost consumer is made again, a lost connection is dialled again without limit, and Fetch never
//     returns an error before its wait has passed, so that a loop around it does not spin.
//   - Writes are not buffered while the server is away: they fail with bus.ErrAway at once, or after the
//     timeout when the answer got lost (then the write may have happened).
package nats

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// Server is a NATS server in this process (*server.Server, *embedded.Server).
type Server interface {
	InProcessConn() (net.Conn, error)
}

// Options say where the server is and who we are. At most one way to log in is set.
type Options struct {
	URLs   []string // nats://host:port, tls://host:port; ignored when Server is set
	Server Server
	Name   string // shown in the server's list of connections

	CredsFile      string // JWT and seed, as `nsc` and package embedded write them
	User, Password string
	Token          string
	NKeyFile       string // a user's seed

	CAFile, CertFile, KeyFile string      // PEM; CertFile and KeyFile for mutual TLS
	TLS                       *tls.Config // instead of the files

	Inbox    string        // prefix of reply subjects; "": _INBOX
	Replicas int           // of streams and buckets; 0: leave what is there, 1 for new ones
	Timeout  time.Duration // of one exchange with the server; 0: 5 s
	Log      *slog.Logger  // nil: nothing is logged
}

// Bus is a connection to NATS. It is safe for concurrent use.
type Bus struct {
	opt Options
	log *slog.Logger
	nc  *natsgo.Conn
	js  jetstream.JetStream

	mu        sync.Mutex
	consumers map[string]jetstream.Consumer // by stream and durable
	again     chan struct{}                 // closed at each reconnect, then replaced

	denied denials
	pulled atomic.Int64 // unix nanoseconds of the last answer to a pull
}

var _ bus.Bus = (*Bus)(nil)

// Connect dials until a server answers or ctx ends (bus.ErrAway). A refused login or a bad option is an error at once.
// Afterwards the connection is renewed without limit.
func Connect(ctx context.Context, opt Options) (*Bus, error) {
	b := &Bus{opt: opt, log: opt.Log, consumers: map[string]jetstream.Consumer{}, again: make(chan struct{})}
	if b.opt.Timeout <= 0 {
		b.opt.Timeout = 5 * time.Second
	}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	var err error
	if b.nc, err = b.dial(ctx, opt.Name, natsgo.ReconnectHandler(b.reconnected)); err != nil {
		return nil, err
	}
	if b.js, err = jetstream.New(b.nc, jetstream.WithDefaultTimeout(b.opt.Timeout)); err != nil {
		b.nc.Close()
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	return b, nil
}

// Close sends what is written and closes. Deliveries in hand are redelivered when their leases run out.
func (b *Bus) Close() error {
	if b.nc.IsConnected() {
		if err := b.nc.FlushTimeout(b.opt.Timeout); err != nil && !errors.Is(err, natsgo.ErrConnectionClosed) {
			b.log.Warn("bus closes with unsent messages", "error", err)
		}
	}
	b.nc.Close()
	return nil
}

// Connected reports whether a server holds the connection now.
func (b *Bus) Connected() bool { return b.nc.IsConnected() }

// LastPull is when the server last answered a pull of any consumer: liveness is its age, not the
// process being up. Zero before the first.
func (b *Bus) LastPull() time.Time {
	n := b.pulled.Load()
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}

// reconnected tells the watches, which would otherwise notice by a missed heartbeat seconds later.
func (b *Bus) reconnected(nc *natsgo.Conn) {
	b.log.Info("bus is back", "server", nc.ConnectedUrlRedacted())
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.again)
	b.again = make(chan struct{})
}

func (b *Bus) nextReconnect() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.again
}

// within bounds one exchange with the server by the timeout.
func (b *Bus) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, b.opt.Timeout)
}
