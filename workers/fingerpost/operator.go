package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/trail"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/admin"
	"github.com/fingerpost/fingerpost/workers/audit"
	"github.com/fingerpost/fingerpost/workers/reconcile"
)

// operator is a client with the operator's credential.
type operator struct {
	client
	bucket  string
	timeout time.Duration
}

func (o *operator) flags(cmd *cobra.Command) {
	o.client.flags(cmd)
	cmd.Flags().DurationVar(&o.timeout, "timeout", 10*time.Minute, "longest wait for the answer")
}

// run connects as the operator.
func (o *operator) run(f func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return o.client.runAs("operator", func(ctx context.Context, args []string) error {
		ctx, cancel := context.WithTimeout(ctx, o.timeout)
		defer cancel()
		return f(ctx, args)
	})
}

// call asks an admin verb.
func (o *operator) call(ctx context.Context, verb string, req, rep any) error {
	b, err := json.Marshal(req)
	if err != nil {
		return err
	}
	out, err := o.bus.Request(ctx, "fingerpost.admin."+verb, b)
	if se, ok := errors.AsType[*bus.ServiceError](err); ok {
		return coded{errors.New(se.Message), map[int]int{400: 2, 404: 3}[se.Code]}.orOne()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return coded{fmt.Errorf("%s: no answer after %s", verb, o.timeout), 4}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	return json.Unmarshal(out, rep)
}

func deadCommand() *cobra.Command {
	c := &cobra.Command{Use: "dead", Short: "List, show, replay or drop dead letters"}
	for _, x := range []struct{ do, short string }{
		{"ls", "List dead letters: documents that no try could mend, with stage, class and cause"},
		{"show", "Show one letter whole"},
		{"replay", "Put the documents on their way again, from the object"},
		{"drop", "Remove letters; their documents stay failed"},
	} {
		c.AddCommand(deadVerb(x.do, x.short))
	}
	return c
}

func deadVerb(do, short string) *cobra.Command {
	var o operator
	var which pipeline.Which
	var stage, class string
	var all bool
	cmd := &cobra.Command{Use: do, Short: short, Args: cobra.NoArgs}
	if do == "show" {
		cmd.Use, cmd.Args = "show NUMBER", cobra.ExactArgs(1)
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&stage, "stage", "", "only of this stage: intake, parse, chunk, embed, index")
	f.StringVar(&class, "class", "", "only of this class: encrypted, corrupt, too_large, internal, upstream, ...")
	f.StringVar((*string)(&which.DocID), "doc", "", "only of this doc_id")
	f.Uint64Var(&which.Number, "number", 0, "only this letter")
	f.BoolVar(&all, "all", false, "replay or drop without naming any")
	cmd.RunE = o.run(func(ctx context.Context, args []string) error {
		which.Stage, which.Class = wire.Stage(stage), doc.Class(class)
		if do == "show" {
			if _, err := fmt.Sscan(args[0], &which.Number); err != nil {
				return usage(fmt.Errorf("dead show: %q is no number of a letter", args[0]))
			}
		}
		if (do == "replay" || do == "drop") && which == (pipeline.Which{}) && !all {
			return usage(fmt.Errorf("dead %s: say which letters (--number, --doc, --stage, --class), or --all", do))
		}
		if do == "ls" || do == "show" {
			return o.letters(ctx, which, do == "show")
		}
		var rep admin.DeadReply
		if err := o.call(ctx, "dead", admin.DeadRequest{Do: do, Which: which}, &rep); err != nil {
			return err
		}
		if o.json {
			return printJSON(rep)
		}
		fmt.Printf("%d letters: %s\n", rep.Done, map[string]string{"replay": "their documents are on their way again", "drop": "removed"}[do])
		return nil
	})
	return cmd
}

// letters prints every page of the letters meant.
func (o *operator) letters(ctx context.Context, which pipeline.Which, whole bool) error {
	n := 0
	for req := (admin.DeadRequest{Do: "ls", Which: which}); ; {
		var rep admin.DeadReply
		if err := o.call(ctx, "dead", req, &rep); err != nil {
			return err
		}
		for _, l := range rep.Letters {
			n++
			req.After = l.Number
			if err := printLetter(l, o.json, whole); err != nil {
				return err
			}
		}
		if !rep.More {
			break
		}
	}
	if n == 0 && whole {
		return coded{errors.New("no such letter; `fingerpost dead ls` lists them"), 3}
	}
	if n == 0 && !o.json {
		fmt.Println("no dead letters")
	}
	return nil
}

func printLetter(l pipeline.Numbered, asJSON, whole bool) error {
	if asJSON {
		return printJSON(l)
	}
	fmt.Printf("%-6d %s  %-6s %-14s %s/%s\n", l.Number, l.Time.Local().Format(time.DateTime), l.Stage, l.Class, l.Job.Bucket, l.Job.Key)
	for i, e := range l.Errors {
		if i == 0 || whole {
			fmt.Println("       " + dim(e))
		}
	}
	if whole {
		fmt.Printf("       tenant %s, doc %s, generation %d, %d attempts\n", l.Job.Tenant, l.Job.DocID, l.Job.Generation, l.Attempts)
	}
	return nil
}

func reconcileCommand() *cobra.Command {
	var o operator
	var yes bool
	cmd := &cobra.Command{Use: "reconcile", Short: "Walk the buckets now and close every gap", Args: cobra.NoArgs}
	o.flags(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "remove documents whose objects are gone even when they are many")
	cmd.RunE = o.run(func(ctx context.Context, _ []string) error {
		var g reconcile.Gaps
		if err := o.call(ctx, "reconcile", admin.ReconcileRequest{Yes: yes}, &g); err != nil {
			return err
		}
		if o.json {
			return printJSON(g)
		}
		fmt.Printf("%d objects walked in %s: %d were missing, %d changed, %d gone, %d still pending, %d deletions not purged\n",
			g.Walked, g.Took.Round(time.Millisecond), g.Missing, g.Changed, g.Gone, g.Pending, g.Unpurged)
		if g.Held > 0 {
			return fmt.Errorf("%d documents are gone from their bucket, too many to remove unasked; if that is right: fingerpost reconcile --yes", g.Held)
		}
		return nil
	})
	return cmd
}

func auditCommand() *cobra.Command {
	var o operator
	var req admin.AuditRequest
	cmd := &cobra.Command{Use: "audit", Short: "Prove that every object is in one list and every entry has its owner", Args: cobra.NoArgs,
		Long: "Exit code 0: everything adds up. 1: a difference is named. With --repair it is mended by the ordinary ways; audit once more afterwards."}
	o.flags(cmd)
	cmd.Flags().BoolVar(&req.Repair, "repair", false, "mend what can be mended")
	cmd.Flags().BoolVar(&req.Text, "text", false, "also read each document's stored text back and compare it with its hashes")
	cmd.RunE = o.run(func(ctx context.Context, _ []string) error {
		var rep audit.Report
		if err := o.call(ctx, "audit", req, &rep); err != nil {
			return err
		}
		if o.json {
			if err := printJSON(rep); err != nil {
				return err
			}
		} else {
			printAudit(rep)
		}
		if !rep.OK() {
			return fmt.Errorf("%d differences", len(rep.Differences)+rep.Unnamed)
		}
		return nil
	})
	return cmd
}

func printAudit(r audit.Report) {
	fmt.Printf("%d objects = %d indexed + %d skipped + %d failed", r.Objects, r.Indexed, r.Skipped, r.Failed)
	if r.Pending > 0 {
		fmt.Printf(" + %d on their way", r.Pending)
	}
	fmt.Printf("\n%d nodes, %d windows, %d rows, %d chunks in the index; %d artefacts\n",
		r.Entries[doc.KindNode], r.Entries[doc.KindWindow], r.Entries[doc.KindRow], r.Entries[doc.KindChunk], r.Derived)
	for _, d := range r.Differences {
		fmt.Printf("%s  %s/%s  %s\n", d.Kind, d.Bucket, d.Key, dim(d.Detail))
	}
	if r.Unnamed > 0 {
		fmt.Printf("and %d more\n", r.Unnamed)
	}
	if r.Repaired > 0 {
		fmt.Printf("%d differences are being mended; audit once more\n", r.Repaired)
	}
}

func explainCommand() *cobra.Command {
	var o operator
	cmd := &cobra.Command{Use: "explain KEY", Short: "Tell the life of a document", Args: cobra.ExactArgs(1)}
	o.flags(cmd)
	cmd.Flags().StringVar(&o.bucket, "bucket", "documents", "bucket")
	cmd.RunE = o.run(func(ctx context.Context, args []string) error {
		var rep admin.ExplainReply
		req := admin.DocumentRequest{Tenant: doc.Tenant(o.tenant), Bucket: o.bucket, Key: args[0]}
		if err := o.call(ctx, "explain", req, &rep); err != nil {
			return err
		}
		if o.json {
			return printJSON(rep)
		}
		printLife(rep)
		return nil
	})
	return cmd
}

func printLife(rep admin.ExplainReply) {
	r := rep.Record
	fmt.Printf("%s  tenant %s  doc %s\n", line(r.Bucket+"/"+r.Key), r.Tenant, r.DocID)
	fmt.Printf("%s %s  generation %d (shown %d)  version %.12s  %d bytes\n", r.State, r.Level, r.Generation, r.Current, r.Version, r.Size)
	if r.Class != "" {
		fmt.Printf("%s: %s\n", r.Class, line(r.Reason))
	}
	fmt.Printf("embeddings %d made, %d saved; %d sections, the first: %s\n", r.Made, r.Saved, rep.Sections, first(rep.Pointers))
	for _, n := range r.Notes {
		fmt.Println("note  " + line(n))
	}
	slices.SortStableFunc(rep.Trail, func(a, b trail.Event) int { return a.Time.Compare(b.Time) })
	for _, e := range rep.Trail {
		again := ""
		if e.Attempt > 1 {
			again = fmt.Sprintf(" delivery %d", e.Attempt)
		}
		fmt.Printf("%s  g%-3d %.8s %-7s %-10s %-10s %7.1f ms, waited %.1f ms%s %s\n", e.Time.Local().Format("2006-01-02 15:04:05.000"), e.Generation,
			e.Version, e.What, e.Kind, e.Outcome, e.Took, e.Waited, again, dim(line(e.Error)))
	}
	for _, l := range rep.Dead {
		fmt.Printf("dead letter %d: %s\n", l.Number, line(strings.Join(l.Errors, "; ")))
	}
}

func first(pointers []string) string {
	if len(pointers) == 0 {
		return "none"
	}
	return pointers[0]
}

func eraseCommand() *cobra.Command {
	var o operator
	var receipt, yes bool
	cmd := &cobra.Command{Use: "erase KEY", Short: "Remove a document from everywhere, and prove it", Args: cobra.ExactArgs(1),
		Long: "Removes the object with its older versions, hides the document at once, and purges index, artefacts, cached vectors, dead letters and trail;\neach place is read back."}
	o.flags(cmd)
	cmd.Flags().StringVar(&o.bucket, "bucket", "documents", "bucket")
	cmd.Flags().BoolVar(&receipt, "receipt", false, "print what was removed where, with counts and hashes, as JSON")
	cmd.Flags().BoolVar(&yes, "yes", false, "do it: the object is removed from its bucket")
	cmd.RunE = o.run(func(ctx context.Context, args []string) error {
		if !yes {
			return usage(fmt.Errorf("erase removes %s/%s for good, the object too; say --yes", o.bucket, args[0]))
		}
		var rc admin.Receipt
		if err := o.call(ctx, "erase", admin.DocumentRequest{Tenant: doc.Tenant(o.tenant), Bucket: o.bucket, Key: args[0]}, &rc); err != nil {
			return err
		}
		if receipt || o.json {
			if err := printJSON(rc); err != nil || rc.Verified {
				return err
			}
			return fmt.Errorf("%s/%s is hidden and purged, but the store keeps %d things of it", rc.Bucket, rc.Key, len(rc.Kept))
		}
		n := 0
		for _, x := range rc.Removed {
			n += x.Count
		}
		if len(rc.Kept) > 0 {
			for _, k := range rc.Kept {
				fmt.Printf("kept  %s, %s: %s\n", line(k.Where), line(k.What), line(k.Why))
			}
			return fmt.Errorf("%s/%s is hidden and purged, but the store keeps %d things of it", rc.Bucket, rc.Key, len(rc.Kept))
		}
		fmt.Printf("%s/%s is erased: %d things removed, every place read back (--receipt lists them)\n", rc.Bucket, rc.Key, n)
		return nil
	})
	return cmd
}
