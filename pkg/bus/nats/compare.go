package nats

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// Difference is how something that we declare stands on the server: missing, as declared (no changes), or with other
// settings, each as "MaxBytes 1024 -> 2048".
type Difference struct {
	What    string // stream FP_PARSE, consumer intake of stream FP_EVENTS, KV bucket FP_DOCS
	Missing bool
	Changes []string
}

// Compare looks at what Declare and KV would make or change, and changes nothing. A setting that cannot be changed in
// place is an error, as it is to Declare.
func (b *Bus) Compare(ctx context.Context, streams []bus.Stream, consumers []bus.Consumer, buckets []string) ([]Difference, error) {
	var out []Difference
	compare := func(what, stream string, wanted func(have *jetstream.StreamConfig) jetstream.StreamConfig) error {
		ctx, cancel := b.within(ctx)
		defer cancel()
		have, err := b.streamConfig(ctx, stream)
		if err != nil {
			return err
		}
		d := Difference{What: what, Missing: have == nil}
		if have != nil {
			want := wanted(have)
			if err := unchangeable(*have, want); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
			d.Changes = changes(*have, want, false)
		}
		out = append(out, d)
		return nil
	}
	for _, s := range streams {
		err := compare("stream "+s.Name, s.Name, func(have *jetstream.StreamConfig) jetstream.StreamConfig { return b.streamWanted(s, have) })
		if err != nil {
			return out, err
		}
	}
	for _, name := range buckets {
		err := compare("KV bucket "+name, "KV_"+name, func(have *jetstream.StreamConfig) jetstream.StreamConfig { return b.bucketWanted(name, have) })
		if err != nil {
			return out, err
		}
	}
	for _, c := range consumers {
		d, err := b.compareConsumer(ctx, c)
		if err != nil {
			return out, err
		}
		out = append(out, d)
	}
	return out, nil
}

func (b *Bus) compareConsumer(ctx context.Context, c bus.Consumer) (Difference, error) {
	ctx, cancel := b.within(ctx)
	defer cancel()
	d := Difference{What: fmt.Sprintf("consumer %s of stream %s", c.Durable, c.Stream)}
	have, err := b.js.Consumer(ctx, c.Stream, c.Durable)
	switch {
	case errors.Is(err, jetstream.ErrConsumerNotFound), errors.Is(err, jetstream.ErrStreamNotFound):
		d.Missing = true
		return d, nil
	case err != nil:
		return d, wrap(ctx, err, "%s", d.What)
	}
	d.Changes = changes(have.CachedInfo().Config, consumerWanted(c), true)
	return d, nil
}

// changes names the fields in which two settings differ; named: only those that want sets.
func changes[T any](have, want T, named bool) (out []string) {
	h, w := reflect.ValueOf(have), reflect.ValueOf(want)
	for i := range h.NumField() {
		if named && w.Field(i).IsZero() || reflect.DeepEqual(h.Field(i).Interface(), w.Field(i).Interface()) {
			continue
		}
		out = append(out, fmt.Sprintf("%s %v -> %v", h.Type().Field(i).Name, h.Field(i), w.Field(i)))
	}
	return out
}
