package retry

import (
	"math/rand/v2"
	"time"
)

// Delays is how long a message waits before its next delivery, by the attempts it has had.
type Delays struct {
	First  time.Duration // after the first attempt; doubles with each further one
	Most   time.Duration // of a wait, the chance included
	Chance float64       // a wait is shorter by up to this share, by chance: 0 to 1
	Rand   *rand.Rand    // nil: the process's own; not safe for concurrent use otherwise
}

// Redelivery is used by Delay: about 1 s, 2 s, 4 s, ... 10 minutes from the eleventh attempt on.
var Redelivery = Delays{First: time.Second, Most: 10 * time.Minute, Chance: .25}

// Delay is Redelivery.Delay.
func Delay(attempt int) time.Duration { return Redelivery.Delay(attempt) }

// Delay is the wait after the attempt with that number, from 1 (lower numbers count as 1): never below
// a millisecond, never above Most.
func (d Delays) Delay(attempt int) time.Duration {
	wait := max(d.First, shortest)
	most := max(d.Most, wait)
	for ; attempt > 1 && wait < most; attempt-- {
		wait = min(2*wait, most)
		if wait <= 0 { // doubled past the largest duration
			wait = most
		}
	}
	cut := min(max(d.Chance, 0), 1) * d.draw()
	return max(wait-time.Duration(cut*float64(wait)), shortest)
}

// draw is from 0 to 1, 1 excluded.
func (d Delays) draw() float64 {
	if d.Rand != nil {
		return d.Rand.Float64()
	}
	return rand.Float64()
}
