package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/pkg/outline"
	"github.com/fingerpost/fingerpost/pkg/source"
)

// evalFlags are what eval is told beside the files.
type evalFlags struct {
	modes              []string
	out, html, compare string
}

func evalCommand() *cobra.Command {
	var c client
	var f evalFlags
	cmd := &cobra.Command{
		Use: "eval FILE...", Short: "Measure finding over question files with gold places", Args: cobra.MinimumNArgs(1),
		Long: "Asks every question of the files and prints any@k, all@k, cells, abstention, the context's size, model calls and times by\n" +
			"set and kind, and the modes side by side. Modes: find (all there is), words (no vectors), flat (2,000-character windows,\n" +
			"200 overlap, BM25), tree (a language model walks summaries; needs llm in the configuration).",
		Example: "  fingerpost eval quality.jsonl --html report.html\n  fingerpost eval quality.jsonl --out now.json --compare before.json",
	}
	c.flags(cmd)
	cmd.Flags().StringSliceVar(&f.modes, "mode", []string{"find", "flat"}, "find, words, flat, tree; several side by side")
	cmd.Flags().StringVar(&f.out, "out", "", "write the results of the first mode here, as JSON")
	cmd.Flags().StringVar(&f.html, "html", "", "write a page with charts and the questions that failed here")
	cmd.Flags().StringVar(&f.compare, "compare", "", "compare the first mode with results that --out wrote before")
	cmd.RunE = c.run(func(ctx context.Context, files []string) error {
		qs, err := questions(files)
		if err != nil {
			return usage(err)
		}
		before, err := earlier(f.compare)
		if err != nil {
			return usage(err)
		}
		var runs []*eval.Report
		for _, m := range f.modes {
			s, err := c.system(ctx, m, named(qs))
			if err != nil {
				return err
			}
			r, err := s.Run(ctx, qs)
			if err != nil {
				return err
			}
			runs = append(runs, r)
		}
		return c.report(f, runs, before)
	})
	return cmd
}

// earlier reads the results of a run before; nil without a file.
func earlier(file string) (*eval.Report, error) {
	if file == "" {
		return nil, nil
	}
	r, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return eval.ReadReport(r)
}

// report prints the runs and writes the files that are wanted.
func (c *client) report(f evalFlags, runs []*eval.Report, before *eval.Report) error {
	for _, r := range runs {
		if err := show(c, r); err != nil {
			return err
		}
	}
	if !c.json {
		fmt.Println()
		if err := eval.WriteSide(os.Stdout, runs); err != nil {
			return err
		}
		if before != nil {
			fmt.Println()
			if err := eval.WriteChanges(os.Stdout, eval.Compare(before, runs[0])); err != nil {
				return err
			}
		}
	}
	if f.out != "" {
		if err := written(f.out, runs[0].WriteJSON); err != nil {
			return err
		}
	}
	if f.html == "" {
		return nil
	}
	return written(f.html, func(w io.Writer) error { return eval.WritePage(w, "Fingerpost: finding, measured", runs, before) })
}

// written is a file filled by write.
func written(file string, write func(io.Writer) error) error {
	w, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(write(w), w.Close())
}

func show(c *client, r *eval.Report) error {
	if !c.json {
		return r.WriteText(os.Stdout)
	}
	sets, kinds, all := r.Groups()
	return printJSON(map[string]any{"mode": r.Finder, "sets": sets, "kinds": kinds, "all": all, "ingest": r.Ingest})
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

// system is what a mode measures.
func (c *client) system(ctx context.Context, mode string, name func(string) string) (eval.System, error) {
	switch mode {
	case "find", "words":
		find := func(ctx context.Context, q string, k int) ([]eval.Place, error) {
			req := api.FindRequest{Question: q, K: k}
			if mode == "words" {
				req.Mode = mode
			}
			var rep api.FindReply
			if err := c.call(ctx, api.Find, req, &rep); err != nil {
				return nil, err
			}
			return places(rep, name), nil
		}
		answers := func(ctx context.Context, q string) (bool, error) {
			var rep api.AskReply
			err := c.call(ctx, api.Ask, api.AskRequest{Question: q}, &rep)
			return rep.Found, err
		}
		return eval.System{Name: mode, Find: find, Answers: answers}, nil
	}
	return c.baseline(ctx, mode, name)
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
		tree, err := outline.Build(id, doc.VersionOf(raw), src.Markdown, outline.Options{Plain: src.Kind == source.Text, KeepLevels: src.KnownLevels, Levels: src.Levels, Windows: src.Windows})
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
	for _, f := range src.Figures {
		to := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, f.PNG, 0o644); err != nil {
			return err
		}
	}
	b, err := json.MarshalIndent(tree, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "tree.json"), append(b, '\n'), 0o644)
}
