package reconcile

import (
	"bytes"
	"context"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/origin"
)

// pass is one walk of a source under way: what the KV bucket holds of it, and what is not saved yet.
type pass struct {
	Number int    `json:"number"`
	Cursor string `json:"cursor"` // last key walked; "" at the start
	Parts  int    `json:"parts"`  // objects with what was seen

	source   string // key in the KV bucket
	revision uint64
	buffer   []byte // 8 bytes a document seen since the last save
	unsaved  int    // objects since the last save
}

// sourceKey names a source in the KV bucket: bucket and prefix may hold anything, keys may not.
func sourceKey(s origin.Source) string {
	return string(s.Tenant) + "." + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte(s.Bucket+"\x00"+s.Prefix)))
}

// resume reads the pass that a restart cut off, or begins the next one.
func (w *Worker) resume(ctx context.Context, s origin.Source) (*pass, error) {
	p := &pass{source: sourceKey(s)}
	b, rev, err := w.State.Get(ctx, p.source)
	if errors.Is(err, bus.ErrNoKey) {
		p.Number = 1
		return p, nil
	}
	if err != nil {
		return nil, fmt.Errorf("state of the walk: %w", err)
	}
	p.revision = rev
	if err := json.Unmarshal(b, p); err != nil {
		return nil, fmt.Errorf("state of the walk: %w", err)
	}
	return p, nil
}

// saw notes a document. Eight bytes of its id are enough: a false hit keeps a document one pass longer, and
// with a million of them there is one in 37 million passes.
func (p *pass) saw(id doc.ID) {
	p.buffer = binary.BigEndian.AppendUint64(p.buffer, short(id))
	p.unsaved++
}

func short(id doc.ID) uint64 {
	pre := doc.PrefixOf(id)
	return binary.BigEndian.Uint64(append(pre[:], id[len(id)-1]))
}

func (p *pass) part(n int) string {
	return fmt.Sprintf("_reconcile/%s/%d/%06d", p.source, p.Number, n)
}

// save stores what was seen, then the cursor; a crash between leaves a part that is written again.
func (w *Worker) save(ctx context.Context, p *pass) error {
	if len(p.buffer) > 0 {
		if _, err := w.Blobs.Put(ctx, w.Bucket, p.part(p.Parts), bytes.NewReader(p.buffer), int64(len(p.buffer)), blob.PutOptions{}); err != nil {
			return fmt.Errorf("what the walk saw: %w", err)
		}
		p.Parts++
	}
	p.buffer, p.unsaved = p.buffer[:0], 0
	return w.write(ctx, p)
}

func (w *Worker) write(ctx context.Context, p *pass) error {
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if p.revision, err = w.State.Put(ctx, p.source, b, p.revision); err != nil {
		return fmt.Errorf("state of the walk (does another reconciler run?): %w", err)
	}
	return nil
}

// finish sets the cursor to the start of the next pass, and then removes what this one saw: a kill between the two
// leaves parts that nobody reads.
func (w *Worker) finish(ctx context.Context, p *pass) error {
	old := *p
	p.Number, p.Cursor, p.Parts = p.Number+1, "", 0
	if err := w.write(ctx, p); err != nil {
		return err
	}
	for n := range old.Parts {
		if err := w.Blobs.Delete(ctx, w.Bucket, old.part(n)); err != nil {
			return fmt.Errorf("what the walk saw: %w", err)
		}
	}
	return nil
}

// seenSet is the short ids of a pass, sorted.
type seenSet []uint64

func (s seenSet) has(id doc.ID) bool {
	_, ok := slices.BinarySearch(s, short(id))
	return ok
}

// loadSeen reads what the pass saw: 8 MB a million documents.
func (w *Worker) loadSeen(ctx context.Context, p *pass) (seenSet, error) {
	var all seenSet
	for n := range p.Parts {
		b, _, err := blob.ReadAll(ctx, w.Blobs, w.Bucket, p.part(n), blob.GetOptions{}, 1<<30)
		if err != nil {
			return nil, fmt.Errorf("what the walk saw: %w", err)
		}
		for ; len(b) >= 8; b = b[8:] {
			all = append(all, binary.BigEndian.Uint64(b))
		}
	}
	slices.Sort(all)
	return all, nil
}
