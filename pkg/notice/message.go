package notice

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// message is every shape at once: records, or one envelope round them. Fields of no use here are
// not read, so their types do not matter.
type message struct {
	EventName string          `json:"EventName"` // MinIO
	Key       string          `json:"Key"`       // MinIO: bucket/rawkey
	Records   json.RawMessage `json:"Records"`
	Event     string          `json:"Event"` // s3:TestEvent

	DetailType string          `json:"detail-type"` // EventBridge
	Detail     json.RawMessage `json:"detail"`
	Time       string          `json:"time"`

	SpecVersion string          `json:"specversion"` // CloudEvents
	Data        json.RawMessage `json:"data"`
	DataBase64  string          `json:"data_base64"`

	Type    string `json:"Type"` // SNS: Notification; CloudEvents has a `type` too
	Message string `json:"Message"`

	S3 json.RawMessage `json:"s3"` // a record by itself, as some CloudEvents carry it
}

// message reads one message; depth counts the envelopes round it.
func (d *decoder) message(body []byte, depth int) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if depth > maxDepth {
		d.complain("envelopes are nested deeper than %d", maxDepth)
		return
	}
	if len(body) > 0 && body[0] == '[' { // a batch
		d.each(body, func(b json.RawMessage) { d.message(b, depth+1) })
		return
	}
	var m message
	if err := decodeInto(body, &m); err != nil {
		d.complain("message: %v", err)
		return
	}
	switch {
	case m.Records != nil:
		d.records(m)
	case m.SpecVersion != "" && m.DataBase64 != "":
		data, err := base64.StdEncoding.DecodeString(m.DataBase64)
		if err != nil {
			d.complain("CloudEvents data_base64: %v", err)
			return
		}
		d.message(data, depth+1)
	case m.SpecVersion != "" && m.Data != nil:
		d.message(unquote(m.Data), depth+1)
	case m.Detail != nil:
		d.eventBridge(m)
	case m.S3 != nil:
		d.record(body, d.src, "")
	case m.Type == "Notification" && m.Message != "":
		d.message([]byte(m.Message), depth+1)
	case m.Event != "" && strings.HasSuffix(m.Event, ":TestEvent"):
	case d.bare(body):
	default:
		d.complain("message holds no record (%.60q)", body)
	}
}

// records reads Records; null and an empty list are a keep-alive.
func (d *decoder) records(m message) {
	top := ""
	if m.EventName != "" {
		top = m.Key
	}
	d.each(m.Records, func(b json.RawMessage) { d.record(b, d.src, top) })
}

// each calls f for the elements of a JSON list.
func (d *decoder) each(list json.RawMessage, f func(json.RawMessage)) {
	var elems []json.RawMessage
	if err := decodeInto(list, &elems); err != nil {
		d.complain("list: %v", err)
		return
	}
	for _, e := range elems {
		f(e)
	}
}

// record is one entry of Records.
type record struct {
	EventSource string `json:"eventSource"`
	EventName   string `json:"eventName"`
	EventTime   string `json:"eventTime"`
	S3          struct {
		Bucket struct {
			Name string `json:"name"`
			ARN  string `json:"arn"`
		} `json:"bucket"`
		Object struct {
			Key string `json:"key"`
		} `json:"object"`
	} `json:"s3"`
}

// record reads one entry. top is the Key on top of MinIO's messages, "" without.
func (d *decoder) record(b []byte, src Source, top string) {
	var r record
	if err := decodeInto(b, &r); err != nil {
		d.complain("record: %v", err)
		return
	}
	if src == Auto {
		src = r.source(top)
	}
	d.add(Notice{Bucket: r.S3.Bucket.Name, Name: r.EventName, At: when(r.EventTime)}, r.S3.Object.Key, src)
}

// source tells who wrote the record. MinIO and those that copy its shape put the raw key on top,
// which settles the reading. versitygw says aws:s3 like AWS, and gives itself away by an ARN
// with a slash before the bucket.
func (r record) source(top string) Source {
	key := r.S3.Object.Key
	switch {
	case top != "" && top == r.S3.Bucket.Name+"/"+key && strings.ContainsAny(key, "/+% "):
		return RustFS
	case top != "":
		return MinIO
	case r.EventSource == "aws:s3" && strings.HasPrefix(r.S3.Bucket.ARN, "arn:aws:s3:::/"):
		return Versitygw
	case r.EventSource == "aws:s3":
		return AWS
	case r.EventSource == "minio:s3":
		return MinIOListen
	case strings.HasPrefix(r.EventSource, "ceph:"):
		return Ceph
	case strings.HasPrefix(r.EventSource, "rustfs:"):
		return RustFS
	}
	return Gateway // and anybody who does not say: raw
}

// detail is the core of an EventBridge event; some CloudEvents carry it bare.
type detail struct {
	Bucket struct {
		Name string `json:"name"`
	} `json:"bucket"`
	Object struct {
		Key string `json:"key"`
	} `json:"object"`
}

// eventBridge reads an EventBridge event, whose keys are raw.
func (d *decoder) eventBridge(m message) {
	var e detail
	if err := decodeInto(m.Detail, &e); err != nil {
		d.complain("EventBridge detail: %v", err)
		return
	}
	d.add(Notice{Bucket: e.Bucket.Name, Name: m.DetailType, At: when(m.Time)}, e.Object.Key, raw)
}

// bare reads a detail without its envelope and says whether it was one.
func (d *decoder) bare(body []byte) bool {
	var e detail
	if decodeInto(body, &e) != nil || e.Bucket.Name == "" {
		return false
	}
	d.add(Notice{Bucket: e.Bucket.Name}, e.Object.Key, raw)
	return true
}

// unquote gives what a JSON string holds, or b when it is none.
func unquote(b json.RawMessage) []byte {
	var s string
	if json.Unmarshal(b, &s) == nil {
		return []byte(s)
	}
	return b
}
