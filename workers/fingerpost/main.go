// Command fingerpost makes a bucket of documents answerable: one program, a subcommand a job.
//
// Exit codes: 0 done; 1 it did not work (the message says what and what to do); 2 wrong use;
// 3 nothing found; 4 the time given with --timeout or --wait is over; 5 a re-index is ready and its conditions do not hold.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/fingerpost/fingerpost/pkg/source/pdf"
)

func main() {
	pdf.ChildMain() // when this process was started to read one PDF, it does that and ends
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := root().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "fingerpost:", err)
		os.Exit(exitCode(err))
	}
}

// coded is an error with an exit code.
type coded struct {
	error
	code int
}

func (c coded) Unwrap() error { return c.error }

func exitCode(err error) int {
	if c, ok := errors.AsType[coded](err); ok {
		return c.code
	}
	return 1
}

func usage(err error) error {
	if err == nil {
		return nil
	}
	return coded{err, 2}
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use:           "fingerpost",
		Short:         "Answers about a bucket of documents, with the exact place they stand on",
		Long:          "Fingerpost makes a bucket of documents answerable: every answer names document, section, lines and table cell.\nStart with: fingerpost demo",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	c.AddGroup(&cobra.Group{ID: "run", Title: "Run it:"}, &cobra.Group{ID: "use", Title: "Use it:"}, &cobra.Group{ID: "look", Title: "Look into it:"},
		&cobra.Group{ID: "keep", Title: "Keep it right:"})
	add := func(group string, cmds ...*cobra.Command) {
		for _, cmd := range cmds {
			cmd.GroupID = group
			c.AddCommand(cmd)
		}
	}
	add("run", upCommand(), workerCommand(), setupCommand(), demoCommand())
	add("use", putCommand(), findCommand(), askCommand(), readCommand(), cellCommand(), compareCommand())
	add("look", statusCommand(), documentsCommand(), treeCommand(), parseCommand(), evalCommand(), configCommand(), versionCommand())
	add("keep", doctorCommand(), auditCommand(), explainCommand(), costCommand(), deadCommand(), reconcileCommand(), reindexCommand(), exportCommand(), importCommand(), eraseCommand())
	return c
}
