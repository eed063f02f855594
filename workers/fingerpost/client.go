package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/s3"
	"github.com/fingerpost/fingerpost/pkg/bus"
	busnats "github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/workers"
)

// client is how a command reaches a running system: by its data folder, or by address and credentials.
type client struct {
	data, server, creds string
	tenant              string
	json                bool

	bus bus.Bus
	up  workers.Addresses
}

// flags adds the flags of every client command.
func (c *client) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.data, "data", "", "data folder of a running system (default: that of fingerpost.yaml, FINGERPOST_DATA, or the user's data folder)")
	f.StringVar(&c.server, "server", "", "NATS address instead of a data folder: nats://host:port")
	f.StringVar(&c.creds, "creds", "", "credentials file for --server")
	f.StringVar(&c.tenant, "tenant", "default", "tenant to ask for")
	f.BoolVar(&c.json, "json", false, "print JSON")
}

// connectWithin is how long a command waits for a system that does not answer.
const connectWithin = 3 * time.Second

// open connects.
func (c *client) open(ctx context.Context) error { return c.openAs(ctx, c.tenant) }

// openAs connects with the credentials of that name in the data folder.
func (c *client) openAs(ctx context.Context, who string) error {
	o := busnats.Options{URLs: []string{c.server}, CredsFile: c.creds, Name: "fingerpost cli"}
	if c.server == "" {
		if c.data == "" {
			conf := workers.Defaults()
			if err := conf.Load("fingerpost.yaml", false); err != nil {
				return usage(err)
			}
			c.data = conf.Data
		}
		var err error
		if c.up, err = workers.ReadAddresses(c.data); err != nil {
			return err
		}
		o.URLs = []string{"nats://" + c.up.NATS}
		if o.CredsFile == "" {
			o.CredsFile = workers.CredsFile(c.data, doc.Tenant(who))
			if _, err := os.Stat(o.CredsFile); errors.Is(err, os.ErrNotExist) {
				return usage(fmt.Errorf("the running system knows no tenant %q (there is no %s); its tenants stand in `sources` of fingerpost.yaml", who, o.CredsFile))
			}
		}
	}
	dial, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	b, err := busnats.Connect(dial, o)
	if err != nil {
		return fmt.Errorf("%w; is `fingerpost up` running?", err)
	}
	c.bus = b
	return nil
}

func (c *client) close() {
	if c.bus != nil {
		_ = c.bus.Close()
	}
}

// call asks a verb and reads the reply into rep.
func (c *client) call(ctx context.Context, v api.Verb, req, rep any) error {
	b, err := json.Marshal(req)
	if err != nil {
		return err
	}
	out, err := c.bus.Request(ctx, api.Subject(doc.Tenant(c.tenant), v), b)
	if se, ok := errors.AsType[*bus.ServiceError](err); ok {
		return coded{fmt.Errorf("%s: %s", v, se.Message), map[int]int{400: 2, 404: 3, 410: 3}[se.Code]}.orOne()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", v, err)
	}
	if err := json.Unmarshal(out, rep); err != nil {
		return fmt.Errorf("%s: reply: %w", v, err)
	}
	return nil
}

func (c coded) orOne() error {
	if c.code == 0 {
		c.code = 1
	}
	return c
}

// store opens the S3 gateway of the data folder, or the store that the AWS environment names.
func (c *client) store(endpoint string) (blob.Store, error) {
	if endpoint != "" {
		return s3.New(s3.Config{Endpoint: endpoint, AccessKey: os.Getenv("AWS_ACCESS_KEY_ID"), SecretKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
			SessionToken: os.Getenv("AWS_SESSION_TOKEN"), Region: os.Getenv("AWS_REGION")})
	}
	k, err := workers.ReadKeys(c.data)
	if err != nil {
		return nil, err
	}
	return s3.New(s3.Config{Endpoint: c.up.S3, AccessKey: k.AccessKey, SecretKey: k.SecretKey})
}

// printJSON prints v on one line.
func printJSON(v any) error { return writeJSON(os.Stdout, v) }

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// where is the flags by which another command finds the same system and tenant.
func (c *client) where() (flags string) {
	if c.server != "" {
		flags = " --server " + c.server + " --creds " + c.creds
	} else if c.data != workers.Defaults().Data {
		flags = " --data " + c.data
	}
	if c.tenant != "default" {
		flags += " --tenant " + c.tenant
	}
	return flags
}

// run wraps a client command: connect, do, close.
func (c *client) run(f func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return c.runAs("", f)
}

// runAs is run with the credentials of that name; "" is the tenant's.
func (c *client) runAs(who string, f func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if who == "" {
			who = c.tenant
		}
		if err := c.openAs(cmd.Context(), who); err != nil {
			return err
		}
		defer c.close()
		return f(cmd.Context(), args)
	}
}

func clean(path string) string { return filepath.ToSlash(filepath.Clean(path)) }
