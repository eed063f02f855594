package nats

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// bucket is a KV bucket: a stream KV_<name> with one message a key.
type bucket struct {
	bus      *Bus
	name     string
	replicas int
	kv       jetstream.KeyValue
}

// KV opens the bucket and makes it when it is not there. Reads go to the leader (AllowDirect off, also for
// a bucket that another program made), so that a Get after a Put of anyone sees it.
func (b *Bus) KV(ctx context.Context, name string) (bus.KV, error) {
	ctx, cancel := b.within(ctx)
	defer cancel()
	have, err := b.streamConfig(ctx, "KV_"+name)
	if err != nil {
		return nil, err
	}
	want := b.bucketWanted(name, have)
	if _, err := b.js.CreateOrUpdateStream(ctx, want); err != nil {
		return nil, wrap(ctx, err, "bucket %s", name)
	}
	kv, err := b.js.KeyValue(ctx, name)
	if err != nil {
		return nil, wrap(ctx, err, "bucket %s", name)
	}
	return &bucket{b, name, want.Replicas, kv}, nil
}

// bucketWanted is the stream as nats.go would make it, with AllowDirect off, which nats.go does not offer.
func (b *Bus) bucketWanted(name string, have *jetstream.StreamConfig) jetstream.StreamConfig {
	cfg := jetstream.StreamConfig{Name: "KV_" + name, Subjects: []string{"$KV." + name + ".>"}, Storage: jetstream.FileStorage,
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew, MaxMsgsPerSubject: 1, MaxMsgs: -1, MaxBytes: -1,
		MaxMsgSize: -1, MaxConsumers: -1, AllowRollup: true, DenyDelete: true, Duplicates: window, Replicas: 1}
	if have != nil {
		cfg = *have
	}
	cfg.AllowDirect = false
	if b.opt.Replicas > 0 {
		cfg.Replicas = b.opt.Replicas
	}
	return cfg
}

func (k *bucket) Get(ctx context.Context, key string) ([]byte, uint64, error) {
	ctx, cancel := k.bus.within(ctx)
	defer cancel()
	e, err := k.kv.Get(ctx, key)
	if err != nil {
		return nil, 0, k.wrap(ctx, err, key)
	}
	return e.Value(), e.Revision(), nil
}

func (k *bucket) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if most := k.bus.nc.MaxPayload(); most > 0 && int64(len(value))+int64(len(key))+256 > most {
		return 0, fmt.Errorf("bucket %s, key %s: %w: %d bytes, the server's limit is %d", k.name, key, bus.ErrTooLarge, len(value), most)
	}
	ctx, cancel := k.bus.within(ctx)
	defer cancel()
	put := func() (uint64, error) { return k.kv.Update(ctx, key, value, revision) }
	if revision == 0 {
		put = func() (uint64, error) { return k.kv.Create(ctx, key, value) }
	}
	rev, err := put()
	return rev, k.wrap(ctx, err, key)
}

func (k *bucket) Delete(ctx context.Context, key string) error {
	ctx, cancel := k.bus.within(ctx)
	defer cancel()
	return k.wrap(ctx, k.kv.Delete(ctx, key), key)
}

func (k *bucket) wrap(ctx context.Context, err error, key string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jetstream.ErrKeyNotFound), errors.Is(err, jetstream.ErrKeyDeleted):
		return fmt.Errorf("bucket %s, key %s: %w", k.name, key, bus.ErrNoKey)
	case errors.Is(err, jetstream.ErrKeyExists), errors.Is(err, jetstream.ErrKeyRevisionMismatch):
		return fmt.Errorf("bucket %s, key %s: %w", k.name, key, bus.ErrConflict)
	}
	return wrap(ctx, err, "bucket %s, key %s", k.name, key)
}

// below is the filter of the keys below prefix.
func below(prefix string) string {
	prefix = strings.TrimSuffix(prefix, ".")
	switch {
	case prefix == "":
		return ">"
	case strings.HasSuffix(prefix, ">"):
		return prefix
	}
	return prefix + ".>"
}
