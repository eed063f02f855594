package doc

import (
	"encoding/hex"
	"fmt"
)

// EntryID names an index entry and carries its place, so that a hit needs no property read:
// 7 bytes of the doc_id's hash, 3 of generation, 3 of node number, 3 of ordinal, all big-endian.
// The upper four bits of the ordinal are the node's Flags; the kind is said by the class or table.
type EntryID [16]byte

// Prefix is the first 7 bytes of the doc_id's hash. Two documents of one tenant never share it:
// intake refuses a clash.
type Prefix [7]byte

// Limits of an EntryID.
const (
	MaxNode    = 1<<24 - 1
	MaxOrdinal = 1<<20 - 1
)

// Place is what an EntryID carries.
type Place struct {
	Prefix     Prefix
	Generation Generation
	Node       int
	Ordinal    int
	Flags      Flags
}

// PrefixOf is the Prefix of a doc_id; the zero Prefix when id is malformed.
func PrefixOf(id ID) Prefix {
	var p Prefix
	b, err := base32Lower.DecodeString(string(id))
	if err == nil && len(b) >= len(p) {
		copy(p[:], b)
	}
	return p
}

// ID packs the place. Values over their limits are a programming error and panic.
func (p Place) ID() EntryID {
	if p.Generation > MaxGeneration || p.Node < 0 || p.Node > MaxNode || p.Ordinal < 0 || p.Ordinal > MaxOrdinal || p.Flags > 15 {
		panic(fmt.Sprintf("doc: place out of range: %+v", p))
	}
	var id EntryID
	copy(id[:], p.Prefix[:])
	put24(id[7:], uint32(p.Generation))
	put24(id[10:], uint32(p.Node))
	put24(id[13:], uint32(p.Flags)<<20|uint32(p.Ordinal))
	return id
}

// Place unpacks the id.
func (id EntryID) Place() Place {
	ord := get24(id[13:])
	return Place{
		Prefix:     Prefix(id[:7]),
		Generation: Generation(get24(id[7:])),
		Node:       int(get24(id[10:])),
		Ordinal:    int(ord & MaxOrdinal),
		Flags:      Flags(ord >> 20),
	}
}

// String is the id as a UUID: 8-4-4-4-12 hex digits.
func (id EntryID) String() string {
	h := hex.EncodeToString(id[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

func put24(b []byte, v uint32) { b[0], b[1], b[2] = byte(v>>16), byte(v>>8), byte(v) }

func get24(b []byte) uint32 { return uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2]) }
