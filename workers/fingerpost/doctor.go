package main

import (
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/fingerpost/fingerpost/workers"
)

func doctorCommand() *cobra.Command {
	var s settings
	var o workers.DoctorOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Say in plain sentences what is wrong and what to do", Args: cobra.NoArgs,
		Long: "Looks at each server of the running system by itself: NATS with its rights, limits and streams; the store with its buckets,\nnotification rules and queues; the index; the models; clocks; dead letters; and a probe document through the whole chain of each\nsource and out again. Exit code 1 when something is wrong.",
	}
	s.flags(cmd)
	cmd.Flags().BoolVar(&o.NoProbe, "no-probe", false, "put no probe document into the buckets")
	cmd.Flags().DurationVar(&o.Within, "timeout", 30*time.Second, "longest wait for a probe to be found, and to be gone")
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
		found, err := workers.Doctor(cmd.Context(), c, o, slog.New(slog.NewTextHandler(io.Discard, nil)))
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
