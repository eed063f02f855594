package weaviate

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

func TestCountsAreKeptForAMinute(t *testing.T) {
	now, asked := time.Unix(0, 0), 0
	c := newCounts(func() time.Time { return now })
	ask := func(words []string) ([]int, error) { asked++; return []int{asked}, nil }
	at, other := field{1, "acme", doc.KindRow, vector.Terms}, field{1, "zeta", doc.KindRow, vector.Terms}
	for _, s := range []struct {
		do   func()
		want int
	}{
		{func() {}, 1},
		{func() { now = now.Add(keep - 1) }, 1},
		{func() { now = now.Add(1) }, 2},
		{func() { c.drop(func(f field) bool { return f == other }) }, 2},
		{func() { c.drop(func(f field) bool { return f == at }) }, 3},
	} {
		s.do()
		if n, err := c.get(at, []string{"tariff", "tariff"}, ask); n["tariff"] != s.want || err != nil {
			t.Errorf("%v, %v; want %d", n, err, s.want)
		}
	}
	if _, err := c.get(at, []string{"levy"}, func([]string) ([]int, error) { return nil, errors.New("no") }); err == nil || c.size != 1 {
		t.Errorf("an error is kept: %v, %d", err, c.size)
	}
}

// Words of many entries are kept longer, their number is not.
func TestCountsAmongManyEntriesAreKeptLonger(t *testing.T) {
	now := time.Unix(0, 0)
	c := newCounts(func() time.Time { return now })
	at, asked := field{1, "acme", doc.KindRow, vector.Terms}, 0
	ask := func(words []string) ([]int, error) {
		asked += len(words)
		return slices.Repeat([]int{exactUpTo + 1}, len(words)), nil
	}
	for _, s := range []struct {
		after time.Duration
		want  int
	}{{0, 2}, {keep - 1, 2}, {keep, 3}, {keepMany, 5}} {
		now = time.Unix(0, 0).Add(s.after)
		if _, err := c.get(at, []string{everyEntry, "tariff"}, ask); asked != s.want || err != nil {
			t.Errorf("after %v %d were asked for, want %d, %v", s.after, asked, s.want, err)
		}
	}
}

// An answer that a write overtook is given, not kept.
func TestAStaleCountIsNotKept(t *testing.T) {
	c := newCounts(time.Now)
	at := field{1, "acme", doc.KindRow, vector.Terms}
	n, _ := c.get(at, []string{"tariff"}, func([]string) ([]int, error) {
		c.drop(func(field) bool { return true })
		return []int{7}, nil
	})
	if n["tariff"] != 7 || c.size != 0 {
		t.Errorf("%v, %d kept", n, c.size)
	}
}

func TestCountsAreBounded(t *testing.T) {
	c := newCounts(time.Now)
	for i := range mostKept + 10 {
		if _, err := c.get(field{build: vector.Build(i % 3)}, []string{fmt.Sprint(i)}, func([]string) ([]int, error) { return []int{i}, nil }); err != nil {
			t.Fatal(err)
		}
	}
	if c.size != 10 {
		t.Errorf("%d are kept", c.size)
	}
}
