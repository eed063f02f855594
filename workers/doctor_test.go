package workers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/fingerpost/fingerpost/pkg/blob/miniotest"
	busnats "github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/natstest"
	"github.com/fingerpost/fingerpost/pkg/embedding/scripted"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

// clinic is a sound running system whose store looks like a MinIO; a test plants a fault in it.
type clinic struct {
	t    *testing.T
	conf workers.Config // joined
	sys  *system
	shop *shop
}

// shop is the store as doctor sees it: a MinIO's rules over the system's own objects, with metrics, and with what a test changes.
type shop struct {
	*miniotest.Server
	mu      sync.Mutex
	metrics []string                                          // one answer after another, the last for ever; none: 404
	change  func(w http.ResponseWriter, r *http.Request) bool // true: answered
	header  func(r *http.Request, h http.Header)              // of what the store answers
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	change, header := s.change, s.header
	metrics, isMetrics := "", strings.HasPrefix(r.URL.Path, "/minio/v2/metrics/")
	if isMetrics && len(s.metrics) > 0 {
		if metrics = s.metrics[0]; len(s.metrics) > 1 {
			s.metrics = s.metrics[1:]
		}
	}
	s.mu.Unlock()
	switch {
	case change != nil && change(w, r):
	case isMetrics && metrics != "" && strings.HasPrefix(r.Header.Get("Authorization"), "Bearer "):
		fmt.Fprint(w, metrics)
	case isMetrics:
		http.NotFound(w, r)
	default:
		if header != nil {
			w = &rewriting{w, func() { header(r, w.Header()) }}
		}
		s.Server.ServeHTTP(w, r)
	}
}

// rewriting changes the headers of an answer.
type rewriting struct {
	http.ResponseWriter
	change func()
}

func (w *rewriting) WriteHeader(status int) {
	w.change()
	w.ResponseWriter.WriteHeader(status)
}

const sound = "# TYPE minio_notify_target_queue_length gauge\n" +
	`minio_notify_target_queue_length{server="a:9000",target_id="SAFE",target_name="nats"} 0` + "\n" +
	`minio_notify_target_failed_events{server="a:9000",target_id="SAFE",target_name="nats"} 0` + "\n"

func newClinic(t *testing.T) *clinic {
	t.Helper()
	c := &clinic{t: t, sys: start(t, systemConfig{Config: testConfig(t), Scripted: true})}
	a, err := workers.ReadAddresses(c.sys.conf.Config.Data)
	if err != nil {
		t.Fatal(err)
	}
	k, err := workers.ReadKeys(c.sys.conf.Config.Data)
	if err != nil {
		t.Fatal(err)
	}
	c.shop = &shop{Server: miniotest.Start(t, a.S3, safe, fast)}
	front := httptest.NewServer(c.shop)
	t.Cleanup(front.Close)
	c.conf = c.sys.conf.Config
	c.conf.Servers.S3 = workers.S3{Endpoint: front.URL, AccessKey: k.AccessKey, SecretKey: k.SecretKey}
	if err := c.conf.Join(); err != nil {
		t.Fatal(err)
	}
	return c
}

// rules are those of a bucket that tells both targets.
const rules = `<NotificationConfiguration><QueueConfiguration><Id>x</Id><Queue>` + safe + `</Queue><Event>s3:ObjectCreated:*</Event><Event>s3:ObjectRemoved:*</Event></QueueConfiguration>
	<QueueConfiguration><Id>y</Id><Queue>` + fast + `</Queue><Event>s3:ObjectCreated:*</Event><Event>s3:ObjectRemoved:*</Event></QueueConfiguration></NotificationConfiguration>`

// mend takes every fault out.
func (c *clinic) mend() {
	c.shop.mu.Lock()
	defer c.shop.mu.Unlock()
	c.shop.metrics, c.shop.change, c.shop.header = []string{sound}, nil, nil
	c.shop.Deny("")
	c.shop.SetRules("documents", rules)
	c.shop.SetRules("fingerpost-derived", "")
}

// doctor looks, and gives what is wrong.
func (c *clinic) doctor(conf workers.Config, o workers.DoctorOptions) (wrong []workers.Finding) {
	c.t.Helper()
	all, err := workers.Doctor(c.t.Context(), conf, o, slog.New(slog.DiscardHandler))
	if err != nil {
		return []workers.Finding{{Part: "doctor", Detail: err.Error()}}
	}
	for _, f := range all {
		if !f.OK {
			wrong = append(wrong, f)
		}
	}
	return wrong
}

// Ten planted faults, ten named, and some more; and of a sound system nothing is said.
func TestDoctorNamesWhatIsPlanted(t *testing.T) {
	c := newClinic(t)
	quick := workers.DoctorOptions{NoProbe: true}
	for _, f := range []struct {
		name  string
		plant func(t *testing.T, conf *workers.Config)
		o     workers.DoctorOptions
		want  []string // in one finding, beginning with its part; nil: nothing is wrong
	}{
		{"nothing", nil, workers.DoctorOptions{}, nil},
		{"the bucket has no rule", func(*testing.T, *workers.Config) { c.shop.SetRules("documents", "") }, quick, []string{"rules of documents", "fingerpost setup"}},
		{"a rule for created objects only", func(*testing.T, *workers.Config) {
			c.shop.SetRules("documents", strings.ReplaceAll(rules, "<Event>s3:ObjectRemoved:*</Event>", ""))
		}, quick, []string{"rules of documents", "removed"}},
		{"the stream is made after the rule", func(t *testing.T, conf *workers.Config) {
			conf.Servers.NATS = workers.NATS{URLs: []string{natstest.Start(t).URL()}}
		}, quick, []string{"rules", "FP_EVENTS", "lost"}},
		{"a torn queue file", func(*testing.T, *workers.Config) {
			c.shop.metrics = []string{strings.Replace(sound, "} 0", "} 7", 1), strings.Replace(sound, "} 0", "} 8", 1)}
		}, workers.DoctorOptions{}, []string{"queue of SAFE:nats", "8 events wait", "torn", "queue_dir"}},
		{"events that failed", func(*testing.T, *workers.Config) {
			c.shop.metrics = []string{sound + `minio_notify_target_failed_events{target_id="FAST",target_name="nats"} 3` + "\n"}
		}, quick, []string{"queue of FAST:nats", "3 events could not be sent", "reconcile"}},
		{"JetStream is off", func(t *testing.T, conf *workers.Config) {
			conf.Servers.NATS = workers.NATS{URLs: []string{natstest.Start(t, func(o *server.Options) { o.JetStream = false }).URL()}}
		}, quick, []string{"JetStream", "off", "-js"}},
		{"JetStream may store too little", func(t *testing.T, conf *workers.Config) {
			conf.Servers.NATS = workers.NATS{URLs: []string{natstest.Start(t, limited).URL()}, User: "u", Password: "p"}
		}, quick, []string{"JetStream", "may store 100 MB", "stream_bytes"}},
		{"a user without rights", func(t *testing.T, conf *workers.Config) {
			conf.Servers.NATS = workers.NATS{URLs: []string{natstest.Start(t, narrow).URL()}, User: "u", Password: "p"}
		}, quick, []string{"permissions", "$JS.API.STREAM.INFO.FP_EVENTS", "give it fp.>"}},
		{"messages are kept too small", func(t *testing.T, conf *workers.Config) {
			conf.Servers.NATS = workers.NATS{URLs: []string{natstest.Start(t, func(o *server.Options) { o.MaxPayload = 8 << 10 }).URL()}}
		}, quick, []string{"message size", "8192", "max_payload"}},
		{"the clocks differ", func(*testing.T, *workers.Config) {
			c.shop.header = func(_ *http.Request, h http.Header) {
				if h.Get("Last-Modified") != "" {
					h.Set("Last-Modified", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
				}
			}
		}, quick, []string{"clock of the store", "1h0m", "NTP"}},
		{"Weaviate is read-only", func(t *testing.T, conf *workers.Config) {
			conf.Servers.Weaviate.URL = weaviateThat(t, "store is read-only due to: disk usage too high")
		}, quick, []string{"index", "read-only", "free some"}},
		{"Weaviate is full", func(t *testing.T, conf *workers.Config) {
			conf.Servers.Weaviate.URL = weaviateThat(t, "write segment: no space left on device")
		}, quick, []string{"index", "no disk or memory left", "free disk"}},
		{"the model is missing", func(t *testing.T, conf *workers.Config) {
			conf.Servers.NATS = workers.NATS{URLs: []string{natstest.Start(t).URL()}}
			conf.Embedder, conf.Servers.Ollama = "ollama", workers.Ollama{URL: ollamaThat(t, 384, "aa"), Model: "missing"}
		}, quick, []string{"embedder", "ollama pull missing"}},
		{"a server that refuses long texts", func(t *testing.T, conf *workers.Config) { // known 36
			conf.Servers.NATS = workers.NATS{URLs: []string{natstest.Start(t).URL()}}
			conf.Embedder, conf.Servers.Ollama = "ollama", workers.Ollama{URL: ollamaThat(t, 384, "cc"), Model: "all-minilm"}
		}, quick, []string{"embedder", "takes 256 tokens", "refuses texts of more than 128"}},
		{"the model that writes is missing", func(t *testing.T, conf *workers.Config) {
			conf.LLM, conf.Servers.Ollama = "ollama", workers.Ollama{URL: ollamaThat(t, 384, "aa"), Chat: "missing"}
		}, quick, []string{"llm", "ollama pull missing", "by code"}},
		{"the embedder has other dimensions", func(t *testing.T, conf *workers.Config) {
			built(t, conf, 384, "aa")
			conf.Servers.Ollama.URL = ollamaThat(t, 768, "bb")
		}, quick, []string{"embedder", "vectors of 384 numbers", "gives 768", "re-index"}},
		{"the embedder has other weights", func(t *testing.T, conf *workers.Config) {
			built(t, conf, 384, "aa")
			conf.Servers.Ollama.URL = ollamaThat(t, 384, "bb")
		}, quick, []string{"embedder", "aaaaaaaaaaaa", "bbbbbbbbbbbb", "re-index"}},
		{"the derived bucket has a rule", func(*testing.T, *workers.Config) { c.shop.SetRules("fingerpost-derived", rules) }, quick,
			[]string{"rules of fingerpost-derived", "without end", "setup"}},
		{"a bucket is in no source", func(t *testing.T, _ *workers.Config) {
			if err := c.sys.blobs.MakeBucket(t.Context(), "forgotten"); err != nil {
				t.Fatal(err)
			}
			c.shop.SetRules("forgotten", rules)
			t.Cleanup(func() { c.shop.SetRules("forgotten", "") })
		}, quick, []string{"bucket forgotten", "no source maps it"}},
		{"a schedule that nobody keeps", func(_ *testing.T, conf *workers.Config) { conf.Reindex.Schedule = "@weekly" }, quick,
			[]string{"re-index schedule", "no process keeps it", "worker reconcile"}},
		{"a due time at which nothing began", func(t *testing.T, conf *workers.Config) {
			planned(t, conf, reindex.Planned{Cron: "@weekly", By: "clock", Next: time.Now().Add(-time.Hour)})
		}, quick, []string{"re-index schedule", "@weekly was due at", "nothing began"}},
		{"a schedule that is kept", func(t *testing.T, conf *workers.Config) {
			planned(t, conf, reindex.Planned{Cron: "@weekly", By: "clock", Next: time.Now().Add(time.Hour)})
		}, quick, nil},
		{"a bucket of a source is missing", func(_ *testing.T, conf *workers.Config) {
			conf.Sources = append(conf.Sources, workers.Source{Bucket: "absent", Tenant: "default"})
		}, quick, []string{"bucket absent", "not found", "make the bucket"}},
		{"NATS is away", func(_ *testing.T, conf *workers.Config) {
			conf.Servers.NATS = workers.NATS{URLs: []string{"nats://127.0.0.1:1"}}
		}, quick,
			[]string{"messages", "is NATS"}},
		{"the store is away", func(_ *testing.T, conf *workers.Config) { conf.Servers.S3.Endpoint = "127.0.0.1:1" }, quick, []string{"objects", "servers.s3.endpoint"}},
		{"a tenant that nobody answers", func(_ *testing.T, conf *workers.Config) { conf.Sources[0].Tenant = "nobody" }, workers.DoctorOptions{Within: 3 * time.Second, Event: time.Second},
			[]string{"probe in documents", "nobody", "same sources"}},
	} {
		t.Run(f.name, func(t *testing.T) {
			c.t = t
			c.mend()
			conf := c.conf
			conf.Sources = append([]workers.Source(nil), c.conf.Sources...)
			if f.plant != nil {
				f.plant(t, &conf)
			}
			named(t, c.doctor(conf, f.o), f.want)
		})
	}
}

// planned stores a schedule as the process that keeps it does, until the test ends.
func planned(t *testing.T, conf *workers.Config, p reindex.Planned) {
	t.Helper()
	s, err := workers.Open(t.Context(), *conf, workers.Own{Embedder: scripted.New()}, slog.New(slog.DiscardHandler), workers.RoleParse)
	if err != nil {
		t.Fatal(err)
	}
	kv, err := s.Bus.KV(t.Context(), wire.ReindexBucket)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(p)
	if err == nil {
		_, err = kv.Put(t.Context(), "schedule", b, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(kv.Delete(context.Background(), "schedule"), s.Close()); err != nil {
			t.Error(err)
		}
	})
}

// named fails unless one finding holds every word, the part first; nil: unless there is none.
func named(t *testing.T, wrong []workers.Finding, want []string) {
	t.Helper()
	if want == nil && len(wrong) == 0 {
		return
	}
	for _, w := range wrong {
		whole := len(want) > 0 && w.Part == want[0]
		for _, x := range want {
			whole = whole && strings.Contains(w.Part+": "+w.Detail, x)
		}
		if whole && !strings.Contains(w.Detail, "\n") {
			return
		}
	}
	var said strings.Builder
	for _, w := range wrong {
		fmt.Fprintf(&said, "  %s: %s\n", w.Part, w.Detail)
	}
	t.Errorf("no finding holds %q:\n%s", want, said.String())
}

// limited is a server whose account may store 100 MB.
func limited(o *server.Options) {
	c := &server.Options{}
	err := c.ProcessConfigString(`accounts { a { jetstream { max_file: 104857600 }, users: [{user: u, password: p}] } }`)
	if err != nil {
		panic(err)
	}
	o.Accounts, o.Users = c.Accounts, c.Users
}

// narrow is a server whose user may ask for the account only.
func narrow(o *server.Options) {
	o.Users = []*server.User{{Username: "u", Password: "p", Permissions: &server.Permissions{Publish: &server.SubjectPermission{Allow: []string{"$JS.API.INFO"}}}}}
}

// weaviateThat is a server with a class of ours, whose every write is refused with these words.
func weaviateThat(t *testing.T, words string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		class := map[string]any{"class": "Fingerpost_1_Node", "description": "Fingerpost's entries of kind node; format 1", "multiTenancyConfig": map[string]any{"enabled": true}}
		switch {
		case r.URL.Path == "/v1/meta":
			fmt.Fprint(w, `{"version": "1.35.2"}`)
		case r.URL.Path == "/v1/schema":
			_ = json.NewEncoder(w).Encode(map[string]any{"classes": []any{class}})
		case r.URL.Path == "/v1/batch/objects":
			var b struct{ Objects []map[string]any }
			_ = json.NewDecoder(r.Body).Decode(&b)
			var out []any
			for _, o := range b.Objects {
				o["result"] = map[string]any{"status": "FAILED", "errors": map[string]any{"error": []any{map[string]any{"message": words}}}}
				out = append(out, o)
			}
			_ = json.NewEncoder(w).Encode(out)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// ollamaThat is a server with one embedding model, all-minilm, of dim numbers and these weights; that of weights "cc" takes
// half of the tokens that it tells.
func ollamaThat(t *testing.T, dim int, weights string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Model string
			Input []string
		}
		_ = json.NewDecoder(r.Body).Decode(&q)
		if q.Model != "all-minilm" {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprintf(w, `{"error":"model '%s' not found"}`, q.Model)
			return
		}
		if r.URL.Path == "/api/show" {
			_ = json.NewEncoder(w).Encode(map[string]any{"modelfile": "FROM /blobs/sha256-" + strings.Repeat(weights, 32) + "\n",
				"model_info": map[string]any{"bert.context_length": 256}, "capabilities": []string{"embedding"}})
			return
		}
		var v [][]float32
		tokens := 0
		for _, text := range q.Input {
			one := make([]float32, dim)
			for i, b := range []byte(text) {
				one[(i*31+int(b))%dim]++
			}
			one[0]++
			v = append(v, one)
			if weights == "cc" && len(strings.Fields(text)) > 130 {
				http.Error(w, `{"error":"the input length exceeds the context length"}`, http.StatusBadRequest)
				return
			}
			tokens += len(strings.Fields(text)) + 2
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"embeddings": v, "prompt_eval_count": tokens})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// built has a NATS of its own that holds the record of a build by the model of ollamaThat.
func built(t *testing.T, conf *workers.Config, dim int, weights string) {
	t.Helper()
	conf.Servers.NATS = workers.NATS{URLs: []string{natstest.Start(t).URL()}}
	conf.Embedder, conf.Servers.Ollama = "ollama", workers.Ollama{URL: ollamaThat(t, dim, weights), Model: "all-minilm"}
	b, err := busnats.Connect(t.Context(), busnats.Options{URLs: conf.Servers.NATS.URLs})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := workers.MakeBuild(t.Context(), b, *conf); err != nil {
		t.Fatal(err)
	}
}
