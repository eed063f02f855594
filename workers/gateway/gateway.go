// Package gateway is the HTTP side: health for probes and a small status page. It shows counters
// only, never text of documents.
package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
)

// Health is what the page and the probes show.
type Health struct {
	Version string                     `json:"version"`
	Ready   bool                       `json:"ready"`
	Parts   map[string]string          `json:"parts"` // each part the system stands on: "ok", or what is wrong
	Tenants map[string]api.StatusReply `json:"tenants"`
}

// Server is a listening HTTP server.
type Server struct {
	l    net.Listener
	http *http.Server
}

// Route is a further place that is served: a pattern of http.ServeMux, and who answers there.
type Route struct {
	Pattern string
	Handler http.Handler
}

// Listen starts to serve on addr (port 0 picks a free one). health and live are asked at each request:
// live says why the process must be started again, nil that it lives.
func Listen(addr string, health func(context.Context) Health, live func() error, more ...Route) (*Server, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("http: %w; choose another address with --http", err)
	}
	s := &Server{l: l, http: &http.Server{Handler: guarded(l.Addr(), handler(health, live, more)), ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 15 * time.Second}}
	go func() { _ = s.http.Serve(l) }() // ends with Close; nothing to tell
	return s, nil
}

// Addr is host:port.
func (s *Server) Addr() string { return s.l.Addr().String() }

// Close stops serving; requests under way are cut.
func (s *Server) Close() error {
	if err := s.http.Close(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func handler(health func(context.Context) Health, live func() error, more []Route) http.Handler {
	mux := http.NewServeMux()
	for _, r := range more {
		mux.Handle(r.Pattern, r.Handler)
	}
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		if err := live(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		h := health(r.Context())
		w.Header().Set("Content-Type", "application/json")
		if !h.Ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_ = json.NewEncoder(w).Encode(h) // the client has gone
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		_ = page.Execute(w, health(r.Context())) // the client has gone
	})
	return mux
}

var page = template.Must(template.New("status").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2"><meta name="viewport" content="width=device-width">
<title>Fingerpost</title>
<style>
 body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem;color:#1b1b1b;background:#fdfdfb}
 h1{font-size:1.5rem} h2{font-size:1.1rem;margin-top:2rem}
 table{border-collapse:collapse;width:100%} th{text-align:left;font-weight:600} td,th{padding:.3rem .6rem;border-bottom:1px solid #ddd}
 td.n{text-align:right;font-variant-numeric:tabular-nums} .bad{color:#a40000;font-weight:600} .dim{color:#595959}
</style></head><body>
<h1>Fingerpost <span class="dim">{{.Version}}</span></h1>
<p>{{if .Ready}}Ready: questions are answered.{{else}}<span class="bad">Not ready.</span>{{end}}</p>
<table><tr><th>Part</th><th>State</th></tr>
{{range $name, $state := .Parts}}<tr><td>{{$name}}</td><td{{if ne $state "ok"}} class="bad"{{end}}>{{$state}}</td></tr>{{end}}</table>
{{range $name, $s := .Tenants}}<h2>Tenant {{$name}}</h2>
<table>
<tr><th>Documents</th><th></th></tr>
<tr><td>indexed</td><td class="n">{{$s.Documents.Indexed}}</td></tr>
<tr><td>pending</td><td class="n">{{$s.Documents.Pending}}</td></tr>
<tr><td>skipped</td><td class="n">{{$s.Documents.Skipped}}</td></tr>
<tr><td>failed</td><td class="n{{if $s.Documents.Failed}} bad{{end}}">{{$s.Documents.Failed}}</td></tr>
<tr><th>Found by</th><th></th></tr>
<tr><td>words</td><td class="n">{{$s.Levels.Words}}</td></tr>
<tr><td>first vectors of every section</td><td class="n">{{$s.Levels.Sections}}</td></tr>
<tr><td>all vectors</td><td class="n">{{$s.Levels.Full}}</td></tr>
<tr><th>Embeddings</th><th>{{$s.Embedder}}</th></tr>
<tr><td>made</td><td class="n">{{$s.Embeddings.Made}}</td></tr>
<tr><td>saved</td><td class="n">{{$s.Embeddings.Saved}}</td></tr>
</table>
{{range $s.Notes}}<p class="dim">{{.}}</p>{{end}}{{end}}
</body></html>
`))
