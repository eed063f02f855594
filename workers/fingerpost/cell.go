package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fingerpost/fingerpost/pkg/api"
)

func cellCommand() *cobra.Command {
	var c client
	cmd := &cobra.Command{Use: "cell POINTER", Short: "Print the table cell that a pointer names, with label, unit and period", Args: cobra.ExactArgs(1)}
	c.flags(cmd)
	cmd.RunE = c.run(func(ctx context.Context, args []string) error {
		var rep api.CellReply
		if err := c.call(ctx, api.GetCell, api.CellRequest{Pointer: args[0]}, &rep); err != nil {
			return err
		}
		if c.json {
			return printJSON(rep)
		}
		printCell(rep)
		return nil
	})
	return cmd
}

// printCell shows a cell for a reader: the value, what says what it is, the row.
func printCell(rep api.CellReply) {
	fmt.Println(bold(line(rep.Text)))
	say := func(name, text string) {
		if text != "" {
			fmt.Printf("  %-9s %s\n", name, line(text))
		}
	}
	say("row", strings.Join(append(rep.Parents[:len(rep.Parents):len(rep.Parents)], rep.Row), " > "))
	say("column", strings.Join(rep.Columns, " > "))
	say("period", rep.Period)
	say("unit", rep.Unit)
	say("currency", rep.Currency)
	say("number", rep.Number)
	for _, n := range rep.Notes {
		say("note", n.Mark+" "+n.Text)
	}
	say("section", strings.Join(append([]string{rep.Key}, rep.Breadcrumb...), " > "))
	fmt.Printf("  %s\n", dim(line(rep.Shown)))
}
