package main

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/fingerpost/fingerpost/workers"
)

func doctorCommand() *cobra.Command {
	var s settings
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Say in plain sentences what is wrong and what to do", Args: cobra.NoArgs,
		Long: "Looks at the running system: streams, buckets, clocks, embedder, dead letters, and a probe document through the whole\nchain of each source. Exit code 1 when something is wrong.",
	}
	s.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := s.load(cmd)
		if err != nil {
			return err
		}
		if len(c.Servers.NATS.URLs) == 0 {
			if err := c.Join(); err != nil {
				return err
			}
		}
		found, err := workers.Doctor(cmd.Context(), c, slog.New(slog.NewTextHandler(io.Discard, nil)))
		if err != nil {
			return err
		}
		wrong := 0
		for _, f := range found {
			if !f.OK {
				wrong++
			}
			if asJSON {
				if err := printJSON(f); err != nil {
					return err
				}
				continue
			}
			fmt.Printf("%-6s %s: %s\n", map[bool]string{true: "ok", false: "WRONG"}[f.OK], f.Part, f.Detail)
		}
		if wrong > 0 {
			return fmt.Errorf("%d parts need attention", wrong)
		}
		return nil
	}
	return cmd
}
