package nats

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// shoreAgain is how often a watch that waits for a lagging replica asks the leader again where the end is: what
// was last may have been removed meanwhile.
const shoreAgain = time.Second

// shore is where the present keys end: the client says so when the replica that it reads from has told what it
// had, which is not yet what the leader had.
type shore struct {
	k      *bucket
	filter string
	last   uint64 // revision the leader held last; 0: none
	seen   uint64 // greatest revision told
	told   bool   // the client says that the present keys have been told
}

func (s *shore) reached() bool { return s.told && s.seen >= s.last }

// saw notes an entry of the watch; nil is the client's word for the end.
func (s *shore) saw(e jetstream.KeyValueEntry) {
	if e == nil {
		s.told = true
		return
	}
	s.seen = max(s.seen, e.Revision())
}

// again asks for the end anew, but never for a later one than before.
func (s *shore) again(ctx context.Context) error {
	last, err := s.k.last(ctx, s.filter)
	if err == nil {
		s.last = min(s.last, last)
	}
	return err
}

// last is the greatest revision of the keys that the filter names, as the leader has it; 0 when there is none.
func (k *bucket) last(ctx context.Context, filter string) (uint64, error) {
	ctx, cancel := k.bus.within(ctx)
	defer cancel()
	st, err := k.bus.js.Stream(ctx, "KV_"+k.name)
	if err != nil {
		return 0, err
	}
	m, err := st.GetLastMsgForSubject(ctx, "$KV."+k.name+"."+filter)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return m.Sequence, nil
}
