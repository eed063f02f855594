package main

import (
	"context"
	"fmt"
	"time"

	"github.com/fingerpost/fingerpost/workers/admin"
)

// status prints what an operator watches beside the documents: gaps that the walks closed, and dead letters.
func (o *operator) status(ctx context.Context, _ []string) error {
	var rep admin.StatusReply
	if err := o.call(ctx, "status", struct{}{}, &rep); err != nil {
		return err
	}
	if o.json {
		return printJSON(rep)
	}
	g := rep.Gaps
	last := "not yet"
	if !g.Last.IsZero() {
		last = g.Last.Local().Format(time.DateTime)
	}
	fmt.Printf("walks       %d since the start, the last at %s\n", g.Passes, last)
	fmt.Printf("gaps        %d missing, %d changed, %d gone, %d pending, %d not purged: found by walks, told by no event\n", g.Missing, g.Changed, g.Gone, g.Pending, g.Unpurged)
	if g.Held > 0 {
		fmt.Printf("held        %d documents are gone from their bucket, too many to remove unasked: fingerpost reconcile --yes\n", g.Held)
	}
	fmt.Printf("letters     %d dead letters", rep.DeadLetters)
	if rep.DeadLetters > 0 {
		fmt.Printf(", the oldest for %s: fingerpost dead ls", rep.OldestLetter.Round(time.Second))
	}
	fmt.Printf("\ntrails      %d lines lost since the start\n", rep.TrailDropped)
	return nil
}
