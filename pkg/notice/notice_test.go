package notice

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// rec is a record with the given source, bucket ARN and key, all put in as they are.
func rec(source, arn, key string) string {
	return fmt.Sprintf(`{"eventSource":%q,"eventName":"ObjectCreated:Put","eventTime":"2026-11-30T17:00:00.5Z",`+
		`"s3":{"bucket":{"name":"docs","arn":%q},"object":{"key":%q}}}`, source, arn, key)
}

func records(r ...string) string { return `{"Records":[` + strings.Join(r, ",") + `]}` }

func minio(top, key string) string {
	return fmt.Sprintf(`{"EventName":"s3:ObjectCreated:Put","Key":%q,"Records":[%s]}`, top, rec("minio:s3", "arn:aws:s3:::docs", key))
}

const (
	arn          = "arn:aws:s3:::docs"
	versitygwARN = "arn:aws:s3:::/docs/x"
)

func TestKnown4KeysAreUnescapedOnce(t *testing.T) {
	for _, c := range []struct {
		name, body string
		src        Source
		key, other string
	}{
		{"minio", minio("docs/a b+c", "a+b%2Bc"), Auto, "a b+c", "a+b%2Bc"},
		{"minio percent", minio("docs/100%.pdf", "100%25.pdf"), Auto, "100%.pdf", "100%25.pdf"},
		{"minio once", minio("docs/p%2Fq", "p%252Fq"), Auto, "p%2Fq", "p%252Fq"},
		{"minio cyrillic", minio("docs/я", "%D1%8F"), Auto, "я", "%D1%8F"},
		{"minio shape with raw keys", minio("docs/dir/a+b", "dir/a+b"), Auto, "dir/a+b", "dir/a b"},
		{"minio without a word on top", records(rec("minio:s3", arn, "a+b")), Auto, "a+b", "a b"},
		{"minio told", records(rec("minio:s3", arn, "a+b")), MinIO, "a b", "a+b"},
		{"aws", records(rec("aws:s3", arn, "a+b%2Bc")), Auto, "a b+c", "a+b%2Bc"},
		{"aws never escaped", records(rec("aws:s3", arn, "100%.pdf")), Auto, "100%.pdf", ""},
		{"versitygw", records(rec("aws:s3", versitygwARN, "a+b%2Bc")), Auto, "a+b%2Bc", "a b+c"},
		{"versitygw path steps", records(rec("aws:s3", versitygwARN, "/x/../a//b+/")), Auto, "a/b+/", "/x/../a//b+/"},
		{"aws told versitygw", records(rec("aws:s3", arn, "a+b")), Versitygw, "a+b", "a b"},
		{"ceph", records(rec("ceph:s3", "arn:aws:s3:default::docs", "a+b 100%.pdf")), Auto, "a+b 100%.pdf", ""},
		{"rustfs", records(rec("rustfs:s3", arn, "a+b")), Auto, "a+b", "a b"},
		{"our gateway", records(rec("fingerpost:gateway", "", "a+b%")), Auto, "a+b%", ""},
		{"nobody known", records(rec("", "", "a+b")), Auto, "a+b", "a b"},
		{"eventbridge", `{"version":"0","detail-type":"Object Created","source":"aws.s3","time":"2026-11-30T17:00:00.5Z","detail":{"version":"0","bucket":{"name":"docs"},"object":{"key":"a+b","size":5},"reason":"PutObject"}}`, AWS, "a+b", "a b"},
		{"cloudevents record", `{"specversion":"1.0","type":"com.amazonaws.s3.objectcreated","source":"s","id":"1","data":` + rec("aws:s3", arn, "a+b") + `}`, Auto, "a b", "a+b"},
		{"cloudevents records", `{"specversion":"1.0","type":"t","source":"s","id":"1","data":` + records(rec("ceph:s3", arn, "a+b")) + `}`, Auto, "a+b", "a b"},
		{"cloudevents string", `{"specversion":"1.0","type":"t","data":"{\"Records\":[{\"eventTime\":\"2026-11-30T17:00:00.5Z\",\"eventName\":\"x\",\"s3\":{\"bucket\":{\"name\":\"docs\"},\"object\":{\"key\":\"k\"}}}]}"}`, Auto, "k", ""},
		{"cloudevents base64", `{"specversion":"1.0","type":"t","data_base64":"eyJSZWNvcmRzIjpbeyJldmVudFRpbWUiOiIyMDI2LTExLTMwVDE3OjAwOjAwLjVaIiwiZXZlbnROYW1lIjoieCIsInMzIjp7ImJ1Y2tldCI6eyJuYW1lIjoiZG9jcyJ9LCJvYmplY3QiOnsia2V5IjoiayJ9fX1dfQ=="}`, Auto, "k", ""},
		{"cloudevents of eventbridge", `{"specversion":"1.0","type":"t","data":{"detail-type":"Object Deleted","time":"2026-11-30T17:00:00.5Z","detail":{"bucket":{"name":"docs"},"object":{"key":"a+b"}}}}`, Auto, "a+b", "a b"},
		{"sns", fmt.Sprintf(`{"Type":"Notification","MessageId":"1","TopicArn":"t","Message":%q}`, records(rec("aws:s3", arn, "a+b"))), Auto, "a b", "a+b"},
		{"batch", "[" + records(rec("ceph:s3", arn, "a+b")) + "]", Auto, "a+b", "a b"},
		{"byte order mark", "\ufeff" + records(rec("ceph:s3", arn, "k")), Auto, "k", ""},
		{"nfd stays nfd", records(rec("ceph:s3", arn, "e\u0301.md")), Auto, "e\u0301.md", ""},
		{"leading and double slash stay", records(rec("ceph:s3", arn, "/a//b/../c")), Auto, "/a//b/../c", ""},
	} {
		got, err := Decode([]byte(c.body), c.src)
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %+v, %v", c.name, got, err)
			continue
		}
		n := got[0]
		if n.Bucket != "docs" || n.Key != c.key || n.Other != c.other || n.List || n.Name == "" && c.name != "" {
			t.Errorf("%s: %+v, want key %q, other %q", c.name, n, c.key, c.other)
		}
		if want := time.Date(2026, 11, 30, 17, 0, 0, 5e8, time.UTC); !n.At.Equal(want) {
			t.Errorf("%s: at %v, want %v", c.name, n.At, want)
		}
	}
}

func TestDecodeNothing(t *testing.T) {
	for _, body := range []string{
		`{"Records":null}`, `{"Records":[]}`, `[]`, ` {"Records" : null } `,
		`{"Service":"Amazon S3","Event":"s3:TestEvent","Time":"2026-11-30T17:00:00Z","Bucket":"docs","RequestId":"1","HostId":"2"}`,
		`{"Bucket":"Test-Bucket","Event":"s3:TestEvent","Service":"S3","Time":"2026-11-30T17:36:27Z"}`,
		strings.Replace(minio("docs/k", "k"), `"eventName":"ObjectCreated:Put"`, `"eventName":"s3:ObjectAccessed:Head"`, 1),
	} {
		if got, err := Decode([]byte(body), Auto); len(got) != 0 || err != nil {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
}

func TestDecodeUnreadable(t *testing.T) {
	deep := strings.Repeat(`{"Records":[`, 20_000)
	ce := strings.Repeat(`{"specversion":"1.0","data":`, 50) + "1" + strings.Repeat("}", 50)
	for name, c := range map[string]struct {
		body string
		want int // notices that come back all the same
	}{
		"empty": {"", 0}, "null": {"null", 0}, "no object": {"{}", 0}, "number": {"7", 0}, "text": {"hello", 0}, "xml": {"<Error/>", 0},
		"half": {`{"Records":[{"s3":`, 0}, "two": {`{"Records":[]} {"Records":[]}`, 0}, "records of another type": {`{"Records":"x"}`, 0},
		"record of another type": {`{"Records":[7,` + rec("ceph:s3", arn, "good") + `]}`, 1},
		"no bucket":              {`{"Records":[{"s3":{"object":{"key":"k"}}},` + rec("ceph:s3", arn, "good") + `]}`, 1},
		"null record":            {`{"Records":[null]}`, 0},
		"key of another type":    {`{"Records":[{"s3":{"bucket":{"name":"b"},"object":{"key":7}}}]}`, 0},
		"key no text":            {records(rec("aws:s3", arn, "bad%FF.md")), 0},
		"key with NUL":           {records(rec("aws:s3", arn, "nul%00.md")), 0},
		"key too long":           {records(rec("ceph:s3", arn, strings.Repeat("k", 1025))), 0},
		"deep":                   {deep, 0}, "deep brackets": {strings.Repeat("[", 100_000), 0}, "deep closed": {strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000), 0},
		"envelopes": {ce, 0}, "huge": {records(rec("ceph:s3", arn, "k")) + strings.Repeat(" ", MaxBody), 0},
		"eventbridge without bucket": {`{"detail-type":"Object Created","detail":{"object":{"key":"k"}}}`, 0},
		"bad base64":                 {`{"specversion":"1.0","data_base64":"***"}`, 0},
		"every record bad":           {`{"Records":[` + strings.TrimSuffix(strings.Repeat("7,", 5000), ",") + `]}`, 0},
	} {
		got, err := Decode([]byte(c.body), Auto)
		if !errors.Is(err, ErrUnreadable) || len(got) != c.want {
			t.Errorf("%s: %d notices, %v; want %d and ErrUnreadable", name, len(got), err, c.want)
		} else if len(err.Error()) > 4000 {
			t.Errorf("%s: the error has %d bytes", name, len(err.Error()))
		}
	}
	if _, err := Decode([]byte(`{"Records":null}`), "oracle"); !errors.Is(err, ErrUnreadable) {
		t.Errorf("an unknown source: %v", err)
	}
}

func TestDecodeEmptyKeyAsksForAList(t *testing.T) {
	got, err := Decode([]byte(records(rec("aws:s3", versitygwARN, ""), rec("aws:s3", versitygwARN, "k"))), Auto)
	if err != nil || len(got) != 2 || !got[0].List || got[0].Key != "" || got[1].List || got[1].Key != "k" {
		t.Errorf("%+v, %v", got, err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{minio("docs/a b", "a+b"), records(rec("aws:s3", arn, "a%2Bb")), `{"Records":null}`, `[[[]]]`, `{"specversion":"1.0","data":{"s3":{}}}`} {
		f.Add([]byte(s), "")
	}
	f.Fuzz(func(t *testing.T, body []byte, src string) { check(t, body, Source(src)) })
}

// check holds what is true of every answer of Decode.
func check(t *testing.T, body []byte, src Source) {
	t.Helper()
	got, err := Decode(body, src)
	if err != nil && !errors.Is(err, ErrUnreadable) {
		t.Fatalf("%q: %v wraps no ErrUnreadable", body, err)
	}
	for _, n := range got {
		if n.Bucket == "" || n.List != (n.Key == "") || n.Key != "" && !usable(n.Key) || n.Other == n.Key && n.Key != "" {
			t.Fatalf("%q gives %+v", body, n)
		}
	}
	again, err2 := Decode(body, src)
	if len(again) != len(got) || (err == nil) != (err2 == nil) {
		t.Fatalf("%q is decoded in two ways", body)
	}
}
