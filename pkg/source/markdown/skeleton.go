package markdown

// Limits.
const (
	// MaxDepth is how deep block quotes and list items may nest; markers beyond it are text.
	MaxDepth = 64
	// MaxHeadings is how many headings a document may have (the default of Options).
	MaxHeadings = 100_000
)

// Container says what a heading stands in.
type Container byte

// The containers: none, the innermost is a block quote, the innermost is a list item.
const (
	Top   Container = 0
	Quote Container = '>'
	Item  Container = '-'
)

// Heading is one heading of the text.
type Heading struct {
	Line, Last int // its lines, from 1, both included; Last > Line for setext headings
	Start, End int // bytes of those lines, half-open, without the last line end
	// Text and TextEnd bound the raw title in the source: no opening or closing #s, no blanks
	// around it; a setext title of several lines keeps its line ends. Equal when it is empty.
	Text, TextEnd int
	Level         int // 1 to 6, as written
	In            Container
}

// Raw is the title as it is written in src, inline markup included.
func (h Heading) Raw(src []byte) []byte { return src[h.Text:h.TextEnd] }

// Page is a page mark: the text from Offset on stands on page Number.
type Page struct {
	Line   int // the first line of that page, from 1
	Offset int // a byte of the mark itself
	Number int // from 1
	// Printed: Number is the one printed at the foot of the page, not a count of the file's pages.
	Printed bool
}

// Skeleton is what Scan finds.
type Skeleton struct {
	Headings []Heading // in order of the text, contained ones too
	Pages    []Page    // in order of the text
	Lines    int       // number of lines; an empty last line after the final line end does not count
	Front    int       // lines of front matter, its fences included; 0 without
}

// Text is a line of running text, neither code nor HTML nor heading.
type Text struct {
	Line       int
	Start, End int  // bytes of its content, containers' marks and blanks around it left out
	First      bool // the first line of its paragraph
	Item       bool // it stands in a list item
}

// Options of Scan; the zero value is the usual one.
type Options struct {
	MaxHeadings int        // 0: MaxHeadings
	Text        func(Text) // called for each line of running text; nil: not called
}
