package value

import (
	"math/big"
	"strings"
)

// Format writes n with that many decimals, rounded half away from nought, thousands divided by commas.
func Format(n *big.Rat, places int) string {
	s := n.FloatString(places)
	minus := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	whole, frac, has := strings.Cut(s, ".")
	var b strings.Builder
	if minus && strings.Trim(s, "0.") != "" {
		b.WriteByte('-')
	}
	for i, c := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	if has {
		b.WriteString("." + frac)
	}
	return b.String()
}

// Exact writes n without rounding where it is a decimal of at most ten places, and with ten otherwise; no thousands marks.
func Exact(n *big.Rat) string {
	s := n.FloatString(10)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Rounds reports whether a stated number may stand for an exact one: it is the exact one, rounded or cut to as many
// places as are stated.
func Rounds(stated *big.Rat, places int, exact *big.Rat) bool {
	unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil))
	d := new(big.Rat).Sub(stated, exact)
	if d.Abs(d).Cmp(unit) < 0 {
		half := new(big.Rat).Quo(unit, big.NewRat(2, 1))
		return d.Cmp(half) <= 0 || new(big.Rat).Abs(stated).Cmp(new(big.Rat).Abs(exact)) <= 0
	}
	return false
}
