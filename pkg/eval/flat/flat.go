// Package flat is the baseline that most retrieval systems are: fixed-size windows of the text, blind
// to headings and tables, found by BM25. It stands in the same program so that figures can be compared.
package flat

import (
	"context"
	"fmt"
	"regexp"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Size and Overlap of the windows, in characters of the raw text.
const (
	Size    = 2000
	Overlap = 200
)

// Document is a text under the name that question files use for it.
type Document struct {
	Name string
	Text string
}

// Window is a piece of a text with the lines it touches, from 1, both ends included.
type Window struct {
	Text  string
	Lines doc.Lines
}

// Windows cuts a text into windows of size characters, each beginning size-overlap after the one
// before; the last ends with the text. An empty text has none.
func Windows(text string, size, overlap int) []Window {
	var ws []Window
	line := 1
	for text != "" {
		end := offset(text, size)
		w := text[:end]
		ws = append(ws, Window{w, doc.Lines{Start: line, End: line + newlines(w[:len(w)-1])}})
		if end == len(text) {
			break
		}
		step := offset(text, size-overlap)
		line += newlines(text[:step])
		text = text[step:]
	}
	return ws
}

// offset is the byte at which the first n characters of s end; len(s) when it has fewer.
func offset(s string, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, w := utf8.DecodeRuneInString(s[i:])
		i += w
	}
	return i
}

func newlines(s string) (n int) {
	for i := range len(s) {
		if s[i] == '\n' {
			n++
		}
	}
	return n
}

// Finder writes the windows of the documents into a build of its own of ix and finds them by BM25.
// analyse makes terms of a text; markup tags are no words.
func Finder(ctx context.Context, ix vector.Index, b vector.Build, docs []Document, analyse func(string) []string) (eval.Finder, error) {
	const tenant = "flat"
	windows := map[doc.EntryID]eval.Place{}
	for i, d := range docs {
		var entries []vector.Entry
		for n, w := range Windows(d.Text, Size, Overlap) {
			p := doc.Place{Prefix: doc.Prefix{byte(i >> 16), byte(i >> 8), byte(i)}, Generation: 1, Ordinal: n}
			shown := tag.ReplaceAllString(w.Text, " ")
			entries = append(entries, vector.Entry{ID: p.ID(), Terms: analyse(shown)})
			windows[p.ID()] = eval.Place{Doc: d.Name, Lines: w.Lines, Text: w.Text, Shown: shown, Window: true}
		}
		if err := ix.Put(ctx, b, tenant, doc.KindWindow, entries); err != nil {
			return nil, fmt.Errorf("windows of %s: %w", d.Name, err)
		}
	}
	return func(ctx context.Context, q string, k int) ([]eval.Place, error) {
		hits, err := ix.Words(ctx, b, tenant, doc.KindWindow, vector.Terms, analyse(q), nil, k)
		if err != nil {
			return nil, err
		}
		var places []eval.Place
		for _, h := range hits {
			places = append(places, windows[h.ID])
		}
		return places, nil
	}, nil
}

var tag = regexp.MustCompile(`</?[A-Za-z][^<>]*>|<!--.*?-->`)
