// Package value reads what a cell or a sentence says as a number: thousands separators of several languages,
// negatives in parentheses, percentages, dashes for nothing, ranges, marks of footnotes, currencies, scale words.
// Numbers are exact decimals (big.Rat); no binary fraction ever stands for money.
//
// Any text is taken; time is linear in its length.
package value

import (
	"math/big"
	"strings"
)

// Kind is what a text is as a value.
type Kind string

// The kinds.
const (
	Text   Kind = "text"   // no number: words, a date, "n/a"
	Number Kind = "number" // one number
	Range  Kind = "range"  // two numbers, "5-7 years"
	Nil    Kind = "nil"    // a dash: nothing, counted as nought
)

// Value is what a text says. The zero Value is an empty text.
type Value struct {
	Text string // as it was given, without blanks around it
	Kind Kind
	// Number is as written, without Scale: -1234.5 of "(1,234.5) million"; nought of Nil; the first of a Range;
	// nil of Text.
	Number *big.Rat
	To     *big.Rat // the second of a Range; nil otherwise
	Places int      // decimals as written, of the more exact end of a Range
	// Scale is the factor that the text itself names, 1e6 of "5 million"; 1 when it names none.
	Scale    int64
	Currency string   // ISO code, "USD"; "" when the text names none
	Percent  bool     // "5%", "5 percent"
	Unit     string   // the words behind the number, "years", "x", "bps", "G"; "%" of a percentage; "" when none
	Notes    []string // marks of footnotes, "(a)", "1", "*", in order
	Approx   string   // what stands before and weakens it: "<", ">", "~"; "" when nothing does
}

// Amount is Number times Scale; nil of Text. The caller may keep and change it.
func (v Value) Amount() *big.Rat { return scaled(v.Number, v.Scale) }

func scaled(n *big.Rat, by int64) *big.Rat {
	if n == nil {
		return nil
	}
	if by == 0 {
		by = 1
	}
	return new(big.Rat).Mul(n, new(big.Rat).SetInt64(by))
}

// Convention says which mark divides decimals where a number alone does not tell: "1.234".
type Convention int

// The conventions.
const (
	Point Convention = iota // 1,234.5: English
	Comma                   // 1.234,5 or 1 234,5: German, Russian, French, and most others
)

// In is the convention of a language by its ISO 639-1 code; Point of one that is not known.
func In(language string) Convention {
	switch language {
	case "de", "ru", "fr", "es", "it", "pt", "nl", "pl", "cs", "uk", "sv", "da", "no", "fi", "tr":
		return Comma
	}
	return Point
}

// maxText is the longest text, in bytes, that is read as one value.
const maxText = 200

// Parse reads a text that is one value, as a cell is.
func Parse(s string, c Convention) Value {
	s = strings.TrimSpace(s)
	v := Value{Text: s, Kind: Text, Scale: 1}
	if s == "" || len(s) > maxText {
		return v
	}
	if nothing(&v, s) {
		return v
	}
	p := parser{s: s, convention: c, cell: true}
	if !p.value(&v) {
		return Value{Text: s, Kind: Text, Scale: 1}
	}
	return v
}

// nothing reads a dash, with a currency or a percent sign perhaps.
func nothing(v *Value, s string) bool {
	currency, rest := leadingCurrency(s)
	rest = strings.Trim(rest, " \u00a0\t")
	percent := strings.HasSuffix(rest, "%")
	rest = strings.TrimSpace(strings.TrimSuffix(rest, "%"))
	if rest == "" || strings.Trim(rest, "-–—−‒―‑ ") != "" && !strings.EqualFold(rest, "nil") {
		return false
	}
	v.Kind, v.Number, v.Currency, v.Percent = Nil, new(big.Rat), currency, percent
	if percent {
		v.Unit = "%"
	}
	return true
}

// Found is a value within a longer text.
type Found struct {
	Value
	Start, End int // bytes of the text, half-open
}

// maxFound bounds the values that All gives.
const maxFound = 10_000

// All is the numbers that stand in a text, in order, at most 10,000: each with the currency before it and the percent sign,
// scale word or currency behind it. A dash or a word is none; a range is two numbers.
func All(s string, c Convention) (all []Found) {
	for at := 0; at < len(s) && len(all) < maxFound; {
		n := strings.IndexAny(s[at:], "0123456789")
		if n < 0 {
			break
		}
		start := lead(s, at, at+n)
		p := parser{s: s[start:min(len(s), start+maxText)], convention: c}
		v := Value{Scale: 1}
		if !p.value(&v) || start+p.at <= at+n {
			at = skipDigits(s, at+n)
			continue
		}
		v.Text = s[start : start+p.at]
		all = append(all, Found{v, start, start + p.at})
		at = start + p.at
	}
	return all
}

// lead is where the value whose first digit stands at digit begins: with its parenthesis, sign and currency.
func lead(s string, from, digit int) int {
	for _, r := range []int{12, 8, 4, 3, 2, 1} {
		at := digit - r
		if at < from || !boundary(s, at) {
			continue
		}
		if p := (parser{s: s[at:min(len(s), digit+1)]}); p.lead(new(Value)) == digit-at {
			return at
		}
	}
	if digit > from && s[digit-1] == '.' && (digit < 2 || strings.IndexByte("0123456789", s[digit-2]) < 0) {
		return digit - 1
	}
	return digit
}

// boundary reports whether a value may begin at byte at: a rune begins, and no letter or digit runs on into it.
func boundary(s string, at int) bool {
	if s[at]&0xC0 == 0x80 || s[at] == ' ' {
		return false
	}
	if at == 0 {
		return true
	}
	c := s[at-1]
	return !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == ')' || c == '.' || c == ',')
}

// skipDigits passes digits that are no number; all of "1.2.3", which names something.
func skipDigits(s string, at int) int {
	for at < len(s) && (digitAt(s, at) || s[at] == '.' && digitAt(s, at+1)) {
		at++
	}
	return at
}
