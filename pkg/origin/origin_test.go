package origin_test

import (
	"slices"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/origin"
)

type place struct{ bucket, prefix string }

func (p place) Where() (string, string) { return p.bucket, p.prefix }

// An object belongs to the longest prefix, whatever the order of the sources, and to no other.
func TestOf(t *testing.T) {
	all := []place{{"a", ""}, {"a", "x/"}, {"a", "x/y/"}, {"b", "x/"}}
	for range 2 {
		sources := origin.Sources(all, func(p place) doc.Tenant { return doc.Tenant(p.bucket) })
		for _, c := range []struct {
			bucket, key string
			want        place
		}{{"a", "k", place{"a", ""}}, {"a", "x/k", place{"a", "x/"}}, {"a", "x/y/k", place{"a", "x/y/"}}, {"a", "x", place{"a", ""}},
			{"b", "x/k", place{"b", "x/"}}, {"b", "k", place{}}, {"c", "x/k", place{}}} {
			i := origin.Of(all, c.bucket, c.key)
			if (i < 0) != (c.want == place{}) || i >= 0 && all[i] != c.want {
				t.Errorf("%s/%s belongs to %d of %v", c.bucket, c.key, i, all)
			}
			for n, s := range sources {
				if s.Bucket == c.bucket && s.Own(c.key) != (n == i) || s.Tenant != doc.Tenant(s.Bucket) {
					t.Errorf("%s/%s: source %d of tenant %s owns it: %v", c.bucket, c.key, n, s.Tenant, s.Own(c.key))
				}
			}
		}
		slices.Reverse(all)
	}
}
