// Package origin says where documents come from: which objects of which buckets are whose.
package origin

import (
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Source is a bucket, or a prefix in it, of one tenant. Own says whether a key of the bucket belongs to this source, and
// not to one with a longer prefix.
type Source struct {
	Bucket, Prefix string
	Tenant         doc.Tenant
	Own            func(key string) bool
}

// Place is whatever names a bucket and a prefix in it.
type Place interface {
	Where() (bucket, prefix string)
}

// Of is the index of the place that an object belongs to: of those whose bucket and prefix it has, the one with the longest
// prefix, the first of equal ones; -1 for none.
func Of[P Place](all []P, bucket, key string) int {
	best, length := -1, -1
	for i, p := range all {
		if b, prefix := p.Where(); b == bucket && len(prefix) > length && strings.HasPrefix(key, prefix) {
			best, length = i, len(prefix)
		}
	}
	return best
}

// Sources gives each place its tenant, and an Own by all of them.
func Sources[P Place](all []P, tenant func(P) doc.Tenant) []Source {
	out := make([]Source, len(all))
	for i, p := range all {
		bucket, prefix := p.Where()
		out[i] = Source{Bucket: bucket, Prefix: prefix, Tenant: tenant(p), Own: func(key string) bool { return Of(all, bucket, key) == i }}
	}
	return out
}
