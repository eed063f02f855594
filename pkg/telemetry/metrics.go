package telemetry

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics is the metrics of one process. Its methods are safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry

	jobs       *prometheus.CounterVec
	took       *prometheus.HistogramVec
	waited     *prometheus.HistogramVec
	calls      *prometheus.CounterVec
	tokens     *prometheus.CounterVec
	called     *prometheus.HistogramVec
	made       prometheus.Counter
	saved      prometheus.Counter
	requests   *prometheus.CounterVec
	asked      *prometheus.HistogramVec
	parts      *prometheus.HistogramVec
	citations  *prometheus.CounterVec
	gaps       *prometheus.CounterVec
	walks      *prometheus.CounterVec
	advisories *prometheus.CounterVec
}

// The bounds of histograms, in seconds: of work, from a small note to a book; of requests, from memory to a deadline.
var (
	workBounds    = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800}
	requestBounds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
)

// NewMetrics makes the metrics of a program of that version. Series whose labels are known are there from the start, at
// zero, so that the first event is seen as a rise.
func NewMetrics(version string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "fingerpost_build_info",
		Help: "1, with the version of the program.", ConstLabels: prometheus.Labels{"version": version}}, func() float64 { return 1 }))
	m.work()
	m.models()
	m.questions()
	m.upkeep()
	return m
}

// work is the way of documents.
func (m *Metrics) work() {
	m.jobs = m.counter("fingerpost_jobs_total", "Jobs settled, by how they ended; of intake: events.", "stage", "lane", "outcome")
	m.took = m.histogram("fingerpost_stage_duration_seconds", "Time of a job from delivery to settling.", workBounds, "stage", "lane")
	m.waited = m.histogram("fingerpost_stage_wait_seconds", "Time of a job in its stream before this delivery.", workBounds, "stage", "lane")
}

func (m *Metrics) models() {
	m.calls = m.counter("fingerpost_model_calls_total", "Calls of models, by what for.", "use", "outcome")
	m.tokens = m.counter("fingerpost_model_tokens_total", "Tokens given to models (input) and written by them (output), by what for.", "use", "direction")
	m.called = m.histogram("fingerpost_model_duration_seconds", "Time of a call of a model.", workBounds, "use")
	m.made, m.saved = m.single("fingerpost_embeddings_made_total", "Embeddings of chunks that were made."),
		m.single("fingerpost_embeddings_saved_total", "Embeddings of chunks that were taken from an earlier version.")
	for _, use := range []Use{Documents, Questions, Answers} {
		m.calls.WithLabelValues(string(use), "done")
		m.calls.WithLabelValues(string(use), "failed")
		m.tokens.WithLabelValues(string(use), "input")
		m.called.WithLabelValues(string(use))
	}
	m.tokens.WithLabelValues(string(Answers), "output")
}

func (m *Metrics) questions() {
	m.requests = m.counter("fingerpost_requests_total", "Requests answered, by verb and code (200, or that of the refusal).", "verb", "code")
	m.asked = m.histogram("fingerpost_request_duration_seconds", "Time of a request.", requestBounds, "verb")
	m.parts = m.histogram("fingerpost_question_part_duration_seconds", "Time of a part of a question: vector, search (with ranking), resolve.", requestBounds, "part")
	m.citations = m.counter("fingerpost_citations_total", "Places and quotes read back, by whether the stored text vouched for them.", "verdict")
	for _, verdict := range []string{"verified", "dropped"} {
		m.citations.WithLabelValues(verdict)
	}
	for _, part := range []string{"vector", "search", "resolve"} {
		m.parts.WithLabelValues(part)
	}
}

func (m *Metrics) upkeep() {
	m.gaps = m.counter("fingerpost_reconcile_gaps_total", "Objects of which no event told, found by walks of the buckets, by class.", "class")
	m.walks = m.counter("fingerpost_reconcile_passes_total", "Walks of the buckets.", "outcome")
	m.advisories = m.counter("fingerpost_bus_advisories_total", "What the bus told of streams and consumers without being asked.", "kind")
	for _, class := range []string{"missing", "changed", "gone", "pending", "unpurged"} {
		m.gaps.WithLabelValues(class)
	}
	for _, outcome := range []string{"done", "failed"} {
		m.walks.WithLabelValues(outcome)
	}
	for _, kind := range []string{"max_deliver", "terminated", "consumer_quorum_lost", "stream_quorum_lost", "consumer_action", "stream_action"} {
		m.advisories.WithLabelValues(kind)
	}
}

func (m *Metrics) counter(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) single(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) histogram(name, help string, bounds []float64, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: bounds}, labels)
	m.registry.MustRegister(h)
	return h
}

// Handler serves the metrics in Prometheus's text format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry, MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}

// Expect makes the series of a stage at zero, of both lanes and every outcome that is given.
func (m *Metrics) Expect(stage string, lanes, outcomes []string) {
	for _, lane := range lanes {
		m.took.WithLabelValues(stage, lane)
		m.waited.WithLabelValues(stage, lane)
		for _, outcome := range outcomes {
			m.jobs.WithLabelValues(stage, lane, outcome)
		}
	}
}

// Job is told of a settled job.
func (m *Metrics) Job(stage, lane, outcome string, took, waited time.Duration) {
	m.jobs.WithLabelValues(stage, lane, outcome).Inc()
	m.took.WithLabelValues(stage, lane).Observe(took.Seconds())
	m.waited.WithLabelValues(stage, lane).Observe(max(0, waited).Seconds())
}

// Use is what a model is called for.
type Use string

// The uses.
const (
	Documents Use = "documents" // vectors of chunks
	Questions Use = "questions" // vectors of questions
	Answers   Use = "answers"   // what a chat model writes
)

// Called is told of a call of a model: the tokens that it was given, and those that it wrote.
func (m *Metrics) Called(use Use, input, output int, took time.Duration, err error) {
	outcome := "done"
	if err != nil {
		outcome = "failed"
	}
	m.calls.WithLabelValues(string(use), outcome).Inc()
	m.tokens.WithLabelValues(string(use), "input").Add(float64(input))
	if output > 0 {
		m.tokens.WithLabelValues(string(use), "output").Add(float64(output))
	}
	m.called.WithLabelValues(string(use)).Observe(took.Seconds())
}

// Embedded is told how many embeddings of a document were made, and how many were there already.
func (m *Metrics) Embedded(made, saved int) {
	m.made.Add(float64(made))
	m.saved.Add(float64(saved))
}

// Asked is told of a request: code 200, or that of the refusal.
func (m *Metrics) Asked(verb string, code int, took time.Duration) {
	m.requests.WithLabelValues(verb, strconv.Itoa(code)).Inc()
	m.asked.WithLabelValues(verb).Observe(took.Seconds())
}

// Part is told how long a part of a question took: vector, search, resolve.
func (m *Metrics) Part(part string, took time.Duration) {
	m.parts.WithLabelValues(part).Observe(took.Seconds())
}

// Cited is told of places and quotes: how many the stored text vouched for, and how many not.
func (m *Metrics) Cited(verified, dropped int) {
	m.citations.WithLabelValues("verified").Add(float64(verified))
	m.citations.WithLabelValues("dropped").Add(float64(dropped))
}

// Walked is told of a walk of the buckets: the gaps it found, by class.
func (m *Metrics) Walked(gaps map[string]int, err error) {
	for class, n := range gaps {
		m.gaps.WithLabelValues(class).Add(float64(n))
	}
	outcome := "done"
	if err != nil {
		outcome = "failed"
	}
	m.walks.WithLabelValues(outcome).Inc()
}

// Advised is told of an advisory of the bus.
func (m *Metrics) Advised(kind string) { m.advisories.WithLabelValues(kind).Inc() }
