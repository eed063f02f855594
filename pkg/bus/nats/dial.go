package nats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/retry"
)

const (
	redialFirst  = 50 * time.Millisecond
	redialMost   = 2 * time.Second
	redialJitter = 100 * time.Millisecond
)

// dial connects, and goes on trying while no server answers. The first connection is not left to
// RetryOnFailedConnect because that hides a refused login behind endless tries.
func (b *Bus) dial(ctx context.Context, name string, more ...natsgo.Option) (*natsgo.Conn, error) {
	opts, err := b.options(name)
	if err != nil {
		return nil, err
	}
	opts = append(opts, more...)
	for pause := redialFirst; ; pause = min(2*pause, redialMost) {
		nc, err := natsgo.Connect(strings.Join(b.opt.URLs, ","), opts...)
		if err == nil {
			return nc, nil
		}
		if refused(err) {
			return nil, fmt.Errorf("bus %s: %w: %w", b.where(), bus.ErrDenied, err)
		}
		if final(err) {
			return nil, fmt.Errorf("bus %s: %w", b.where(), err)
		}
		b.log.Warn("bus does not answer yet", "where", b.where(), "error", err)
		if retry.Wait(ctx, pause) != nil {
			return nil, fmt.Errorf("bus %s: %w: %w", b.where(), bus.ErrAway, err)
		}
	}
}

// refused reports whether the server does not accept who we are.
func refused(err error) bool {
	return slices.ContainsFunc([]error{natsgo.ErrAuthorization, natsgo.ErrAuthExpired, natsgo.ErrAuthRevoked, natsgo.ErrAccountAuthExpired},
		func(e error) bool { return errors.Is(err, e) })
}

// final reports whether dialling again cannot help: an option is wrong.
func final(err error) bool {
	for _, e := range []error{natsgo.ErrSecureConnWanted, natsgo.ErrSecureConnRequired, natsgo.ErrNkeysNotSupported} {
		if errors.Is(err, e) {
			return true
		}
	}
	text := err.Error()
	return strings.Contains(text, "x509:") || strings.Contains(text, "parse ") || strings.Contains(text, "no such file")
}

func (b *Bus) where() string {
	if b.opt.Server != nil {
		return "in this process"
	}
	return strings.Join(b.opt.URLs, ", ")
}

func (b *Bus) options(name string) ([]natsgo.Option, error) {
	opts := []natsgo.Option{
		natsgo.Name(name),
		natsgo.MaxReconnects(-1),
		natsgo.IgnoreAuthErrorAbort(), // a server that comes back before its accounts do refuses us for a moment
		natsgo.ReconnectWait(redialFirst * 4),
		natsgo.ReconnectJitter(redialJitter, redialJitter),
		natsgo.ReconnectBufSize(-1), // a write while away is an error now, not a surprise later
		natsgo.Timeout(b.opt.Timeout),
		natsgo.PingInterval(20 * time.Second),
		natsgo.MaxPingsOutstanding(2),
		natsgo.DisconnectErrHandler(func(_ *natsgo.Conn, err error) {
			if err != nil {
				b.log.Warn("bus is away", "where", b.where(), "error", err)
			}
		}),
		natsgo.ErrorHandler(func(_ *natsgo.Conn, sub *natsgo.Subscription, err error) {
			b.denied.tell(err)
			b.log.Warn("bus", "subject", subjectOf(sub), "error", err)
		}),
	}
	if b.opt.Server != nil {
		opts = append(opts, natsgo.InProcessServer(b.opt.Server))
	} else if len(b.opt.URLs) == 0 {
		return nil, errors.New("bus: neither an address nor a server in this process")
	}
	if b.opt.Inbox != "" {
		opts = append(opts, natsgo.CustomInboxPrefix(b.opt.Inbox))
	}
	login, err := b.login()
	if err != nil {
		return nil, err
	}
	return append(append(opts, login...), b.tls()...), nil
}

func (b *Bus) login() ([]natsgo.Option, error) {
	o := b.opt
	var opts []natsgo.Option
	if o.CredsFile != "" {
		opts = append(opts, natsgo.UserCredentials(o.CredsFile))
	}
	if o.User != "" {
		opts = append(opts, natsgo.UserInfo(o.User, o.Password))
	}
	if o.Token != "" {
		opts = append(opts, natsgo.Token(o.Token))
	}
	if o.NKeyFile != "" {
		key, err := natsgo.NkeyOptionFromSeed(o.NKeyFile)
		if err != nil {
			return nil, fmt.Errorf("bus: nkey seed %s: %w", o.NKeyFile, err)
		}
		opts = append(opts, key)
	}
	if len(opts) > 1 {
		return nil, errors.New("bus: more than one of credentials file, user, token and nkey is set")
	}
	return opts, nil
}

func (b *Bus) tls() []natsgo.Option {
	o := b.opt
	var opts []natsgo.Option
	if o.TLS != nil {
		opts = append(opts, natsgo.Secure(o.TLS))
	}
	if o.CAFile != "" {
		opts = append(opts, natsgo.RootCAs(o.CAFile))
	}
	if o.CertFile != "" {
		opts = append(opts, natsgo.ClientCert(o.CertFile, o.KeyFile))
	}
	return opts
}

func subjectOf(sub *natsgo.Subscription) string {
	if sub == nil {
		return ""
	}
	return sub.Subject
}
