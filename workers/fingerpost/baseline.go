package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/pkg/eval/flat"
	"github.com/fingerpost/fingerpost/pkg/eval/tree"
	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/outline"
	"github.com/fingerpost/fingerpost/pkg/source"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
	"github.com/fingerpost/fingerpost/pkg/words"
	"github.com/fingerpost/fingerpost/workers"
)

// baseline is one of the ways in which others find, over the same documents, made in this process: flat or tree.
func (c *client) baseline(ctx context.Context, mode string, name func(string) string) (eval.System, error) {
	if mode != "flat" && mode != "tree" {
		return eval.System{}, usage(fmt.Errorf("mode %q: want find, words, flat or tree", mode))
	}
	docs, err := c.sources(ctx, name)
	if err != nil {
		return eval.System{}, err
	}
	if mode == "tree" {
		return walked(ctx, docs)
	}
	var texts []flat.Document
	for _, d := range docs {
		texts = append(texts, flat.Document{Name: d.Name, Text: string(d.Source)})
	}
	f, err := flat.Finder(ctx, mem.New(0), 1, texts, func(s string) []string { return words.Analyze(s, words.English) })
	return eval.System{Name: mode, Find: f}, err
}

// sources is every indexed document, parsed anew, with its outline.
func (c *client) sources(ctx context.Context, name func(string) string) (docs []tree.Document, err error) {
	store, err := c.store("")
	if err != nil {
		return nil, err
	}
	err = c.documents(ctx, api.DocumentsRequest{State: doc.Indexed, Limit: api.MaxPage}, func(d api.Document) error {
		raw, _, err := blob.ReadAll(ctx, store, d.Bucket, d.Key, blob.GetOptions{}, artefact.MaxSize)
		if err != nil {
			return err
		}
		src, err := source.Parse(ctx, d.Key, raw)
		if err != nil {
			return err
		}
		t, err := outline.Build(d.DocID, d.Version, src.Markdown, outline.Options{Plain: src.Kind == source.Text, KeepLevels: src.KnownLevels, Levels: src.Levels, Windows: src.Windows})
		docs = append(docs, tree.Document{Name: name(d.Key), Source: src.Markdown, Tree: t})
		return err
	})
	return docs, err
}

// walked lets the configured chat model summarise the documents, what it has not yet, and walk them.
func walked(ctx context.Context, docs []tree.Document) (eval.System, error) {
	conf := workers.Defaults()
	if err := conf.Load("fingerpost.yaml", false); err != nil {
		return eval.System{}, usage(err)
	}
	m, err := conf.Writer()
	if err == nil && m == nil {
		err = errors.New("mode tree needs a language model: set llm and servers in fingerpost.yaml, or FINGERPOST_LLM and its like")
	}
	if err != nil {
		return eval.System{}, usage(err)
	}
	card, err := m.Describe(ctx)
	if err != nil {
		return eval.System{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return eval.System{}, err
	}
	known, err := tree.OpenFile(filepath.Join(cache, "fingerpost", "summaries", unsafeName.ReplaceAllString(card.Model+"-"+card.Digest, "_")+".jsonl"))
	if err != nil {
		return eval.System{}, err
	}
	b, err := tree.Write(ctx, llm.Bound(m, llm.Limits{}), docs, known, tree.Limits{}, told("summaries"))
	if err != nil {
		return eval.System{}, err
	}
	return eval.System{Name: "tree", Find: b.Finder(), Ingest: b.Ingest}, nil
}

// unsafeName are the characters that a file's name does without.
var unsafeName = regexp.MustCompile(`[^a-zA-Z0-9._-]+`)

// told tells on a terminal how far something is.
func told(what string) func(done, all int) {
	return func(done, all int) {
		if fi, err := os.Stderr.Stat(); err == nil && fi.Mode()&os.ModeCharDevice != 0 {
			fmt.Fprintf(os.Stderr, "\r%s: %d of %d", what, done, all)
		}
	}
}
