package nats

import (
	"sync/atomic"
	"time"
)

// tally counts what micro cannot see, because handlers outlive its call: it stands in
// `nats micro stats` as each endpoint's data.
type tally struct {
	answered, failed, refused atomic.Int64
	took                      atomic.Int64 // nanoseconds
}

func (t *tally) add(took time.Duration, err error) {
	t.answered.Add(1)
	t.took.Add(int64(took))
	if err != nil {
		t.failed.Add(1)
	}
}

// report is the JSON of a tally; a nil tally is an endpoint of another service.
func (t *tally) report() any {
	if t == nil {
		return nil
	}
	n := t.answered.Load()
	return struct {
		Answered  int64   `json:"answered"`
		Failed    int64   `json:"failed"`  // of those answered
		Refused   int64   `json:"refused"` // busy
		AverageMS float64 `json:"average_ms"`
	}{n, t.failed.Load(), t.refused.Load(), float64(t.took.Load()) / 1e6 / float64(max(n, 1))}
}
