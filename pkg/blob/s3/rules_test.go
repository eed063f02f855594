package s3_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/miniotest"
	"github.com/fingerpost/fingerpost/pkg/blob/s3"
)

const safe, fast = "arn:minio:sqs::SAFE:nats", "arn:minio:sqs::FAST:nats"

func minio(t *testing.T, targets ...string) (*miniotest.Server, *s3.Store) {
	t.Helper()
	srv := miniotest.Start(t, "", targets...)
	s, err := s3.New(s3.Config{Endpoint: srv.URL, AccessKey: "a", SecretKey: "b"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if err := s.MakeBucket(t.Context(), "docs"); err != nil {
		t.Fatal(err)
	}
	return srv, s
}

// Two targets are put on a bucket, each once; a rule of others stays; a rule of ours that tells of less is replaced.
func TestRules(t *testing.T) {
	srv, s := minio(t, safe, fast, "arn:minio:sqs::THEIRS:webhook")
	srv.SetRules("docs", `<NotificationConfiguration>
		<QueueConfiguration><Id>a</Id><Queue>`+safe+`</Queue><Event>s3:ObjectCreated:*</Event></QueueConfiguration>
		<QueueConfiguration><Id>b</Id><Queue>arn:minio:sqs::THEIRS:webhook</Queue><Event>s3:ObjectRemoved:*</Event>
			<Filter><S3Key><FilterRule><Name>prefix</Name><Value>in/</Value></FilterRule></S3Key></Filter></QueueConfiguration>
		</NotificationConfiguration>`)
	for i, want := range []bool{true, true, false, false} {
		if changed, err := s.AddRule(t.Context(), "docs", []string{safe, fast}[i%2]); changed != want || err != nil {
			t.Errorf("%d: changed %v, %v", i, changed, err)
		}
	}
	rules, err := s.Rules(t.Context(), "docs")
	if err != nil || len(rules) != 3 {
		t.Fatalf("%+v, %v", rules, err)
	}
	for _, r := range rules {
		theirs := strings.Contains(r.Target, "THEIRS")
		if theirs && (r.Prefix != "in/" || len(r.Events) != 1) || !theirs && (r.Prefix != "" || strings.Join(r.Events, " ") != "s3:ObjectCreated:* s3:ObjectRemoved:*") {
			t.Errorf("%+v", r)
		}
	}
	for _, want := range []int{1, 0} {
		if n, err := s.RemoveRules(t.Context(), "docs", safe); n != want || err != nil {
			t.Errorf("%d rules taken off, want %d, %v", n, want, err)
		}
	}
}

func TestRulesThatCannotBe(t *testing.T) {
	for name, c := range map[string]struct {
		deny, target string
		want         error
	}{
		"target not known":   {"", "arn:minio:sqs::OTHER:nats", blob.ErrNoTarget},
		"no such call (501)": {"NotImplemented", safe, blob.ErrUnsupported}, "no such call (405)": {"MethodNotAllowed", safe, blob.ErrUnsupported},
		"no rights": {"AccessDenied", safe, blob.ErrDenied}, "AWS": {"", "arn:aws:sqs:eu-west-1:1:q", blob.ErrUnsupported},
	} {
		srv, s := minio(t, safe)
		srv.Deny(c.deny)
		if _, err := s.AddRule(t.Context(), "docs", c.target); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if srv.Rules("docs") != "" {
			t.Errorf("%s: a rule was set", name)
		}
	}
	_, s := minio(t, safe)
	if _, err := s.AddRule(t.Context(), "docs", "SAFE"); err == nil || !strings.Contains(err.Error(), "ARN") {
		t.Errorf("a target that is no ARN: %v", err)
	}
}

// A store may write its region into what it was asked for: it is the same target, and no second rule.
func TestARegionInTheTarget(t *testing.T) {
	srv, s := minio(t, safe)
	srv.SetRules("docs", `<NotificationConfiguration><QueueConfiguration><Queue>arn:minio:sqs:eu-west-1:SAFE:nats</Queue>
		<Event>s3:ObjectCreated:*</Event><Event>s3:ObjectRemoved:*</Event></QueueConfiguration></NotificationConfiguration>`)
	if changed, err := s.AddRule(t.Context(), "docs", safe); changed || err != nil {
		t.Errorf("changed %v, %v", changed, err)
	}
}
