package miniotest

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server answers what a MinIO answers about buckets and their rules, and tells those who listen. Objects are those of the
// store behind it; without one there are none.
type Server struct {
	URL string // http://127.0.0.1:port

	next http.Handler

	mu        sync.Mutex
	targets   []string          // ARNs that it knows
	rules     map[string][]byte // by bucket, as they were put
	versioned map[string]bool
	deny      string // code of every answer about rules; "": none
	notReady  int    // requests still answered with 503
	unknown   int    // rules still refused because the targets are not loaded
	asked     []string
	listeners map[chan []byte]string // the bucket that each listens to
}

// Start starts a server that knows the targets; behind it stands the store at host:port, or none for "".
func Start(t testing.TB, behind string, targets ...string) *Server {
	s := &Server{targets: targets, rules: map[string][]byte{}, versioned: map[string]bool{}, listeners: map[chan []byte]string{}}
	if behind != "" {
		s.next = &httputil.ReverseProxy{
			Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(&url.URL{Scheme: "http", Host: behind})
				r.Out.Host = r.In.Host // it is signed
			},
			ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		}
	}
	srv := httptest.NewServer(s)
	s.URL = srv.URL
	t.Cleanup(func() { s.Cut(); srv.Close() })
	return s
}

// Starting has the next requests answered as while it starts: first so many with 503, then so many rules with "no such
// destination", which a MinIO says for up to .1 s after it is ready.
func (s *Server) Starting(requests, rules int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notReady, s.unknown = requests, rules
}

// Deny has every question about rules answered with this code: NotImplemented (501), AccessDenied (403), or "" for none.
func (s *Server) Deny(code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deny = code
}

// Rules is the bucket's configuration as it was put last.
func (s *Server) Rules(bucket string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.rules[bucket])
}

// SetRules puts a configuration past the server's checks, as an operator did long ago.
func (s *Server) SetRules(bucket, xml string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules[bucket] = []byte(xml)
}

// Versioned reports whether the bucket keeps versions.
func (s *Server) Versioned(bucket string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.versioned[bucket]
}

// Asked is every request that changed something, in order: "PUT /documents", "PUT /documents?notification=".
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	s.mu.Lock()
	busy := s.notReady > 0
	if busy {
		s.notReady--
	} else if r.Method != http.MethodGet && r.Method != http.MethodHead {
		at := "/" + bucket
		if key != "" {
			at += "/" + key
		}
		if r.URL.RawQuery != "" {
			at += "?" + r.URL.RawQuery
		}
		s.asked = append(s.asked, r.Method+" "+at)
	}
	s.mu.Unlock()
	switch {
	case busy:
		fail(w, r, http.StatusServiceUnavailable, "XMinioServerNotInitialized", "Server not initialized yet, please try again.")
	case q.Has("notification"):
		s.notification(w, r, bucket)
	case q.Has("events"):
		s.listen(w, r, bucket)
	case q.Has("versioning") && r.Method == http.MethodPut && s.next == nil:
		s.version(bucket)
	case s.next != nil:
		s.next.ServeHTTP(w, r)
	default:
		s.bucket(w, r, bucket, key)
	}
}

func (s *Server) version(bucket string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.versioned[bucket] = true
}

// bucket answers for a store that has buckets and no objects.
func (s *Server) bucket(w http.ResponseWriter, r *http.Request, bucket, key string) {
	s.mu.Lock()
	_, there := s.rules[bucket]
	if key == "" && r.Method == http.MethodPut && !there {
		s.rules[bucket] = nil
	}
	s.mu.Unlock()
	switch {
	case key == "" && r.Method == http.MethodPut && there:
		fail(w, r, http.StatusConflict, "BucketAlreadyOwnedByYou", "Your previous request to create the named bucket succeeded and you already own it.")
	case key == "" && r.Method == http.MethodPut:
	case !there:
		fail(w, r, http.StatusNotFound, "NoSuchBucket", "The specified bucket does not exist")
	case key != "":
		fail(w, r, http.StatusNotFound, "NoSuchKey", "The specified key does not exist.")
	}
}

// configuration is of a bucket's rules what is looked at.
type configuration struct {
	Queues []struct {
		Queue string
		Event []string
	} `xml:"QueueConfiguration"`
}

func (s *Server) notification(w http.ResponseWriter, r *http.Request, bucket string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.deny != "" {
		fail(w, r, map[string]int{"NotImplemented": 501, "AccessDenied": 403, "MethodNotAllowed": 405}[s.deny], s.deny, "A header you provided implies functionality that is not implemented.")
		return
	}
	body, there := s.rules[bucket]
	if !there && s.next == nil {
		fail(w, r, http.StatusNotFound, "NoSuchBucket", "The specified bucket does not exist")
		return
	}
	if r.Method == http.MethodGet {
		if len(body) == 0 {
			body = []byte(`<NotificationConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></NotificationConfiguration>`)
		}
		_, _ = w.Write(body)
		return
	}
	var err error
	body, err = io.ReadAll(io.LimitReader(r.Body, 1<<20))
	var c configuration
	if err != nil || xml.Unmarshal(body, &c) != nil {
		fail(w, r, http.StatusBadRequest, "MalformedXML", "The XML you provided was not well-formed or did not validate against our published schema.")
		return
	}
	for _, q := range c.Queues {
		if !slices.Contains(s.targets, q.Queue) || s.unknown > 0 {
			s.unknown = max(0, s.unknown-1)
			fail(w, r, http.StatusBadRequest, "InvalidArgument", "A specified destination ARN does not exist or is not well-formed. Verify the destination ARN.")
			return
		}
	}
	s.rules[bucket] = body
}

// fail answers as MinIO does: a HEAD has no body, and says the code in a header.
func fail(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	w.Header().Set("X-Minio-Error-Code", code)
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>%s</Code><Message>%s</Message></Error>`, code, message)
	}
}

// ping is how often those who listen get a keep-alive; MinIO's is as asked for, 10 s.
const ping = 50 * time.Millisecond

func (s *Server) listen(w http.ResponseWriter, r *http.Request, bucket string) {
	c := make(chan []byte, 100)
	s.mu.Lock()
	if s.deny != "" {
		s.mu.Unlock()
		w.Header().Set("Content-Type", "application/xml") // a store that does not know the parameters lists the bucket
		fmt.Fprint(w, `<?xml version="1.0"?><ListBucketResult><Name>`+bucket+`</Name></ListBucketResult>`)
		return
	}
	s.listeners[c] = bucket
	s.mu.Unlock()
	defer s.forget(c)
	w.Header().Set("Content-Type", "text/event-stream")
	tick := time.NewTicker(ping)
	defer tick.Stop()
	line := []byte(`{"Records":null}`)
	for open := true; open; {
		_, _ = w.Write(append(line, '\n'))
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
			line = []byte(`{"Records":null}`)
		case line, open = <-c:
		}
	}
}

func (s *Server) forget(c chan []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners, c)
}

// Listeners is how many listen to the bucket.
func (s *Server) Listeners(bucket string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.listeners {
		if b == bucket {
			n++
		}
	}
	return n
}

// Tell tells those who listen to the bucket of a key: raw, as MinIO does here.
func (s *Server) Tell(bucket, key string) {
	line, err := json.Marshal(map[string]any{"Records": []any{record("s3:ObjectCreated:Put", bucket, key)}})
	if err != nil {
		panic(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for c, b := range s.listeners {
		if b == bucket {
			c <- line
		}
	}
}

// Cut ends the connection of everybody who listens, in good order, as a restart does.
func (s *Server) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.listeners {
		close(c)
		delete(s.listeners, c)
	}
}
