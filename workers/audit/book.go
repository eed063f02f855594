package audit

import (
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"hash/maphash"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
)

// book is what is known of a tenant's documents, found by entry prefix.
type book struct {
	at     map[doc.Prefix]uint32
	owners []owner
	odd    map[doc.Prefix]map[doc.Generation]int // entries of other generations than the shown one, and of nobody
}

func newBook() *book {
	return &book{at: map[doc.Prefix]uint32{}, odd: map[doc.Prefix]map[doc.Generation]int{}}
}

// owner is a document, in 64 bytes: nothing of it grows with its key or its record, which is read again when there is
// something to say.
type owner struct {
	id         [20]byte // of the doc_id
	state      state
	marks      marks
	seal       uint64    // of ETag and size
	counts     [4]uint32 // entries of the shown generation, in the order of doc.Kinds
	generation doc.Generation
	current    doc.Generation
	vectors    doc.Generation
}

type state uint8

var states = [...]doc.State{"", doc.Pending, doc.Indexed, doc.Skipped, doc.Failed, doc.Deleted}

func (s state) is(d doc.State) bool { return states[s] == d }

type marks uint8

const (
	purged   marks = 1 << iota // of a tombstone
	listed                     // in a bucket
	unmapped                   // no source of the tenant names its bucket and prefix
	moved                      // its record changed during the audit
)

var seed = maphash.MakeSeed()

// sealOf is equal for equal ETags and sizes.
func sealOf(etag string, size int64) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(size))
	_, _ = h.Write(b[:])
	_, _ = h.WriteString(etag)
	return h.Sum64()
}

// names is how a doc_id is written.
var names = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func ownerOf(r ledger.Record) (o owner, err error) {
	raw, err := names.DecodeString(string(r.DocID))
	if err != nil || len(raw) != len(o.id) {
		return o, fmt.Errorf("record of %.40q is none of a document", r.DocID)
	}
	copy(o.id[:], raw)
	for i, s := range states {
		if s == r.State {
			o.state = state(i)
		}
	}
	if r.Purged {
		o.marks |= purged
	}
	o.seal, o.generation, o.current, o.vectors = sealOf(r.ETag, r.Size), r.Generation, r.Current, r.Vectors
	return o, nil
}

func (o *owner) docID() doc.ID { return doc.ID(doc.Base32(o.id[:])) }

// same reports whether the record is as it was at the beginning.
func (o *owner) same(p owner) bool {
	return o.state == p.state && o.generation == p.generation && o.current == p.current && o.vectors == p.vectors && o.seal == p.seal
}

// uses reports whether generation g of a record is in use by the index: shown, or on its way.
func uses(current, accepted, g doc.Generation, pending bool) bool {
	return g == current || g == accepted && pending
}

func (b *book) find(p doc.Prefix) *owner {
	if i, ok := b.at[p]; ok {
		return &b.owners[i]
	}
	return nil
}

func (b *book) add(o owner) {
	b.at[doc.Prefix(o.id[:len(doc.Prefix{})])] = uint32(len(b.owners))
	b.owners = append(b.owners, o)
}

// count notes an entry of the index.
func (b *book) count(p doc.Place, kind int) {
	if o := b.find(p.Prefix); o != nil && p.Generation == o.current {
		o.counts[kind]++
		return
	}
	if b.odd[p.Prefix] == nil {
		if len(b.odd) >= namedMost {
			return
		}
		b.odd[p.Prefix] = map[doc.Generation]int{}
	}
	b.odd[p.Prefix][p.Generation]++
}
