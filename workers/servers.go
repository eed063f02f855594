package workers

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/blob/s3"
	busnats "github.com/fingerpost/fingerpost/pkg/bus/nats"
)

// Servers are real servers instead of the embedded ones; the zero value of each is "embedded".
type Servers struct {
	NATS     NATS     `yaml:"nats"`
	S3       S3       `yaml:"s3"`
	Weaviate Weaviate `yaml:"weaviate"`
	Ollama   Ollama   `yaml:"ollama"`
	OpenAI   OpenAI   `yaml:"openai"`
}

// NATS is a NATS server or cluster with JetStream.
type NATS struct {
	URLs     []string `yaml:"urls"`
	Creds    string   `yaml:"creds"` // file
	NKey     string   `yaml:"nkey"`  // file
	User     string   `yaml:"user"`
	Password string   `yaml:"password"`
	Token    string   `yaml:"token"`
	CA       string   `yaml:"ca"` // file, PEM
	Replicas int      `yaml:"replicas"`
}

// S3 is any S3 store.
type S3 struct {
	Endpoint     string `yaml:"endpoint"` // host:port or URL
	AccessKey    string `yaml:"access_key"`
	SecretKey    string `yaml:"secret_key"`
	SessionToken string `yaml:"session_token"`
	Region       string `yaml:"region"`
	Style        string `yaml:"style"`      // path, virtual, or "" by the address
	Encryption   string `yaml:"encryption"` // that our own objects ask for: AES256, aws:kms, aws:kms:<key>, or ""
	// Targets are the ARNs of the store's notification targets that setup puts on each bucket; none: those of
	// deploy/minio/minio.env.
	Targets []string `yaml:"targets"`
	// Listen has the role reconcile listen to the store (MinIO's ListenBucketNotification): events without a target.
	Listen bool `yaml:"listen"`

	joined bool // the gateway of a running `up`, which tells by itself
}

// Weaviate is a Weaviate server or cluster.
type Weaviate struct {
	URL    string `yaml:"url"`  // http://host:port
	GRPC   string `yaml:"grpc"` // host:port; "" asks by REST only
	APIKey string `yaml:"api_key"`
}

// Ollama is an Ollama server with an embedding model, a chat model, or both.
type Ollama struct {
	URL    string `yaml:"url"`    // http://host:port; for embedding several, with commas between them
	Model  string `yaml:"model"`  // embeds
	Chat   string `yaml:"chat"`   // writes answers
	Window int    `yaml:"window"` // tokens that the chat model reads and writes; 0: 8,192, or its own if less
}

// OpenAI is a server of the OpenAI protocol (vLLM, TEI, LM Studio, llama.cpp): with an embedding model, a chat model, or
// both.
type OpenAI struct {
	URL        string `yaml:"url"`        // http://host:port/v1; for embedding several, with commas between them
	Model      string `yaml:"model"`      // embeds
	Revision   string `yaml:"revision"`   // what tells the embedding model from an earlier one of its name
	Dimensions int    `yaml:"dimensions"` // of shorter vectors, of models that can; 0: the model's own
	Limit      int    `yaml:"limit"`      // tokens of an embedded text; 0: what the server tells, or 512
	Chat       string `yaml:"chat"`       // writes answers
	Window     int    `yaml:"window"`     // tokens that the chat model reads and writes; 0: not known
	APIKey     string `yaml:"api_key"`
}

// secrets are the settings that may be given as FINGERPOST_<NAME>, or in a file as FINGERPOST_<NAME>_FILE, and are
// never printed.
func (s *Servers) secrets() map[string]*string {
	return map[string]*string{"NATS_PASSWORD": &s.NATS.Password, "NATS_TOKEN": &s.NATS.Token, "S3_ACCESS_KEY": &s.S3.AccessKey,
		"S3_SECRET_KEY": &s.S3.SecretKey, "S3_SESSION_TOKEN": &s.S3.SessionToken, "WEAVIATE_API_KEY": &s.Weaviate.APIKey,
		"OPENAI_API_KEY": &s.OpenAI.APIKey}
}

// environment lets FINGERPOST_NATS_URL and its like win over the file.
func (s *Servers) environment(lookup func(string) (string, bool)) error {
	for name, p := range map[string]*string{"NATS_CREDS": &s.NATS.Creds, "NATS_USER": &s.NATS.User, "NATS_CA": &s.NATS.CA,
		"S3_ENDPOINT": &s.S3.Endpoint, "S3_REGION": &s.S3.Region, "S3_STYLE": &s.S3.Style, "S3_ENCRYPTION": &s.S3.Encryption, "WEAVIATE_URL": &s.Weaviate.URL, "WEAVIATE_GRPC": &s.Weaviate.GRPC,
		"OLLAMA_URL": &s.Ollama.URL, "OLLAMA_MODEL": &s.Ollama.Model, "OLLAMA_CHAT": &s.Ollama.Chat,
		"OPENAI_URL": &s.OpenAI.URL, "OPENAI_MODEL": &s.OpenAI.Model, "OPENAI_REVISION": &s.OpenAI.Revision, "OPENAI_CHAT": &s.OpenAI.Chat} {
		if v, ok := lookup("FINGERPOST_" + name); ok {
			*p = v
		}
	}
	if v, ok := lookup("FINGERPOST_NATS_URL"); ok {
		s.NATS.URLs = strings.Split(v, ",")
	}
	if v, ok := lookup("FINGERPOST_S3_TARGETS"); ok {
		s.S3.Targets = strings.Split(v, ",")
	}
	if v, ok := lookup("FINGERPOST_S3_LISTEN"); ok {
		on, err := strconv.ParseBool(v)
		if err != nil {
			return fmt.Errorf("FINGERPOST_S3_LISTEN is %q; say true or false", v)
		}
		s.S3.Listen = on
	}
	for name, p := range s.secrets() {
		if v, ok := lookup("FINGERPOST_" + name); ok {
			*p = v
		}
		file, ok := lookup("FINGERPOST_" + name + "_FILE")
		if !ok {
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("FINGERPOST_%s_FILE: %w", name, err)
		}
		*p = strings.TrimSpace(string(b))
	}
	return nil
}

// redacted is a copy without secrets.
func (s Servers) redacted() Servers {
	for _, p := range s.secrets() {
		if *p != "" {
			*p = "(hidden)"
		}
	}
	return s
}

// options are how to reach the NATS server.
func (n NATS) options() busnats.Options {
	return busnats.Options{URLs: n.URLs, CredsFile: n.Creds, NKeyFile: n.NKey, User: n.User, Password: n.Password, Token: n.Token,
		CAFile: n.CA, Replicas: n.Replicas, Name: "fingerpost"}
}

func (c S3) config() s3.Config {
	return s3.Config{Endpoint: c.Endpoint, AccessKey: c.AccessKey, SecretKey: c.SecretKey, SessionToken: c.SessionToken,
		Region: c.Region, Style: s3.Style(c.Style), Encryption: c.Encryption}
}

// Join makes the servers of a running `up` the ones this process works with: it is found by its data folder.
func (c *Config) Join() error {
	a, err := ReadAddresses(c.Data)
	if err != nil {
		return err
	}
	k, err := ReadKeys(c.Data)
	if err != nil {
		return err
	}
	c.Servers.NATS = NATS{URLs: []string{"nats://" + a.NATS}, Creds: filepath.Join(c.Data, "nats", ".internal.creds")}
	if c.Servers.S3.Endpoint == "" {
		c.Servers.S3 = S3{Endpoint: a.S3, AccessKey: k.AccessKey, SecretKey: k.SecretKey, joined: true}
	}
	return nil
}
