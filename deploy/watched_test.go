package deploy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/embedding/scripted"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/workers"
	"github.com/fingerpost/fingerpost/workers/demo"
	"github.com/fingerpost/fingerpost/workers/gateway"
)

// watched is the whole system in this process, with its HTTP listener.
type watched struct {
	t    *testing.T
	sys  *workers.System
	page *gateway.Server
	deaf atomic.Bool // events of the store are lost
	stop func()
}

func startWatched(t *testing.T) *watched {
	t.Helper()
	t.Chdir(testenv.Root()) // the gateway changes the folder
	w := &watched{t: t}
	c := workers.Defaults()
	c.Data, c.S3, c.NATS, c.HTTP = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"
	c.Limits.ObjectBytes, c.ReconcileEvery = 1<<20, 0
	own := workers.Own{Embedder: scripted.New(), Events: func(ctx context.Context, body []byte, publish func(context.Context, []byte) error) error {
		if w.deaf.Load() {
			return nil
		}
		return publish(ctx, body)
	}}
	sys, err := workers.Open(t.Context(), c, own, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	w.sys = sys
	if w.page, err = gateway.Listen(c.HTTP, sys.Health, sys.Live, sys.Routes()...); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ready, over := make(chan struct{}), make(chan error, 1)
	go func() { over <- sys.Run(ctx, ready) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-over; err != nil {
			t.Error(err)
		}
		if err := sys.Close(); err != nil {
			t.Error(err)
		}
		_ = w.page.Close()
	})
	t.Cleanup(w.stop)
	<-ready
	return w
}

func (w *watched) put(key string, text []byte) {
	w.t.Helper()
	if _, err := w.sys.Blobs.Put(w.t.Context(), "documents", key, bytes.NewReader(text), int64(len(text)), blob.PutOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

// ask calls a verb over the bus.
func (w *watched) ask(subject string, req, rep any) {
	w.t.Helper()
	b, err := json.Marshal(req)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	out, err := w.sys.Bus.Request(ctx, "fingerpost."+subject, b)
	if err != nil {
		w.t.Fatalf("%s: %v", subject, err)
	}
	if err := json.Unmarshal(out, rep); err != nil {
		w.t.Fatal(err)
	}
}

// rest waits until n documents are at rest, those that are found with all their vectors.
func (w *watched) rest(n int) {
	w.t.Helper()
	until(w.t, fmt.Sprintf("%d documents at rest", n), func() bool {
		var s api.StatusReply
		w.ask("default.status", struct{}{}, &s)
		d := s.Documents
		return d.Pending == 0 && d.Indexed+d.Failed == n && s.Levels.Full == d.Indexed
	})
}

// show is the demo: its documents, its questions.
func (w *watched) show() {
	for _, d := range demo.Corpus() {
		w.put(d.Key, d.Bytes)
	}
	w.rest(len(demo.Corpus()))
	for _, q := range demo.Questions() {
		w.ask("default.find", api.FindRequest{Question: q.Question}, &api.FindReply{})
		w.ask("default.ask", api.AskRequest{Question: q.Question}, &api.AskReply{})
	}
}

// probe asks for readiness, as the kubelet does.
func (w *watched) probe() {
	w.t.Helper()
	for _, path := range []string{"/readyz", "/livez"} {
		r, err := http.Get("http://" + w.page.Addr() + path)
		if err != nil {
			w.t.Fatal(err)
		}
		if _ = r.Body.Close(); r.StatusCode != http.StatusOK {
			w.t.Errorf("%s: %s", path, r.Status)
		}
	}
}

// After a run of the demo every query of the dashboard has data, and no alert fires; then troubles are planted, and
// each has its alert.
func TestWatchedByPrometheus(t *testing.T) {
	w := startWatched(t)
	p := watch(t, w.page.Addr())
	until(t, "the first scrape", func() bool { return len(p.query(t, `up == 1`)) > 0 })
	w.show()
	w.probe()
	queries := dashboard(t)
	until(t, "data of every query", func() bool {
		for _, q := range queries {
			if expr := strings.ReplaceAll(q.expr, "$__rate_interval", "1m"); !number(p.query(t, expr)) {
				t.Logf("%s: %s has no data yet", q.panel, expr)
				return false
			}
		}
		return true
	})
	for name, fires := range p.firing(t) {
		if fires {
			t.Errorf("%s fires in a sound system", name)
		}
	}

	w.plantTroubles()
	troubles := []string{"FingerpostDeadLetters", "FingerpostEventsLost", "FingerpostRemovalsHeld", "FingerpostCitationsDropped"}
	until(t, fmt.Sprint("alerts ", troubles), func() bool { return all(p.firing(t), troubles) })
	w.stop()
	until(t, "the alert of a process that is gone", func() bool { return p.firing(t)["FingerpostDown"] })
}

// plantTroubles makes a document that is too large, an event that is lost, a crowd of documents that vanish unseen, and a text that
// was changed behind our back.
func (w *watched) plantTroubles() {
	t := w.t
	t.Helper()
	w.put("large.md", bytes.Repeat([]byte("too much "), 1<<18))
	for i := range 25 {
		w.put(fmt.Sprintf("crowd/%d.md", i), fmt.Appendf(nil, "# Paper %d\n\nThe word of this paper is crowd%dx.\n", i, i))
	}
	w.rest(len(demo.Corpus()) + 26)
	w.deaf.Store(true)
	w.put("unheard.md", []byte("# Unheard\n\nNobody told of this paper.\n"))
	for i := range 25 {
		if err := w.sys.Blobs.Delete(t.Context(), "documents", fmt.Sprintf("crowd/%d.md", i)); err != nil {
			t.Fatal(err)
		}
	}
	w.deaf.Store(false)
	w.ask("admin.reconcile", struct{}{}, &struct{}{})
	w.damage("reglament")
}

// damage changes the stored text of the document whose key holds a word, and asks for it.
func (w *watched) damage(word string) {
	t := w.t
	t.Helper()
	var docs api.DocumentsReply
	w.ask("default.documents", api.DocumentsRequest{}, &docs)
	for _, d := range docs.Documents {
		if !strings.Contains(d.Key, word) {
			continue
		}
		key := artefact.Store{}.SourceKey(artefact.Ref{Tenant: "default", Doc: d.DocID, Generation: d.Generation})
		file := filepath.Join(w.sys.Config.Data, "objects", "buckets", artefact.Bucket, key)
		if _, err := os.Stat(file); err != nil {
			t.Fatal(err)
		}
		text := read(t, file)
		put := strings.Map(func(r rune) rune {
			if r == 'а' {
				return 'о'
			}
			return r
		}, text)
		if _, err := w.sys.Blobs.Put(t.Context(), artefact.Bucket, key, strings.NewReader(put), int64(len(put)), blob.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	w.ask("default.find", api.FindRequest{Question: "насосные станции регламент", K: 5}, &api.FindReply{})
}

// number reports whether there is a sample that is a number.
func number(all []sample) bool {
	for _, s := range all {
		if v, ok := s.Value[1].(string); ok && v != "NaN" {
			return true
		}
	}
	return false
}

func all(have map[string]bool, want []string) bool {
	for _, n := range want {
		if !have[n] {
			return false
		}
	}
	return true
}
