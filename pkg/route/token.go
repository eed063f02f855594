package route

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of a question.
type token struct {
	span
	lower         string
	capital, caps bool // begins with a capital, or with a digit; has no small letter
}

// tokens are the words of a question, "'s" left out.
func tokens(q string) (out []token) {
	for i := 0; i < len(q); {
		r, size := utf8.DecodeRuneInString(q[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			i += size
			continue
		}
		start := i
		for i < len(q) && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			i += size
			r, size = utf8.DecodeRuneInString(q[i:])
		}
		word := q[start:i]
		for _, s := range []string{"'s", "’s", "'S", "’S"} { // possessive: no part of the name, but of the span
			if strings.HasPrefix(q[i:], s) && (i+len(s) == len(q) || !wordRune(q[i+len(s):])) {
				i += len(s)
				break
			}
		}
		first, _ := utf8.DecodeRuneInString(word)
		out = append(out, token{span{start, i}, strings.ToLower(word), unicode.IsUpper(first) || unicode.IsDigit(first), strings.ToUpper(word) == word})
	}
	return out
}

func wordRune(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}
