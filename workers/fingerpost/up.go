package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/workers"
	"github.com/fingerpost/fingerpost/workers/gateway"
)

// settings are the flags that change the configuration; flags win over environment over file.
type settings struct {
	file string
	set  workers.Config
}

func (s *settings) flags(cmd *cobra.Command) {
	d := workers.Defaults()
	f := cmd.Flags()
	f.StringVar(&s.file, "config", "fingerpost.yaml", "configuration file")
	f.StringVar(&s.set.Data, "data", d.Data, "data folder")
	f.StringVar(&s.set.S3, "s3", d.S3, "address of the S3 gateway; port 0 picks a free one")
	f.StringVar(&s.set.NATS, "nats", d.NATS, "address of the NATS server; port 0 picks a free one")
	f.StringVar(&s.set.HTTP, "http", d.HTTP, "address of health and the status page; port 0 picks a free one")
	f.StringVar(&s.set.Embedder, "embedder", d.Embedder, "auto, builtin or none; fixed when the index is first built")
	f.IntVar(&s.set.Workers, "workers", 0, "embedding workers (default one a core)")
	f.StringVar(&s.set.LogLevel, "log-level", d.LogLevel, "debug, info, warn or error")
	f.StringVar(&s.set.OTLP, "otlp", "", "URL of a collector of traces, OTLP over HTTP (default: none)")
	f.BoolVar(&s.set.Pprof, "pprof", false, "serve profiles under /debug/pprof/")
}

// load is the effective configuration.
func (s *settings) load(cmd *cobra.Command) (workers.Config, error) {
	c := workers.Defaults()
	if err := c.Load(s.file, cmd.Flags().Changed("config")); err != nil {
		return c, usage(err)
	}
	for name, set := range map[string]func(){
		"data": func() { c.Data = s.set.Data }, "s3": func() { c.S3 = s.set.S3 }, "nats": func() { c.NATS = s.set.NATS },
		"http": func() { c.HTTP = s.set.HTTP }, "embedder": func() { c.Embedder = s.set.Embedder },
		"workers": func() { c.Workers = s.set.Workers }, "log-level": func() { c.LogLevel = s.set.LogLevel }, "otlp": func() { c.OTLP = s.set.OTLP }, "pprof": func() { c.Pprof = s.set.Pprof },
	} {
		if cmd.Flags().Changed(name) {
			set()
		}
	}
	return c, usage(c.Check())
}

func upCommand() *cobra.Command {
	var s settings
	var names []string
	cmd := &cobra.Command{
		Use: "up", Short: "Run the whole system in this process", Args: cobra.NoArgs,
		Long: "Runs NATS with JetStream, an S3 gateway, the index and all workers in this process. Nothing listens beyond\nloopback unless told. Ctrl-C drains; after a kill a new start goes on where it stopped.",
	}
	s.flags(cmd)
	cmd.Flags().StringSliceVar(&names, "roles", nil, "only these workers (others join with `fingerpost worker`)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := s.load(cmd)
		if err != nil {
			return err
		}
		roles, err := workers.ParseRoles(names)
		if err != nil {
			return usage(err)
		}
		log, err := logger(c.LogLevel)
		if err != nil {
			return usage(err)
		}
		return up(cmd.Context(), c, log, func(sys *workers.System) { banner(sys) }, roles...)
	}
	return cmd
}

// workerCommand runs roles in a process of their own.
func workerCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use: "worker ROLE...", Short: "Run one role, or some, in this process: intake, parse, chunk, embed, index, query, reconcile", Args: cobra.MinimumNArgs(1),
		Long: "Works with the servers of the configuration (servers.nats, servers.s3, servers.weaviate). Without them it joins the\n" +
			"`fingerpost up` that runs on the data folder, for the roles intake, parse, chunk and embed.",
	}
	s.flags(cmd)
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		c, err := s.load(cmd)
		if err != nil {
			return err
		}
		roles, err := workers.ParseRoles(names)
		if err != nil {
			return usage(err)
		}
		if len(c.Servers.NATS.URLs) == 0 {
			if err := c.Join(); err != nil {
				return err
			}
		}
		log, err := logger(c.LogLevel)
		if err != nil {
			return usage(err)
		}
		return up(cmd.Context(), c, log, func(*workers.System) { fmt.Println("ready:", strings.Join(names, ", ")) }, roles...)
	}
	return cmd
}

// logger writes JSON lines to standard error.
func logger(level string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("log level %q: want debug, info, warn or error", level)
	}
	return slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: l})), nil
}

// up opens, serves until ctx ends, and drains. started is called when questions are answered.
func up(ctx context.Context, c workers.Config, log *slog.Logger, started func(*workers.System), roles ...workers.Role) (err error) {
	sys, err := workers.Open(ctx, c, workers.Own{}, log, roles...)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := sys.Close(); err == nil {
			err = cerr
		}
	}()
	page, err := gateway.Listen(c.HTTP, sys.Health, sys.Live, sys.Routes()...)
	if err != nil {
		return err
	}
	defer page.Close()
	if err := sys.SetHTTP(page.Addr()); err != nil {
		return err
	}
	ready := make(chan struct{})
	go func() {
		select {
		case <-ready:
			started(sys)
		case <-ctx.Done():
		}
	}()
	return sys.Run(ctx, ready)
}

// banner says where everything listens and what to type next.
func banner(sys *workers.System) {
	c, a := sys.Config, sys.Addresses
	t := c.Tenants()[0]
	fmt.Printf(`Fingerpost %s is up.  data folder %s

  S3     http://%s   access key %s   secret key %s
  NATS   nats://%s   credentials %s
  page   http://%s
  operator credentials (nats micro, fingerpost.admin.*): %s

  Buckets: %s

  export AWS_ACCESS_KEY_ID=%s AWS_SECRET_ACCESS_KEY=%s AWS_DEFAULT_REGION=us-east-1
  aws --endpoint-url http://%s s3 cp FILE.md s3://%s/FILE.md
  fingerpost put FILE.md%s
  fingerpost find%s "..."
  nats --server nats://%s --creds %s req fingerpost.%s.find '{"question":"..."}'

Ctrl-C stops it; nothing is lost.
`, workers.Version, c.Data, a.S3, sys.Keys.AccessKey, sys.Keys.SecretKey, a.NATS, workers.CredsFile(c.Data, t), a.HTTP,
		workers.CredsFile(c.Data, doc.Tenant("operator")), strings.Join(buckets(c), ", "), sys.Keys.AccessKey, sys.Keys.SecretKey,
		a.S3, c.Sources[0].Bucket, dataFlag(c), dataFlag(c), a.NATS, workers.CredsFile(c.Data, t), t)
}

func buckets(c workers.Config) (names []string) {
	for _, s := range c.Sources {
		names = append(names, fmt.Sprintf("%s/%s (tenant %s)", s.Bucket, s.Prefix, s.Tenant))
	}
	return names
}

// dataFlag is what a client command needs to find a system that is not in the default folder.
func dataFlag(c workers.Config) string {
	if c.Data == workers.Defaults().Data {
		return ""
	}
	return " --data " + c.Data
}

func configCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{Use: "config", Short: "Print the effective configuration (no secrets)", Args: cobra.NoArgs}
	s.flags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := s.load(cmd)
		if err != nil {
			return err
		}
		fmt.Print(c.YAML())
		return nil
	}
	cmd.AddCommand(configCheck())
	return cmd
}

func configCheck() *cobra.Command {
	var s settings
	cmd := &cobra.Command{Use: "check", Short: "Say whether the configuration is sound; exit code 2: it is not", Args: cobra.NoArgs}
	s.flags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := s.load(cmd)
		if err != nil {
			return err
		}
		fmt.Printf("the configuration is sound; sources: %d, data folder: %s\n", len(c.Sources), c.Data)
		return nil
	}
	return cmd
}

func versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: cobra.NoArgs, Run: func(*cobra.Command, []string) {
		fmt.Println("fingerpost", workers.Version)
	}}
}
