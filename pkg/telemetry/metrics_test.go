package telemetry_test

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/fingerpost/fingerpost/pkg/telemetry"
)

// scrape is what a scrape gives.
func scrape(t *testing.T, m *telemetry.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	b, err := io.ReadAll(w.Result().Body)
	if err != nil || w.Code != 200 {
		t.Fatalf("%d, %v: %s", w.Code, err, b)
	}
	return string(b)
}

// full is metrics of which every series is there.
func full() *telemetry.Metrics {
	m := telemetry.NewMetrics("1.2.3")
	m.Expect("parse", []string{"live"}, []string{"done"})
	m.Job("parse", "live", "done", 20*time.Millisecond, -time.Millisecond)
	m.Called(telemetry.Documents, 120, 0, time.Second, nil)
	m.Called(telemetry.Questions, 12, 0, time.Millisecond, errors.New("away"))
	m.Embedded(7, 3)
	m.Asked("find", 200, time.Millisecond)
	m.Part("search", time.Millisecond)
	m.Cited(5, 1)
	m.Walked(map[string]int{"missing": 2}, nil)
	m.Advised("max_deliver")
	n, dropped := 1, uint64(4)
	m.State(func(context.Context) telemetry.State {
		return telemetry.State{Streams: []telemetry.Stream{{Name: "FP_PARSE", Messages: 3, Oldest: 2 * time.Second}}, Letters: &telemetry.Stream{Messages: 2, Oldest: time.Minute},
			Documents: map[string]int{"indexed": 5}, Entries: map[string]int64{"window": 9}, IndexBytes: 100, Parts: map[string]bool{"index": false, "state": true},
			LastPull: time.Unix(1e9, 0), LastWalk: time.Unix(1e9, 5e8), Held: &n, TrailDropped: &dropped,
			Reindex: &telemetry.Reindex{Builds: 2, Left: 40, Idle: 90 * time.Second, Refused: true}}
	})
	return m
}

func TestWhatIsToldIsScraped(t *testing.T) {
	got := scrape(t, full())
	for _, want := range []string{
		`fingerpost_build_info{version="1.2.3"} 1`,
		`fingerpost_jobs_total{lane="live",outcome="done",stage="parse"} 1`,
		`fingerpost_stage_duration_seconds_sum{lane="live",stage="parse"} 0.02`,
		`fingerpost_stage_wait_seconds_sum{lane="live",stage="parse"} 0`,
		`fingerpost_model_calls_total{outcome="failed",use="questions"} 1`,
		`fingerpost_model_tokens_total{direction="input",use="documents"} 120`,
		`fingerpost_embeddings_made_total 7`,
		`fingerpost_embeddings_saved_total 3`,
		`fingerpost_requests_total{code="200",verb="find"} 1`,
		`fingerpost_citations_total{verdict="dropped"} 1`,
		`fingerpost_reconcile_gaps_total{class="missing"} 2`,
		`fingerpost_reconcile_gaps_total{class="gone"} 0`,
		`fingerpost_bus_advisories_total{kind="max_deliver"} 1`,
		`fingerpost_stream_messages{stream="FP_PARSE"} 3`,
		`fingerpost_stream_oldest_age_seconds{stream="FP_PARSE"} 2`,
		`fingerpost_dead_letters 2`,
		`fingerpost_part_up{part="index"} 0`,
		`fingerpost_part_up{part="state"} 1`,
		`fingerpost_last_pull_timestamp_seconds 1e+09`,
		`fingerpost_reconcile_held 1`,
		`fingerpost_trail_dropped_total 4`,
		`fingerpost_builds 2`,
		`fingerpost_reindex_left_objects 40`,
		`fingerpost_reindex_idle_seconds 90`,
		`fingerpost_reindex_refused 1`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("not told: %s", want)
		}
	}
}

// Prometheus's own judge of names, units and help texts has nothing to say.
func TestNamesKeepToConventions(t *testing.T) {
	problems, err := promlint.New(strings.NewReader(scrape(t, full()))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// A part that does not answer holds up a scrape for some seconds at most, and the rest is told.
func TestScrapeIsBounded(t *testing.T) {
	m := telemetry.NewMetrics("1.2.3")
	m.State(func(ctx context.Context) telemetry.State {
		<-ctx.Done()
		return telemetry.State{Parts: map[string]bool{"messages": false}}
	})
	start := time.Now()
	if got := scrape(t, m); !strings.Contains(got, `fingerpost_part_up{part="messages"} 0`) {
		t.Errorf("%.2000s", got)
	}
	if took := time.Since(start); took > 9*time.Second {
		t.Errorf("a scrape took %s", took)
	}
}
