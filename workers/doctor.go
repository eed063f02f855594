package workers

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/embedding/minilm"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// Finding is what doctor says of one part: OK, or what is wrong and what to do.
type Finding struct {
	Part   string `json:"part"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// doctor looks at a running system from outside, as a client with our own credentials.
type doctor struct {
	*System
	findings []Finding
}

// Doctor checks every part of the system that c names, with a probe document through the whole chain of each source. An
// error means that it could not even begin.
func Doctor(ctx context.Context, c Config, log *slog.Logger) ([]Finding, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	s := &System{Config: c, Log: log}
	defer s.Close()
	for _, step := range []func(context.Context, Own) error{s.openBus, s.openObjects} { // clients only: nothing is made
		if err := step(ctx, Own{}); err != nil {
			return nil, err
		}
	}
	d := &doctor{System: s}
	for _, check := range []func(context.Context){d.streams, d.clock, d.buckets, d.kernels, d.lists, d.probes} {
		check(ctx)
	}
	return d.findings, nil
}

func (d *doctor) say(part string, ok bool, format string, args ...any) {
	d.findings = append(d.findings, Finding{part, ok, fmt.Sprintf(format, args...)})
}

// streams looks for streams that are missing, nearly full, or have waited too long.
func (d *doctor) streams(ctx context.Context) {
	ss, _ := streams(chain(nil, nil, nil, nil, 1, 1, d.Config.Lease), d.Config.Limits.StreamBytes, false)
	for _, s := range ss {
		n, age, err := d.Bus.Backlog(ctx, s.Name)
		switch {
		case err != nil:
			d.say("stream "+s.Name, false, "%v; `up` and `worker` make it at their start: is one running with the same NATS?", err)
		case !s.Limits && s.Name != wire.DeadStream && n > 0 && age > d.Config.StuckAfter:
			d.say("stream "+s.Name, false, "%d messages wait, the oldest for %s; is a worker of this stage running?", n, age.Round(time.Second))
		}
	}
	if len(d.findings) == 0 {
		d.say("streams", true, "%d streams, none stuck", len(ss))
	}
}

// buckets looks at each bucket of the configuration.
func (d *doctor) buckets(ctx context.Context) {
	for _, s := range d.Config.Sources {
		_, err := d.Blobs.Head(ctx, s.Bucket, "fingerpost-doctor-no-such-key")
		switch {
		case errors.Is(err, blob.ErrNotFound):
			d.say("bucket "+s.Bucket, true, "can be read")
		case errors.Is(err, blob.ErrDenied):
			d.say("bucket "+s.Bucket, false, "access denied: the keys need read and list rights on it")
		case errors.Is(err, blob.ErrNoBucket):
			d.say("bucket "+s.Bucket, false, "does not exist; make it, or take it out of `sources`")
		default:
			d.say("bucket "+s.Bucket, false, "%v", err)
		}
	}
}

// skewMost is how far the clocks of store and workers may be apart; times in records would mislead beyond it.
const skewMost = 30 * time.Second

// clock compares the store's clock with ours by an object of the derived bucket.
func (d *doctor) clock(ctx context.Context) {
	const key = "_doctor/clock"
	before := time.Now()
	_, err := d.Blobs.Put(ctx, artefact.Bucket, key, strings.NewReader("."), 1, blob.PutOptions{})
	if err != nil {
		d.say("derived bucket", false, "cannot be written: %v", err)
		return
	}
	defer func() { _ = d.Blobs.Delete(ctx, artefact.Bucket, key) }()
	info, err := d.Blobs.Head(ctx, artefact.Bucket, key)
	if err != nil {
		d.say("derived bucket", false, "cannot be read: %v", err)
		return
	}
	if skew := info.Modified.Sub(before).Abs(); skew > skewMost {
		d.say("clock", false, "the object store's clock is %s away from this machine's; set both by NTP", skew.Round(time.Second))
		return
	}
	d.say("derived bucket", true, "can be written and read; clocks agree")
}

func (d *doctor) kernels(ctx context.Context) {
	builds, err := d.Bus.KV(ctx, wire.BuildsBucket)
	if err == nil {
		d.Build, err = readBuild(ctx, builds, "1")
	}
	if err != nil {
		d.say("build", false, "no build of an index is recorded (%v); start `up` or the index worker once", err)
		return
	}
	if d.Build.Embedder != "builtin" {
		return
	}
	k := minilm.New().Kernels()
	d.say("embedder", k != "generic", "%s with %s kernels%s", d.Build.Vectors.Model, k,
		map[bool]string{true: ": about 25 times slower than with AVX2; use a machine that has it, an Ollama, or --embedder none"}[k == "generic"])
}

// lists says what has failed.
func (d *doctor) lists(ctx context.Context) {
	n, _, err := d.Bus.Backlog(ctx, wire.DeadStream)
	if err == nil {
		d.say("dead letters", n == 0, "%d%s", n, map[bool]string{true: "; `fingerpost dead ls` says why, `dead replay` tries again"}[n > 0])
	}
}

// probeWithin is how long a probe document may take from PUT to found, and from its removal to gone.
const probeWithin = 30 * time.Second

// probes sends a document through the chain of each source and takes it back.
func (d *doctor) probes(ctx context.Context) {
	for _, s := range d.Config.Sources {
		word := "probe" + strings.ToLower(rand.Text()[:12])
		key := s.Prefix + "fingerpost-doctor-" + word + ".md"
		start := time.Now()
		text := "# Probe\n\nThe word of this probe is " + word + ".\n"
		if _, err := d.Blobs.Put(ctx, s.Bucket, key, strings.NewReader(text), int64(len(text)), blob.PutOptions{}); err != nil {
			d.say("probe in "+s.Bucket, false, "cannot be put: %v", err)
			continue
		}
		found := d.until(ctx, s, word, key, true)
		took := time.Since(start).Round(time.Millisecond)
		err := d.Blobs.Delete(context.WithoutCancel(ctx), s.Bucket, key)
		gone := err == nil && d.until(ctx, s, word, key, false)
		switch {
		case !found:
			d.say("probe in "+s.Bucket, false, "was put and not found within %s; does the bucket tell its events, and do all workers run?", probeWithin)
		case !gone:
			d.say("probe in "+s.Bucket, false, "was deleted and is still found after %s (%v)", probeWithin, err)
		default:
			d.say("probe in "+s.Bucket, true, "found %s after it was put, gone after it was deleted", took)
		}
	}
}

// until asks until the probe is found (or not), as the tenant's questions are answered.
func (d *doctor) until(ctx context.Context, s Source, word, key string, want bool) bool {
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	for tick := time.NewTicker(50 * time.Millisecond); ; {
		if d.finds(ctx, s, word, key) == want {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
}

func (d *doctor) finds(ctx context.Context, s Source, word, key string) bool {
	req, err := json.Marshal(api.FindRequest{Question: word, K: 1, Mode: "words"})
	if err != nil {
		return false
	}
	out, err := d.Bus.Request(ctx, "fingerpost."+s.Tenant+"."+string(api.Find), req)
	if _, refused := errors.AsType[*bus.ServiceError](err); err != nil && !refused {
		return false
	}
	var rep api.FindReply
	return json.Unmarshal(out, &rep) == nil && len(rep.Sections) > 0 && rep.Sections[0].Key == key
}
