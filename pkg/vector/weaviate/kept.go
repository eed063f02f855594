package weaviate

import (
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// field is what terms are counted in.
type field struct {
	build  vector.Build
	tenant doc.Tenant
	kind   doc.Kind
	field  vector.Field
}

// counts keeps counts of words for a while.
type counts struct {
	mu    sync.Mutex
	now   func() time.Time
	kept  map[field]map[string]counted
	size  int
	drops int // a drop in between makes an answer stale before it is kept
}

type counted struct {
	n     int
	until time.Time
}

// The bounds of what is kept.
const (
	keep     = time.Minute
	keepMany = 10 * time.Minute // counts among more than exactUpTo entries: they change slowly
	mostKept = 100_000          // words; about 10 MB
)

// keeps is how long a word's count is kept.
func keeps(word string, entries int) time.Duration {
	if word != everyEntry && entries > exactUpTo {
		return keepMany
	}
	return keep
}

func newCounts(now func() time.Time) counts {
	return counts{now: now, kept: map[field]map[string]counted{}}
}

// get is the count of each word, kept or from ask, which is given those that are not kept, each once.
func (c *counts) get(at field, words []string, ask func([]string) ([]int, error)) (map[string]int, error) {
	out, missing, drops := c.known(at, words)
	if len(missing) == 0 {
		return out, nil
	}
	n, err := ask(missing)
	if err != nil {
		return nil, err
	}
	for i, w := range missing {
		out[w] = n[i]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if drops == c.drops {
		for i, w := range missing {
			c.put(at, w, n[i], keeps(w, out[everyEntry]))
		}
	}
	return out, nil
}

func (c *counts) known(at field, words []string) (out map[string]int, missing []string, drops int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out = make(map[string]int, len(words))
	for _, w := range words {
		if _, twice := out[w]; twice {
			continue
		}
		have, ok := c.kept[at][w]
		if out[w] = have.n; !ok || !c.now().Before(have.until) {
			missing = append(missing, w)
		}
	}
	return out, missing, c.drops
}

// put keeps a count. When there are too many, all go: they are cheap to ask again.
func (c *counts) put(at field, word string, n int, keep time.Duration) {
	if c.size >= mostKept {
		clear(c.kept)
		c.size = 0
	}
	if c.kept[at] == nil {
		c.kept[at] = map[string]counted{}
	}
	if _, ok := c.kept[at][word]; !ok {
		c.size++
	}
	c.kept[at][word] = counted{n, c.now().Add(keep)}
}

// drop forgets the counts in the fields that match.
func (c *counts) drop(match func(field) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drops++
	for at, words := range c.kept {
		if match(at) {
			c.size -= len(words)
			delete(c.kept, at)
		}
	}
}
