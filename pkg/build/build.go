// Package build knows the builds of the index: one is live, others are made beside it or kept for the way back. Their
// records lie in the KV bucket FP_BUILDS under their sequence number; FP_LIVE names the live one, so that promoting is
// one write.
package build

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// State is where a build stands, the live one aside, which FP_LIVE names.
type State string

// The states. Ready is also "", that of a build of an earlier release.
const (
	Building State = "building" // its documents are being brought in; it gets no words-first steps
	Ready    State = "ready"    // every document was brought in, and each change is written to it
	Dropping State = "dropping" // being removed: nothing is written to it any more
	Dropped  State = "dropped"  // gone; the record keeps its number from being given again
)

// Record is what made the entries of a build, so that nothing else is mixed in.
type Record struct {
	Sequence uint32                `json:"sequence"` // from 1
	Embedder string                `json:"embedder"` // builtin, ollama, none, or own (given by the caller)
	Vectors  embedding.Fingerprint `json:"vectors"`
	Analyzer string                `json:"analyzer"`
	Pipeline string                `json:"pipeline"` // version of parse, repair rules and chunk
	Chunker  Chunker               `json:"chunker,omitzero"`
	// Folder holds the artefacts within a document's generation; "" is Pipeline. Builds of one folder share them.
	Folder  string    `json:"folder,omitempty"`
	State   State     `json:"state,omitempty"`
	Parent  uint32    `json:"parent,omitempty"` // the build that was live when this one began
	From    string    `json:"from,omitempty"`   // parse, chunk or embed: the first stage that was done anew
	Created time.Time `json:"created"`
	// Retired is since when a newer build is live instead; zero while none is.
	Retired time.Time `json:"retired,omitzero"`
}

// Chunker is the sizes that chunks were cut by; zero are the defaults.
type Chunker struct {
	Target int `json:"target,omitempty"` // tokens of a dense chunk
	Window int `json:"window,omitempty"` // characters of a window
}

// In is the folder of its artefacts.
func (r Record) In() string { return cmp.Or(r.Folder, r.Pipeline) }

// Open reports whether changes are written to the build.
func (r Record) Open() bool { return r.State != Dropping && r.State != Dropped }

// liveKey names the live build in FP_LIVE.
const liveKey = "live"

// Errors of the registry.
var (
	ErrGone = errors.New("build is gone")    // dropped, or never made
	ErrNone = errors.New("no build is live") // of a new cluster
	ErrLive = errors.New("build is live")    // promoted while it was given up
)

// Registry is the builds as they are recorded, a moment behind. Safe for concurrent use.
type Registry struct {
	builds, live bus.KV

	mu      sync.RWMutex
	records map[uint32]Record
	now     uint32        // the live one
	changed chan struct{} // closed and renewed at each change
}

// Open reads the records.
func Open(ctx context.Context, b bus.Bus) (*Registry, error) {
	r := &Registry{records: map[uint32]Record{}, changed: make(chan struct{})}
	var err error
	if r.builds, err = b.KV(ctx, wire.BuildsBucket); err != nil {
		return nil, err
	}
	if r.live, err = b.KV(ctx, wire.LiveBucket); err != nil {
		return nil, err
	}
	return r, r.Refresh(ctx)
}

// Refresh reads all records anew.
func (r *Registry) Refresh(ctx context.Context) error {
	err := r.builds.Each(ctx, "", func(k string, v []byte) error {
		rec, err := decode(k, v)
		if err == nil {
			r.set(rec)
		}
		return err
	})
	if err != nil {
		return err
	}
	v, _, err := r.live.Get(ctx, liveKey)
	if errors.Is(err, bus.ErrNoKey) {
		return nil
	}
	if err != nil {
		return err
	}
	return r.setLive(v)
}

func decode(key string, v []byte) (rec Record, err error) {
	if err = json.Unmarshal(v, &rec); err == nil && (rec.Sequence == 0 || strconv.Itoa(int(rec.Sequence)) != key) {
		err = fmt.Errorf("it speaks of build %d", rec.Sequence)
	}
	if err != nil {
		return rec, fmt.Errorf("record of build %s: %w", key, err)
	}
	return rec, nil
}

func (r *Registry) set(rec Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.records[rec.Sequence] == rec {
		return
	}
	r.records[rec.Sequence] = rec
	r.tell()
}

func (r *Registry) setLive(v []byte) error {
	n, err := strconv.ParseUint(string(v), 10, 32)
	if err != nil || n == 0 {
		return fmt.Errorf("bucket %s names the live build %.20q, which is no number: was it written by a newer version of the program?", wire.LiveBucket, v)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now != uint32(n) {
		r.now = uint32(n)
		r.tell()
	}
	return nil
}

// tell wakes who waits for a change; the lock is held.
func (r *Registry) tell() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// Watch keeps the registry in step until ctx ends. A record that cannot be read is left out.
func (r *Registry) Watch(ctx context.Context) error {
	errs := make(chan error, 2)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		errs <- r.builds.Watch(ctx, "", nil, func(k string, v []byte, _ uint64) {
			if rec, err := decode(k, v); err == nil {
				r.set(rec)
			}
		})
	}()
	go func() {
		errs <- r.live.Watch(ctx, "", nil, func(k string, v []byte, _ uint64) {
			if k == liveKey && v != nil {
				_ = r.setLive(v) // one that is no number: the build that was live stays so
			}
		})
	}()
	err := <-errs
	cancel()
	return errors.Join(err, <-errs)
}

// Changed is closed at the next change.
func (r *Registry) Changed() <-chan struct{} {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.changed
}

// Live is the live build; 0 when there is none yet.
func (r *Registry) Live() uint32 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.now
}

// All is every record in order.
func (r *Registry) All() []Record {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.SortedFunc(maps.Values(r.records), func(a, b Record) int { return cmp.Compare(a.Sequence, b.Sequence) })
}

// Open is the builds that changes are written to, in order.
func (r *Registry) Open() []Record {
	return slices.DeleteFunc(r.All(), func(x Record) bool { return !x.Open() })
}

// Kept is the builds that are not gone, in order.
func (r *Registry) Kept() []Record {
	return slices.DeleteFunc(r.All(), func(x Record) bool { return x.State == Dropped })
}

// Kin is the builds that share the artefacts of one, itself included, in order.
func (r *Registry) Kin(seq uint32) (out []uint32) {
	all := r.Open()
	i := slices.IndexFunc(all, func(x Record) bool { return x.Sequence == seq })
	for _, x := range all {
		if i >= 0 && x.In() == all[i].In() {
			out = append(out, x.Sequence)
		}
	}
	return out
}

// Lead is the build whose jobs are done for all its kin: the live one, else the first that is ready, else the first.
func (r *Registry) Lead(seq uint32) uint32 {
	kin, live := r.Kin(seq), r.Live()
	if len(kin) == 0 || slices.Contains(kin, live) {
		return cmp.Or(map[bool]uint32{true: live}[len(kin) > 0], seq)
	}
	for _, k := range kin {
		if x, err := r.known(k); err == nil && x.State != Building {
			return k
		}
	}
	return kin[0]
}

func (r *Registry) known(seq uint32) (Record, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	rec, ok := r.records[seq]
	if !ok || !rec.Open() {
		return rec, fmt.Errorf("build %d: %w", seq, ErrGone)
	}
	return rec, nil
}

// Get is a build that is open; one that another process has just made is read from the bucket. ErrGone.
func (r *Registry) Get(ctx context.Context, seq uint32) (Record, error) {
	r.mu.RLock()
	_, ok := r.records[seq]
	r.mu.RUnlock()
	if ok {
		return r.known(seq)
	}
	rec, _, err := r.read(ctx, seq)
	if errors.Is(err, bus.ErrNoKey) {
		err = fmt.Errorf("build %d: %w", seq, ErrGone)
	}
	if err != nil {
		return rec, err
	}
	r.set(rec)
	return r.known(seq)
}

func (r *Registry) read(ctx context.Context, seq uint32) (Record, uint64, error) {
	key := strconv.Itoa(int(seq))
	v, rev, err := r.builds.Get(ctx, key)
	if err != nil {
		return Record{}, 0, fmt.Errorf("record of build %d: %w", seq, err)
	}
	rec, err := decode(key, v)
	return rec, rev, err
}
