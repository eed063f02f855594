// Package bus is the port to messages and small state: JetStream streams with pull consumers,
// and key-value buckets with compare-and-set. The vendor is bus/nats (embedded server or external).
//
// Contract, held by bustest on every vendor: Publish returns when the message is stored (a duplicate ID
// inside the window is stored once and is no error); a message is delivered until it is settled,
// possibly twice, possibly to two workers; KV writes are linear and Get reads the leader.
package bus

import (
	"context"
	"errors"
	"time"
)

// The sentinel errors.
var (
	ErrFull = errors.New("stream is full") // DiscardNew: wait and publish again
	// ErrNoSchedules: the server sends nothing by itself, or knows no such pattern.
	ErrNoSchedules = errors.New("bus has no message schedules")
	ErrAway        = errors.New("bus does not answer") // of a write: it may have happened
	ErrConflict    = errors.New("key changed")         // compare-and-set lost
	ErrNoKey       = errors.New("no such key")
	ErrTooLarge    = errors.New("message is larger than the server takes")
	ErrDenied      = errors.New("the credentials do not allow it")
)

// Message is what is published. Headers are CloudEvents attributes in binary mode ("ce-id", ...) and "traceparent".
type Message struct {
	Subject string
	ID      string // Nats-Msg-Id; "" for none
	Header  map[string]string
	Data    []byte
}

// Delivery is a message in hand. Exactly one of Ack, Nak and Term settles it; the consumer keeps
// its lease alive (InProgress) until the first attempt to settle, or until the context of Fetch ends.
// A settling that returns an error may be repeated; else the message comes again when the lease has run out.
type Delivery interface {
	Message() Message
	Attempt() int                  // deliveries so far, this one included, from 1
	Stored() time.Time             // when the stream stored it
	Ack(ctx context.Context) error // double ack: returns when the server has it
	Nak(delay time.Duration) error
	Term(reason string) error
}

// Stored is a message as it lies in a stream.
type Stored struct {
	Message
	Sequence uint64
	Time     time.Time // when the stream stored it
}

// Progress is where a consumer stands. It is stuck when messages wait and none has been delivered for longer than any
// job takes.
type Progress struct {
	Pending, InHand  uint64    // messages never delivered; delivered and not settled, those that wait for a later try included
	Delivered, Acked time.Time // the last; zero when there was none since the server started
}

// Stream declares a stream: work queue (a message is gone when acknowledged), file storage,
// bounded bytes with DiscardNew, so that a full stream pushes back.
type Stream struct {
	Name     string
	Subjects []string
	MaxBytes int64
	Limits   bool          // a log instead of a work queue: kept until MaxAge or MaxBytes, oldest discarded
	MaxAge   time.Duration // of Limits; 0: none
	Window   time.Duration // deduplication window; 0: two minutes
}

// Consumer declares a durable pull consumer of a work-queue stream.
type Consumer struct {
	Stream, Durable string
	Lease           time.Duration // AckWait; heartbeats come every third of it
	// Fresh, to Declare: what an earlier taker had in hand is delivered at once instead of after its lease.
	// Only where no other process can be taking (the embedded server, whose folder is locked).
	Fresh bool
}

// Schedule is a message that the server stores by itself, at each time of a pattern.
type Schedule struct {
	Stream  string // of its own, made when it is not there
	Subject string // the messages come on Subject + ".due"
	// Cron is five fields (minute, hour, day of the month, month, day of the week; six: seconds first) in UTC, or @weekly and
	// its like; "" is never.
	Cron string
}

// Bus is the port.
type Bus interface {
	// Declare makes or updates streams, then consumers. Idempotent.
	Declare(ctx context.Context, streams []Stream, consumers []Consumer) error
	Publish(ctx context.Context, m Message) error
	// Fetch returns at most n messages that the caller starts at once, as soon as there is one (it never waits
	// to fill n), after `wait` at the latest. No message is no error.
	// A consumer that was lost is made again.
	Fetch(ctx context.Context, c Consumer, n int, wait time.Duration) ([]Delivery, error)
	// Backlog is the number of messages of a stream (pending and in hand) and the age of the oldest.
	Backlog(ctx context.Context, stream string) (n uint64, oldest time.Duration, err error)
	// Waiting is the number of messages of a stream (pending and in hand) below subject, wildcards allowed. Its cost
	// grows with that number.
	Waiting(ctx context.Context, stream, subject string) (uint64, error)
	// Scan calls f with every stored message of a stream below subject (wildcards allowed, "" for all), oldest
	// first, and takes none of them, of a work queue neither. An error of f ends the scan.
	Scan(ctx context.Context, stream, subject string, f func(Stored) error) error
	// Remove deletes one message of a stream by its sequence; one that is gone is no error.
	Remove(ctx context.Context, stream string, sequence uint64) error
	// Progress asks the consumer's leader.
	Progress(ctx context.Context, c Consumer) (Progress, error)
	// Rebuild makes a consumer anew: every message of its stream is delivered again, those in hand too.
	Rebuild(ctx context.Context, c Consumer) error
	KV(ctx context.Context, bucket string) (KV, error)
	// Schedule has the server send by the pattern, from now on; the same pattern again changes nothing. Times at which the
	// server is down are not made up for. ErrNoSchedules where it cannot.
	Schedule(ctx context.Context, s Schedule) error
	// Due is when the server last sent by a schedule; zero: never.
	Due(ctx context.Context, s Schedule) (time.Time, error)
	// Connected reports whether the server is reached at this moment.
	Connected() bool
	// Serve answers requests as a micro service; it runs until ctx ends, then drains.
	Serve(ctx context.Context, s Service) error
	// Request asks and waits for one reply. *ServiceError carries what the service refused.
	Request(ctx context.Context, subject string, data []byte) ([]byte, error)
	// RequestParts asks an Endpoint with Parts: f gets each part as it comes, the last one is returned. An error of f ends it,
	// as does a service that is silent for half a minute (ErrAway).
	RequestParts(ctx context.Context, subject string, data []byte, f func(part []byte) error) ([]byte, error)
	Close() error
}

// KV is a bucket of small values. Keys are subjects: tokens of a-z0-9-_ joined by '.'.
type KV interface {
	Get(ctx context.Context, key string) (value []byte, revision uint64, err error) // ErrNoKey
	// Put compares and sets: revision 0 means the key must not exist. ErrConflict when it lost.
	Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)
	// Watch calls f with every present key below prefix (a subject; "" for all) and then with each
	// change, in order, until ctx ends (nil then). Ready (may be nil) is closed when the present keys have been
	// told. A deletion is told with a nil value, perhaps of a key that was never told. Revisions
	// rise; of several quick changes of a key only the last may be told. After a reconnect changes go on where
	// they stopped.
	Watch(ctx context.Context, prefix string, ready chan<- struct{}, f func(key string, value []byte, revision uint64)) error
	// Each calls f with every present key below prefix; an error of f ends the walk and is returned.
	Each(ctx context.Context, prefix string, f func(key string, value []byte) error) error
	// Delete removes the key whatever its revision; a key that is not there is no error.
	Delete(ctx context.Context, key string) error
}

// Service is a NATS micro service: `nats micro ls/info/stats` show it.
type Service struct {
	Name, Version, Description string
	Endpoints                  []Endpoint
	Ready                      chan<- struct{} // closed when requests are answered (in a cluster: by this server, by the others a moment later); may be nil
}

// Endpoint answers on a subject, which may hold "*" for the tenant. The handler gets the subject
// as it was asked. A handler's *ServiceError becomes the micro error headers, any other error code 500.
// Handlers run side by side, Limit of them; a request beyond is answered 503 at once. When the service ends
// they have ten seconds to finish before their ctx does.
type Endpoint struct {
	Name, Subject string
	Metadata      map[string]string
	Limit         int // 0: 256
	Handle        func(ctx context.Context, subject string, data []byte) ([]byte, error)
	// Parts, instead of Handle, answers in several replies: each part that it sends, then the last, which it returns. Its ctx
	// ends when nobody listens any more; an empty part only asks for that.
	Parts func(ctx context.Context, subject string, data []byte, send func(part []byte) error) ([]byte, error)
}

// ServiceError is a refusal with a code (HTTP's meaning: 400, 404, 429, 503 ...) and a sentence that helps.
type ServiceError struct {
	Code    int
	Message string
}

func (e *ServiceError) Error() string { return e.Message }
