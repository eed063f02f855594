// Package bustest is the contract of package bus as a test suite. It runs on the embedded server, on a
// server reached over TCP and on a cluster of three. There is no twin in memory: the embedded server starts
// in milliseconds, and a twin would be a second, untrue description of JetStream.
//
// Leases are a fraction of a second here. The suite waits for facts; where the fact is that nothing comes,
// it waits for the end of a Fetch.
package bustest

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// Vendor is what the suite needs beside the port.
type Vendor struct {
	Connect        func(t *testing.T) bus.Bus // one more client of the same server, closed by its own cleanup
	DeleteConsumer func(t *testing.T, stream, durable string)
	Purge          func(t *testing.T, stream string)
}

const (
	lease = 400 * time.Millisecond
	soon  = 10 * time.Second // a fact that does not come by then never does
)

var serial atomic.Int64

// suite is one test with a stream, a consumer and a client of its own.
type suite struct {
	*testing.T
	Vendor
	bus      bus.Bus
	stream   bus.Stream
	consumer bus.Consumer
}

// Run runs every test of the contract.
func Run(t *testing.T, v Vendor) {
	for _, c := range []struct {
		name string
		test func(*suite)
	}{
		{"DeliveryCarriesTheMessage", deliveryCarriesTheMessage},
		{"DuplicateIsStoredOnce", duplicateIsStoredOnce},
		{"Known20ReplayIsNotSwallowed", replayIsNotSwallowed},
		{"AckRemoves", ackRemoves},
		{"TermRemoves", termRemoves},
		{"NakWaits", nakWaits},
		{"LostLeaseIsRedelivered", lostLeaseIsRedelivered},
		{"Known14HeartbeatKeepsTheLease", heartbeatKeepsTheLease},
		{"Known13NoPrefetch", noPrefetch},
		{"FetchReturnsTheFirst", fetchReturnsTheFirst},
		{"FetchEndsWithItsContext", fetchEndsWithItsContext},
		{"TwoWorkersShare", twoWorkersShare},
		{"ScheduleSends", scheduleSends},
		{"Known17NoDeliveryIsTheLast", noDeliveryIsTheLast},
		{"DelayedBlockNobody", delayedBlockNobody},
		{"Known22DeletedConsumerIsRebuilt", deletedConsumerIsRebuilt},
		{"PurgedStreamGoesOn", purgedStreamGoesOn},
		{"Known24FullStreamPushesBack", fullStreamPushesBack},
		{"LogDiscardsTheOldest", logDiscardsTheOldest},
		{"BacklogCountsAndAges", backlogCountsAndAges},
		{"ScanTakesNothing", scanTakesNothing},
		{"DeclareUpdates", declareUpdates},
		{"DeclareNamesTheIncompatible", declareNamesTheIncompatible},
		{"HostileMessages", hostileMessages},
		{"BigMessages", bigMessages},
		{"KVCompareAndSet", kvCompareAndSet},
		{"KVRaces", kvRaces},
		{"KVReadsTheLeader", kvReadsTheLeader},
		{"KVHostileKeys", kvHostileKeys},
		{"WatchTellsInOrder", watchTellsInOrder},
		{"WatchOfNothing", watchOfNothing},
		{"EachWalks", eachWalks},
		{"RequestReply", requestReply},
		{"RequestParts", requestParts}, {"PartsOfTheGone", partsOfTheGone},
		{"RequestToNobody", requestToNobody},
		{"HandlersRunSideBySide", handlersRunSideBySide},
		{"BusyIsSaidAtOnce", busyIsSaidAtOnce},
		{"ServiceDrains", serviceDrains},
		{"ServicesShareRequests", servicesShareRequests},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // most of the time is waiting, and neighbours on one server are part of the contract
			c.test(newSuite(t, v))
		})
	}
}

func newSuite(t *testing.T, v Vendor) *suite {
	name := fmt.Sprintf("T%d", serial.Add(1))
	s := &suite{T: t, Vendor: v, bus: v.Connect(t),
		stream:   bus.Stream{Name: name, Subjects: []string{"t." + name + ".>"}, MaxBytes: 16 << 20},
		consumer: bus.Consumer{Stream: name, Durable: "work", Lease: lease}}
	s.declare()
	return s
}

func (s *suite) declare() {
	s.Helper()
	if err := s.bus.Declare(s.Context(), []bus.Stream{s.stream}, []bus.Consumer{s.consumer}); err != nil {
		s.Fatal(err)
	}
}

func (s *suite) subject(last string) string { return "t." + s.stream.Name + "." + last }

// publish stores messages with these bodies, without ids.
func (s *suite) publish(bodies ...string) {
	s.Helper()
	for _, body := range bodies {
		if err := s.bus.Publish(s.Context(), bus.Message{Subject: s.subject("x"), Data: []byte(body)}); err != nil {
			s.Fatal(err)
		}
	}
}

// fetch is at least one delivery, on this client.
func (s *suite) fetch(n int) []bus.Delivery {
	s.Helper()
	got, err := s.bus.Fetch(s.Context(), s.consumer, n, soon)
	if err != nil {
		s.Fatal(err)
	}
	if len(got) == 0 {
		s.Fatal("no message came")
	}
	return got
}

// one is the next delivery, which must have this body.
func (s *suite) one(body string) bus.Delivery {
	s.Helper()
	d := s.fetch(1)[0]
	if got := string(d.Message().Data); got != body {
		s.Fatalf("got %q, want %q", got, body)
	}
	return d
}

// nothing waits for a while and wants no delivery.
func (s *suite) nothing(b bus.Bus, wait time.Duration) {
	s.Helper()
	got, err := b.Fetch(s.Context(), s.consumer, 1, wait)
	if err != nil {
		s.Fatal(err)
	}
	if len(got) > 0 {
		s.Fatalf("%q came, attempt %d", got[0].Message().Data, got[0].Attempt())
	}
}

func (s *suite) ack(d bus.Delivery) {
	s.Helper()
	if err := d.Ack(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// backlog awaits the stream's count.
func (s *suite) backlog(want uint64) {
	s.Helper()
	var got uint64
	s.await(fmt.Sprintf("backlog is %d", want), func() bool {
		var err error
		if got, _, err = s.bus.Backlog(s.Context(), s.stream.Name); err != nil {
			s.Fatal(err)
		}
		return got == want
	})
}

func (s *suite) await(what string, fact func() bool) {
	s.Helper()
	late := time.After(soon)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !fact() {
		select {
		case <-tick.C:
		case <-late:
			s.Fatalf("not within %v: %s", soon, what)
		}
	}
}

// is wants target in err's chain and the named parts in its text.
func (s *suite) is(err, target error, parts ...string) {
	s.Helper()
	if !errors.Is(err, target) {
		s.Errorf("error %v, want %v", err, target)
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			s.Errorf("%q does not name %q", err, p)
		}
	}
}
