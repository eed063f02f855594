package workers

import (
	"context"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	busnats "github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// reachWithin is how long a server may take to answer at all.
const reachWithin = 5 * time.Second

// nats is the bus with what only NATS can be asked.
type nats interface {
	bus.Bus
	Account(ctx context.Context) (busnats.Account, error)
	Refused(ctx context.Context, subjects ...string) ([]string, error)
	Clock(ctx context.Context, stream string) (at time.Time, took time.Duration, err error)
	Compare(ctx context.Context, streams []bus.Stream, consumers []bus.Consumer, buckets []string) ([]busnats.Difference, error)
	Hear(ctx context.Context, subject string, ready chan<- struct{}, f func(bus.Message)) error
}

// messages connects to NATS.
func (d *doctor) messages(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	if err := d.openBus(ctx, Own{}); err != nil {
		d.fail("messages", err)
		return false
	}
	return true
}

func (d *doctor) lookAtMessages(ctx context.Context) {
	n, ok := d.Bus.(nats)
	if !ok || !d.rights(ctx, n) || !d.account(ctx, n) {
		return
	}
	if d.streams(ctx, n) {
		d.stuck(ctx)
		d.natsClock(ctx, n)
		d.schedule(ctx)
	}
	d.letters(ctx)
}

// asked are subjects that every process publishes on, or stands for such: none of them is kept.
var asked = []string{"$JS.API.INFO", "$JS.API.STREAM.INFO." + wire.EventStream, "$JS.API.STREAM.UPDATE.FP_DOCTOR", "$JS.API.CONSUMER.MSG.NEXT.FP_DOCTOR.none",
	"$JS.ACK.FP_DOCTOR.none.1.1.1.1.1", "fp.doctor.none", "fingerpost.doctor.none", "$KV.FP_DOCTOR.none"}

// rights tries what the credentials must allow.
func (d *doctor) rights(ctx context.Context, n nats) bool {
	refused, err := n.Refused(ctx, asked...)
	if err != nil {
		d.fail("permissions", err)
		return false
	}
	for _, s := range refused {
		d.say("permissions", false, "NATS does not let this user publish on %s: give it fp.>, fingerpost.>, $JS.API.>, $JS.ACK.> and $KV.>", s)
	}
	return len(refused) == 0
}

// leastPayload is the largest message that a stage, a record or a page of a reply may need.
const leastPayload = 256 << 10

// account looks at what the account may store.
func (d *doctor) account(ctx context.Context, n nats) bool {
	a, err := n.Account(ctx)
	switch {
	case err != nil:
		d.fail("JetStream", err)
		return false
	case !a.JetStream:
		d.say("JetStream", false, "is off in this NATS server or for this account: start it with -js (jetstream {} in its configuration), and enable it for the account")
		return false
	case a.MaxPayload < leastPayload:
		d.say("message size", false, "NATS takes messages of at most %d bytes; set max_payload to 1MB, its default, or larger replies and records are refused", a.MaxPayload)
	}
	d.room(a)
	return true
}

// room compares what the account may store with what the streams are declared to take.
func (d *doctor) room(a busnats.Account) {
	ss, _ := d.declared()
	var need int64
	for _, s := range ss {
		need += s.MaxBytes
	}
	switch free := a.StoreLimit - a.Stored; {
	case a.StoreLimit > 0 && a.StoreLimit < need:
		d.say("JetStream", false, "the account may store %d MB and the %d streams are declared to take %d MB: raise its limit (max_file), or lower limits.stream_bytes", a.StoreLimit>>20, len(ss), need>>20)
	case a.StoreLimit > 0 && free < a.StoreLimit/10:
		d.say("JetStream", false, "%d of %d MB are used: raise the account's limit, or find out below which stream does not get smaller", a.Stored>>20, a.StoreLimit>>20)
	case a.StreamLimit > 0 && a.StreamLimit < len(ss)+len(stateBuckets):
		d.say("JetStream", false, "the account may have %d streams and needs %d: raise its limit (max_streams)", a.StreamLimit, len(ss)+len(stateBuckets))
	default:
		d.say("JetStream", true, "NATS %s, %d MB stored", a.Server, a.Stored>>20)
	}
}

// declared is every stream and consumer as the workers declare them.
func (d *doctor) declared() ([]bus.Stream, []bus.Consumer) {
	return streams(chain(nil, nil, nil, nil, 1, 1, d.Config.Lease), d.Config.Limits.StreamBytes, false)
}

// streams holds each stream, consumer and bucket against its declaration; true when the streams are there.
func (d *doctor) streams(ctx context.Context, n nats) bool {
	ss, cs := d.declared()
	wrong := 0
	look := func(what string, s []bus.Stream, c []bus.Consumer, buckets []string) {
		found, err := n.Compare(ctx, s, c, buckets)
		if err != nil {
			wrong++
			d.fail(what, err)
			return
		}
		for _, f := range found {
			if f.Missing {
				wrong++
				d.say(f.What, false, "is missing; `fingerpost setup` makes it, and so does a worker at its start")
			}
		}
	}
	for _, s := range ss {
		look("stream "+s.Name, []bus.Stream{s}, nil, nil)
	}
	for _, name := range stateBuckets {
		look("bucket "+name, nil, nil, []string{name})
	}
	if wrong == 0 {
		look("consumers", nil, cs, nil)
	}
	if wrong == 0 {
		d.say("streams", true, "%d streams, %d consumers and %d buckets as declared", len(ss), len(cs), len(stateBuckets))
	}
	return wrong == 0
}

// stuck looks for work that waits for nobody.
func (d *doctor) stuck(ctx context.Context) {
	ss, _ := d.declared()
	for _, s := range ss {
		n, age, err := d.Bus.Backlog(ctx, s.Name)
		switch {
		case err != nil:
			d.fail("stream "+s.Name, err)
		case !s.Limits && s.Name != wire.DeadStream && n > 0 && age > d.Config.StuckAfter:
			d.say("stream "+s.Name, false, "%d messages wait, the oldest for %s: is `fingerpost worker %s` running?", n, age.Round(time.Second), roleOf(s.Name))
		}
	}
}

// roleOf is the role that takes from a stream.
func roleOf(stream string) Role {
	for _, stage := range wire.Stages {
		for _, l := range []wire.Lane{wire.Live, wire.Bulk} {
			if wire.StreamName(l, stage) == stream {
				return stageRole(stage)
			}
		}
	}
	return RoleIntake
}

func (d *doctor) natsClock(ctx context.Context, n nats) {
	before := time.Now()
	at, took, err := n.Clock(ctx, wire.EventStream)
	if err != nil || at.IsZero() {
		return // the streams were looked at before
	}
	if skew := at.Sub(before.Add(took / 2)).Abs(); skew > skewMost {
		d.say("clock of NATS", false, "is %s away from this machine's; set both by NTP", skew.Round(time.Second))
	}
}

// letters says what has failed.
func (d *doctor) letters(ctx context.Context) {
	n, _, err := d.Bus.Backlog(ctx, wire.DeadStream)
	switch {
	case err != nil: // said of the stream
	case n > 0:
		d.say("dead letters", false, "%d; `fingerpost dead ls` says why, `dead replay` tries again", n)
	default:
		d.say("dead letters", true, "none")
	}
}
