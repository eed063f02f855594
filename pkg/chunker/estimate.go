package chunker

// Estimate stands in for an embedder's count of tokens until one is known. It was fitted to the
// WordPiece vocabulary of all-MiniLM-L6-v2 on filings and papers: mostly a few percent above it,
// and seldom more than a quarter below (rare names, formulas), which the room between Target and
// Limit takes. ASCII letters: one token for the first eight of a word, one more for each four;
// digits: one for two; anything else but blanks: one a character. Two more for the ends of the text.
func Estimate(s string) int {
	n, run, class := textEnds, 0, byte(0)
	for _, r := range s {
		c := byte(0)
		if r < 128 {
			c = classes[r]
		} else {
			c = other
		}
		if c != class {
			run, class = 0, c
		}
		run++
		switch c {
		case letter:
			if run == 1 || run > 8 && run%4 == 1 {
				n++
			}
		case digit:
			n += run & 1
		case other:
			n++
		}
	}
	return n
}

// textEnds is what Estimate gives for an empty text.
const textEnds = 2

// Classes of characters for Estimate.
const (
	blank byte = iota
	letter
	digit
	other
)

var classes = func() (t [128]byte) {
	for c := range t {
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			t[c] = letter
		case c >= '0' && c <= '9':
			t[c] = digit
		case c > ' ':
			t[c] = other
		}
	}
	return t
}()
