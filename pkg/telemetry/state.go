package telemetry

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Stream is how much lies in a stream.
type Stream struct {
	Name     string
	Messages uint64        // waiting and in hand
	Oldest   time.Duration // age of the oldest
}

// State is what stands, rather than what happens: it is asked for at each scrape. What is nil or zero is left out.
type State struct {
	Streams      []Stream
	Letters      *Stream // the dead letters
	Documents    map[string]int
	Entries      map[string]int64 // of the index, by kind
	IndexBytes   int64            // of it in memory
	Parts        map[string]bool  // each part the process stands on, and whether it was well when last asked
	LastPull     time.Time
	LastWalk     time.Time
	Held         *int // documents that are gone and wait for the operator's word
	TrailDropped *uint64
	Reindex      *Reindex
}

// Reindex is how a re-index and the builds stand.
type Reindex struct {
	Builds  int           // that are kept
	Left    int           // objects that the one under way has not walked
	Idle    time.Duration // since the one under way was heard of; zero when none runs
	Refused bool          // the build of the last schedule was not promoted
}

// stateWithin bounds how long a scrape waits for State.
const stateWithin = 5 * time.Second

// State registers where the state comes from; once a process.
func (m *Metrics) State(look func(context.Context) State) {
	m.registry.MustRegister(stateCollector{look})
}

type stateCollector struct{ look func(context.Context) State }

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

var (
	streamMessages = describe("fingerpost_stream_messages", "Messages of a stream, waiting and in hand.", "stream")
	streamOldest   = describe("fingerpost_stream_oldest_age_seconds", "Age of the oldest message of a stream.", "stream")
	letters        = describe("fingerpost_dead_letters", "Dead letters.")
	lettersOldest  = describe("fingerpost_dead_letters_oldest_age_seconds", "Age of the oldest dead letter.")
	documents      = describe("fingerpost_documents", "Documents of all tenants, by state.", "state")
	indexEntries   = describe("fingerpost_index_entries", "Entries of the index, by kind.", "kind")
	indexBytes     = describe("fingerpost_index_memory_bytes", "Bytes that the embedded index takes in memory.")
	partUp         = describe("fingerpost_part_up", "1 when a part that the process stands on was well when it was last asked.", "part")
	lastPull       = describe("fingerpost_last_pull_timestamp_seconds", "When the bus last answered a pull, in seconds since 1970.")
	lastWalk       = describe("fingerpost_reconcile_last_pass_timestamp_seconds", "When the last walk of the buckets ended, in seconds since 1970.")
	held           = describe("fingerpost_reconcile_held", "Documents that are gone from a bucket, too many at once to be removed unasked.")
	builds         = describe("fingerpost_builds", "Builds of the index that are kept.")
	reindexLeft    = describe("fingerpost_reindex_left_objects", "Objects that the re-index under way has not walked yet.")
	reindexIdle    = describe("fingerpost_reindex_idle_seconds", "Time since the re-index under way was heard of; 0 when none runs.")
	reindexRefused = describe("fingerpost_reindex_refused", "1 when the build of the last scheduled re-index was not promoted.")
	trailDropped   = describe("fingerpost_trail_dropped_total", "Events that are missing in the trails of documents.")
)

// Describe names what Collect may give.
func (c stateCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{streamMessages, streamOldest, letters, lettersOldest, documents, indexEntries, indexBytes, partUp,
		lastPull, lastWalk, held, builds, reindexLeft, reindexIdle, reindexRefused, trailDropped} {
		out <- d
	}
}

// Collect asks for the state.
func (c stateCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), stateWithin)
	defer cancel()
	s := c.look(ctx)
	tell := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	for _, x := range s.Streams {
		tell(streamMessages, float64(x.Messages), x.Name)
		tell(streamOldest, x.Oldest.Seconds(), x.Name)
	}
	if s.Letters != nil {
		tell(letters, float64(s.Letters.Messages))
		tell(lettersOldest, s.Letters.Oldest.Seconds())
	}
	for state, n := range s.Documents {
		tell(documents, float64(n), state)
	}
	for kind, n := range s.Entries {
		tell(indexEntries, float64(n), kind)
	}
	if s.IndexBytes > 0 {
		tell(indexBytes, float64(s.IndexBytes))
	}
	for part, well := range s.Parts {
		tell(partUp, map[bool]float64{true: 1}[well], part)
	}
	s.rest(out, tell)
}

// rest tells the single values.
func (s State) rest(out chan<- prometheus.Metric, tell func(*prometheus.Desc, float64, ...string)) {
	if !s.LastPull.IsZero() {
		tell(lastPull, float64(s.LastPull.UnixMilli())/1000)
	}
	if !s.LastWalk.IsZero() {
		tell(lastWalk, float64(s.LastWalk.UnixMilli())/1000)
	}
	if s.Held != nil {
		tell(held, float64(*s.Held))
	}
	if r := s.Reindex; r != nil {
		tell(builds, float64(r.Builds))
		tell(reindexLeft, float64(r.Left))
		tell(reindexIdle, r.Idle.Seconds())
		tell(reindexRefused, map[bool]float64{true: 1}[r.Refused])
	}
	if s.TrailDropped != nil {
		out <- prometheus.MustNewConstMetric(trailDropped, prometheus.CounterValue, float64(*s.TrailDropped))
	}
}
