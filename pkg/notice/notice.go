// Package notice reads what object stores say when an object changes: the messages of MinIO,
// AWS S3, Ceph, RustFS, versitygw and the embedded gateway, plain or in the envelopes of
// EventBridge, CloudEvents and SNS.
//
// A Notice is a hint to look at one key and nothing more. What the event is called, its size,
// ETag, order and sequencer are not trusted by anyone: a store calls it "removed" when an older
// version is current again, and "created" when a tag changed. The reader HEADs the object and
// takes what is there.
package notice

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode/utf8"
)

// Notice says that something happened to an object.
type Notice struct {
	Bucket string
	Key    string // raw, never escaped; "" with List
	// Other is the key in the other reading (escaped instead of raw, raw instead of escaped, as sent
	// instead of cleaned) when that gives another usable key. It is worth a HEAD only when Key is
	// missing: both `a b` and `a+b` may exist.
	Other string
	List  bool      // the store did not say which object: list the bucket
	Name  string    // the event's name as sent, for people only
	At    time.Time // when it happened, by the store's clock; zero when not said
}

// Source is who wrote a message; it decides how keys are written. The zero Source is Auto.
type Source string

// The sources. Escaped means form-encoded as a query value: a space is `+`, a slash `%2F`.
const (
	Auto        Source = ""             // told by the message itself
	MinIO       Source = "minio"        // NATS, webhook, Kafka... of MinIO: escaped
	MinIOListen Source = "minio-listen" // ListenBucketNotification of MinIO: raw
	Versitygw   Source = "versitygw"    // raw, as the client asked: path steps are cleaned away, as its lists do
	AWS         Source = "aws"          // SQS, SNS, Lambda: escaped. EventBridge is raw whatever is configured
	Ceph        Source = "ceph"         // raw
	RustFS      Source = "rustfs"       // raw
	Gateway     Source = "gateway"      // the embedded gateway: raw
)

// Sources are all that a configuration may name.
var Sources = []Source{Auto, MinIO, MinIOListen, Versitygw, AWS, Ceph, RustFS, Gateway}

// Known says whether s is one of Sources.
func (s Source) Known() bool {
	for _, k := range Sources {
		if s == k {
			return true
		}
	}
	return false
}

// raw stands for any source that writes keys as they are.
const raw = Gateway

// escaped says that s writes keys as query values.
func (s Source) escaped() bool { return s == MinIO || s == AWS }

// Limits of a message.
const (
	MaxBody  = 8 << 20 // bytes
	maxDepth = 4       // envelopes within each other
	maxKey   = 1024    // bytes, as S3 fixes it
)

// ErrUnreadable says that a message, or a record in it, names no object: another try is of no use.
var ErrUnreadable = errors.New("store notification cannot be read")

// Decode reads a message. Auto lets the bytes say who wrote them; any other Source overrides that.
// A test message, a keep-alive and a report of somebody reading give no notices and no error. When
// some records are unreadable, the others come back together with an error that wraps
// ErrUnreadable.
func Decode(body []byte, src Source) ([]Notice, error) {
	if !src.Known() {
		return nil, fmt.Errorf("source %q of store notifications is not known: %w", src, ErrUnreadable)
	}
	if len(body) > MaxBody {
		return nil, fmt.Errorf("a message of %d bytes is over the limit of %d: %w", len(body), MaxBody, ErrUnreadable)
	}
	d := decoder{src: src}
	d.message(body, 0)
	return d.found, errors.Join(d.errs...)
}

// decoder gathers notices and complaints.
type decoder struct {
	src   Source
	found []Notice
	errs  []error
}

// maxComplaints bounds the error of a message that is bad throughout.
const maxComplaints = 10

func (d *decoder) complain(format string, args ...any) {
	if len(d.errs) < maxComplaints {
		d.errs = append(d.errs, fmt.Errorf(format+": %w", append(args, ErrUnreadable)...))
	}
}

// add takes a notice with its key as written by src, after the last checks.
func (d *decoder) add(n Notice, written string, src Source) {
	n.Key, n.Other = readings(written, src.escaped())
	if clean := cleaned(n.Key); src == Versitygw && clean != n.Key {
		n.Key, n.Other = clean, written
	}
	switch {
	case reading(n.Name):
		return
	case n.Bucket == "":
		d.complain("a record names no bucket (key %.80q)", written)
		return
	case n.Key == "":
		n.List = true
	case !usable(n.Key):
		d.complain("a record of bucket %.80q names the key %.80q, which no store can hold", n.Bucket, n.Key)
		return
	}
	d.found = append(d.found, n)
}

// cleaned is the key without path steps, as a store that keeps objects as files lists it.
func cleaned(key string) string {
	if key == "" {
		return ""
	}
	c := strings.TrimPrefix(path.Clean("/"+key), "/")
	if c != "" && strings.HasSuffix(key, "/") {
		c += "/"
	}
	return c
}

// readings are the key as its source means it and the other way to read it. A key that is no
// valid escape was never escaped.
func readings(written string, escaped bool) (key, other string) {
	plain, err := url.QueryUnescape(written)
	if err != nil {
		return written, ""
	}
	key, other = written, plain
	if escaped {
		key, other = plain, written
	}
	if other == key || !usable(other) {
		other = ""
	}
	return key, other
}

func usable(key string) bool {
	return key != "" && len(key) <= maxKey && utf8.ValidString(key) && !strings.ContainsRune(key, 0)
}

// reading says that the event reports a HEAD or GET. It is the one look at a name: our own HEAD
// would answer such an event with the next one, for ever.
func reading(name string) bool {
	return strings.HasPrefix(strings.TrimPrefix(name, "s3:"), "ObjectAccessed:")
}

// when reads a time leniently: it is for people.
func when(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// decodeInto is json.Unmarshal that words its complaint.
func decodeInto(b []byte, v any) error {
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%w (%.60q)", err, b)
	}
	return nil
}
