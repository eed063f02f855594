package miniotest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// Target is one NATS target of a MinIO. With Dir it is the safe and slow one: an event is a file until the broker has
// confirmed it. Without Dir an event is sent once, and is gone when that fails; the PUT is answered 200 all the same.
type Target struct {
	T       testing.TB
	Dir     string                                       // queue_dir; "": none
	Limit   int                                          // of files; 0: 100,000
	Publish func(ctx context.Context, body []byte) error // nil: the broker has it
	Crash   func() bool                                  // true: killed after the broker has it and before the file is removed

	Lost int // events that nobody will ever tell
}

// Happened is told of a change, as the server's PUT or DELETE is. The body is MinIO's message of it.
func (x *Target) Happened(body []byte) {
	x.T.Helper()
	if x.Dir == "" {
		if x.Publish(x.T.Context(), body) != nil {
			x.Lost++ // "Error: not connected to target server/service" in the server's log
		}
		return
	}
	limit := x.Limit
	if limit == 0 {
		limit = 100_000
	}
	if len(x.Queue()) >= limit {
		x.Lost++ // "the maximum store limit reached"
		return
	}
	file := filepath.Join(x.Dir, fmt.Sprintf("%08d.event", number.Add(1)))
	if err := os.WriteFile(file, body, 0o600); err != nil {
		x.T.Fatal(err)
	}
}

// number orders the files of all queues, over restarts too.
var number atomic.Uint64

// Queue is the files of the queue, oldest first.
func (x *Target) Queue() []string {
	x.T.Helper()
	files, err := filepath.Glob(filepath.Join(x.Dir, "*.event"))
	if err != nil {
		x.T.Fatal(err)
	}
	return files
}

// Tick is the replay that a MinIO runs every three seconds and at its start: the files in order until one is not
// confirmed. An empty file stays and stops nothing; one that is torn stops all behind it, for good.
func (x *Target) Tick() {
	x.T.Helper()
	for _, file := range x.Queue() {
		body, err := os.ReadFile(file)
		if err != nil {
			x.T.Fatal(err)
		}
		if len(body) == 0 {
			continue
		}
		if !json.Valid(body) || x.Publish(x.T.Context(), body) != nil {
			return
		}
		if x.Crash != nil && x.Crash() {
			return
		}
		if err := os.Remove(file); err != nil {
			x.T.Fatal(err)
		}
	}
}

// Message is the body that a MinIO sends to a target: the key escaped in the record, raw on top.
func Message(event, bucket, key string) []byte {
	r := record(event, bucket, url.QueryEscape(key))
	b, err := json.Marshal(map[string]any{"EventName": event, "Key": bucket + "/" + key, "Records": []any{r}})
	if err != nil {
		panic(err)
	}
	return b
}

func record(event, bucket, key string) map[string]any {
	return map[string]any{"eventVersion": "2.0", "eventSource": "minio:s3", "eventName": event, "eventTime": time.Now().UTC().Format(time.RFC3339Nano),
		"s3": map[string]any{"s3SchemaVersion": "1.0", "configurationId": "Config", "bucket": map[string]any{"name": bucket, "arn": "arn:aws:s3:::" + bucket},
			"object": map[string]any{"key": key, "sequencer": fmt.Sprintf("%016X", time.Now().UnixNano())}}}
}
