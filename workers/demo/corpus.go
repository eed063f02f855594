// Package demo holds what the demo shows: five documents that we wrote, the questions it asks
// about them with the places of their answers, and the questions of the quality file.
package demo

import (
	"embed"
	"io/fs"
	"sort"
)

//go:embed corpus/*.md
var corpus embed.FS

//go:embed questions.jsonl
var questions []byte

//go:embed quality.jsonl
var quality []byte

// Document is one document of the demo: the object key under which it is dropped and its bytes.
type Document struct {
	Key   string
	Bytes []byte
}

// FS is the documents as files, one a key, without folders.
func FS() fs.FS {
	dir, err := fs.Sub(corpus, "corpus")
	if err != nil {
		panic("demo: the embedded corpus has no folder corpus: " + err.Error())
	}
	return dir
}

// Corpus is the documents in the order of their keys. The caller may change the bytes.
func Corpus() []Document {
	names, err := fs.Glob(FS(), "*.md")
	if err != nil {
		panic("demo: " + err.Error())
	}
	sort.Strings(names)
	docs := make([]Document, len(names))
	for i, name := range names {
		b, err := fs.ReadFile(FS(), name)
		if err != nil {
			panic("demo: reading the embedded " + name + ": " + err.Error())
		}
		docs[i] = Document{Key: name, Bytes: b}
	}
	return docs
}
