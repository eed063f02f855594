package minilm

import "unicode"

// mostlyLatin holds when at least half of the letters are Latin, and for a text without letters.
// An ideograph or a syllable sign says about as much as two letters and counts as two.
func mostlyLatin(text string) bool {
	latin, other := 0, 0
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			latin++
		case r < 0xAA || !unicode.IsLetter(r):
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			other += 2
		default:
			other++
		}
	}
	return latin >= other
}
