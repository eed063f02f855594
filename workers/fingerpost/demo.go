package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/workers"
	"github.com/fingerpost/fingerpost/workers/demo"
)

func demoCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "demo", Short: "Show the whole chain on five documents, in some seconds", Args: cobra.NoArgs,
		Long: "Starts the system in a folder of its own, drops five documents into its bucket, asks five questions and shows what\nthey find. It answers as soon as the documents are found by words and does not wait for vectors.",
	}
	cmd.Flags().StringVar(&dir, "data", "", "data folder to keep (default: a temporary one that is removed)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		keep := dir != ""
		if !keep {
			tmp, err := os.MkdirTemp("", "fingerpost-demo-")
			if err != nil {
				return err
			}
			dir = tmp
			defer os.RemoveAll(tmp)
		}
		abs, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		return runDemo(cmd.Context(), abs, keep)
	}
	return cmd
}

// runDemo runs the system and the show beside it; the end of the show stops the system.
func runDemo(ctx context.Context, dir string, keep bool) error {
	c := workers.Defaults()
	c.Data, c.S3, c.NATS, c.HTTP = dir, "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"
	c.Grace = 0 // the rest of the vectors is made at the next start
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	shown := make(chan error, 1)
	fmt.Println(dim("starting NATS with JetStream, an S3 gateway, the index and the workers in this process ..."))
	err := up(ctx, c, log, func(sys *workers.System) {
		shown <- theShow(ctx, sys, keep)
		cancel()
	})
	select {
	case serr := <-shown:
		if serr != nil {
			return serr
		}
	default:
	}
	return err
}

// theShow drops, waits, asks, and says what to type next.
func theShow(ctx context.Context, sys *workers.System, keep bool) error {
	start := time.Now()
	fmt.Printf("%s\n\n", dim(fmt.Sprintf("S3 on %s, NATS on %s, status page on http://%s", sys.Addresses.S3, sys.Addresses.NATS, sys.Addresses.HTTP)))
	cl := &client{data: sys.Config.Data, tenant: "default"}
	if err := cl.open(ctx); err != nil {
		return err
	}
	defer cl.close()
	if err := drop(ctx, sys); err != nil {
		return err
	}
	if err := watch(ctx, cl, len(demo.Corpus())); err != nil {
		return err
	}
	fmt.Printf("\n%d documents are found by words %.1f s after the first was dropped; vectors follow in the background.\n", len(demo.Corpus()), time.Since(start).Seconds())
	for i, q := range demo.Questions() {
		if err := demoQuestion(ctx, cl, i+1, q); err != nil {
			return err
		}
	}
	var s api.StatusReply
	if err := cl.call(ctx, api.Status, struct{}{}, &s); err != nil {
		return err
	}
	fmt.Println()
	printStatus(s, false, 0)
	next(sys.Config, keep)
	return nil
}

// drop puts the documents into the bucket, as any S3 client would.
func drop(ctx context.Context, sys *workers.System) error {
	bucket := sys.Config.Sources[0].Bucket
	for _, d := range demo.Corpus() {
		if _, err := sys.Blobs.Put(ctx, bucket, d.Key, bytes.NewReader(d.Bytes), int64(len(d.Bytes)), blob.PutOptions{ContentType: "text/markdown"}); err != nil {
			return err
		}
		fmt.Printf("dropped   s3://%s/%s  %s\n", bucket, d.Key, dim(fmt.Sprintf("%d kB", len(d.Bytes)/1000)))
	}
	return nil
}

// watch shows each document as it becomes found.
func watch(ctx context.Context, cl *client, n int) error {
	told := map[string]bool{}
	for tick := time.NewTicker(20 * time.Millisecond); len(told) < n; {
		err := cl.documents(ctx, api.DocumentsRequest{}, func(d api.Document) error {
			if told[d.Key] || d.State == doc.Pending {
				return nil
			}
			told[d.Key] = true
			if d.State != doc.Indexed {
				return fmt.Errorf("%s: %s: %s", d.Key, d.State, d.Reason)
			}
			fmt.Printf("found     %s  %s\n", d.Key, dim(line(d.Facts["title"])))
			return nil
		})
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.New("stopped")
		case <-tick.C:
		}
	}
	return nil
}

// demoQuestion asks one question and shows the best place with breadcrumb, lines and quote.
func demoQuestion(ctx context.Context, cl *client, n int, q demo.Question) error {
	fmt.Printf("\n%s %s  %s\n", bold(fmt.Sprintf("Question %d.", n)), bold(q.Question), dim(q.Kind))
	rep, err := cl.ask(ctx, q.Question, api.AskRequest{})
	if err != nil {
		return err
	}
	if !rep.Found {
		fmt.Println("   Not in the documents. The nearest place:")
		if len(rep.Nearest) > 0 {
			fmt.Printf("   %s\n", dim(strings.Join(append([]string{rep.Nearest[0].Key}, rep.Nearest[0].Breadcrumb...), " > ")))
		}
		return nil
	}
	printAnswer(rep)
	return nil
}

// next says what to type next.
func next(c workers.Config, keep bool) {
	fmt.Println("\nNext, with your own documents:")
	if keep {
		fmt.Printf("  go run ./workers/fingerpost up --data %s     # these documents again\n", c.Data)
	}
	fmt.Println("  go run ./workers/fingerpost up                  # the whole system; it prints addresses and keys")
	fmt.Println("  go run ./workers/fingerpost put YOUR.md         # or aws s3 cp, mc cp, any S3 client")
	fmt.Println("  go run ./workers/fingerpost find \"your question\"")
}
