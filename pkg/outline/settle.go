package outline

import (
	"slices"
	"strings"
)

// settle decides what a single title cannot say: which of two families stands above the other,
// where introductions and references stand, and which heading is the document's title.
func (b *builder) settle() {
	b.outer()
	b.appendices()
	b.frames()
	b.title()
}

// styles turns letters and Roman numerals before a title into ranks. A document with numerals
// (I., II.) counts them as its first order and letters as its second; one with dotted numbers
// has letters for its appendices. Else lists nest in the order in which their styles come.
func (b *builder) styles() {
	numerals, dots := 0, 0
	for i := range b.all {
		switch b.all[i].is.family {
		case "I.":
			numerals++
		case "dotted":
			dots++
		}
	}
	last := map[string]number{}
	for i := range b.all {
		r := &b.all[i].is
		b.numeral(r, last, numerals)
		switch {
		case r.family == "I." && numerals >= 2:
			r.rank = rankDotted + 1
		case r.family == "A." && numerals >= 2:
			r.rank = rankDotted + 2
		case r.family == "1)" && numerals >= 2:
			r.rank = rankDotted + 3
		case r.family == "A." && dots >= 2:
			r.rank = rankDotted + 1
		}
		last[r.family] = r.number
	}
}

// numeral reads a single letter as a Roman numeral where that goes on a count: (i) not after (h),
// V. after IV.
func (b *builder) numeral(r *rule, last map[string]number, numerals int) {
	roman := map[string]string{"a.": "i.", "A.": "I.", "(a)": "(i)", "(A)": "(I)"}[r.family]
	if roman == "" {
		return
	}
	n := romanOf(r.number.text)
	if n == 0 {
		return
	}
	if r.number.follows(last[r.family]) && last[r.family].parts != nil {
		return
	}
	as := number{r.number.text, []int{n}}
	if n == 1 || last[roman].parts != nil && (as.follows(last[roman]) || numerals >= 2 && as.after(last[roman])) {
		r.family, r.number = roman, as
	}
}

func romanOf(s string) int { return roman(s) }

// outer lifts a family above another where it comes first and is the rarer: a раздел of глав, but not a
// раздел in a глава.
func (b *builder) outer() {
	for i := range rules.Families {
		f := &rules.Families[i]
		if f.Outer == "" {
			continue
		}
		mine, theirs, above := 0, 0, 0
		first := ""
		for k := range b.all {
			switch b.all[k].is.family {
			case f.Name:
				mine++
			case f.Outer:
				theirs++
				above = b.all[k].is.rank
			default:
				continue
			}
			if first == "" {
				first = b.all[k].is.family
			}
		}
		if mine == 0 || theirs < mine || first != f.Name {
			continue
		}
		for k := range b.all {
			if b.all[k].is.family == f.Name {
				b.all[k].is.rank = above - 5
			}
		}
	}
}

// appendices stand beside the highest order of the body: parts, where they are no parts of a filing, or
// divisions and chapters.
func (b *builder) appendices() {
	top := rules.byName["appendix"].Rank
	for i := range b.all {
		switch r := b.all[i].is; r.family {
		case "part", "volume":
			if b.body {
				top = min(top, r.rank)
			}
		case "division", "chapter":
			top = min(top, r.rank)
		}
	}
	for i := range b.all {
		if b.all[i].is.family == "appendix" {
			b.all[i].is.rank = top
		}
	}
}

// frames gives introductions, references and the like the rank of the orders they stand beside:
// before the first and after the last chapter that of the chapters, between them none, behind an
// appendix that of the appendices; without chapters they stand beside 1, 2, 3.
func (b *builder) frames() {
	first, last, top := -1, -1, rankDotted+1
	for i := range b.all {
		switch r := b.all[i].is; r.family {
		case "part", "division", "chapter", "article":
			if first < 0 {
				first = i
			}
			last, top = i, min(top, r.rank)
		}
	}
	behind := 0 // the rank of an appendix before
	for i := range b.all {
		r := &b.all[i].is
		switch {
		case r.family == "appendix":
			behind = r.rank
		case r.family != "frame":
		case behind > 0:
			r.rank = behind
		case i > first && i < last, first >= 0 && i > last && slices.Contains(rules.Inner.Whole, strings.Trim(key(b.all[i].title), " .:")):
			*r = rule{}
		default:
			r.rank = top
		}
	}
}

// title makes the first heading the root of a document that has none above its numbers.
func (b *builder) title() {
	if len(b.all) < 2 || b.all[0].is.rank != 0 || !b.body || b.all[0].synthetic {
		return
	}
	for i := 1; i < len(b.all); i++ {
		if b.all[i].written < b.all[0].written {
			return
		}
	}
	b.all[0].is = rule{family: "title", rank: rankTitle}
}
