package section

import (
	"unicode"
	"unicode/utf8"
)

// What makes two sections the same: of their runs of shingle words, alike in ten are common. A statement that is
// printed twice differs in its heading and its page's foot.
const (
	shingle     = 4
	alike       = .85
	maxCompared = 16 << 10 // bytes of a section that are compared: the first
	minShingles = 12       // shorter sections are never the same as another
)

// Distinct is the indices of the texts that are not nearly the same as an earlier one, in order.
func Distinct(texts [][]byte) []int {
	var kept []int
	var sets []map[uint64]bool
	for i, t := range texts {
		s := shingles(t)
		if len(s) >= minShingles && sameAsOne(s, sets) {
			continue
		}
		kept, sets = append(kept, i), append(sets, s)
	}
	return kept
}

func sameAsOne(s map[uint64]bool, sets []map[uint64]bool) bool {
	for _, o := range sets {
		if common(s, o) {
			return true
		}
	}
	return false
}

// common reports whether two sets have enough in common (Jaccard).
func common(a, b map[uint64]bool) bool {
	least, most := float64(min(len(a), len(b))), float64(max(len(a), len(b)))
	if most == 0 || least/most < alike {
		return false
	}
	n := 0
	for x := range a {
		if b[x] {
			n++
		}
	}
	return float64(n) >= alike*float64(len(a)+len(b)-n)
}

// shingles are the hashes (FNV-1a) of the runs of words of a text; letters and digits make words, case does not matter.
func shingles(t []byte) map[uint64]bool {
	const offset, prime = 14695981039346656037, 1099511628211
	t = t[:min(len(t), maxCompared)]
	set := make(map[uint64]bool, len(t)/6)
	var last [shingle]uint64
	n, word := 0, uint64(offset)
	end := func() {
		if word == offset {
			return
		}
		copy(last[:], last[1:])
		last[shingle-1], word = word, offset
		if n++; n < shingle {
			return
		}
		h := uint64(offset)
		for _, w := range last {
			h = (h ^ w) * prime
		}
		set[h] = true
	}
	for len(t) > 0 {
		r, size := utf8.DecodeRune(t)
		t = t[size:]
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end()
			continue
		}
		word = (word ^ uint64(unicode.ToLower(r))) * prime
	}
	end()
	return set
}
