package workers_test

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/fingerpost/fingerpost/pkg/blob/miniotest"
	"github.com/fingerpost/fingerpost/pkg/bus"
	busnats "github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/natstest"
	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/workers"
)

const (
	safe = "arn:minio:sqs::SAFE:nats"
	fast = "arn:minio:sqs::FAST:nats"
)

// stage is servers to set up: a NATS and a MinIO that knows the targets.
type stage struct {
	conf  workers.Config
	minio *miniotest.Server
	nats  *natstest.Server
	steps []workers.Step
}

func newStage(t *testing.T, targets ...string) *stage {
	t.Helper()
	s := &stage{conf: workers.Defaults(), minio: miniotest.Start(t, "", targets...), nats: natstest.Start(t)}
	s.conf.Data, s.conf.Embedder = t.TempDir(), "none"
	s.conf.Sources = []workers.Source{{Bucket: "documents", Tenant: "default"}, {Bucket: "contracts", Prefix: "signed/", Tenant: "legal"}, {Bucket: "contracts", Prefix: "drafts/", Tenant: "legal"}}
	s.conf.Servers.NATS.URLs = []string{s.nats.URL()}
	s.conf.Servers.S3 = workers.S3{Endpoint: s.minio.URL, AccessKey: "a", SecretKey: "b"}
	return s
}

// run sets up, and returns the steps by what was done.
func (s *stage) run(t *testing.T, o workers.SetupOptions) error {
	t.Helper()
	s.steps = nil
	o.Say = func(x workers.Step) { s.steps = append(s.steps, x) }
	if o.Patience == (retry.Policy{}) {
		o.Patience = retry.Policy{Tries: 20, First: time.Millisecond, Most: 5 * time.Millisecond, Total: time.Minute}
	}
	return workers.Setup(t.Context(), s.conf, o, slog.New(slog.DiscardHandler))
}

// did is the parts of which the word was said, joined with their details.
func (s *stage) did(word string) (out []string) {
	for _, x := range s.steps {
		if x.Did == word {
			out = append(out, strings.TrimSuffix(x.Part+": "+x.Detail, ": "))
		}
	}
	return out
}

// A first setup makes everything, streams before rules; a second finds it all and asks the store to change nothing.
func TestSetupMakesAllOnce(t *testing.T) {
	s := newStage(t, safe, fast)
	if err := s.run(t, workers.SetupOptions{DryRun: true}); err != nil || len(s.did("made")) > 0 || len(s.minio.Asked()) > 0 {
		t.Fatalf("a dry run: %v, made %q, asked %q", err, s.did("made"), s.minio.Asked())
	}
	missing := s.did("missing")
	if err := s.run(t, workers.SetupOptions{Versions: true}); err != nil {
		t.Fatalf("%v %q", err, s.did("failed"))
	}
	made := s.did("made")
	part := func(x string) string { p, _, _ := strings.Cut(x, ": "); return p }
	for _, m := range missing {
		if !slices.ContainsFunc(made, func(x string) bool { return part(x) == part(m) }) {
			t.Errorf("the dry run missed %q, which was not made", m)
		}
	}
	if len(missing) != len(made) {
		t.Errorf("missing %q\nmade %q", missing, made)
	}
	for _, want := range []string{"stream FP_EVENTS", "consumer intake of stream FP_EVENTS", "KV bucket FP_DOCS", "bucket fingerpost-derived",
		"bucket documents", "bucket contracts", "rule of documents for " + safe, "rule of contracts for " + fast} {
		if !slices.Contains(made, want) {
			t.Errorf("not made: %s", want)
		}
	}
	stream, rule := slices.Index(made, "stream FP_EVENTS"), slices.Index(made, "rule of documents for "+safe)
	if stream > rule {
		t.Errorf("the rule is set before its stream: %q", made)
	}
	if !s.minio.Versioned("documents") || s.minio.Versioned("fingerpost-derived") || s.minio.Rules("fingerpost-derived") != "" {
		t.Error("versions of the sources' buckets only, rules of none but theirs")
	}
	asked := s.minio.Asked()
	if err := s.run(t, workers.SetupOptions{Versions: true}); err != nil {
		t.Fatal(err)
	}
	if again := s.minio.Asked(); len(again) != len(asked) || len(s.did("made"))+len(s.did("changed")) > 0 {
		t.Errorf("the second time asks for %q and says made %q, changed %q", again[len(asked):], s.did("made"), s.did("changed"))
	}
}

// What others have changed is mended and named: a limit of a stream, a rule that tells of less, a rule on the derived bucket.
func TestSetupMendsWhatDiffers(t *testing.T) {
	s := newStage(t, safe, fast, "arn:minio:sqs::THEIRS:webhook")
	if err := s.run(t, workers.SetupOptions{}); err != nil {
		t.Fatal(err)
	}
	less := `<NotificationConfiguration><QueueConfiguration><Id>x</Id><Queue>` + safe + `</Queue><Event>s3:ObjectCreated:*</Event></QueueConfiguration>
		<QueueConfiguration><Id>y</Id><Queue>arn:minio:sqs::THEIRS:webhook</Queue><Event>s3:ObjectCreated:*</Event></QueueConfiguration></NotificationConfiguration>`
	s.minio.SetRules("fingerpost-derived", less)
	s.conf.Limits.StreamBytes = 32 << 20
	if err := s.run(t, workers.SetupOptions{DryRun: true}); err != nil || len(s.did("differs")) == 0 || !strings.Contains(s.minio.Rules("fingerpost-derived"), "SAFE") {
		t.Errorf("a dry run: %v, differs %q", err, s.did("differs"))
	}
	if err := s.run(t, workers.SetupOptions{}); err != nil {
		t.Fatal(err, s.did("failed"))
	}
	changed := strings.Join(s.did("changed"), "\n")
	for _, want := range []string{"stream FP_PARSE: MaxBytes 67108864 -> 33554432", "rules of fingerpost-derived: 1 rules for " + safe} {
		if !strings.Contains(changed, want) {
			t.Errorf("not said: %s in\n%s", want, changed)
		}
	}
	if left := s.minio.Rules("fingerpost-derived"); strings.Contains(left, "SAFE") || !strings.Contains(left, "THEIRS") {
		t.Errorf("rules of the derived bucket: %s", left)
	}
}

// Known 10: the stream is made before the rule. Where streams cannot be made, no rule is set.
func TestKnown10NoRuleWithoutItsStream(t *testing.T) {
	s := newStage(t, safe, fast)
	b, err := busnats.Connect(t.Context(), busnats.Options{URLs: s.conf.Servers.NATS.URLs})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	log := bus.Stream{Name: "FP_EVENTS", Subjects: []string{"fp.events.>"}, Limits: true}
	if err := b.Declare(t.Context(), []bus.Stream{log}, nil); err != nil {
		t.Fatal(err)
	}
	err = s.run(t, workers.SetupOptions{})
	failed := strings.Join(s.did("failed"), "\n")
	if !errors.Is(err, workers.ErrSetup) || errors.Is(err, workers.ErrLate) || !strings.Contains(failed, "retention") || !strings.Contains(failed, "rules: not set") {
		t.Errorf("%v:\n%s", err, failed)
	}
	if s.minio.Rules("documents") != "" {
		t.Error("a rule was set")
	}
	if !slices.Contains(s.did("made"), "bucket documents") {
		t.Error("the buckets wait for the streams")
	}
}

// A MinIO is called ready a moment before it answers, and knows its targets a moment later still.
func TestSetupWaitsForAStart(t *testing.T) {
	s := newStage(t, safe, fast)
	s.minio.Starting(3, 2)
	if err := s.run(t, workers.SetupOptions{}); err != nil || !strings.Contains(s.minio.Rules("documents"), safe) || !strings.Contains(s.minio.Rules("contracts"), fast) {
		t.Errorf("%v: %q", err, s.did("failed"))
	}
}

// Each of these gets one sentence that says what to do.
func TestSetupSaysWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		plant func(*stage)
		want  string // in a step that failed
		note  string // or in a note: nothing is broken
		late  bool
	}{
		"no NATS": {func(s *stage) { s.nats.Stop() }, "messages: ", "", true},
		"login": {func(s *stage) {
			s.conf.Servers.NATS.User, s.conf.Servers.NATS.Password = "fingerpost", "wrong"
		}, "are user and password", "", false},
		"no store":        {func(s *stage) { s.conf.Servers.S3.Endpoint = "127.0.0.1:1" }, "servers.s3.endpoint running", "", true},
		"no rights":       {func(s *stage) { s.minio.Deny("AccessDenied") }, "must be allowed to read and set the notification rules", "", false},
		"no rules":        {func(s *stage) { s.minio.Deny("NotImplemented") }, "", "no notification rules from us (501)", false},
		"one target":      {func(s *stage) { s.minio = nil }, "", "one target only", false},
		"no target":       {func(s *stage) { s.minio = nil }, "deploy/minio/minio.env", "", false},
		"unknown target":  {func(s *stage) { s.conf.Servers.S3.Targets = []string{"arn:minio:sqs::OTHER:nats"} }, "servers.s3.targets", "", false},
		"target no ARN":   {func(s *stage) { s.conf.Servers.S3.Targets = []string{"SAFE"} }, "rule of documents for SAFE", "", false},
		"a target of AWS": {func(s *stage) { s.conf.Servers.S3.Targets = []string{"arn:aws:sqs:eu-west-1:1:q"} }, "", "no notification rules from us", false},
	} {
		t.Run(name, func(t *testing.T) {
			targets := map[string][]string{"one target": {safe}, "no target": nil}
			known, special := targets[name]
			if !special {
				known = []string{safe, fast}
			}
			s := newStage(t, known...)
			if name == "login" {
				s.nats = natstest.Start(t, func(o *server.Options) { o.Username, o.Password = "fingerpost", "right" })
				s.conf.Servers.NATS.URLs = []string{s.nats.URL()}
			}
			if !special {
				c.plant(s)
			}
			err := s.run(t, workers.SetupOptions{Within: 2 * time.Second, Patience: retry.Policy{Tries: 2, First: time.Millisecond, Total: time.Second}})
			failed, notes := strings.Join(s.did("failed"), "\n"), strings.Join(s.did("note"), "\n")
			if errors.Is(err, workers.ErrSetup) != (c.want != "") || errors.Is(err, workers.ErrLate) != c.late || !strings.Contains(failed, c.want) || !strings.Contains(notes, c.note) {
				t.Errorf("%v\nfailed: %s\nnotes: %s", err, failed, notes)
			}
		})
	}
}

// Without targets of ours those that MinIO's documentation names are tried.
func TestSetupFindsOtherTargets(t *testing.T) {
	s := newStage(t, "arn:minio:sqs::PRIMARY:nats", "arn:minio:sqs::1:nats")
	if err := s.run(t, workers.SetupOptions{}); err != nil || !strings.Contains(s.minio.Rules("contracts"), "PRIMARY") {
		t.Errorf("%v: %q", err, s.did("failed"))
	}
}

// The classes of the build are made in a real Weaviate, once.
func TestSetupMakesClasses(t *testing.T) {
	w := testenv.Weaviate(t)
	s := newStage(t, safe, fast)
	s.conf.Embedder, s.conf.Servers.Weaviate = "builtin", workers.Weaviate{URL: w.URL, GRPC: w.GRPC}
	for i, want := range []string{"missing", "made", ""} {
		if err := s.run(t, workers.SetupOptions{DryRun: i == 0}); err != nil {
			t.Fatalf("%v: %q", err, s.did("failed"))
		}
		n := 0
		for _, x := range s.steps {
			if strings.HasPrefix(x.Part, "class ") {
				n++
				if x.Did != want {
					t.Errorf("%s is %s, want %s", x.Part, x.Did, want)
				}
			}
		}
		if all := map[string]int{"missing": 3, "made": 4}[want]; n != all {
			t.Errorf("run %d: %d classes, want %d", i, n, all)
		}
	}
}
