package chunker

// Estimate is a floor of characters a token: it never gives fewer tokens than common WordPiece
// and BPE vocabularies of English models need, in the texts we measured (prose, tables, Cyrillic,
// code). A run of ASCII letters counts one token for its first six letters and one for each three more; a
// digit run one for two digits; any other character one.
func Estimate(s string) int {
	n := 0
	letters, digits := 0, 0
	for _, r := range s {
		switch {
		case r|0x20 >= 'a' && r|0x20 <= 'z':
			digits = 0
			if letters == 0 || letters >= 6 && letters%3 == 0 {
				n++
			}
			letters++
		case r >= '0' && r <= '9':
			letters = 0
			if digits%2 == 0 {
				n++
			}
			digits++
		case r == ' ' || r == '\n' || r == '\t' || r == '\r':
			letters, digits = 0, 0
		default:
			letters, digits = 0, 0
			n++
		}
	}
	return n + 2
}
