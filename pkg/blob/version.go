package blob

import (
	"context"
	"iter"
)

// Version is one version of an object, or a marker that hides the older ones.
type Version struct {
	Info
	ID     string // as the store names it, "null" of a time without versions
	Marker bool   // a delete marker: it has no bytes
	Latest bool   // the present one
}

// Versioned is a store that may keep old versions of objects.
type Versioned interface {
	// Versions walks the versions of exactly this key, newest first; a bucket without versions has one, or none.
	Versions(ctx context.Context, bucket, key string) iter.Seq2[Version, error]
	// DeleteVersion removes one version for good; a missing one is no error. ErrDenied: the store holds it (object lock).
	DeleteVersion(ctx context.Context, bucket, key, id string) error
}
