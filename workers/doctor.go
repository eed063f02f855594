package workers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/fingerpost/fingerpost/pkg/blob/s3"
	"github.com/fingerpost/fingerpost/pkg/build"
)

// Finding is what doctor says of one part: OK, or what is wrong and what to do.
type Finding struct {
	Part   string `json:"part"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// DoctorOptions say how far doctor goes; the zero value is all the way.
type DoctorOptions struct {
	NoProbe bool          // no document is put into the sources' buckets
	Event   time.Duration // longest wait for the store's event of a PUT; 0: 4 s, a MinIO with a queue on disk takes up to 3
	Within  time.Duration // longest wait for a probe to be found, and to be gone; 0: 30 s
}

// doctor looks at a running system from outside, as a client with our own credentials.
type doctor struct {
	*System
	o        DoctorOptions
	findings []Finding
	live     build.Record // zero when none is recorded
	queues   []s3.Queue   // of the store's targets, before the probes
	rules    bool         // the store has notification rules
}

// Doctor checks every part of the system that c names, each by itself: what cannot be reached is one finding and the rest is
// looked at all the same. Nothing is made or mended; a probe document goes through the whole chain of each source and is taken
// back. An error means that the settings are wrong.
func Doctor(ctx context.Context, c Config, o DoctorOptions, log *slog.Logger) ([]Finding, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if len(c.Servers.NATS.URLs) == 0 || c.Servers.S3.Endpoint == "" {
		return nil, errors.New("doctor: no running system is named: servers.nats.urls and servers.s3.endpoint, or a data folder in which `up` runs")
	}
	if o.Event <= 0 {
		o.Event = 4 * time.Second
	}
	if o.Within <= 0 {
		o.Within = 30 * time.Second
	}
	d := &doctor{System: &System{Config: c, Log: log}, o: o}
	defer d.Close()
	messages, objects := d.messages(ctx), d.objects(ctx)
	if messages {
		d.lookAtMessages(ctx)
	}
	if objects {
		d.lookAtObjects(ctx, messages)
	}
	d.models(ctx, messages)
	d.index(ctx)
	if messages && objects && !o.NoProbe {
		d.probes(ctx)
	}
	if objects {
		d.queuesAfter(ctx)
	}
	return d.findings, nil
}

// say notes a finding.
func (d *doctor) say(part string, ok bool, format string, args ...any) {
	d.findings = append(d.findings, Finding{part, ok, fmt.Sprintf(format, args...)})
}

// fail notes an error with what to do about it.
func (d *doctor) fail(part string, err error) { d.say(part, false, "%v", advised(err)) }
