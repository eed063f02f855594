// Package embedded runs a NATS server with JetStream in this process: ours over an in-process connection,
// and for other programs over a TCP listener (on loopback unless told), with credentials of their own.
//
// The folder holds everything: jetstream/ (streams and buckets), keys.json (the seeds of all accounts),
// .internal.creds (ours), operator.creds and one <tenant>.creds a tenant, all of mode 0600, made at the
// first start and kept afterwards. What each may do:
//
//	credential       account      publishes                       listens to
//	.internal.creds  main         everything                      everything
//	operator.creds   its own      $SRV.>, fingerpost.admin.>      _INBOX.> of its account
//	<tenant>.creds   its own      fingerpost.<tenant>.>           _INBOX.> of its account
//
// A kill at any moment loses nothing that was acknowledged; a power cut at most the last SyncInterval.
package embedded

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

const (
	startWithin = 30 * time.Second // to recover a large store
	maxMemory   = 256 << 20        // bytes of memory streams: only the server's own short-lived consumers
)

// Options say where the server keeps its files, where it listens, and whom it knows.
type Options struct {
	Dir          string
	Host         string // "": 127.0.0.1
	Port         int    // 0: a free one; -1: no listener
	Tenants      []doc.Tenant
	SyncInterval time.Duration // how much a power cut may take; 0: 1 s; below 0: sync each write
	MaxStore     int64         // bytes of all streams; 0: three quarters of the disk
	MaxPayload   int32         // bytes of one message; 0: 1 MiB
	Log          *slog.Logger  // nil: nothing is logged
}

// Server is a running server.
type Server struct {
	opt  Options
	ns   *server.Server
	lock *lock
	keys *keys
	log  *serverLog
}

// Start starts the server and returns when it takes connections. Its errors are sentences for the user:
// the folder is in use, damaged or of a newer version, the port is taken.
func Start(opt Options) (*Server, error) {
	opt.defaults()
	if err := checkTenants(opt.Tenants); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(opt.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("bus folder: %w", err)
	}
	l, err := takeLock(filepath.Join(opt.Dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("bus folder %s: %w", opt.Dir, err)
	}
	s := &Server{opt: opt, lock: l, log: &serverLog{out: opt.Log, fatal: make(chan string, 1)}}
	if err := s.start(); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

func (o *Options) defaults() {
	if o.Host == "" {
		o.Host = "127.0.0.1"
	}
	if o.SyncInterval == 0 {
		o.SyncInterval = time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

func (s *Server) start() error {
	var err error
	if s.keys, err = openKeys(s.opt.Dir, s.opt.Tenants); err != nil {
		return err
	}
	accounts, err := s.keys.accounts(s.opt.Tenants)
	if err != nil {
		return err
	}
	if err := s.repair(accounts.main); err != nil {
		return err
	}
	if err := s.keys.writeCreds(s.opt.Dir, s.opt.Tenants); err != nil {
		return err
	}
	if err := portFree(s.opt.Host, s.opt.Port); err != nil {
		return err
	}
	cfg := s.config(accounts)
	if s.ns, err = server.NewServer(cfg); err != nil {
		return fmt.Errorf("bus server: %w", err)
	}
	s.ns.SetLoggerV2(s.log, false, false, false)
	go s.ns.Start()
	if err := s.ready(); err != nil {
		return err
	}
	return s.verify(accounts.main)
}

func (s *Server) config(a *accounts) *server.Options {
	o := s.opt
	cfg := &server.Options{
		ServerName: "fingerpost", Host: o.Host, Port: o.Port, DontListen: o.Port < 0, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: o.Dir, JetStreamMaxMemory: maxMemory, JetStreamMaxStore: o.MaxStore,
		SyncInterval: o.SyncInterval, SyncAlways: o.SyncInterval < 0, MaxPayload: o.MaxPayload,
		TrustedOperators: []*jwt.OperatorClaims{a.operator}, SystemAccount: a.system, AccountResolver: a.resolver,
		DisableShortFirstPing: true,
	}
	if o.Port == 0 {
		cfg.Port = server.RANDOM_PORT
	}
	if o.SyncInterval < 0 {
		cfg.SyncInterval = 0
	}
	return cfg
}

// ready waits for the server, or for the reason why it will never be.
func (s *Server) ready() error {
	up := make(chan bool, 1)
	go func() { up <- s.ns.ReadyForConnections(startWithin) }()
	select {
	case why := <-s.log.fatal:
		return fmt.Errorf("bus server: %s", why)
	case ok := <-up:
		if !ok {
			return fmt.Errorf("bus server: not ready within %v", startWithin)
		}
		return nil
	}
}

// portFree tells a taken port before the server does, in a sentence.
func portFree(host string, port int) error {
	if port <= 0 {
		return nil
	}
	addr := net.JoinHostPort(host, strconv.Itoa(port))
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("bus port %s is in use by another program: stop it, or choose another port (0 picks a free one)", addr)
	}
	if err != nil {
		return fmt.Errorf("bus port %s: %w", addr, err)
	}
	return l.Close()
}

// InProcessConn is a connection without a socket; it logs in like any other.
func (s *Server) InProcessConn() (net.Conn, error) { return s.ns.InProcessConn() }

// Addr is the listener's host:port; "" without one.
func (s *Server) Addr() string {
	if a := s.ns.Addr(); a != nil {
		return a.String()
	}
	return ""
}

// URL is what other programs connect to: nats://host:port.
func (s *Server) URL() string { return "nats://" + s.Addr() }

// Client is our own way in: the internal credentials over the in-process connection. Its replies have a
// prefix of their own.
func (s *Server) Client() nats.Options {
	return nats.Options{Server: s, Name: "fingerpost", CredsFile: filepath.Join(s.opt.Dir, internalCreds), Inbox: internalInbox, Log: s.opt.Log}
}

// OperatorCreds is the file for `nats micro` and fingerpost.admin.*.
func (s *Server) OperatorCreds() string { return filepath.Join(s.opt.Dir, operatorCreds) }

// TenantCreds is the file for the programs of a tenant.
func (s *Server) TenantCreds(t doc.Tenant) string {
	return filepath.Join(s.opt.Dir, string(t)+".creds")
}

// Stop ends all connections, writes everything and gives the folder free. It may be called twice.
func (s *Server) Stop() error {
	if s.ns != nil {
		s.ns.Shutdown()
		s.ns.WaitForShutdown()
	}
	return s.lock.release()
}
