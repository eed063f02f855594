package gateway

import (
	"encoding/json"
	"time"
)

// EventSource stands in eventSource of our records: their keys are raw, not escaped.
const EventSource = "fingerpost:gateway"

// message is an S3 event message, the AWS schema with the fields that a reader of it needs.
type message struct {
	Records []record
}

type record struct {
	EventVersion string    `json:"eventVersion"`
	EventSource  string    `json:"eventSource"`
	EventTime    time.Time `json:"eventTime"`
	EventName    string    `json:"eventName"`
	S3           entity    `json:"s3"`
}

type entity struct {
	SchemaVersion string `json:"s3SchemaVersion"`
	Bucket        struct {
		Name string `json:"name"`
	} `json:"bucket"`
	Object object `json:"object"`
}

type object struct {
	Key       string `json:"key"`
	Size      int64  `json:"size,omitempty"`
	ETag      string `json:"eTag,omitempty"`
	VersionID string `json:"versionId,omitempty"`
}

// newRecord is the record of one change. at is the time it was done.
func newRecord(name, bucket string, at time.Time, o object) record {
	r := record{EventVersion: "2.1", EventSource: EventSource, EventTime: at.UTC(), EventName: name}
	r.S3.SchemaVersion = "1.0"
	r.S3.Bucket.Name = bucket
	r.S3.Object = o
	return r
}

// perMessage is the greatest number of records in one body: with the longest keys, all escaped
// in JSON, it stays under the 1 MiB that NATS takes by default.
const perMessage = 100

// bodies are the messages of the records.
func bodies(records []record) ([][]byte, error) {
	var out [][]byte
	for len(records) > 0 {
		n := min(perMessage, len(records))
		b, err := json.Marshal(message{records[:n]})
		if err != nil {
			return nil, err
		}
		out, records = append(out, b), records[n:]
	}
	return out, nil
}
