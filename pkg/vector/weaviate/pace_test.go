package weaviate

import (
	"errors"
	"testing"
	"time"
)

// Known failure 28: batches that take long get smaller, quick ones larger, within bounds.
func TestKnown28BatchesFollowTheServersPace(t *testing.T) {
	many := make([]object, 5000)
	p := &pace{}
	if n := p.next(many); n != firstBatch {
		t.Errorf("the first batch is %d", n)
	}
	for _, c := range []struct {
		took  time.Duration
		err   error
		times int
		want  int
	}{
		{5 * time.Second, nil, 1, firstBatch / 2},
		{2 * time.Second, nil, 9, firstBatch / 2},
		{3 * time.Second, errors.New("no"), 1, firstBatch / 4},
		{time.Millisecond, errors.New("no"), 9, firstBatch / 4},
		{90 * time.Second, nil, 20, leastBatch},
		{100 * time.Millisecond, nil, 100, mostBatch},
	} {
		for range c.times {
			p.took(c.took, c.err)
		}
		if n := p.next(many); n != c.want {
			t.Errorf("after %d times %v, %v: %d, want %d", c.times, c.took, c.err, n, c.want)
		}
	}
}

func TestABatchIsBoundedInBytes(t *testing.T) {
	big := object{vector: make([]float32, batchBytes/4/3)}
	p := &pace{}
	for _, c := range []struct {
		objects []object
		want    int
	}{
		{[]object{big, big, big, big}, 2},
		{[]object{{vector: make([]float32, batchBytes)}, big}, 1},
		{[]object{{}, {}}, 2},
	} {
		if n := p.next(c.objects); n != c.want {
			t.Errorf("%d, want %d", n, c.want)
		}
	}
}
