package markdown

// definitions is the end of the link reference definitions that begin the paragraph src[from:]
// (4.7): the first byte after the last whole one, from itself when there is none.
func definitions(src []byte, from int) int {
	for from < len(src) {
		end := definition(src, from)
		if end < 0 {
			return from
		}
		from = trimLeft(src, end, len(src))
	}
	return from
}

// definition is the end of the definition at src[from:], its line end included; -1 for none.
func definition(src []byte, from int) int {
	i := label(src, from)
	if i < 0 || i >= len(src) || src[i] != ':' {
		return -1
	}
	i = spaces(src, i+1)
	if i = destination(src, i); i < 0 {
		return -1
	}
	without := lineEnd(src, i) // the end if there is no title
	j := spaces(src, i)
	if j == i || j >= len(src) {
		return without
	}
	if k := refTitle(src, j); k > 0 {
		if end := lineEnd(src, k); end >= 0 {
			return end
		}
	}
	return without
}

// label is the end of a link label, at most 999 bytes with something in it; -1 for none.
func label(src []byte, i int) int {
	if i >= len(src) || src[i] != '[' {
		return -1
	}
	some := false
	for k := i + 1; k < len(src) && k-i <= 1000; k++ {
		switch src[k] {
		case '\\':
			k++
			some = true
		case '[':
			return -1
		case ']':
			if !some {
				return -1
			}
			return k + 1
		case ' ', '\t', '\n', '\r':
		default:
			some = true
		}
	}
	return -1
}

// destination is the end of a link destination (6.3); -1 for none.
func destination(src []byte, i int) int {
	if i >= len(src) {
		return -1
	}
	if src[i] == '<' {
		for k := i + 1; k < len(src); k++ {
			switch src[k] {
			case '\\':
				k++
			case '<', '\n':
				return -1
			case '>':
				return k + 1
			}
		}
		return -1
	}
	open, k := 0, i
	for ; k < len(src) && src[k] > ' ' && src[k] != 0x7f; k++ {
		switch src[k] {
		case '\\':
			if k+1 < len(src) && src[k+1] > ' ' {
				k++
			}
		case '(':
			open++
		case ')':
			open--
		}
		if open < 0 {
			return -1
		}
	}
	if k == i || open != 0 {
		return -1
	}
	return k
}

// refTitle is the end of a link title, -1 for none. It may span lines.
func refTitle(src []byte, i int) int {
	mark := src[i]
	switch mark {
	case '"', '\'':
	case '(':
		mark = ')'
	default:
		return -1
	}
	for k := i + 1; k < len(src); k++ {
		switch src[k] {
		case '\\':
			k++
		case mark:
			return k + 1
		case '(':
			if mark == ')' {
				return -1
			}
		}
	}
	return -1
}

// spaces goes past blanks and at most one line end.
func spaces(src []byte, i int) int {
	i = trimLeft(src, i, len(src))
	if i < len(src) && src[i] == '\r' {
		i++
	}
	if i < len(src) && src[i] == '\n' {
		i = trimLeft(src, i+1, len(src))
	}
	return i
}

// lineEnd is the first byte of the next line when only blanks are left of this one, else -1.
func lineEnd(src []byte, i int) int {
	i = trimLeft(src, i, len(src))
	if i < len(src) && src[i] == '\r' {
		i++
	}
	if i == len(src) {
		return i
	}
	if src[i] == '\n' {
		return i + 1
	}
	return -1
}
