package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

func askCommand() *cobra.Command {
	var c client
	var req api.AskRequest
	var file string
	cmd := &cobra.Command{Use: "ask [QUESTION]", Short: "Answer a question with citations", Args: cobra.MaximumNArgs(1)}
	c.flags(cmd)
	cmd.Flags().StringArrayVar(&req.Keys, "keys", nil, "only from the document with this key; may be given several times")
	cmd.Flags().StringVar(&file, "questions", "", "a JSONL file of {id, question}: one line of JSON for each")
	cmd.RunE = c.run(func(ctx context.Context, args []string) error {
		if file != "" {
			return eachQuestion(ctx, os.Stdout, file, func(q asked) (any, error) {
				rep, err := c.ask(ctx, q.Question, req)
				return answerOf{q.ID, rep}, err
			})
		}
		if len(args) == 0 {
			return usage(errors.New("ask: a question is missing; say fingerpost ask \"...\""))
		}
		rep, err := c.ask(ctx, args[0], req)
		if err != nil {
			return err
		}
		if c.json {
			return printJSON(rep)
		}
		printAnswer(rep)
		if !rep.Found {
			return coded{errors.New("not found in the documents"), 3}
		}
		return nil
	})
	return cmd
}

// answerOf is the line of one question.
type answerOf struct {
	ID string `json:"id"`
	api.AskReply
}

func (c *client) ask(ctx context.Context, question string, req api.AskRequest) (rep api.AskReply, err error) {
	req.Question = question
	return rep, c.call(ctx, api.Ask, req, &rep)
}

// printAnswer shows the answer, then each quote with its place.
func printAnswer(rep api.AskReply) {
	cites := rep.Citations
	if !rep.Found {
		cites = rep.Nearest
	}
	if !rep.Found || rep.Form == api.FormCell || rep.Form == api.FormComputed || rep.Form == api.FormComparison { // others are their quotes
		for l := range strings.SplitSeq(rep.Answer, "\n") {
			fmt.Println("   " + bold(line(l)))
		}
	}
	for i, q := range cites {
		fmt.Println(indent(clip(q.Shown, 8)))
		mark := "quote verified"
		if !q.Verified {
			mark = "quote NOT verified"
		}
		fmt.Printf("   [%d] %s\n       %s\n", i+1, line(strings.Join(append([]string{q.Key}, q.Breadcrumb...), " > ")), dim(q.Pointer+"  "+mark))
	}
}

func readCommand() *cobra.Command {
	var c client
	var image string
	cmd := &cobra.Command{Use: "read POINTER", Short: "Print the lines that a pointer names", Args: cobra.ExactArgs(1)}
	c.flags(cmd)
	cmd.Flags().StringVar(&image, "page-image", "", "of a PDF: draw its page here, as PNG, with the lines marked")
	cmd.RunE = c.run(func(ctx context.Context, args []string) error {
		req := api.ReadRequest{Pointer: args[0]}
		for first := true; ; first = false {
			var rep api.ReadReply
			if err := c.call(ctx, api.Read, req, &rep); err != nil {
				return err
			}
			if image != "" {
				return c.pageImage(ctx, rep, image)
			}
			if c.json {
				if err := printJSON(rep); err != nil {
					return err
				}
			} else {
				if first && tty {
					fmt.Println(dim(fmt.Sprintf("%s, %s", line(strings.Join(rep.Breadcrumb, " > ")), where(line(rep.Key), rep.Lines.Start, rep.Lines.End, ""))))
				}
				if tty {
					rep.Text = safe(rep.Text)
				}
				fmt.Print(rep.Text)
			}
			if req.Offset = rep.Next; rep.Next == 0 {
				return nil
			}
		}
	})
	return cmd
}

func treeCommand() *cobra.Command {
	var c client
	var bucket string
	cmd := &cobra.Command{Use: "tree KEY", Short: "Print the outline of a document", Args: cobra.ExactArgs(1)}
	c.flags(cmd)
	cmd.Flags().StringVar(&bucket, "bucket", "", "bucket, where two hold the key")
	cmd.RunE = c.run(func(ctx context.Context, args []string) error {
		req := api.TreeRequest{Bucket: bucket, Key: args[0], Limit: api.MaxPage}
		whole, err := c.tree(ctx, req)
		if err != nil {
			return err
		}
		if c.json {
			return printJSON(whole)
		}
		printTree(whole)
		return nil
	})
	return cmd
}

// tree reads every page of a tree.
func (c *client) tree(ctx context.Context, req api.TreeRequest) (doc.Tree, error) {
	var whole doc.Tree
	for {
		var rep api.TreeReply
		if err := c.call(ctx, api.Tree, req, &rep); err != nil {
			return whole, err
		}
		nodes := append(whole.Nodes, rep.Nodes...)
		whole = rep.Tree
		whole.Nodes = nodes
		if req.Cursor = rep.Next; rep.Next == 0 {
			return whole, nil
		}
	}
}

func printTree(t doc.Tree) {
	for i, n := range t.Nodes {
		if i == 0 {
			continue
		}
		depth := len(t.Path(i)) - 1
		fmt.Printf("%s %s%s %s\n", dim(string(n.ID)), strings.Repeat("  ", depth), line(n.Title), dim(fmt.Sprintf("%d-%d", n.Lines.Start, n.Lines.End)))
	}
	fmt.Println(dim(fmt.Sprintf("confidence %.2f %s", t.Confidence, t.Why)))
}

func documentsCommand() *cobra.Command {
	var c client
	var req api.DocumentsRequest
	var state string
	cmd := &cobra.Command{Use: "documents", Short: "List documents with state, level and reason", Args: cobra.NoArgs}
	c.flags(cmd)
	cmd.Flags().StringVar(&req.Prefix, "prefix", "", "only keys that begin so")
	cmd.Flags().StringVar(&state, "state", "", "only pending, indexed, skipped or failed")
	cmd.RunE = c.run(func(ctx context.Context, _ []string) error {
		req.State, req.Limit = doc.State(state), api.MaxPage
		n := 0
		err := c.documents(ctx, req, func(d api.Document) error {
			n++
			if c.json {
				return printJSON(d)
			}
			fmt.Printf("%-8s %-8s %s  %s\n", d.State, d.Level, line(d.Bucket+"/"+d.Key), dim(line(strings.TrimSpace(string(d.Class)+" "+d.Reason+" "+d.Facts["title"]))))
			return nil
		})
		if err == nil && n == 0 && !c.json {
			if state != "" || req.Prefix != "" {
				fmt.Println("no such documents")
			} else {
				fmt.Println("no documents; `fingerpost put FILE` adds one")
			}
		}
		return err
	})
	return cmd
}

func statusCommand() *cobra.Command {
	var c client
	var watch, all bool
	cmd := &cobra.Command{Use: "status", Short: "Say how many documents stand where", Args: cobra.NoArgs}
	c.flags(cmd)
	cmd.Flags().BoolVar(&watch, "watch", false, "show it again each second until Ctrl-C")
	cmd.Flags().BoolVar(&all, "operator", false, "what an operator watches instead: gaps that the walks closed, dead letters")
	counters := c.run(func(ctx context.Context, _ []string) error {
		var last api.StatusReply
		for start := time.Now(); ; {
			var s api.StatusReply
			if err := c.call(ctx, api.Status, struct{}{}, &s); err != nil {
				return err
			}
			s.Addresses = map[string]string{"s3": c.up.S3, "nats": c.up.NATS, "http": c.up.HTTP}
			if c.json {
				if err := printJSON(s); err != nil {
					return err
				}
			} else {
				printStatus(s, watch, float64(s.Embeddings.Made-last.Embeddings.Made)/time.Since(start).Seconds())
			}
			if !watch {
				return nil
			}
			last, start = s, time.Now()
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(time.Second):
			}
		}
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !all {
			return counters(cmd, args)
		}
		o := operator{client: c, timeout: time.Minute}
		return o.run(o.status)(cmd, args)
	}
	return cmd
}

// printStatus shows the counters; rate is embeddings a second since the last look.
func printStatus(s api.StatusReply, again bool, rate float64) {
	if again && tty {
		fmt.Print("\x1b[H\x1b[2J")
	}
	d := s.Documents
	fmt.Printf("documents   %d indexed, %d pending, %d skipped, %d failed\n", d.Indexed, d.Pending, d.Skipped, d.Failed)
	fmt.Printf("found by    words %d, first vectors %d, all vectors %d\n", s.Levels.Words, s.Levels.Sections, s.Levels.Full)
	text := fmt.Sprintf("embeddings  %d made, %d saved (%s)", s.Embeddings.Made, s.Embeddings.Saved, s.Embedder)
	if again && rate > 0 && rate < 1e6 {
		text += fmt.Sprintf(", %.0f a second", rate)
	}
	fmt.Println(text)
	if s.Index != nil {
		fmt.Printf("index       %d nodes, %d windows, %d rows, %d chunks, %.1f MB in memory\n", s.Index["node"], s.Index["window"], s.Index["row"], s.Index["chunk"], float64(s.Index["bytes"])/1e6)
	}
	for _, n := range s.Notes {
		fmt.Println("note        " + line(n))
	}
	if d.Failed > 0 {
		fmt.Println("next        fingerpost documents --state failed")
	}
}
