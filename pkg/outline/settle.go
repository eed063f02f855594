package outline

// settle decides what a single title cannot say: which of two families stands above the other,
// whether a letter is a Roman numeral, and which heading is the document's title.
func (b *builder) settle() {
	b.styles()
	b.outer()
	b.appendices()
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
	if n == 1 || last[roman].parts != nil && as.follows(last[roman]) {
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
