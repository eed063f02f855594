package pdf

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/source/pdf/content"
	"github.com/fingerpost/fingerpost/pkg/source/pdf/layout"
)

// lowQuality is the score under which a text is not trusted: another engine is asked, and the headings are given up for windows.
const lowQuality = .5

// maxText bounds what another engine may answer, in bytes.
const maxText = 64 << 20

// another asks poppler's pdftotext for the text of a file that PDFium reads badly, when its program is configured. It runs under the
// same limits of time and memory; ok is false when it fails or reads no better.
func (l Limits) another(ctx context.Context, raw []byte, pages int, was float64) (r Result, ok bool) {
	if l.Pdftotext == "" {
		return r, false
	}
	text, err := l.pdftotext(ctx, raw, pages)
	if err != nil {
		return r, false
	}
	var s content.Score
	s.Add(text)
	if s.Chars < scarce || s.Value() < max(lowQuality, was+.1) {
		return r, false
	}
	r = fromText(text)
	r.Windows = "the file's fonts could not be read by the first engine, and the text of the other one (pdftotext) tells no headings"
	r.Warnings = []string{"read with pdftotext: lines have their page, but no place on it"}
	return r, true
}

// pdftotext runs the program; its input and output are pipes, its environment is empty.
func (l Limits) pdftotext(ctx context.Context, raw []byte, pages int) (string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cmd := exec.CommandContext(ctx, l.Pdftotext, "-q", "-enc", "UTF-8", "-eol", "unix", "-", "-")
	cmd.Env = []string{}
	cmd.Stdin = bytes.NewReader(raw)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	w := &watch{limits: l, pid: cmd.Process.Pid, kill: cancel, done: make(chan struct{})}
	w.pages.Store(int64(pages))
	w.begin()
	ended := make(chan struct{})
	go func() { w.run(); close(ended) }()
	text, err := io.ReadAll(io.LimitReader(out, maxText+1))
	if len(text) > maxText {
		cancel(errLimit)
	}
	err = errors.Join(err, cmd.Wait(), context.Cause(ctx))
	close(w.done)
	<-ended
	return string(text), err
}

// fromText makes Source Markdown of text whose pages end in form feeds: paragraphs, no headings.
func fromText(text string) Result {
	var b strings.Builder
	var side Layout
	line := func(t string, page int) {
		b.WriteString(t + "\n")
		side.Lines = append(side.Lines, Box{float32(page)})
	}
	pages := strings.Split(strings.TrimSuffix(text, "\f"), "\f")
	for i, p := range pages {
		line(fmt.Sprintf("<!-- page: %d -->", i+1), i+1)
		line("", 0)
		for para := range strings.SplitSeq(p, "\n\n") {
			if t := layout.Escape(para); t != "" {
				line(t, i+1)
				line("", 0)
			}
		}
		side.Pages = append(side.Pages, PageSize{})
	}
	raw, err := json.Marshal(side)
	if err != nil {
		panic(err) // numbers and strings of ours
	}
	return Result{Markdown: []byte(b.String()), Layout: raw, Pages: len(pages)}
}
