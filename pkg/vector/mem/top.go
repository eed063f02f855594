package mem

import (
	"bytes"
	"slices"

	"github.com/fingerpost/fingerpost/pkg/vector"
)

// top keeps the best hits seen: a heap with the worst of them at its root.
type top struct {
	hits  []vector.Hit
	limit int
}

func newTop(limit int) *top {
	return &top{limit: limit, hits: make([]vector.Hit, 0, min(limit, 1024))}
}

// better orders by score, highest first, then by id.
func better(a, b *vector.Hit) bool {
	if a.Score != b.Score {
		return a.Score > b.Score
	}
	return bytes.Compare(a.ID[:], b.ID[:]) < 0
}

// floor is the score under which no hit is taken any more.
func (t *top) floor(none float32) float32 {
	if len(t.hits) < t.limit {
		return none
	}
	return t.hits[0].Score
}

// add takes h when it is among the best so far.
func (t *top) add(h vector.Hit) {
	if len(t.hits) < t.limit {
		t.hits = append(t.hits, h)
		t.up(len(t.hits) - 1)
		return
	}
	if better(&h, &t.hits[0]) {
		t.hits[0] = h
		t.down(0)
	}
}

func (t *top) up(i int) {
	for i > 0 {
		p := (i - 1) / 2
		if !better(&t.hits[p], &t.hits[i]) {
			return
		}
		t.hits[p], t.hits[i] = t.hits[i], t.hits[p]
		i = p
	}
}

func (t *top) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(t.hits) {
			return
		}
		if c+1 < len(t.hits) && better(&t.hits[c], &t.hits[c+1]) {
			c++
		}
		if !better(&t.hits[i], &t.hits[c]) {
			return
		}
		t.hits[i], t.hits[c] = t.hits[c], t.hits[i]
		i = c
	}
}

// sorted is the hits, best first.
func (t *top) sorted() []vector.Hit {
	slices.SortFunc(t.hits, func(a, b vector.Hit) int {
		switch {
		case better(&a, &b):
			return -1
		case better(&b, &a):
			return 1
		}
		return 0
	})
	return t.hits
}
