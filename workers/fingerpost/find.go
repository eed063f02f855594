package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fingerpost/fingerpost/pkg/api"
)

// asked is one record of a --questions file; other fields are left alone.
type asked struct {
	ID       string `json:"id"`
	Question string `json:"question"`
}

func findCommand() *cobra.Command {
	var c client
	var req api.FindRequest
	var file string
	cmd := &cobra.Command{
		Use: "find [QUESTION]", Short: "Find the sections that a question is about",
		Example: "  fingerpost find \"goodwill at the end of 2022\"\n  fingerpost find --json -k 10 --keys 10k/AMD.md \"Note 6\"",
		Args:    cobra.MaximumNArgs(1),
	}
	c.flags(cmd)
	cmd.Flags().IntVarP(&req.K, "k", "k", api.DefaultK, "places wanted")
	cmd.Flags().StringArrayVar(&req.Keys, "keys", nil, "only in the document with this key; may be given several times")
	cmd.Flags().BoolVar(&req.Explain, "explain", false, "show each part of the score")
	cmd.Flags().StringVar(&req.Mode, "mode", "", "words: leave vectors out; flat or tree: how others find, for comparison (see eval)")
	cmd.Flags().StringVar(&file, "questions", "", "a JSONL file of {id, question}: one line of JSON for each")
	cmd.RunE = c.run(func(ctx context.Context, args []string) error {
		if file != "" {
			return eachQuestion(ctx, os.Stdout, file, func(q asked) (any, error) {
				req.Question = q.Question
				var rep api.FindReply
				err := c.call(ctx, api.Find, req, &rep)
				return foundOf{q.ID, rep}, err
			})
		}
		if len(args) == 0 {
			return usage(errors.New("find: a question is missing; say fingerpost find \"...\""))
		}
		req.Question = args[0]
		if req.Mode == "flat" || req.Mode == "tree" {
			return c.findAs(ctx, req)
		}
		var rep api.FindReply
		if err := c.call(ctx, api.Find, req, &rep); err != nil {
			return err
		}
		if c.json {
			return printJSON(rep)
		}
		return printFound(&c, rep)
	})
	return cmd
}

// findAs finds in the way of a baseline.
func (c *client) findAs(ctx context.Context, req api.FindRequest) error {
	s, err := c.baseline(ctx, req.Mode, func(key string) string { return key })
	if err != nil {
		return err
	}
	found, err := s.Find(ctx, req.Question, req.K)
	if err != nil {
		return err
	}
	if c.json {
		return printJSON(map[string]any{"question": req.Question, "mode": req.Mode, "places": found})
	}
	for i, p := range found {
		fmt.Printf("\n%s %s\n%s\n", bold(fmt.Sprintf("%d.", i+1)), dim(where(line(p.Doc), p.Lines.Start, p.Lines.End, "")), indent(clip(p.Shown, 12)))
	}
	return nil
}

// foundOf is the line of one question.
type foundOf struct {
	ID string `json:"id"`
	api.FindReply
}

// failedOf is the line of a question that was not answered.
type failedOf struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Line     int    `json:"line"` // of the file, from 1
	Error    string `json:"error"`
}

// eachQuestion answers every record of a JSONL file by f and prints one line of JSON for each, in order: the reply, or
// what went wrong with it. It ends early only when ctx does or the output is closed, and fails at the end when a record
// did.
func eachQuestion(ctx context.Context, out io.Writer, file string, f func(asked) (any, error)) error {
	r, err := os.Open(file)
	if err != nil {
		return usage(err)
	}
	defer r.Close()
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 16<<20)
	records, failed := 0, 0
	for n := 1; sc.Scan(); n++ {
		if strings.TrimSpace(sc.Text()) == "" {
			continue
		}
		records++
		var q asked
		var line any
		err := json.Unmarshal(sc.Bytes(), &q)
		if err == nil {
			line, err = f(q)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed++
			line = failedOf{q.ID, q.Question, n, err.Error()}
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if failed > 0 {
		return fmt.Errorf("%s: %d of %d questions failed; their lines have an error", file, failed, records)
	}
	return nil
}

// printFound shows places for a reader: where, then the text.
func printFound(c *client, rep api.FindReply) error {
	if len(rep.Sections) == 0 {
		return coded{errors.New("nothing found; `fingerpost status` says what is indexed"), 3}
	}
	for _, s := range rep.Sections {
		fmt.Printf("\n%s %s\n", bold(fmt.Sprintf("%d.", s.Rank)), bold(line(strings.Join(s.Breadcrumb, " > "))))
		fmt.Printf("   %s\n", dim(where(line(s.Key), s.Lines.Start, s.Lines.End, pages(s))))
		fmt.Println(indent(clip(s.Shown, 12)))
		fmt.Printf("   %s\n", dim("fingerpost read"+c.where()+" "+s.Pointer))
		if s.Why != nil {
			b, _ := json.Marshal(s.Why)
			fmt.Printf("   %s\n", dim(fmt.Sprintf("score %.3f %s", s.Score, b)))
		}
	}
	printRoute(rep.Route)
	fmt.Printf("\n%s\n", dim(fmt.Sprintf("vector %.1f ms, search %.1f ms, resolve %.1f ms", rep.Took.Vector, rep.Took.Search, rep.Took.Resolve)))
	return nil
}

// printRoute says which documents were considered and why, and with --explain what was searched.
func printRoute(r api.Route) {
	say := func(what string, s string) {
		if s != "" {
			fmt.Println(dim(what + line(s)))
		}
	}
	fmt.Println()
	for _, c := range r.Chosen {
		say("", c.Reason)
		for _, d := range c.Documents {
			say("  ", fmt.Sprintf("%s (%s), +%.2f", d.Key, d.What, d.Prior))
		}
		say("  runner-up: ", c.RunnerUp)
	}
	say("", r.Note)
	if r.Adds == nil {
		return
	}
	say("kind: ", r.Kind)
	say("terms: ", strings.Join(r.Terms, " "))
	say("references: ", strings.Join(r.Refs, ", "))
	say("the vocabulary adds: ", strings.Join(r.Adds.Words, " "))
	say("other words for it: ", strings.Join(r.Adds.Same, " "))
	say("in places called: ", strings.Join(r.Adds.Titles, "; "))
	say("statements wanted: ", strings.Join(r.Adds.Statements, ", "))
	for _, h := range r.Adds.Halves {
		say("a part of the question: ", strings.Join(h, " "))
	}
}

func pages(s api.Section) string {
	if s.Pages == nil {
		return ""
	}
	return fmt.Sprintf(", pages %d-%d", s.Pages.Start, s.Pages.End)
}

func where(key string, from, to int, pages string) string {
	return fmt.Sprintf("%s, lines %d-%d%s", key, from, to, pages)
}
