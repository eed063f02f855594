// Package workers is the program: its settings, from settings to clients, and the way of a document on one page.
package workers

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector/sqlite"
)

// Config is every setting. All stand in fingerpost.yaml; addresses, folders, embedder, workers, log level and servers may
// be given as FINGERPOST_<NAME> as well, the ones people change most as flags. Flags win over environment over file.
type Config struct {
	Data     string   `yaml:"data"`     // folder of everything we keep; absolute
	S3       string   `yaml:"s3"`       // host:port of the embedded gateway; port 0 picks a free one
	NATS     string   `yaml:"nats"`     // host:port of the embedded NATS server
	HTTP     string   `yaml:"http"`     // host:port of health and the status page
	Embedder string   `yaml:"embedder"` // auto, builtin, ollama, openai or none; fixed with the build
	LLM      string   `yaml:"llm"`      // who writes answers: none (code alone), ollama or openai; its server and model stand in servers
	Chunk    Chunk    `yaml:"chunk"`    // sizes of what is searched; fixed with the build
	Workers  int      `yaml:"workers"`  // embedding workers; 0: one a core
	Sources  []Source `yaml:"sources"`
	// Router and Rerank let a language model (llm names it) help to read questions and look at the first places again:
	// rules or llm; none, llm, or the address of a cross-encoder ("http://host:8080/rerank").
	Router  string  `yaml:"router"`
	Rerank  string  `yaml:"rerank"`
	Servers Servers `yaml:"servers"` // real servers instead of the embedded ones
	// Pdftotext is poppler's program of that name, asked for PDFs whose text our own reader cannot make sense of; "" asks nobody.
	Pdftotext string  `yaml:"pdftotext"`
	Limits    Limits  `yaml:"limits"`
	LogLevel  string  `yaml:"log_level"` // debug, info, warn, error
	OTLP      string  `yaml:"otlp"`      // URL of a collector of traces (OTLP over HTTP); "" is what OTEL_EXPORTER_OTLP_ENDPOINT names, or none
	Pprof     bool    `yaml:"pprof"`     // profiles under /debug/pprof/ of the HTTP listener
	Reindex   Reindex `yaml:"reindex"`
	// Grace is how long work in hand may go on after a stop, before it is handed back.
	Grace time.Duration `yaml:"grace"`
	// Lease is how long a job of a worker that died or stalled waits before another one takes it.
	Lease time.Duration `yaml:"lease"`
	// StuckAfter is how long messages may wait without any delivery before their consumer is made anew; longer than
	// the longest job.
	StuckAfter time.Duration `yaml:"stuck_after"`
	// ReconcileEvery is the time between two walks of the buckets; 0 walks at start and on demand only.
	ReconcileEvery time.Duration `yaml:"reconcile_every"`
}

// Source maps a bucket, or a prefix in it, to a tenant.
type Source struct {
	Bucket   string   `yaml:"bucket"`
	Prefix   string   `yaml:"prefix"`
	Tenant   string   `yaml:"tenant"`
	Language string   `yaml:"language"` // en, de, ru; "" is detected
	Exclude  []string `yaml:"exclude"`  // beginnings or ends of keys that are skipped
	// Vocabulary and Aliases are files that add to what the program knows: where things live, and how owners are called.
	// They serve all questions of the tenant.
	Vocabulary string `yaml:"vocabulary"`
	Aliases    string `yaml:"aliases"`
	Events     string `yaml:"events"` // how the store writes its events, when the bytes do not tell
}

// Chunk is the sizes that text is cut by. A change of them needs a re-index.
type Chunk struct {
	Target int `yaml:"target"` // tokens of a dense chunk, 0 is 190
	Window int `yaml:"window"` // characters of a lexical window, 0 is 4,000
}

// Reindex says how a new build is made beside the live one.
type Reindex struct {
	Keep   time.Duration `yaml:"keep"`   // how long the build before the live one is kept for the way back; 0: until it is dropped
	Slow   time.Duration `yaml:"slow"`   // p95 of questions above which a re-index gives way
	Window int           `yaml:"window"` // documents that it may have under way at once
	Lease  time.Duration `yaml:"lease"`  // after which another process goes on with it
	// Schedule begins one by itself: a cron pattern of five fields in UTC, or @weekly and its like; "" is never. Its build is
	// promoted when PromoteIf holds ("audit ok"); "": never.
	Schedule  string `yaml:"schedule"`
	PromoteIf string `yaml:"promote_if"`
}

// Limits bound what one object, request or index may take.
type Limits struct {
	ObjectBytes  int64         `yaml:"object_bytes"`  // a file takes up to 25 times its size in memory while it is read
	IndexEntries int           `yaml:"index_entries"` // of the embedded index, over all kinds, held in memory
	Concurrent   int           `yaml:"concurrent"`    // requests of a tenant at once
	Deadline     time.Duration `yaml:"deadline"`      // of a request
	StreamBytes  int64         `yaml:"stream_bytes"`  // of each of the twelve streams; the disk must have room for all
	BulkOver     int           `yaml:"bulk_over"`     // waiting jobs from which new ones go to the bulk lane
	GoneShare    float64       `yaml:"gone_share"`    // of a source's documents (0..1) that one walk may remove unasked
}

// Defaults is the configuration of a laptop: one tenant, one bucket, loopback only.
func Defaults() Config {
	return Config{
		Data: defaultData(), S3: "127.0.0.1:9000", NATS: "127.0.0.1:4222", HTTP: "127.0.0.1:8080",
		Embedder: "auto", LLM: "none", LogLevel: "info", Grace: 10 * time.Second, Lease: 30 * time.Second, StuckAfter: 30 * time.Minute, ReconcileEvery: 10 * time.Minute,
		Sources: []Source{{Bucket: "documents", Tenant: "default"}},
		Reindex: Reindex{Keep: 7 * 24 * time.Hour, Slow: 250 * time.Millisecond, Window: 16, Lease: 5 * time.Second, PromoteIf: "audit ok"},
		Limits: Limits{ObjectBytes: 64 << 20, IndexEntries: sqlite.DefaultMaxEntries, Concurrent: 32, Deadline: 30 * time.Second,
			StreamBytes: 64 << 20, BulkOver: 1000, GoneShare: .2},
	}
}

// defaultData is the user's data folder, by the conventions of the system.
func defaultData() string {
	if d := os.Getenv("XDG_DATA_HOME"); d != "" {
		return filepath.Join(d, "fingerpost")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "fingerpost-data"
	}
	return filepath.Join(home, ".local", "share", "fingerpost")
}

// Load reads the file (a missing one is no error unless it was named) and then the environment into c.
func (c *Config) Load(file string, named bool) error {
	b, err := os.ReadFile(file)
	if err != nil && (named || !errors.Is(err, os.ErrNotExist)) {
		return fmt.Errorf("configuration %s: %w", file, err)
	}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(c); err != nil && len(bytes.TrimSpace(b)) > 0 {
		return fmt.Errorf("configuration %s: %w", file, err)
	}
	return c.environment(os.LookupEnv)
}

// environment lets FINGERPOST_DATA and its like win over the file.
func (c *Config) environment(lookup func(string) (string, bool)) error {
	for name, p := range map[string]*string{"DATA": &c.Data, "S3": &c.S3, "NATS": &c.NATS, "HTTP": &c.HTTP,
		"EMBEDDER": &c.Embedder, "LLM": &c.LLM, "LOG_LEVEL": &c.LogLevel, "OTLP": &c.OTLP, "PDFTOTEXT": &c.Pdftotext,
		"REINDEX_SCHEDULE": &c.Reindex.Schedule, "REINDEX_PROMOTE_IF": &c.Reindex.PromoteIf} {
		if v, ok := lookup("FINGERPOST_" + name); ok {
			*p = v
		}
	}
	if v, ok := lookup("FINGERPOST_WORKERS"); ok {
		n, err := strconv.Atoi(v)
		if err != nil {
			return fmt.Errorf("FINGERPOST_WORKERS is %q, not a number", v)
		}
		c.Workers = n
	}
	if v, ok := lookup("FINGERPOST_PPROF"); ok {
		on, err := strconv.ParseBool(v)
		if err != nil {
			return fmt.Errorf("FINGERPOST_PPROF is %q; it may be true or false", v)
		}
		c.Pprof = on
	}
	return c.Servers.environment(lookup)
}

// Check completes c and says what is wrong with it.
func (c *Config) Check() error {
	abs, err := filepath.Abs(c.Data)
	if err != nil {
		return fmt.Errorf("data folder %q: %w", c.Data, err)
	}
	c.Data = abs
	if c.Pdftotext != "" {
		if _, err := exec.LookPath(c.Pdftotext); err != nil {
			return fmt.Errorf("pdftotext: %w", err)
		}
	}
	if err := c.checkModels(); err != nil {
		return err
	}
	if c.Workers < 0 {
		return fmt.Errorf("workers is %d; it may be 0 (one a core but one) or more", c.Workers)
	}
	if c.OTLP != "" && !strings.HasPrefix(c.OTLP, "http://") && !strings.HasPrefix(c.OTLP, "https://") {
		return fmt.Errorf("otlp %q: want http://host:port or https://host:port", c.OTLP)
	}
	if len(c.Sources) == 0 {
		return errors.New("no sources: name at least one bucket and its tenant")
	}
	seen := map[string]bool{}
	for i := range c.Sources {
		s := &c.Sources[i]
		if err := s.check(); err != nil {
			return err
		}
		if place := s.Bucket + "/" + s.Prefix; seen[place] {
			return fmt.Errorf("source %s is named twice: an object belongs to one tenant", place)
		} else {
			seen[place] = true
		}
	}
	return c.checkTimes()
}

// checkModels refuses models that are not known, or whose server is not named.
func (c *Config) checkModels() error {
	o, v := c.Servers.Ollama, c.Servers.OpenAI
	switch {
	case !slices.Contains([]string{"auto", "builtin", "ollama", "openai", "none"}, c.Embedder):
		return fmt.Errorf("embedder %q is not known; it may be auto, builtin, ollama, openai or none", c.Embedder)
	case c.Embedder == "openai" && (v.URL == "" || v.Model == ""):
		return errors.New("embedder openai needs servers.openai.url and servers.openai.model")
	case !slices.Contains([]string{"", "none", "ollama", "openai"}, c.LLM):
		return fmt.Errorf("llm %q is not known; it may be none, ollama or openai", c.LLM)
	case !slices.Contains([]string{"", "rules", "llm"}, c.Router):
		return fmt.Errorf("router %q is not known; it may be rules or llm", c.Router)
	case !slices.Contains([]string{"", "none", "llm"}, c.Rerank) && !strings.HasPrefix(c.Rerank, "http://") && !strings.HasPrefix(c.Rerank, "https://"):
		return fmt.Errorf("rerank %q is not known; it may be none, llm or the http address of a cross-encoder", c.Rerank)
	case (c.Router == "llm" || c.Rerank == "llm") && (c.LLM == "" || c.LLM == "none"):
		return errors.New("router or rerank is llm, and no llm is set")
	case c.LLM == "ollama" && (o.URL == "" || o.Chat == ""):
		return errors.New("llm ollama needs servers.ollama.url and servers.ollama.chat, the model that writes")
	case c.LLM == "openai" && (v.URL == "" || v.Chat == ""):
		return errors.New("llm openai needs servers.openai.url and servers.openai.chat, the model that writes")
	}
	return nil
}

// checkTimes refuses times that would work against one another.
func (c *Config) checkTimes() error {
	switch {
	case c.Lease <= 0:
		return fmt.Errorf("lease is %s; it must be more than 0", c.Lease)
	case c.Grace > c.Lease*2/3:
		return fmt.Errorf("grace is %s; with a lease of %s it may be at most %s, or another worker takes what is being finished", c.Grace, c.Lease, c.Lease*2/3)
	case c.Reindex.Lease <= 0 || c.Reindex.Window <= 0 || c.Reindex.Slow <= 0 || c.Reindex.Keep < 0:
		return fmt.Errorf("reindex: lease, window and slow must be more than 0, keep at least 0")
	case c.Reindex.plan().Check() != nil:
		return fmt.Errorf("reindex: %w", c.Reindex.plan().Check())
	case c.StuckAfter <= 0:
		return fmt.Errorf("stuck_after is %s; it must be more than 0", c.StuckAfter)
	}
	return nil
}

// Where is the bucket and the prefix in it.
func (s Source) Where() (bucket, prefix string) { return s.Bucket, s.Prefix }

func (s *Source) check() error {
	switch {
	case s.Bucket == "" || strings.Contains(s.Bucket, "/"):
		return fmt.Errorf("source: %q is no bucket name", s.Bucket)
	case s.Bucket == artefact.Bucket:
		return fmt.Errorf("source: bucket %s holds our own artefacts and cannot be a source", s.Bucket)
	case !doc.Tenant(s.Tenant).Valid():
		return fmt.Errorf("source %s: tenant %q may have 1 to 32 of a-z, 0-9, '-' and '_'", s.Bucket, s.Tenant)
	}
	return s.checkWords()
}

// Tenants is every tenant of the sources, in order of first mention.
func (c *Config) Tenants() []doc.Tenant {
	var out []doc.Tenant
	seen := map[string]bool{}
	for _, s := range c.Sources {
		if !seen[s.Tenant] {
			seen[s.Tenant] = true
			out = append(out, doc.Tenant(s.Tenant))
		}
	}
	return out
}

// YAML is the effective configuration without secrets.
func (c Config) YAML() string {
	c.Servers = c.Servers.redacted()
	b, err := yaml.Marshal(c)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
