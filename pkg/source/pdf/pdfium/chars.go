package pdfium

import (
	"bytes"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/source/pdf/content"
)

// object is what all characters of one text object share.
type object struct {
	font *content.Font
	size float32
	base float32
	turn int // quarter turns of its text as shown, -1 for askew
	tag  int // level of heading that the file's structure gives it, 0 for none
}

// char is one character as shown.
type char struct {
	r              rune
	x0, x1, y0, y1 float32
	o              *object
	blank          bool // a blank stands before it
	ends           bool // a line end stands before it
}

// chars reads the characters of a page and joins them to runs.
func (f *File) chars(text uint64, fr frame, p *content.Page) {
	e := f.e
	n := min(max(asInt(e.try("FPDFText_CountChars", text)), 0), maxChars)
	getObject, getRune, getBox := e.fn["FPDFText_GetTextObject"], e.fn["FPDFText_GetUnicode"], e.fn["FPDFText_GetCharBox"]
	all := make([]char, 0, n)
	var last uint64
	var o *object
	var c char
	var turns [5]int
	b := e.buf
	for i := range n {
		r := rune(f.must(getRune, text, uint64(i)))
		if r == '\r' || r == '\n' {
			c.ends = true
			continue
		}
		if r == ' ' || r == '\t' || r == 0xa0 || unicode.IsSpace(r) {
			c.blank = true
			continue
		}
		if id := f.must(getObject, text, uint64(i)); id != 0 && (id != last || o == nil) {
			last, o = id, f.object(text, uint64(i), id, fr)
		}
		f.must(getBox, text, uint64(i), b, b+8, b+16, b+24) // left, right, bottom, top
		c.r, c.o = r, o
		c.x0, c.x1, c.y0, c.y1 = fr.box(e.float64At(0), e.float64At(2), e.float64At(1), e.float64At(3))
		if o == nil {
			continue
		}
		turns[o.turn+1]++
		all = append(all, c)
		c = char{}
	}
	turn := 0
	for t := 1; t < 4; t++ {
		if turns[t+1] > turns[turn+1]*2 {
			turn = t
		}
	}
	f.runs(all, turn, p)
}

func (f *File) must(fn function, args ...uint64) uint64 {
	v, err := f.e.do(fn, args...)
	if err != nil {
		panic(trap{err})
	}
	return v
}

// object reads what the characters of the object of character i share.
func (f *File) object(text, i, id uint64, fr frame) *object {
	e := f.e
	o := &object{size: asFloat64(e.try("FPDFText_GetFontSize", text, i))}
	if e.try("FPDFText_GetMatrix", text, i, e.buf) != 0 {
		a, b, c, d := e.float32At(0), e.float32At(1), e.float32At(2), e.float32At(3)
		o.size *= float32(math.Hypot(float64(c), float64(d)))
		o.turn = turnOf(a, b, fr.turn)
	}
	if e.try("FPDFText_GetCharOrigin", text, i, e.buf, e.buf+8) != 0 {
		_, o.base = fr.at(e.float64At(0), e.float64At(1))
	}
	o.font = f.font(text, i, id)
	if len(f.tags) > 0 {
		o.tag = f.tags[asInt(e.try("FPDFPageObj_GetMarkedContentID", id))]
	}
	return o
}

// turnOf is the direction of text whose base line runs along (a, b), in quarter turns clockwise as
// shown; -1 when it is askew by more than three degrees.
func turnOf(a, b float32, page int) int {
	angle := math.Atan2(float64(b), float64(a)) * 2 / math.Pi // counterclockwise, in quarters
	q := math.Round(angle)
	if math.Abs(angle-q) > 0.034 {
		return -1
	}
	return ((page-int(q))%4 + 4) % 4
}

// font reads the name, weight and slant of character i.
func (f *File) font(text, i, id uint64) *content.Font {
	e := f.e
	n := asInt(e.try("FPDFText_GetFontInfo", text, i, e.buf+8, bufSize-8, e.buf))
	name := ""
	if n > 1 && n < bufSize-8 {
		if b, ok := e.mem.Read(uint32(e.buf)+8, uint32(n)); ok {
			name = string(bytes.TrimRight(b, "\x00"))
		}
	}
	flags, weight := e.intAt(0), asInt(e.try("FPDFText_GetFontWeight", text, i))
	stroked := asInt(e.try("FPDFTextObj_GetTextRenderMode", id)) == 2
	key := name
	if stroked {
		key += "\x00s"
	}
	if have := f.fonts[key]; have != nil {
		return have
	}
	l := strings.ToLower(name)
	font := &content.Font{Name: strings.ToValidUTF8(name, ""),
		Bold:   stroked || weight >= 600 && weight <= 1000 || flags&(1<<18) != 0 || anyOf(l, "bold", "black", "heavy", "demi", "semib", "-bd", "cmbx", "medi"),
		Italic: flags&64 != 0 || anyOf(l, "ital", "obliq", "cmti")}
	f.fonts[key] = font
	return font
}

func anyOf(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// runs joins the characters that stand in direction turn.
func (f *File) runs(all []char, turn int, p *content.Page) {
	if turn != 0 {
		turnPage(all, turn, p)
	}
	var cur content.Run
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			cur.Text = b.String()
			p.Runs = append(p.Runs, cur)
			b.Reset()
		}
	}
	var before *char
	for i := range all {
		c := &all[i]
		if c.o.turn != turn {
			p.Turned++
			before = nil
			continue
		}
		p.Chars++
		r := plain(c.r)
		if r == utf8.RuneError {
			p.Unmapped++
		}
		size := shownSize(c)
		if before == nil || c.ends || !goesOn(&cur, before, c, size) {
			flush()
			cur = content.Run{X0: c.x0, X1: c.x1, Y0: c.y0, Y1: c.y1, Base: c.o.base, Size: size, Font: c.o.font, Tag: c.o.tag}
		} else if c.blank {
			b.WriteByte(' ')
		}
		b.WriteString(spell(r))
		cur.X0, cur.X1, cur.Y0, cur.Y1 = min(cur.X0, c.x0), max(cur.X1, c.x1), min(cur.Y0, c.y0), max(cur.Y1, c.y1)
		before = c
	}
	flush()
}

// shownSize is the size of the character's font; where the file gives none, what its box suggests.
func shownSize(c *char) float32 {
	if s := c.o.size; s >= 2 && s < 2000 {
		return s
	}
	return float32(math.Round(float64(c.y1-c.y0) * 1.2))
}

// goesOn reports whether c belongs to the run that ends with before.
func goesOn(cur *content.Run, before, c *char, size float32) bool {
	gap := c.x0 - cur.X1
	if cur.Font != c.o.font || cur.Tag != c.o.tag || abs(cur.Size-size) >= 0.6 || abs(cur.Base-c.o.base) > size*0.35 {
		return false
	}
	return gap < size*0.9 && gap > -size*0.6
}

func abs(a float32) float32 { return max(a, -a) }

// turnPage turns the page so that text in direction turn is level.
func turnPage(all []char, turn int, p *content.Page) {
	fr := frame{w: p.Width, h: p.Height, turn: (4 - turn) % 4}
	done := map[*object]bool{}
	for i := range all {
		c := &all[i]
		c.x0, c.x1, c.y0, c.y1 = fr.box(c.x0, p.Height-c.y1, c.x1, p.Height-c.y0)
		if !done[c.o] && c.o.turn == turn {
			done[c.o] = true
			c.o.base = c.y1 // the base line was a column; the foot of its first character is near enough
		}
	}
	p.Width, p.Height = fr.size()
}

// plain is a character without what PDF writers do to it; U+FFFD when nobody knows what it is.
func plain(r rune) rune {
	switch {
	case r == 2 || r == 0xfffe || r == 0xad: // hyphens at line ends
		return 0xad
	case r < ' ' || r == 0xfffd || r >= 0xe000 && r < 0xf8ff || r > unicode.MaxRune || r >= 0xd800 && r < 0xe000:
		return utf8.RuneError
	}
	return r
}

// spell is the text of r: ligatures as their letters.
func spell(r rune) string {
	switch r {
	case 0xfb00:
		return "ff"
	case 0xfb01:
		return "fi"
	case 0xfb02:
		return "fl"
	case 0xfb03:
		return "ffi"
	case 0xfb04:
		return "ffl"
	case 0xfb05, 0xfb06:
		return "st"
	}
	return string(r)
}
