package nats_test

import (
	"context"
	"errors"
	"testing"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/bus/bustest"
	"github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/embedded"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/natstest"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

func TestEmbeddedInProcess(t *testing.T) {
	s := startEmbedded(t, embedded.Options{Dir: t.TempDir(), Port: -1})
	bustest.Run(t, vendor(s.Client()))
}

func TestEmbeddedOverTCP(t *testing.T) {
	s := startEmbedded(t, embedded.Options{Dir: t.TempDir(), Tenants: []doc.Tenant{"default"}})
	opt := s.Client()
	opt.Server, opt.URLs = nil, []string{s.URL()}
	bustest.Run(t, vendor(opt))
}

func TestExternalServer(t *testing.T) {
	s := natstest.Start(t)
	bustest.Run(t, vendor(nats.Options{URLs: []string{s.URL()}}))
}

func TestClusterOfThree(t *testing.T) {
	nodes := natstest.Cluster(t, 3)
	var urls []string
	for _, n := range nodes {
		urls = append(urls, n.URL())
	}
	bustest.Run(t, vendor(nats.Options{URLs: urls, Replicas: 3}))
}

func startEmbedded(t *testing.T, opt embedded.Options) *embedded.Server {
	t.Helper()
	s, err := embedded.Start(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func connect(t *testing.T, opt nats.Options) *nats.Bus {
	t.Helper()
	b, err := nats.Connect(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func vendor(opt nats.Options) bustest.Vendor {
	return bustest.Vendor{
		Connect: func(t *testing.T) bus.Bus { return connect(t, opt) },
		DeleteConsumer: func(t *testing.T, stream, durable string) {
			t.Helper()
			behind(t, opt, func(ctx context.Context, js jetstream.JetStream) error {
				return js.DeleteConsumer(ctx, stream, durable)
			})
		},
		Purge: func(t *testing.T, stream string) {
			t.Helper()
			behind(t, opt, func(ctx context.Context, js jetstream.JetStream) error {
				st, err := js.Stream(ctx, stream)
				if err != nil {
					return err
				}
				return st.Purge(ctx)
			})
		},
	}
}

// behind does something to the server behind the bus's back.
func behind(t *testing.T, opt nats.Options, f func(ctx context.Context, js jetstream.JetStream) error) {
	t.Helper()
	var opts []natsgo.Option
	if opt.Server != nil {
		opts = append(opts, natsgo.InProcessServer(opt.Server))
	}
	if opt.CredsFile != "" {
		opts = append(opts, natsgo.UserCredentials(opt.CredsFile))
	}
	url := ""
	if len(opt.URLs) > 0 {
		url = opt.URLs[0]
	}
	nc, err := natsgo.Connect(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err = errors.Join(err, f(t.Context(), js)); err != nil {
		t.Fatal(err)
	}
}
