package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/cost"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/workers/admin"
)

// bill is what something took: calls of models with their tokens and seconds, embeddings that were made and saved, and
// seconds of the stages, as far as the trail remembers them.
type bill struct {
	What   string             `json:"what"`
	Spent  cost.Spent         `json:"spent"`
	Made   int                `json:"made"`
	Saved  int                `json:"saved"`
	Stages map[string]float64 `json:"stages,omitempty"` // seconds
}

func costCommand() *cobra.Command {
	var c client
	o := operator{timeout: time.Minute}
	var question string
	cmd := &cobra.Command{Use: "cost [KEY]", Short: "What a document or a question takes of models", Args: cobra.MaximumNArgs(1),
		Long: "With a KEY: what models took for that document since it was first seen (as the operator). With --question: asks it, and\n" +
			"tells what that took. With neither: all documents and questions of the tenant, and the mean of each."}
	c.flags(cmd)
	cmd.Flags().StringVar(&question, "question", "", "ask this, and tell what it takes")
	cmd.Flags().StringVar(&o.bucket, "bucket", "documents", "bucket of KEY")
	tenant := c.run(func(ctx context.Context, _ []string) error { return tenantCost(ctx, &c, question) })
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return tenant(cmd, args)
		}
		o.client = c
		return o.run(func(ctx context.Context, args []string) error { return documentCost(ctx, &o, args[0]) })(cmd, args)
	}
	return cmd
}

// tenantCost tells what one question takes, or all that was asked and indexed.
func tenantCost(ctx context.Context, c *client, question string) error {
	if question != "" {
		var rep api.AskReply
		if err := c.call(ctx, api.Ask, api.AskRequest{Question: question}, &rep); err != nil {
			return err
		}
		return tellCost(c.json, bill{What: "this question", Spent: rep.Spent})
	}
	var s api.StatusReply
	if err := c.call(ctx, api.Status, struct{}{}, &s); err != nil {
		return err
	}
	n := s.Documents.Indexed + s.Documents.Pending + s.Documents.Failed + s.Documents.Skipped
	bills := []bill{
		{What: fmt.Sprintf("%d documents", n), Spent: s.Embeddings.Spent, Made: s.Embeddings.Made, Saved: s.Embeddings.Saved},
		{What: fmt.Sprintf("%d questions, of this query worker since its start", s.Questions.Asked), Spent: s.Questions.Spent},
	}
	if n > 0 { // what doctor's probe took is no document's
		bills = append(bills, bill{What: "a document, on average", Spent: mean(s.Embeddings.Spent, n), Made: s.Embeddings.Made / n, Saved: s.Embeddings.Saved / n})
	}
	if q := s.Questions.Asked; q > 0 {
		bills = append(bills, bill{What: "a question, on average (calls rounded up)", Spent: mean(s.Questions.Spent, q)})
	}
	return tellCost(c.json, bills...)
}

func mean(s cost.Spent, n int) cost.Spent {
	n = max(n, 1)
	return cost.Spent{Calls: (s.Calls + n - 1) / n, Tokens: s.Tokens / n, Seconds: s.Seconds / float64(n)}
}

// documentCost tells what one document took.
func documentCost(ctx context.Context, o *operator, key string) error {
	var rep admin.ExplainReply
	if err := o.call(ctx, "explain", admin.DocumentRequest{Tenant: doc.Tenant(o.tenant), Bucket: o.bucket, Key: key}, &rep); err != nil {
		return err
	}
	r := rep.Record
	b := bill{What: r.Bucket + "/" + r.Key, Spent: r.Spent, Made: r.Made, Saved: r.Saved, Stages: map[string]float64{}}
	for _, e := range rep.Trail {
		b.Stages[e.What] += e.Took / 1000
	}
	return tellCost(o.json, b)
}

func tellCost(asJSON bool, all ...bill) error {
	if asJSON {
		return printJSON(all)
	}
	for _, b := range all {
		fmt.Printf("%s\n  %d calls of models, %d tokens, %.3f s", line(b.What), b.Spent.Calls, b.Spent.Tokens, b.Spent.Seconds)
		if b.Made+b.Saved > 0 {
			fmt.Printf("; %d embeddings made, %d saved", b.Made, b.Saved)
		}
		fmt.Println()
		for _, stage := range []string{"event", "parse", "chunk", "embed", "index"} {
			if s, ok := b.Stages[stage]; ok && s > 0 {
				fmt.Printf("  %-6s %.3f s\n", stage, s)
			}
		}
	}
	return nil
}
