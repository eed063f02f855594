package weaviate

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The server takes a text and splits it at white space, so a term must travel as a token: a word without white
// space, printable, valid UTF-8, not too long. Nearly every term is one already. Any other travels as mark and the
// hash of its bytes: equal terms stay equal, different ones different.
const (
	mark     = "␛" // a picture of the escape character; analysed text never begins with it, and if it does it is hashed
	maxToken = 256 // bytes
)

// token is how a term travels.
func token(term string) string {
	if plain(term) {
		return term
	}
	sum := sha256.Sum256([]byte(term))
	return mark + hex.EncodeToString(sum[:16])
}

func plain(term string) bool {
	if term == "" || len(term) > maxToken || strings.HasPrefix(term, mark) || !utf8.ValidString(term) {
		return false
	}
	for _, r := range term {
		if unicode.IsSpace(r) || !strconv.IsPrint(r) {
			return false
		}
	}
	return true
}

// tokens is a list of terms as one text.
func tokens(terms []string) string {
	var b strings.Builder
	for i, t := range terms {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(token(t))
	}
	return b.String()
}
