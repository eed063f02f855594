package workers

import (
	"testing"
	"time"
)

func TestTheLastSignOfLifeCounts(t *testing.T) {
	now := time.Unix(1e9, 0)
	for _, c := range []struct {
		name         string
		sign, pulled time.Duration // ago
		most         time.Duration
		alive        bool
	}{
		{"a pull a moment ago", time.Hour, time.Second, 2 * time.Minute, true},
		{"a job ended a moment ago", time.Second, time.Hour, 2 * time.Minute, true},
		{"neither", 3 * time.Minute, 3 * time.Minute, 2 * time.Minute, false},
		{"a long job in hand", 3 * time.Minute, 3 * time.Minute, 30 * time.Minute, true},
		{"a job longer than any", time.Hour, 31 * time.Minute, 30 * time.Minute, false},
	} {
		var p pulse
		p.sign.Store(now.Add(-c.sign).UnixNano())
		if err := p.judge(now.Add(-c.pulled), c.most, now); (err == nil) != c.alive {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
