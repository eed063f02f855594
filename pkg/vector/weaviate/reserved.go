package weaviate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Weaviate up to 1.35.2 has a fault: when what it writes to disk at one time holds deletions only, the mean length of that
// property becomes NaN, and the tenant's class ranks without lengths from then on, through restarts (mended upstream by
// its pull request 10102). So each class by words holds two reserved entries a tenant, and they are rewritten
// before and after every deletion: then no such write is without words.
//
// They are two, of different lengths, so that the fault can be seen (Damaged): their scores for the word they share are equal
// only when lengths count for nothing. Their lengths are typical of their kind, so that the mean stays where it is. They
// are found by no question, and Each, Count, Purge and Frequencies know nothing of them.

// The reserved ids: the zero id, which a walk begins behind, and the last two.
var (
	zeroID      = doc.EntryID{}
	reservedIDs = [2]doc.EntryID{allOnes(0xfe), allOnes(0xff)}
)

func allOnes(last byte) (id doc.EntryID) {
	for i := range id {
		id[i] = 0xff
	}
	id[len(id)-1] = last
	return id
}

func isReserved(id doc.EntryID) bool {
	return id == zeroID || id == reservedIDs[0] || id == reservedIDs[1]
}

// The reserved entries' words. They begin with the mark, so no term is one of them.
const (
	reservedDoc  = "reserved"
	reservedWord = mark + "reserved"
	fillWord     = mark + "fill"
	nonces       = 1000 // distinct words that make a rewritten entry differ from the one before
)

// lengths are words of the two entries of a kind, about a half and one and a half of its mean.
func lengths(k doc.Kind) [2]int {
	if k == doc.KindWindow {
		return [2]int{150, 450}
	}
	return [2]int{4, 12}
}

// reserve is the reserved entries of a kind by words, written anew: never the same twice in a row.
func reserve(k doc.Kind) (out []object) {
	for i, n := range lengths(k) {
		o := object{id: reservedIDs[i], doc: reservedDoc, words: map[string]string{}}
		text := fmt.Sprintf("%s %s%d%s", reservedWord, mark, rand.IntN(nonces), strings.Repeat(" "+fillWord, n-2))
		for _, f := range searchable(k) {
			o.words[string(f)] = text
		}
		out = append(out, o)
	}
	return out
}

// mustGuard is whether a write of these objects takes the reserved entries along: the first of this process, and one
// that may remove words without writing any (an entry that loses them).
func (x *Index) mustGuard(to tenantClass, k doc.Kind, objects []object) bool {
	if len(searchable(k)) == 0 {
		return false
	}
	x.mu.Lock()
	known := x.guarded[to]
	x.mu.Unlock()
	if !known {
		return true
	}
	for _, f := range searchable(k) {
		for i := range objects {
			if objects[i].words[string(f)] == "" {
				return true
			}
		}
	}
	return false
}

func (x *Index) guard(at tenantClass) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.guarded[at] = true
}

// rewrite writes the reserved entries of a class by words anew.
func (x *Index) rewrite(ctx context.Context, at tenantClass, k doc.Kind) error {
	if len(searchable(k)) == 0 {
		return nil
	}
	if err := x.send(ctx, at, reserve(k)); err != nil {
		return fmt.Errorf("reserved entries: %w", err)
	}
	x.guard(at)
	return nil
}
