package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/pkg/eval/flat"
	"github.com/fingerpost/fingerpost/pkg/outline"
	"github.com/fingerpost/fingerpost/pkg/source"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
	"github.com/fingerpost/fingerpost/pkg/words"
)

func evalCommand() *cobra.Command {
	var c client
	var modes []string
	var out string
	cmd := &cobra.Command{
		Use: "eval FILE...", Short: "Measure finding over question files with gold places", Args: cobra.MinimumNArgs(1),
		Long: "Asks every question of the files and prints any@k, all@k and the context's size by set and kind.\n" +
			"Modes: find (all there is), words (no vectors), flat (2,000-character windows, 200 overlap, BM25).",
	}
	c.flags(cmd)
	cmd.Flags().StringSliceVar(&modes, "mode", []string{"find", "flat"}, "find, words, flat; several side by side")
	cmd.Flags().StringVar(&out, "out", "", "write the results of the first mode here, as JSON")
	cmd.RunE = c.run(func(ctx context.Context, files []string) error {
		qs, err := questions(files)
		if err != nil {
			return usage(err)
		}
		var first *eval.Report
		for _, m := range modes {
			f, err := c.finder(ctx, m, named(qs))
			if err != nil {
				return err
			}
			r, err := eval.Run(ctx, m, qs, f)
			if err != nil {
				return err
			}
			if first == nil {
				first = r
			}
			if err := show(&c, r); err != nil {
				return err
			}
		}
		if out == "" {
			return nil
		}
		b, err := json.MarshalIndent(first, "", " ")
		if err != nil {
			return err
		}
		return os.WriteFile(out, append(b, '\n'), 0o644)
	})
	return cmd
}

func show(c *client, r *eval.Report) error {
	if !c.json {
		return r.WriteText(os.Stdout)
	}
	sets, kinds, all := r.Groups()
	return printJSON(map[string]any{"mode": r.Finder, "sets": sets, "kinds": kinds, "all": all})
}

func questions(files []string) (all []eval.Question, err error) {
	for _, f := range files {
		qs, err := eval.ReadFile(f)
		if err != nil {
			return nil, err
		}
		all = append(all, qs...)
	}
	return all, nil
}

// named says how the questions name documents: by whole key when any has a slash, else by the last part.
func named(qs []eval.Question) func(key string) string {
	for _, q := range qs {
		for _, g := range q.Gold {
			if strings.Contains(g.Doc, "/") {
				return func(key string) string { return key }
			}
		}
	}
	return path.Base
}

func (c *client) finder(ctx context.Context, mode string, name func(string) string) (eval.Finder, error) {
	switch mode {
	case "find", "words":
		return func(ctx context.Context, q string, k int) ([]eval.Place, error) {
			req := api.FindRequest{Question: q, K: k}
			if mode == "words" {
				req.Mode = mode
			}
			var rep api.FindReply
			if err := c.call(ctx, api.Find, req, &rep); err != nil {
				return nil, err
			}
			return places(rep, name), nil
		}, nil
	case "flat":
		return c.flat(ctx, name)
	}
	return nil, usage(fmt.Errorf("mode %q: want find, words or flat", mode))
}

func places(rep api.FindReply, name func(string) string) (out []eval.Place) {
	for _, s := range rep.Sections {
		p := eval.Place{Doc: name(s.Key), Lines: s.Lines, Text: s.Text, Shown: s.Shown}
		for _, x := range s.Spots {
			p.Spots = append(p.Spots, eval.Spot{Lines: x.Lines, Row: x.Row, Column: x.Column, Value: x.Value})
		}
		out = append(out, p)
	}
	return out
}

// flat indexes the same documents in windows, in this process.
func (c *client) flat(ctx context.Context, name func(string) string) (eval.Finder, error) {
	store, err := c.store("")
	if err != nil {
		return nil, err
	}
	var docs []flat.Document
	err = c.documents(ctx, api.DocumentsRequest{State: doc.Indexed, Limit: api.MaxPage}, func(d api.Document) error {
		raw, _, err := blob.ReadAll(ctx, store, d.Bucket, d.Key, blob.GetOptions{}, artefact.MaxSize)
		if err != nil {
			return err
		}
		src, err := source.Parse(ctx, d.Key, raw)
		docs = append(docs, flat.Document{Name: name(d.Key), Text: string(src.Markdown)})
		return err
	})
	if err != nil {
		return nil, err
	}
	return flat.Finder(ctx, mem.New(0), 1, docs, func(s string) []string { return words.Analyze(s, words.English) })
}

func parseCommand() *cobra.Command {
	var dir string
	var explain bool
	cmd := &cobra.Command{Use: "parse FILE", Short: "Parse one file to a folder, without a running system", Args: cobra.ExactArgs(1)}
	cmd.Flags().StringVar(&dir, "out", "", "folder for source.md and tree.json")
	cmd.Flags().BoolVar(&explain, "explain", false, "show why each heading has its level")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		raw, err := os.ReadFile(args[0])
		if err != nil {
			return usage(err)
		}
		src, err := source.Parse(cmd.Context(), args[0], raw)
		if err != nil {
			return err
		}
		id := doc.NewID("default", "local", clean(args[0]))
		tree, err := outline.Build(id, doc.VersionOf(raw), src.Markdown, outline.Options{Plain: src.Kind == source.Text, KeepLevels: src.KnownLevels})
		if err != nil {
			return err
		}
		for _, w := range src.Warnings {
			fmt.Fprintln(os.Stderr, "warning:", w)
		}
		if explain {
			fmt.Print(outline.Explain(tree))
		}
		if dir == "" {
			if !explain {
				printTree(*tree)
			}
			return nil
		}
		return writeParsed(dir, src, tree)
	}
	return cmd
}

func writeParsed(dir string, src source.Source, tree *doc.Tree) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "source.md"), src.Markdown, 0o644); err != nil {
		return err
	}
	if src.Layout != nil {
		if err := os.WriteFile(filepath.Join(dir, "layout.json"), src.Layout, 0o644); err != nil {
			return err
		}
	}
	b, err := json.MarshalIndent(tree, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "tree.json"), append(b, '\n'), 0o644)
}
