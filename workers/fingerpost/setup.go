package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/fingerpost/fingerpost/workers"
)

func setupCommand() *cobra.Command {
	var s settings
	var o workers.SetupOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use: "setup", Short: "Make streams, consumers, classes, buckets and notification rules on real servers", Args: cobra.NoArgs,
		Long: "Makes what the servers of the configuration must hold before the first object comes, in the right order: streams before\n" +
			"the rules that feed them. Says what it made, found and changed. It may run as often as one likes, and waits for servers\n" +
			"that are starting. Exit code 1 when a step failed (each says what to do), 4 when the time is over.",
	}
	s.flags(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, "say what is missing or differs, and change nothing")
	f.BoolVar(&o.Versions, "versions", false, "buckets that are made keep versions")
	f.DurationVar(&o.Within, "timeout", 2*time.Minute, "longest wait for a server that is starting")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := s.load(cmd)
		if err != nil {
			return err
		}
		if len(c.Servers.NATS.URLs) == 0 {
			if err := c.Join(); err != nil {
				return fmt.Errorf("servers.nats.urls names no server, and %w; `up` needs no setup", err)
			}
		}
		log, err := logger(c.LogLevel)
		if err != nil {
			return usage(err)
		}
		o.Say = func(s workers.Step) { printStep(s, asJSON) }
		err = workers.Setup(cmd.Context(), c, o, log)
		if errors.Is(err, workers.ErrLate) {
			return coded{err, 4}
		}
		return err
	}
	return cmd
}

func printStep(s workers.Step, asJSON bool) {
	if asJSON {
		_ = printJSON(s)
		return
	}
	text := s.Part
	if s.Detail != "" {
		text += ": " + s.Detail
	}
	if s.Did == "failed" {
		s.Did = "FAILED"
	}
	fmt.Printf("%-8s %s\n", s.Did, line(text))
}
