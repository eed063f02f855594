package gateway

import (
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/notice"
)

// TestBodies holds that a delete of 1,000 of the longest keys fits the messages that NATS takes, and
// that the decoder reads all of them.
func TestBodies(t *testing.T) {
	at := time.Date(2026, 11, 30, 17, 0, 0, 0, time.UTC)
	key := strings.Repeat("<", 1024) // six bytes each in JSON
	var records []record
	for range 1000 {
		records = append(records, newRecord("ObjectRemoved:Delete", strings.Repeat("b", 63), at, object{Key: key, VersionID: strings.Repeat("v", 100)}))
	}
	messages, err := bodies(records)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range messages {
		if len(m) > 1<<20 {
			t.Errorf("a message has %d bytes", len(m))
		}
		notices, err := notice.Decode(m, notice.Auto)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range notices {
			if n++; x.Key != key || !x.At.Equal(at) {
				t.Fatalf("read back as %+v", x)
			}
		}
	}
	if n != 1000 {
		t.Errorf("%d records came back", n)
	}
	if none, err := bodies(nil); len(none) != 0 || err != nil {
		t.Errorf("no records: %q, %v", none, err)
	}
}
