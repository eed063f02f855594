package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/retry"
)

// putter uploads files and waits for them.
type putter struct {
	client
	bucket, prefix, name, endpoint, wait string
	timeout                              time.Duration
}

func putCommand() *cobra.Command {
	var p putter
	cmd := &cobra.Command{
		Use: "put PATH...", Short: "Upload files or folders (- is standard input)", Args: cobra.MinimumNArgs(1),
		Example: "  fingerpost put AMD.md --prefix 10k --wait words\n  cat notes.md | fingerpost put - --name notes.md",
	}
	p.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&p.bucket, "bucket", "documents", "bucket")
	f.StringVar(&p.prefix, "prefix", "", "put before each key, with a slash between")
	f.StringVar(&p.name, "name", "", "key for standard input")
	f.StringVar(&p.endpoint, "s3", "", "another S3 store, with keys from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	f.StringVar(&p.wait, "wait", "", "wait until the documents are found: words, sections or full")
	f.DurationVar(&p.timeout, "timeout", 10*time.Minute, "longest wait")
	cmd.RunE = p.run(p.do)
	return cmd
}

// upload is a file on its way: its key, what it is read from, and, once it is put, its version.
type upload struct {
	key, file string
	version   doc.Version
}

func (p *putter) do(ctx context.Context, args []string) error {
	if p.wait != "" && p.wait != "words" && p.wait != "sections" && p.wait != "full" {
		return usage(fmt.Errorf("--wait %q: want words, sections or full", p.wait))
	}
	store, err := p.store(p.endpoint)
	if err != nil {
		return err
	}
	ups, err := p.uploads(args)
	if err != nil {
		return usage(err)
	}
	if err := p.mapped(ctx, ups); err != nil {
		return usage(err)
	}
	bar := newProgress("uploaded", len(ups))
	for i := range ups {
		if err := p.one(ctx, store, &ups[i]); err != nil {
			return err
		}
		if !p.json {
			bar.at(i+1, "")
		}
	}
	if p.wait == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	return p.await(ctx, ups)
}

// mapped refuses keys that no source of the tenant reads: they would be stored and never found. A system that does not say
// what it reads is believed.
func (p *putter) mapped(ctx context.Context, ups []upload) error {
	ctx, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	var rep api.StatusReply
	if err := p.call(ctx, api.Status, struct{}{}, &rep); err != nil || len(rep.Sources) == 0 {
		return nil
	}
	var places []string
	for _, s := range rep.Sources {
		places = append(places, s.Bucket+"/"+s.Prefix)
	}
	for _, u := range ups {
		in := func(s api.Place) bool { return s.Bucket == p.bucket && strings.HasPrefix(u.key, s.Prefix) }
		if !slices.ContainsFunc(rep.Sources, in) {
			return fmt.Errorf("put %s/%s: no source maps it, so it would never be found; tenant %s reads %s (add it to `sources` of fingerpost.yaml, or put it there)",
				p.bucket, u.key, p.tenant, strings.Join(places, ", "))
		}
	}
	return nil
}

// uploads lists files and the files of folders, with their keys.
func (p *putter) uploads(args []string) (ups []upload, err error) {
	for _, a := range args {
		if a == "-" {
			if p.name == "" {
				return nil, errors.New("standard input needs a key: --name notes.md")
			}
			ups = append(ups, upload{key: p.key(p.name), file: "-"})
			continue
		}
		err := filepath.WalkDir(a, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !d.Type().IsRegular() {
				return err
			}
			rel, err := filepath.Rel(filepath.Dir(filepath.Clean(a)), file)
			if rel == "" || err != nil {
				return err
			}
			if st, serr := os.Stat(a); serr == nil && st.IsDir() {
				rel, err = filepath.Rel(a, file)
			}
			ups = append(ups, upload{key: p.key(filepath.ToSlash(rel)), file: file})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return ups, nil
}

func (p *putter) key(name string) string { return path.Join(p.prefix, strings.TrimPrefix(name, "/")) }

// one uploads a file. An unanswered PUT is repeated: it is the same object.
func (p *putter) one(ctx context.Context, store blob.Store, u *upload) error {
	r, size := io.ReadCloser(os.Stdin), int64(-1)
	if u.file != "-" {
		f, err := os.Open(u.file)
		if err != nil {
			return err
		}
		defer f.Close()
		st, err := f.Stat()
		if err != nil {
			return err
		}
		r, size = f, st.Size()
	}
	put := func() error {
		if f, ok := r.(*os.File); ok && u.file != "-" {
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				return err
			}
		}
		h := sha256.New()
		_, err := store.Put(ctx, p.bucket, u.key, io.TeeReader(r, h), size, blob.PutOptions{ContentType: contentType(u.key)})
		u.version = doc.Version(hex.EncodeToString(h.Sum(nil)))
		return err
	}
	err := retry.Do(ctx, retry.Client, put)
	if err != nil {
		return fmt.Errorf("put %s/%s: %w", p.bucket, u.key, err)
	}
	return nil
}

func contentType(key string) string {
	switch strings.ToLower(path.Ext(key)) {
	case ".md", ".markdown":
		return "text/markdown; charset=utf-8"
	case ".txt":
		return "text/plain; charset=utf-8"
	case ".pdf":
		return "application/pdf"
	}
	return "application/octet-stream"
}

// await asks until every upload has ended: at the level, skipped, or failed.
func (p *putter) await(ctx context.Context, ups []upload) error {
	open := map[string]doc.Version{}
	for _, u := range ups {
		open[u.key] = u.version
	}
	bar := newProgress("ready", len(ups))
	var bad []string
	for tick := time.NewTicker(50 * time.Millisecond); len(open) > 0; {
		docs, err := p.ended(ctx, open)
		if err != nil {
			return p.timedOut(ctx, err, open)
		}
		for _, d := range docs {
			delete(open, d.Key)
			if p.json {
				_ = printJSON(d)
			}
			if d.State != doc.Indexed {
				bad = append(bad, fmt.Sprintf("%s: %s, %s: %s", d.Key, d.State, d.Class, d.Reason))
			}
		}
		if !p.json {
			bar.at(len(ups)-len(open), "at "+p.wait)
		}
		select {
		case <-ctx.Done():
			return p.timedOut(ctx, ctx.Err(), open)
		case <-tick.C:
		}
	}
	if len(bad) > 0 {
		return errors.New(strings.Join(bad, "\n            "))
	}
	return nil
}

func (p *putter) timedOut(ctx context.Context, err error, open map[string]doc.Version) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return coded{fmt.Errorf("after %s %d documents are still on their way; `fingerpost documents --state pending` lists them", p.timeout, len(open)), 4}
	}
	return err
}

// ended is the open documents that are at the level wanted, skipped or failed.
func (p *putter) ended(ctx context.Context, open map[string]doc.Version) (out []api.Document, err error) {
	err = p.documents(ctx, api.DocumentsRequest{Prefix: p.prefix, Limit: api.MaxPage}, func(d api.Document) error {
		done := d.State == doc.Skipped || d.State == doc.Failed || d.State == doc.Indexed && d.Level.AtLeast(doc.Level(p.wait))
		// A version that is not read (too large, excluded) is not known by its hash.
		same := open[d.Key] == d.Version || d.Class == doc.TooLarge || d.Class == doc.Excluded
		if _, waits := open[d.Key]; waits && same && d.Bucket == p.bucket && done {
			out = append(out, d)
		}
		return nil
	})
	return out, err
}

// documents calls f with every document of the request's pages.
func (c *client) documents(ctx context.Context, req api.DocumentsRequest, f func(api.Document) error) error {
	for {
		var rep api.DocumentsReply
		if err := c.call(ctx, api.Documents, req, &rep); err != nil {
			return err
		}
		for _, d := range rep.Documents {
			if err := f(d); err != nil {
				return err
			}
		}
		if rep.Next == "" {
			return nil
		}
		req.Cursor = rep.Next
	}
}
