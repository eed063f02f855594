package workers_test

import (
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/fingerpost/fingerpost/pkg/api"
)

// receiver is a collector of traces: OTLP over HTTP, by the official messages.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	spans []*tracev1.Span
}

func receive(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		var req collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &req)
		}
		if err != nil || q.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", q.URL, err)
			http.Error(w, "no traces", http.StatusBadRequest)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, rs := range req.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				r.spans = append(r.spans, ss.Spans...)
			}
		}
		out, _ := proto.Marshal(&collector.ExportTraceServiceResponse{})
		w.Header().Set("Content-Type", "application/x-protobuf")
		_, _ = w.Write(out)
	}))
	t.Cleanup(r.Close)
	return r
}

// trace is the spans of the trace in which there is a span of that name, in order of their begin.
func (r *receiver) trace(name string) (out []*tracev1.Span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.spans, func(s *tracev1.Span) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	for _, s := range r.spans {
		if string(s.TraceId) == string(r.spans[i].TraceId) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *tracev1.Span) int { return int(int64(a.StartTimeUnixNano) - int64(b.StartTimeUnixNano)) })
	return out
}

// told is a span as a test sees it: its name, the name of the one that it follows from, and whether a link says so too.
type told struct {
	name, after string
	linked      bool
}

func names(spans []*tracev1.Span) (out []told) {
	by := map[string]string{}
	for _, s := range spans {
		by[string(s.SpanId)] = s.Name
	}
	for _, s := range spans {
		x := told{name: s.Name, after: by[string(s.ParentSpanId)]}
		for _, l := range s.Links {
			x.linked = x.linked || string(l.SpanId) == string(s.ParentSpanId) && string(l.TraceId) == string(s.TraceId)
		}
		out = append(out, x)
	}
	return out
}

// A document's life is one trace, from the PUT to its last vectors, each stage a span that follows from the message of
// another and is linked to it; a question is another one. No text is in them.
func TestOneTraceADocumentAndOneAQuestion(t *testing.T) {
	to := receive(t)
	conf := testConfig(t)
	conf.OTLP = to.URL
	s := start(t, systemConfig{Config: conf, Scripted: true})
	s.put("ledger.md", note("Ledger", word(1), 3))
	s.settled(1)
	var rep api.AskReply
	if err := s.ask("default", api.Ask, api.AskRequest{Question: "where does " + word(1) + " stand"}, &rep); err != nil {
		t.Fatal(err)
	}
	s.kill(syscall.SIGTERM) // sends the rest

	life := names(to.trace("put"))
	for _, want := range []told{{"put", "", false}, {"intake", "put", true}, {"parse", "intake", true}, {"chunk", "parse", true},
		{"embed", "chunk", true}, {"index", "chunk", true}, {"embed", "embed", true}, {"index", "embed", true}, {"embeddings", "embed", false}} {
		if !slices.Contains(life, want) {
			t.Errorf("%+v is not in the life %+v", want, life)
		}
	}
	question := names(to.trace("ask"))
	for _, want := range []told{{"ask", "", false}, {"route", "ask", false}, {"embeddings", "route", false}, {"search", "ask", false},
		{"resolve", "ask", false}, {"answer", "ask", false}} {
		if !slices.Contains(question, want) {
			t.Errorf("%+v is not in the question %+v", want, question)
		}
	}
	raw, err := json.Marshal(to.spans)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), word(1)) {
		t.Error("text of a document or of a question is in a span")
	}
	// The trail names the same trace.
	if id := hex.EncodeToString(to.trace("put")[0].TraceId); !strings.Contains(s.log.String(), id) {
		t.Errorf("no line of the log names trace %s", id)
	}
}

// Without a collector nothing is sent, and every message is one line of JSON all the same.
func TestOneLineAMessage(t *testing.T) {
	s := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	s.put("ledger.md", note("Ledger", word(1), 3))
	s.settled(1)
	s.find(word(1), 1)
	s.kill(syscall.SIGTERM)
	lines := map[string]int{}
	for line := range strings.Lines(s.log.String()) {
		var l struct {
			Msg, Stage, Outcome, Trace, Subject string
			Took                                *float64 `json:"took_ms"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("a line is no JSON: %v: %s", err, line)
		}
		switch {
		case l.Msg == "job":
			lines[l.Stage]++
			if l.Outcome == "" || l.Took == nil || len(l.Trace) != 55 {
				t.Errorf("a job's line: %s", line)
			}
		case l.Msg == "event" || l.Msg == "request":
			lines[l.Msg+strings.TrimPrefix(l.Subject, "fingerpost.default.")]++
			if l.Took == nil {
				t.Errorf("a line without its time: %s", line)
			}
		}
	}
	for what, n := range map[string]int{"event": 1, "parse": 1, "chunk": 1, "embed": 2, "index": 3, "requestfind": 1} {
		if lines[what] != n {
			t.Errorf("%d lines of %s, want %d: %v", lines[what], what, n, lines)
		}
	}
}
