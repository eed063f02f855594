package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fingerpost/fingerpost/pkg/api"
)

func compareCommand() *cobra.Command {
	var c client
	var req api.CompareRequest
	cmd := &cobra.Command{
		Use: "compare QUESTION", Short: "Lay the same thing of several documents or periods side by side, every cell with its place",
		Example: "  fingerpost compare \"revenue and net income\" --keys 10k/A.md,10k/B.md\n  fingerpost compare \"goodwill\" --keys 10k/A.md --periods 2023,2024",
		Args:    cobra.ExactArgs(1),
	}
	c.flags(cmd)
	cmd.Flags().StringSliceVar(&req.Keys, "keys", nil, "these documents, in this order (default: those that the question names)")
	cmd.Flags().StringSliceVar(&req.Periods, "periods", nil, "these years")
	cmd.RunE = c.run(func(ctx context.Context, args []string) error {
		req.Question = args[0]
		var rep api.CompareReply
		if err := c.call(ctx, api.Compare, req, &rep); err != nil {
			return err
		}
		if c.json {
			return printJSON(rep)
		}
		printComparison(rep.Comparison)
		return nil
	})
	return cmd
}

// printComparison shows a comparison row by row: each side's cell with its place, what was reckoned, what is missing.
func printComparison(rep api.Comparison) {
	for _, r := range rep.Rows {
		fmt.Println(bold(line(r.Label)))
		for i, x := range r.Cells {
			name := line(rep.Sides[i].Title)
			if x == nil {
				fmt.Printf("  %-40s not found\n", name)
				continue
			}
			fmt.Printf("  %-40s %s\n  %-40s %s\n", name, line(strings.Join([]string{x.Text, x.Unit, x.Period}, "  ")), "", dim(x.Pointer))
		}
		for _, x := range r.Changes {
			fmt.Printf("  %s: %s = %s\n", line(x.Name), bold(x.Value), line(x.Filled))
		}
	}
	for _, n := range rep.Notes {
		fmt.Println(dim(line(n)))
	}
}
