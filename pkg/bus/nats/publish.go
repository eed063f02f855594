package nats

import (
	"context"
	"fmt"
	"strings"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// Publish stores m in the stream that has its subject and returns when it is stored.
func (b *Bus) Publish(ctx context.Context, m bus.Message) error {
	msg, err := b.encode(m)
	if err != nil {
		return err
	}
	ctx, cancel := b.within(ctx)
	defer cancel()
	ctx, done := b.denied.watch(ctx, m.Subject)
	defer done()
	_, err = b.js.PublishMsg(ctx, msg, publishOptions(m)...)
	return wrap(ctx, err, "publish on %s", m.Subject)
}

func publishOptions(m bus.Message) []jetstream.PublishOpt {
	if m.ID == "" {
		return nil
	}
	return []jetstream.PublishOpt{jetstream.WithMsgID(m.ID)}
}

func (b *Bus) encode(m bus.Message) (*natsgo.Msg, error) {
	if !plainSubject(m.Subject) {
		return nil, fmt.Errorf("publish: %q is no subject", m.Subject)
	}
	msg := natsgo.NewMsg(m.Subject)
	msg.Data = m.Data
	for k, v := range m.Header {
		if !plainHeader(k) {
			return nil, fmt.Errorf("publish on %s: %q is no header name", m.Subject, k)
		}
		msg.Header.Set(k, v)
	}
	if size, most := int64(msg.Size()+len(m.ID)+64), b.nc.MaxPayload(); most > 0 && size > most {
		return nil, fmt.Errorf("publish on %s: %w: %d bytes with headers, the server's limit is %d", m.Subject, bus.ErrTooLarge, size, most)
	}
	return msg, nil
}

// plainHeader keeps out what would break the header block, and the server's own names.
func plainHeader(k string) bool {
	for _, r := range k {
		if r <= ' ' || r == ':' || r > '~' {
			return false
		}
	}
	return k != "" && !strings.HasPrefix(k, "Nats-")
}

func decode(subject string, header natsgo.Header, data []byte) bus.Message {
	m := bus.Message{Subject: subject, Data: data, ID: header.Get(jetstream.MsgIDHeader)}
	for k, v := range header {
		if len(v) > 0 && !strings.HasPrefix(k, "Nats-") {
			if m.Header == nil {
				m.Header = map[string]string{}
			}
			m.Header[k] = v[0]
		}
	}
	return m
}

// Backlog asks the stream's leader.
func (b *Bus) Backlog(ctx context.Context, stream string) (uint64, time.Duration, error) {
	ctx, cancel := b.within(ctx)
	defer cancel()
	st, err := b.js.Stream(ctx, stream)
	if err != nil {
		return 0, 0, wrap(ctx, err, "stream %s", stream)
	}
	state := st.CachedInfo().State
	if state.Msgs == 0 {
		return 0, 0, nil
	}
	return state.Msgs, max(0, time.Since(state.FirstTime)), nil
}

// Waiting asks the stream's leader, which lists the subjects.
func (b *Bus) Waiting(ctx context.Context, stream, subject string) (uint64, error) {
	ctx, cancel := b.within(ctx)
	defer cancel()
	st, err := b.js.Stream(ctx, stream)
	if err != nil {
		return 0, wrap(ctx, err, "stream %s", stream)
	}
	info, err := st.Info(ctx, jetstream.WithSubjectFilter(subject))
	if err != nil {
		return 0, wrap(ctx, err, "stream %s, subject %s", stream, subject)
	}
	n := uint64(0)
	for _, of := range info.State.Subjects {
		n += of
	}
	return n, nil
}
