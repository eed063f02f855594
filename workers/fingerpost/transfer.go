package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/workers"
	"github.com/fingerpost/fingerpost/workers/transfer"
)

// carrier is what export and import have in common: the site, the tenant, and how they speak.
type carrier struct {
	settings
	tenant  string
	all     bool
	json    bool
	timeout time.Duration
	must    bool // the site must be there: none is begun
}

func (c *carrier) flags(cmd *cobra.Command) {
	d := workers.Defaults()
	f := cmd.Flags()
	f.StringVar(&c.file, "config", "fingerpost.yaml", "configuration file of the site")
	f.StringVar(&c.set.Data, "data", d.Data, "data folder")
	f.StringVar(&c.set.Embedder, "embedder", d.Embedder, "embedder of a site that is begun by this import")
	f.StringVar(&c.set.LogLevel, "log-level", "warn", "debug, info, warn or error")
	f.StringVar(&c.tenant, "tenant", "default", "whose documents")
	f.BoolVar(&c.all, "all", false, "the documents of all tenants")
	f.BoolVar(&c.json, "json", false, "print JSON")
	f.DurationVar(&c.timeout, "timeout", 24*time.Hour, "longest time it may take")
}

// absolute is the path of an export, or "-", as it reads whatever folder the site's servers go to when they open.
func absolute(arg string) (string, error) {
	if arg == "-" {
		return arg, nil
	}
	return filepath.Abs(arg)
}

// run opens the site, does the work and closes it: the servers that the configuration names, the `up` that runs on the
// data folder, or, where none runs, the folder itself.
func (c *carrier) run(cmd *cobra.Command, do func(context.Context, *transfer.Worker, doc.Tenant) error) (err error) {
	if c.all && cmd.Flags().Changed("tenant") {
		return usage(errors.New("say --tenant or --all, not both"))
	}
	conf, err := c.load(cmd)
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("log-level") {
		conf.LogLevel = c.set.LogLevel
	}
	log, err := logger(conf.LogLevel)
	if err != nil {
		return usage(err)
	}
	if len(conf.Servers.NATS.URLs) == 0 && conf.Join() != nil {
		if _, err := os.Stat(filepath.Join(conf.Data, "version")); err != nil && c.must {
			return coded{fmt.Errorf("there is no site in the data folder %s", conf.Data), 3}
		}
		conf.NATS, conf.S3 = "127.0.0.1:0", "127.0.0.1:0"
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), c.timeout)
	defer cancel()
	sys, err := workers.Open(ctx, conf, workers.Own{}, log, workers.RoleParse) // a role that needs no index
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sys.Close()) }()
	w, err := sys.Transfer(ctx)
	if err != nil {
		return err
	}
	if !c.json {
		w.Told = func(p transfer.Progress) { fmt.Fprintln(os.Stderr, progressLine(p)) }
	}
	tenant := doc.Tenant(c.tenant)
	if c.all {
		tenant = ""
	}
	err = do(ctx, w, tenant)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
		return coded{fmt.Errorf("%s: not done after %s", cmd.Name(), c.timeout), 4}
	}
	return err
}

func progressLine(p transfer.Progress) string {
	s := fmt.Sprintf("%s: %d documents, %.1f MB", p.Step, p.Documents, float64(p.Bytes)/1e6)
	if p.Done > 0 {
		s += fmt.Sprintf(", %.0f %%", 100*p.Done)
	}
	if p.Left > 0 {
		s += fmt.Sprintf(", about %s left", p.Left)
	}
	return s
}

func exportCommand() *cobra.Command {
	var c carrier
	var force bool
	cmd := &cobra.Command{Use: "export FILE", Short: "Write what was made of the documents into a file, for a new site (- is standard output)", Args: cobra.ExactArgs(1),
		Long: `Writes text, tree, page layout, pictures and vectors of every document that is found into FILE (tar, zstd), which
` + "`fingerpost import`" + ` lays ready at another site. The objects themselves are not in it: copy the bucket. The file holds
the documents' text: keep it as you keep them.

It may run while documents change. Of each it holds one version whole: the one that was found when it was read. Documents
that are pending, skipped or failed are left out and counted; the new site decides about them by their objects.

It joins the servers of the configuration or the ` + "`fingerpost up`" + ` on the data folder, and works on a folder where none runs.
Exit codes: 0 done; 1 it did not work, and no FILE was written; 2 wrong use; 3 there is no document to export; 4 --timeout.`}
	c.flags(cmd)
	cmd.Flags().BoolVar(&force, "force", false, "replace FILE")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		to, err := absolute(args[0])
		if err != nil {
			return err
		}
		if _, err := os.Stat(to); err == nil && !force {
			return usage(fmt.Errorf("%s exists; say --force to replace it", to))
		}
		c.must = true
		return c.run(cmd, func(ctx context.Context, w *transfer.Worker, tenant doc.Tenant) error {
			return c.export(ctx, w, tenant, to)
		})
	}
	return cmd
}

// export writes beside the file and renames, so that no half export has its name.
func (c *carrier) export(ctx context.Context, w *transfer.Worker, tenant doc.Tenant, file string) (err error) {
	out, report := io.Writer(os.Stdout), os.Stderr
	if file != "-" {
		part, err := os.OpenFile(file+".part", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer os.Remove(file + ".part")
		defer part.Close()
		out, report = part, os.Stdout
	}
	x, err := w.Export(ctx, out, tenant)
	if err != nil {
		return err
	}
	if x.Documents == 0 {
		return coded{errors.New("there is no document to export"), 3}
	}
	if part, ok := out.(*os.File); ok && file != "-" {
		if err := errors.Join(part.Sync(), part.Close(), os.Rename(file+".part", file)); err != nil {
			return err
		}
	}
	if c.json {
		return writeJSON(report, x)
	}
	fmt.Fprintf(report, "%d documents in %.1f MB (%.1f MB unpacked) after %s; %d without all vectors, %d of which a newer version was on its way\n", x.Documents,
		float64(x.FileBytes)/1e6, float64(x.Bytes)/1e6, seconds(x.Took), x.Partial, x.Older)
	if n := x.Unfound + x.Moved + x.Lost; n > 0 {
		fmt.Fprintf(report, "left out: %d that are not found (pending, skipped, failed), %d that changed all the while, %d whose artefacts are not whole (see audit)\n", x.Unfound, x.Moved, x.Lost)
	}
	fmt.Fprintf(report, "sha256 %s\n", x.SHA256)
	return nil
}

func importCommand() *cobra.Command {
	var c carrier
	var sum string
	cmd := &cobra.Command{Use: "import FILE", Short: "Lay an export ready: its documents cost no embedding when their objects come (- is standard input)", Args: cobra.ExactArgs(1),
		Long: `Verifies FILE whole, then lays its documents ready in the bucket fingerpost-derived. Nothing is found by that: the site's own
bucket decides. An object of the same tenant, bucket, key and bytes is indexed from what was laid ready, without a model;
one with other bytes is read anew, and only its changed text is embedded; one that is not there is not found. What no object
has claimed after reindex.keep is removed.

Best before the objects are there: import first (also into a folder on which nothing runs), then start the site, or copy
the objects. The site must have the embedder of the export. A FILE that is cut off, damaged, changed, of another model or
of another tenant is refused before anything of it is used. Who can write FILE can write what answers quote: give the
sum that ` + "`export`" + ` printed with --sha256 when it came by a way that you do not trust.

Doing it twice, or once more after it was stopped, is harmless.
Exit codes: 0 done; 1 it did not work, or FILE is refused; 2 wrong use; 4 --timeout.`}
	c.flags(cmd)
	cmd.Flags().StringVar(&sum, "sha256", "", "refuse a FILE with another SHA-256")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		from, err := absolute(args[0])
		if err != nil {
			return err
		}
		return c.run(cmd, func(ctx context.Context, w *transfer.Worker, tenant doc.Tenant) error {
			return c.take(ctx, w, tenant, from, sum)
		})
	}
	return cmd
}

func (c *carrier) take(ctx context.Context, w *transfer.Worker, tenant doc.Tenant, name, sum string) error {
	file, done, err := input(name)
	if err != nil {
		return err
	}
	defer done()
	if err := summed(file, sum); err != nil {
		return err
	}
	x, err := w.Import(ctx, file, tenant)
	if err != nil {
		return err
	}
	if c.json {
		return writeJSON(os.Stdout, x)
	}
	fmt.Printf("%d documents verified in %s: %d laid ready, %d lay there already, %d are found here in that version\n", x.Documents, seconds(x.Took), x.Shelved, x.Already, x.Present)
	return nil
}

// input opens the file; standard input is first copied to a temporary one, for it is read twice.
func input(name string) (file *os.File, done func(), err error) {
	if name != "-" {
		file, err = os.Open(name)
		return file, func() { _ = file.Close() }, err
	}
	if file, err = os.CreateTemp("", "fingerpost-import-"); err != nil {
		return nil, nil, err
	}
	done = func() {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}
	if _, err = io.Copy(file, os.Stdin); err != nil {
		done()
		return nil, nil, fmt.Errorf("standard input: %w", err)
	}
	return file, done, nil
}

// summed refuses a file with another sum than the one given; "" asks for none.
func summed(file io.ReadSeeker, want string) error {
	if want == "" {
		return nil
	}
	h := sha256.New()
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.Copy(h, file); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		return fmt.Errorf("the export is refused: its SHA-256 is %s, not %s", got, want)
	}
	return nil
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond)
}
