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
// They are two, of different lengths, so that the fault can be seen (see health.go). Their lengths are typical of their kind, so that the mean stays where it is. They
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
	reservedDoc = "reserved"
	fillWord    = mark + "fill"
)

// lengths are words of the two entries of a kind, about a half and one and a half of its mean.
func lengths(k doc.Kind) [2]int {
	if k == doc.KindWindow {
		return [2]int{150, 450}
	}
	return [2]int{4, 12}
}

// reserve is the reserved entries of a kind by words, written anew, and the word that only they have: a new one each
// time, because a rewrite of the same words is none.
func reserve(k doc.Kind) (out []object, word string) {
	word = fmt.Sprintf("%s%08x", mark, rand.Uint32())
	for i, n := range lengths(k) {
		o := object{id: reservedIDs[i], doc: reservedDoc, words: map[string]string{}}
		for _, f := range searchable(k) {
			o.words[string(f)] = word + strings.Repeat(" "+fillWord, n-1)
		}
		out = append(out, o)
	}
	return out, word
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

// rewrite writes the reserved entries of a class by words anew, and gives the word that only they have.
func (x *Index) rewrite(ctx context.Context, at tenantClass, k doc.Kind) (word string, err error) {
	if len(searchable(k)) == 0 {
		return "", nil
	}
	entries, word := reserve(k)
	if err := x.send(ctx, at, entries); err != nil {
		return "", fmt.Errorf("reserved entries: %w", err)
	}
	x.guard(at)
	return word, nil
}
