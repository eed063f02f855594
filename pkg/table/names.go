package table

import (
	"slices"
	"strings"
	"unicode"
)

// sumWords are the first words of a row that may sum up a section.
var sumWords = map[string]bool{"total": true, "totals": true, "net": true, "subtotal": true, "итого": true, "всего": true, "summe": true, "gesamt": true}

// filler are words that two names of the same thing need not share.
var filler = map[string]bool{"the": true, "and": true, "from": true, "for": true, "flows": true, "flow": true, "total": true, "totals": true,
	"subtotal": true, "net": true, "итого": true, "всего": true, "summe": true, "gesamt": true}

// contentList are the words of a label that carry meaning, in lower case, in order.
func contentList(s string) []string {
	words := strings.FieldsFunc(strings.ToLower(cut(s, 300)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	words = slices.DeleteFunc(words, func(w string) bool { return len(w) < 3 || filler[w] })
	for i, w := range words { // "revenues" and "revenue" name the same
		if len(w) > 4 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			words[i] = w[:len(w)-1]
		}
	}
	return words
}

// contentWords are the same words as a set.
func contentWords(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range contentList(s) {
		m[w] = true
	}
	return m
}

// contains reports whether all words of part, at least one, are among those of whole.
func contains(whole, part map[string]bool) bool {
	for w := range part {
		if !whole[w] {
			return false
		}
	}
	return len(part) > 0
}

// keyOf is a label by which a section and its sum are known to each other: "Assets" and "Total
// assets" are both "assets".
func keyOf(label string) string { return strings.Join(contentList(label), " ") }

// titleKeys are the keys a section's sum may have: its own, and those with one of two
// alternatives, "(Loss)/earnings from operations" and "Loss from operations".
func titleKeys(title string) []string {
	keys := []string{keyOf(title)}
	title = unbracket.Replace(cut(title, 300))
	fields := strings.Fields(title)
	for i, f := range fields {
		left, right, ok := strings.Cut(f, "/")
		if !ok || left == "" || right == "" {
			continue
		}
		for _, alternative := range []string{left, right} {
			fields[i] = alternative
			keys = append(keys, keyOf(strings.Join(fields, " ")))
		}
		break
	}
	return keys
}

var unbracket = strings.NewReplacer("(", "", ")", "")

// names are the labels of a table, for looking ahead. The zero value knows none.
type names struct {
	count  map[string]int   // how often a label stands in the table
	headed map[string]int   // how often right below a row that may head it and whose label stands once
	first  map[string]int   // where a label stands first, digits aside
	sums   map[string][]int // by key: rows with values whose label may sum up a section
	named  map[string]int   // by key: how many rows of all sorts have it, "Total assets" not counted
	bare   []int            // by row: the next row "Total" below it, and
	block  []int            // the next section row; the number of rows when there is none
	sum    []bool           // by row: it begins as a sum does
}

func namesOf(rows []Row) names {
	x := names{count: map[string]int{}, headed: map[string]int{}, first: map[string]int{}, sums: map[string][]int{}, named: map[string]int{}, bare: make([]int, len(rows)), block: make([]int, len(rows)), sum: make([]bool, len(rows))}
	bare, block := len(rows), len(rows)
	for i := len(rows) - 1; i >= 0; i-- {
		label := rows[i].Label
		x.bare[i], x.block[i] = bare, block
		key, sum := keyOf(label), sumWords[firstWord(label)]
		x.sum[i] = sum
		if rows[i].Section {
			block = i
		} else if sum && key == "" {
			bare = i
		}
		x.count[label]++
		x.first[withoutDigits(label)] = i
		if !sum {
			x.named[key]++
		}
		if len(rows[i].Cells) > 0 && key != "" && firstWord(label) != "net" {
			x.sums[key] = append(x.sums[key], i) // from the last to the first
		}
	}
	for i := 1; i < len(rows); i++ {
		if x.count[rows[i-1].Label] == 1 && mayHead(&rows[i-1], &rows[i]) {
			x.headed[rows[i].Label]++
		}
	}
	return x
}

// total reports whether a row "Total" follows row i before the next section row.
func (x *names) total(i int) bool { return i < len(x.bare) && x.bare[i] < x.block[i] }

// end is the row that sums up the section with this title in row i: "Total ..." with its name, or
// a row of the very name, of at least two words, that no other row has, before any row "Total"; 0
// when there is none.
func (x *names) end(i int, title string) int {
	keys := titleKeys(title)
	best := 0
	for _, key := range keys {
		rows := x.sums[key]
		for len(rows) > 0 && rows[len(rows)-1] <= i {
			rows = rows[:len(rows)-1]
		}
		x.sums[key] = rows // sections are asked for in order
		if len(rows) == 0 || key == "other" {
			continue
		}
		at, same := rows[len(rows)-1], 1 // the name of the row itself
		if key == keys[0] {
			same = 2 // and that of the title
		}
		if !x.sum[at] && (x.bare[i] < at || x.named[key] > same || !strings.Contains(key, " ")) {
			continue
		}
		if best == 0 || at < best {
			best = at
		}
	}
	return best
}

// withoutDigits is a label without its numbers.
func withoutDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, s)
}
