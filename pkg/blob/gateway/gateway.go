// Package gateway is the S3 server of the embedded mode: versitygw as a library over a folder,
// with one addition. A change of an object is answered only when the notification of it was
// taken, so a client that got its 200 knows that the pipeline knows.
//
// Three facts of the library shape the use. A process runs one gateway at a time. Start changes
// the working directory of the process for good, because the library opens objects by relative
// paths: make every other path absolute before. With Config.Versions it prints one line to
// standard output at the start.
//
// Keys are paths below the folder, so the gateway takes fewer than S3 does:
//
//   - a key with an empty, `.` or `..` component, as `a//b`, `x/../y`: 400 InvalidArgument, on
//     reading too (the library would open another object)
//   - leading slashes are dropped, as MinIO does: `/lead.md` is stored, listed and notified as `lead.md`
//   - a control character (tab and line feed apart): 400, because no list can show it
//   - a component of more than 255 bytes, a key of more than 1,024, a NUL: 400
//   - a key below an object (`a/b` beside `a`) or above one (`d` beside `d/e`): 409
//   - a trailing slash: a folder marker without bytes; with bytes 400
//
// Everything else is kept byte by byte; NFC and NFD, upper and lower case are two keys where the
// file system keeps them apart (macOS and Windows do not). Windows refuses more: its separator, colons and
// reserved names.
//
// Any S3 client works. Presigned URLs need signature version 4, which the aws command line uses
// after `aws configure set default.s3.signature_version s3v4`.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/versity/versitygw/auth"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/debuglogger"
	"github.com/versity/versitygw/embedgw"
	"github.com/versity/versitygw/s3api"
)

// Config says where the gateway listens and stores, and whom it tells.
type Config struct {
	Addr      string // host:port, a loopback host as a rule; port 0 picks a free one
	Dir       string // data below it; made with mode 0700 when missing
	AccessKey string // the root account: both are needed
	SecretKey string
	Region    string   // "" for us-east-1
	Versions  bool     // buckets may be versioned
	Protected []string // buckets of our own: no notification
	// Notify takes the body of one S3 event message and returns when it is safe. It is called from
	// many goroutines. An error answers the client with 503; the change is then stored all the same.
	// nil: nobody is told.
	Notify  func(ctx context.Context, body []byte) error
	Timeout time.Duration // of one Notify; 0 for 10 s
}

// Server is a running gateway.
type Server struct {
	addr string
	done chan struct{}
	err  error
}

// HealthPath answers 200 to a GET without keys. It hides a bucket of that name.
const HealthPath = "/healthz"

// ErrRunning says that this process has a gateway already.
var ErrRunning = errors.New("a process runs one S3 gateway at a time")

var running atomic.Bool

// Start starts the gateway and returns when it listens. It stops when ctx ends: requests under way
// are answered first. Close idle client connections of this process before that, or net/http logs
// what the library says to them.
func Start(ctx context.Context, c Config) (*Server, error) {
	if c.AccessKey == "" || c.SecretKey == "" {
		return nil, errors.New("s3 gateway: access key and secret key are needed")
	}
	if !running.CompareAndSwap(false, true) {
		return nil, ErrRunning
	}
	s, err := start(ctx, c)
	if err != nil {
		running.Store(false)
	}
	return s, err
}

func start(ctx context.Context, c Config) (*Server, error) {
	for tries := 0; ; tries++ {
		addr, picked, err := pick(c.Addr)
		if err != nil {
			return nil, err
		}
		be, err := openDir(ctx, c)
		if err != nil {
			return nil, err
		}
		s, err := serve(ctx, be, c, addr)
		if err == nil {
			return s, nil
		}
		if !picked || tries == 5 || !errors.Is(err, syscall.EADDRINUSE) {
			return nil, err
		}
		// Else another program took the free port in between: pick again.
	}
}

// Addr is host:port where the gateway listens.
func (s *Server) Addr() string { return s.addr }

// Wait returns when the gateway has stopped, with the reason when it was not the context.
func (s *Server) Wait() error {
	<-s.done
	return s.err
}

// serve runs the library until ctx ends and returns when it listens.
func serve(ctx context.Context, be backend.Backend, c Config, addr string) (*Server, error) {
	s := &Server{addr: addr, done: make(chan struct{})}
	up := make(chan struct{})
	conf := settings(c, addr)
	conf.S3Options = []s3api.Option{s3api.WithOnListen(func() { close(up) })}
	go func() {
		defer close(s.done)
		err := embedgw.RunVersityGW(ctx, be, conf)
		if ctx.Err() == nil && err == nil {
			err = errors.New("the server ended by itself")
		}
		if err != nil {
			s.err = fmt.Errorf("s3 gateway on %s: %w", addr, err)
		}
		running.Store(false)
	}()
	select {
	case <-up:
		return s, nil
	case <-s.done:
		if s.err == nil {
			s.err = fmt.Errorf("s3 gateway on %s: %w", addr, context.Cause(ctx))
		}
		return nil, s.err
	}
}

func settings(c Config, addr string) *embedgw.Config {
	return &embedgw.Config{
		RootUserAccess: c.AccessKey, RootUserSecret: c.SecretKey, Region: c.Region,
		IAMService:        auth.NewIAMServiceSingle(auth.Account{Access: c.AccessKey, Secret: c.SecretKey, Role: auth.RoleAdmin}),
		Ports:             []string{addr},
		MaxConnections:    4096,
		MaxRequests:       1024,
		MultipartMaxParts: 10_000,
		Quiet:             true,
		KeepAlive:         true,
		LogLevel:          debuglogger.LevelSilent,
		HealthPath:        HealthPath,
	}
}

// pick turns port 0 into a free one: the library does not say which port it got.
func pick(addr string) (string, bool, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", false, fmt.Errorf("s3 gateway address %q: give host:port: %w", addr, err)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", false, fmt.Errorf("s3 gateway: %s is not to be had, another program may listen there; give another address or port 0: %w", addr, err)
	}
	defer l.Close()
	if port != "0" {
		return addr, false, nil
	}
	_, port, err = net.SplitHostPort(l.Addr().String())
	return net.JoinHostPort(host, port), true, err
}

// openDir opens the folder: objects in buckets/, versions in versions/, and where the file
// system has no extended attributes their metadata in meta/.
func openDir(ctx context.Context, c Config) (*notifier, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("s3 gateway folder %s: %w", c.Dir, err)
	}
	buckets, side := filepath.Join(dir, "buckets"), filepath.Join(dir, "meta")
	opts := posix.PosixOpts{
		CopyObjectThreshold: 5 << 30,
		IOBufferSize:        128 << 10,
		Concurrency:         256,
		ForceNoObjLockFile:  true, // one process: locks in memory do, and leave no file a key
	}
	if c.Versions {
		opts.VersioningDir = filepath.Join(dir, "versions")
	}
	for _, d := range []string{buckets, opts.VersioningDir} {
		if d == "" {
			continue
		}
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, fmt.Errorf("s3 gateway folder: %w", err)
		}
	}
	store, err := metadata(buckets, side)
	if err != nil {
		return nil, err
	}
	be, err := posix.New(buckets, store, opts)
	if err != nil {
		return nil, fmt.Errorf("s3 gateway folder %s: %w", dir, err)
	}
	_, isSidecar := store.(sidecar)
	return newNotifier(ctx, be, c, isSidecar), nil
}

// protected says whether the bucket is one of ours.
func (c Config) protected(bucket string) bool {
	for _, p := range c.Protected {
		if strings.EqualFold(p, bucket) {
			return true
		}
	}
	return false
}
