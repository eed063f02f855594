// Package vector is the port to the index: entries found by words (BM25) and by vector.
//
// An index holds builds; a build holds tenants; nothing of one is ever seen from another. The
// caller analyses text into terms (pkg/words) and gives vectors; the index stores and ranks.
//
// Contract, held by vectortest on every vendor: Put twice is Put once (an id is overwritten);
// what Put wrote is found when it returns; every method is safe for concurrent use; an unknown build or
// tenant reads as empty. Scores of Words are exactly BM25 with k1 1.2 and b .75,
//
//	sum over query terms of ln(1 + (N-n+.5)/(n+.5)) * tf / (tf + k1*(1-b + b*len/avg))
//
// with N, n and avg of the whole (build, tenant, kind, field), whatever the filter; a term given twice counts twice.
// N is every entry of the kind, those without words too. Fields that a kind does not have are not kept.
// Ties are broken by EntryID, ascending.
package vector

import (
	"context"
	"errors"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// The sentinel errors.
var (
	ErrReadOnly = errors.New("index is read-only")
	ErrFull     = errors.New("index is over its limit")          // the embedded index names Weaviate
	ErrNoRoom   = errors.New("index has no disk or memory left") // until somebody makes room: nothing is wrong with what is written
	ErrDenied   = errors.New("index refuses the key")
	ErrNewer    = errors.New("index was written by a newer version of the program")
	ErrAway     = errors.New("index does not answer")
	ErrCorrupt  = errors.New("index is damaged") // it can be made again from the bucket
	ErrVector   = errors.New("vector does not fit the index")
)

// Build is the sequence number of a build of the whole index, from 1.
type Build uint32

// Entry is one index entry. Terms of windows, rows and nodes (title) are non-empty or the entry is found by nothing;
// Crumb is of nodes only; Vector is of chunks only, of unit length, all of one dimension in a build.
type Entry struct {
	ID     doc.EntryID
	Terms  []string
	Crumb  []string
	Vector []float32
}

// Field is which words of a kind are searched.
type Field string

// The fields: Terms of every kind but chunk; Crumb of nodes.
const (
	Terms Field = "terms"
	Crumb Field = "crumb"
)

// Filter limits a search to documents. Nil: every document of the tenant; empty: none.
type Filter []doc.Prefix

// Stats is what a tenant holds of a build.
type Stats struct {
	Entries map[doc.Kind]int
	Bytes   int64 // in memory, of an index that is searched there; else 0
}

// Hit is an entry with its score: BM25, or cosine -1..1.
type Hit struct {
	ID    doc.EntryID
	Score float32
}

// Index is the port.
type Index interface {
	// Put writes entries of one kind of any documents of the tenant. All or an error; after an error any part may be written.
	// Of two entries with one id the later counts. Errors: ErrVector (see CheckVector), ErrFull, ErrNoRoom, ErrReadOnly,
	// ErrDenied, ErrNewer, ErrAway.
	Put(ctx context.Context, b Build, t doc.Tenant, k doc.Kind, entries []Entry) error
	// Purge removes the entries of every kind of document p whose generation is in [from, to], both included,
	// and returns how many there were. Removing nothing is no error.
	Purge(ctx context.Context, b Build, t doc.Tenant, p doc.Prefix, from, to doc.Generation) (int, error)
	// Count is the number of entries by kind of a document's generation, read from the durable store.
	Count(ctx context.Context, b Build, t doc.Tenant, p doc.Prefix, g doc.Generation) (map[doc.Kind]int, error)
	// Words is the best `limit` entries with at least one of the terms, best first.
	Words(ctx context.Context, b Build, t doc.Tenant, k doc.Kind, f Field, terms []string, docs Filter, limit int) ([]Hit, error)
	// Near is the best `limit` chunks by cosine, best first. A v that the build's chunks do not fit is an ErrVector.
	Near(ctx context.Context, b Build, t doc.Tenant, v []float32, docs Filter, limit int) ([]Hit, error)
	// Frequencies is, for each term, in how many entries of (kind, field) it stands, and the number of entries. For the gate of ranking.
	// Of thousands of entries a vendor may tell the n that its scores are made of, which may count removed entries for a while.
	Frequencies(ctx context.Context, b Build, t doc.Tenant, k doc.Kind, f Field, terms []string) (n []int, total int, err error)
	// Each calls f with every entry id of the tenant and kind, in any order; for audit. An error of f ends the walk.
	Each(ctx context.Context, b Build, t doc.Tenant, k doc.Kind, f func(doc.EntryID) error) error
	// DropBuild removes a build.
	DropBuild(ctx context.Context, b Build) error
	Close() error
}
