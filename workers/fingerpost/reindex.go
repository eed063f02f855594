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
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/workers/admin"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

func reindexCommand() *cobra.Command {
	c := &cobra.Command{Use: "reindex", Short: "Make a new build of the index beside the live one, compare, and turn to it"}
	c.AddCommand(reindexStart())
	for _, x := range []struct{ do, short string }{
		{"status", "Say how far it is"},
		{"pause", "Hand nothing on for now"},
		{"resume", "Go on"},
		{"rollback", "Turn back to the build that was live before"},
		{"drop", "Give the new build up (or one by --build) and remove it"},
	} {
		c.AddCommand(reindexVerb(x.do, x.short))
	}
	c.AddCommand(reindexCompare("compare", "Compare counts, audit the new build, and ask both the questions of a file"),
		reindexCompare("promote", "Turn to the new build, when every document is there and its audit adds up"))
	return c
}

func reindexVerb(do, short string) *cobra.Command {
	var o operator
	req := admin.ReindexRequest{Do: do}
	cmd := &cobra.Command{Use: do, Short: short, Args: cobra.NoArgs}
	o.flags(cmd)
	if do == "drop" {
		cmd.Flags().Uint32Var(&req.Build, "build", 0, "this build")
	}
	cmd.RunE = o.run(func(ctx context.Context, _ []string) error { return o.reindex(ctx, req) })
	return cmd
}

// reindex asks for a step and prints where it stands then.
func (o *operator) reindex(ctx context.Context, req admin.ReindexRequest) error {
	var rep admin.ReindexReply
	if err := o.call(ctx, "reindex", req, &rep); err != nil {
		return err
	}
	if o.json {
		return printJSON(rep)
	}
	printReindex(rep)
	return nil
}

func printReindex(rep admin.ReindexReply) {
	fmt.Printf("live is build %d\n", rep.Live)
	for _, b := range rep.Builds {
		state := string(b.State)
		if b.Sequence == rep.Live {
			state = "live"
		} else if !b.Retired.IsZero() {
			state = "kept since " + b.Retired.Local().Format(time.DateTime)
		}
		fmt.Printf("  %d  %-8s %s, made %s  %s\n", b.Sequence, b.Embedder, b.Vectors.Model, b.Created.Local().Format(time.DateTime), state)
	}
	if rep.Needed != "" {
		fmt.Println(line(rep.Needed))
	}
	if t := rep.Task; t != nil {
		fmt.Println(taskLine(*t))
		if t.Why != "" {
			fmt.Println("  " + t.Why)
		}
		printVerdicts(t.Verdicts)
	}
	if c := rep.Compare; c != nil {
		printBuilds(*c)
	}
	if p := rep.Plan; p != nil {
		fmt.Println(strings.TrimSuffix(fmt.Sprintf("next by schedule (%s, by the %s): %s; %s", p.Cron, p.By, p.Next.Local().Format(time.DateTime), p.Note), "; "))
	}
}

func taskLine(t reindex.Task) string {
	s := fmt.Sprintf("re-index into build %d from %s: %s", t.Build, t.From, t.State)
	if t.State == reindex.Running || t.State == reindex.Paused {
		s += fmt.Sprintf(", walk %d, %d of %d objects, %d handed on", t.Pass, t.Walked, t.Total, t.Handed)
		if t.Left > 0 {
			s += fmt.Sprintf(", about %s left", time.Duration(t.Left*float64(time.Second)).Round(time.Second))
		}
	} else if !t.Finished.IsZero() {
		s += fmt.Sprintf(" (%d objects in %s)", t.Walked, t.Finished.Sub(t.Started).Round(time.Millisecond))
	}
	if t.Note != "" {
		s += "; " + t.Note
	}
	return s
}

func printBuilds(c reindex.Comparison) {
	fmt.Printf("build %d: %d indexed, %d skipped, %d failed, %d pending; build %d: %d, %d, %d, %d; %d behind, %d would be lost; audit ok: %v\n",
		c.Live, c.LiveCounts.Indexed, c.LiveCounts.Skipped, c.LiveCounts.Failed, c.LiveCounts.Pending,
		c.Build, c.BuildCounts.Indexed, c.BuildCounts.Skipped, c.BuildCounts.Failed, c.BuildCounts.Pending, c.Behind, c.Worse, c.AuditOK)
	for _, d := range c.Differences {
		fmt.Println("  " + dim(line(d)))
	}
}

// unattended is what start --wait and promote go by.
type unattended struct {
	files  []string
	when   string
	force  bool
	report unattendedReport
}

// unattendedReport is what was found and done, as --json prints it.
type unattendedReport struct {
	Reply    admin.ReindexReply `json:"reindex"`
	Before   eval.Score         `json:"before,omitzero"`
	After    eval.Score         `json:"after,omitzero"`
	Verdicts []reindex.Verdict  `json:"verdicts,omitempty"`
	Promoted bool               `json:"promoted"`
}

func (u *unattended) flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&u.files, "questions", nil, "question files with gold places, asked of both builds (as for `eval`)")
}

func reindexStart() *cobra.Command {
	var o operator
	var u unattended
	var wait bool
	req := admin.ReindexRequest{Do: "start"}
	cmd := &cobra.Command{Use: "start", Short: "Make a new build beside the live one", Args: cobra.NoArgs,
		Long: "What differs from the live build decides where work begins: rules of parsing (parse), sizes or model (chunk), or nothing (embed: no\n" +
			"embedding is made). Exit codes of --wait: 0 ready, or promoted as --promote-if asks; 5 ready and not promoted, because a condition\n" +
			"does not hold; 4 the time is over; 1 it did not work."}
	o.flags(cmd)
	u.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&req.From, "from", "", "parse, chunk or embed: begin earlier than needed")
	f.StringVar(&req.Embedder, "embedder", "", "builtin, ollama or none (default: the configured one)")
	f.BoolVar(&wait, "wait", false, "wait until it is ready")
	f.StringVar(&u.when, "promote-if", "", `promote then if this holds: "audit ok, any@5 drop <= .01"`)
	cmd.RunE = o.run(func(ctx context.Context, _ []string) error {
		conditions, err := reindex.ParseConditions(u.when)
		if err != nil {
			return usage(err)
		}
		if u.when != "" && !wait {
			return usage(errors.New("reindex start: --promote-if needs --wait"))
		}
		if !wait {
			return o.reindex(ctx, req)
		}
		if reindex.NeedsQuestions(conditions) && len(u.files) == 0 {
			return usage(errors.New("reindex start: a condition on any@k needs --questions"))
		}
		if err := o.call(ctx, "reindex", req, &u.report.Reply); err != nil {
			return err
		}
		if err := o.ready(ctx, &u.report.Reply); err != nil {
			return err
		}
		return o.finish(ctx, &u, conditions)
	})
	return cmd
}

// ready waits until the re-index is ready.
func (o *operator) ready(ctx context.Context, rep *admin.ReindexReply) error {
	build := rep.Task.Build
	for last := ""; ; {
		if err := o.call(ctx, "reindex", admin.ReindexRequest{Do: "status"}, rep); err != nil {
			return err
		}
		t := rep.Task
		if t.Build != build || t.State != reindex.Running && t.State != reindex.Paused {
			if t.Build == build && (t.State == reindex.Ready || t.State == reindex.Promoted) {
				return nil
			}
			return fmt.Errorf("the re-index into build %d ended: %s", build, taskLine(*t))
		}
		if l := taskLine(*t); l != last && !o.json {
			fmt.Println(l)
			last = l
		}
		select {
		case <-ctx.Done():
			return coded{fmt.Errorf("the re-index is not ready after %s; it goes on: fingerpost reindex status", o.timeout), 4}
		case <-time.After(time.Second):
		}
	}
}

// finish compares and promotes as the conditions ask; without any it only compares.
func (o *operator) finish(ctx context.Context, u *unattended, conditions []reindex.Condition) error {
	if err := o.compare(ctx, u); err != nil {
		return err
	}
	verdicts, ok := reindex.Judge(conditions, *u.report.Reply.Compare, u.report.Before, u.report.After)
	u.report.Verdicts = verdicts
	if ok && u.when != "" {
		c := u.report.Reply.Compare
		if err := o.call(ctx, "reindex", admin.ReindexRequest{Do: "promote"}, &u.report.Reply); err != nil {
			return err
		}
		u.report.Promoted, u.report.Reply.Compare = true, c
	}
	if err := o.tell(u); err != nil {
		return err
	}
	if !ok {
		return coded{errors.New("not promoted: a condition does not hold"), 5}
	}
	return nil
}

func (o *operator) tell(u *unattended) error {
	if o.json {
		return printJSON(u.report)
	}
	printReindex(u.report.Reply)
	printVerdicts(u.report.Verdicts)
	return nil
}

func printVerdicts(vs []reindex.Verdict) {
	for _, v := range vs {
		fmt.Printf("%-4s %s: %s\n", map[bool]string{true: "ok", false: "NO"}[v.Holds], v.Condition, line(v.Found))
	}
}

// compare has the builds compared, and asks both the questions.
func (o *operator) compare(ctx context.Context, u *unattended) error {
	if err := o.call(ctx, "reindex", admin.ReindexRequest{Do: "compare"}, &u.report.Reply); err != nil {
		return err
	}
	if len(u.files) == 0 {
		return nil
	}
	qs, err := questions(u.files)
	if err != nil {
		return usage(err)
	}
	asker := o.client // the operator may not read documents: the tenant asks
	if err := asker.open(ctx); err != nil {
		return err
	}
	defer asker.close()
	c := u.report.Reply.Compare
	before, err := asker.score(ctx, qs, c.Live)
	if err != nil {
		return err
	}
	after, err := asker.score(ctx, qs, c.Build)
	if err != nil {
		return err
	}
	u.report.Before, u.report.After = before.Sum(nil), after.Sum(nil)
	if o.json {
		return nil
	}
	return errors.Join(before.WriteText(os.Stdout), after.WriteText(os.Stdout), eval.WriteChanges(os.Stdout, eval.Compare(before, after)))
}

// score asks a build.
func (c *client) score(ctx context.Context, qs []eval.Question, build uint32) (*eval.Report, error) {
	name := named(qs)
	return eval.Run(ctx, fmt.Sprint("build ", build), qs, func(ctx context.Context, q string, k int) ([]eval.Place, error) {
		var rep api.FindReply
		if err := c.call(ctx, api.Find, api.FindRequest{Question: q, K: k, Build: build}, &rep); err != nil {
			return nil, err
		}
		return places(rep, name), nil
	})
}

func reindexCompare(do, short string) *cobra.Command {
	var o operator
	var u unattended
	cmd := &cobra.Command{Use: do, Short: short, Args: cobra.NoArgs}
	o.flags(cmd)
	if do == "promote" {
		cmd.Flags().BoolVar(&u.force, "force", false, "also when counts or audit speak against it")
		cmd.RunE = o.run(func(ctx context.Context, _ []string) error {
			return o.reindex(ctx, admin.ReindexRequest{Do: do, Force: u.force})
		})
		return cmd
	}
	u.flags(cmd)
	cmd.RunE = o.run(func(ctx context.Context, _ []string) error {
		if err := o.compare(ctx, &u); err != nil {
			return err
		}
		return o.tell(&u)
	})
	return cmd
}
