package pdf

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/source/pdf/content"
	"github.com/fingerpost/fingerpost/pkg/source/pdf/layout"
	"github.com/fingerpost/fingerpost/pkg/source/pdf/pdfium"
)

// reply is the child's answer; the Markdown and the side-car follow it, as many bytes as it says.
type reply struct {
	Class       doc.Class   `json:"class,omitempty"` // "" when it was read
	Reason      string      `json:"reason,omitempty"`
	Pages       int         `json:"pages"`
	Quality     float64     `json:"quality"`
	Unread      bool        `json:"unread,omitempty"` // there is text, but its fonts do not say which
	KnownLevels bool        `json:"known_levels,omitempty"`
	Levels      map[int]int `json:"levels,omitempty"`
	Warnings    []string    `json:"warnings,omitempty"`
	Markdown    int         `json:"markdown"`
	Layout      int         `json:"layout"`
	Figures     []picture   `json:"figures,omitempty"` // that follow these two
}

// picture announces the image of a figure: its name in the side-car, and how many bytes it has.
type picture struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

// ChildMain makes this process the reader of one PDF, and ends it, when it was started as one. Every
// main that parses PDFs calls it first, before flags, logs and signals; without that, Parse refuses.
func ChildMain() {
	job, ok := os.LookupEnv(childEnv)
	if !ok {
		hosted.Store(true)
		return
	}
	var t task
	err := json.Unmarshal([]byte(job), &t)
	if err == nil {
		err = serve(os.Stdin, os.Stdout, t)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve reads one file from r and answers on w.
func serve(r io.Reader, w io.Writer, t task) error {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(30) // of a heap that counts the whole sandbox
	limitSelf()
	in := bufio.NewReader(r)
	var size [8]byte
	if _, err := io.ReadFull(in, size[:]); err != nil {
		return err
	}
	n := int64(binary.BigEndian.Uint64(size[:]))
	e, err := pdfium.Start(context.Background(), pdfium.CacheDir(), sandbox(n, t.Memory))
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, "ready\n"); err != nil {
		return err
	}
	rep, files := do(e, in, n, w, t)
	head, err := json.Marshal(rep)
	if err != nil {
		return err
	}
	for _, b := range append([][]byte{[]byte("reply "), head, []byte("\n")}, files...) {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// sandbox is how much memory PDFium gets for a file of n bytes, leaving a part for ourselves.
func sandbox(n, memory int64) int64 {
	const page = 64 << 10
	return min(128<<20+2*n, memory*7/10) / page * page
}

// do reads the file, or draws one of its pages.
func do(e *pdfium.Engine, in io.Reader, size int64, w io.Writer, t task) (reply, [][]byte) {
	f, err := e.Open(in, size)
	if err != nil {
		return refuse(e, err), nil
	}
	if rep := refusePages(f.Pages, size, t.Pages); rep.Class != "" {
		return rep, nil
	}
	if t.Page > 0 {
		rep, png := drawPage(e, f, t)
		rep.Markdown = len(png)
		return rep, [][]byte{png}
	}
	fmt.Fprintf(w, "pages %d\n", f.Pages)
	return read(e, f, layout.Options{NoOutline: t.NoOutline})
}

// read is the file as Markdown, side-car and images of its figures, or why it is not.
func read(e *pdfium.Engine, f *pdfium.File, o layout.Options) (rep reply, files [][]byte) {
	d, damaged, err := f.Document()
	if err != nil {
		return refuse(e, err), nil
	}
	rep = judge(d, damaged)
	if rep.Class != "" {
		return rep, nil
	}
	r := layout.Compose(d, o)
	rep.KnownLevels, rep.Levels = r.KnownLevels, r.Levels()
	images := drawFigures(f, r.Figures)
	side, err := json.Marshal(newLayout(d, r))
	if err != nil {
		return reply{Class: doc.Internal, Reason: err.Error()}, nil
	}
	rep.Markdown, rep.Layout = len(r.Markdown), len(side)
	for i, b := range images {
		rep.Figures = append(rep.Figures, picture{r.Figures[i].Name, len(b)})
	}
	return rep, append([][]byte{r.Markdown, side}, images...)
}

// refuse says why a file could not be read.
func refuse(e *pdfium.Engine, err error) reply {
	switch {
	case errors.Is(err, pdfium.ErrPassword):
		return reply{Class: doc.Encrypted, Reason: "a password is needed to open it; store it without one"}
	case errors.Is(err, pdfium.ErrSecurity):
		return reply{Class: doc.Encrypted, Reason: "its kind of encryption is not known"}
	case errors.Is(err, pdfium.ErrMemory) && e.Full():
		return reply{Class: doc.ResourceLimit, Reason: "its content needs more memory than is given"}
	}
	return reply{Class: doc.Corrupt, Reason: "the PDF is damaged: " + err.Error()}
}

// refusePages looks at the number of pages that the file claims. A page needs some bytes, even packed.
func refusePages(n int, size int64, limit int) reply {
	switch {
	case n <= 0:
		return reply{Class: doc.Corrupt, Reason: "the PDF has no pages"}
	case int64(n) > size:
		return reply{Class: doc.Corrupt, Reason: fmt.Sprintf("the PDF claims %d pages in %d bytes", n, size)}
	case n > limit:
		return reply{Class: doc.TooLarge, Reason: fmt.Sprintf("%d pages, the limit is %d; split the file", n, limit)}
	}
	return reply{}
}

// windows is why the text is found by windows instead of sections, "" when it is not.
func (r *reply) windows() string {
	if r.Quality >= lowQuality {
		return ""
	}
	return fmt.Sprintf("the text of the PDF is of low quality (%.2f of 1): its fonts name other characters than they show, or too many are unknown", r.Quality)
}

// quality is that of the whole file, rounded to hundredths.
func quality(d *content.Document) float64 {
	var all content.Score
	for i := range d.Pages {
		all.Sum(d.Pages[i].Score())
	}
	return hundredth(all.Value())
}

// scarce is how many characters a page with text has at least.
const scarce = 20

// judge looks at what there is to read: a scan is no text, and nothing is no document.
func judge(d *content.Document, damaged int) reply {
	rep := reply{Pages: len(d.Pages), Quality: quality(d)}
	text, pictures, chars, unmapped, turned := 0, 0, 0, 0, 0
	for i := range d.Pages {
		p := &d.Pages[i]
		chars, unmapped, turned = chars+p.Chars, unmapped+p.Unmapped, turned+p.Turned
		switch {
		case p.Chars >= scarce:
			text++
		case p.Objects > 0:
			pictures++
		}
	}
	n := len(d.Pages)
	switch {
	case damaged == n:
		rep.Class, rep.Reason = doc.Corrupt, "none of its pages can be read"
	case chars == 0 && pictures == 0:
		rep.Class, rep.Reason = doc.Empty, "nothing stands on its pages"
	case text == 0 && pictures > 0 && chars < scarce*pictures/2 || pictures*10 > n*9 && n > 2:
		rep.Class, rep.Reason = doc.NeedsOCR, fmt.Sprintf("%d of %d pages are pictures without text; run them through OCR first", pictures, n)
	case unmapped*10 > chars*3:
		rep.Unread = true
		rep.Class, rep.Reason = doc.NeedsOCR, "its fonts do not say which characters they show; run it through OCR first"
	}
	warn := func(ok bool, format string, args ...any) {
		if ok {
			rep.Warnings = append(rep.Warnings, fmt.Sprintf(format, args...))
		}
	}
	warn(damaged > 0, "%d of %d pages are damaged and left out", damaged, n)
	warn(pictures > 0, "%d of %d pages are pictures without text: they need OCR to be found", pictures, n)
	warn(unmapped*50 > chars, "%d of %d characters have no meaning in the file's fonts", unmapped, chars)
	warn(turned*20 > chars, "%d characters that stand across their page were left out", turned)
	return rep
}
