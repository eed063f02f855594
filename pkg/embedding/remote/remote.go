// Package remote is what every embedder behind a network needs, whatever its server is called: batches by
// tokens, a window of calls that finds its own width, servers of which one may be away, deadlines from the
// measured speed, a self-test at the start, and the one text found that spoils a call.
//
// A vendor (packages ollama, openai) gives Servers; Open gives the Embedder over them.
package remote

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/fingerpost/fingerpost/pkg/embedding"
)

// Server is one server that holds the model. Safe for concurrent use; it never retries by itself.
type Server interface {
	// Name is the server's address, for people; without secrets.
	Name() string
	// Describe reads what the server says of the model. It wraps ErrModel when it has no such model.
	Describe(ctx context.Context) (Model, error)
	// Embed gives a vector a text, in their order. Its errors wrap embedding.ErrText, ErrLong, ErrBusy,
	// ErrAway or ErrModel; any other is one that only a further call can explain.
	Embed(ctx context.Context, texts []string) (Reply, error)
}

// What a Server's errors mean. embedding.ErrText is one of them, too.
var (
	ErrLong  = errors.New("a text is longer than the server takes")
	ErrBusy  = errors.New("the server has too much to do")
	ErrAway  = errors.New("the server cannot be reached")
	ErrModel = errors.New("the server has not this model")
)

// Model is what a server says of its model.
type Model struct {
	Name   string // for people
	Digest string // hex SHA-256 that two equal models share and no others
	Limit  int    // tokens of one text; 0: it does not say
}

// Reply is the answer to one call.
type Reply struct {
	Vectors [][]float32
	Tokens  int // of all texts, as the server counted them; 0: it does not say
}

// Reading is how a tokenizer that we know reads texts. Open tries it against the server's own counts, and
// uses it only if they agree on every probe.
type Reading struct {
	// Prepare gives the server a text that its tokenizer reads as the model's own would; nil changes nothing.
	// It is applied to normalised texts.
	Prepare func(normalised string) string
	Count   func(text string) int
	Knows   func(text string) bool // nil: every language
	Limit   int                    // tokens the model was trained for; 0: what the server says
	// Here embeds, in this process, the texts that Garbled names: those that no spelling makes the server read
	// rightly. It is used only if it gives the server's vectors for the probes, that is, if it is the same model.
	Here    embedding.Embedder
	Garbled func(normalised string) bool
}

// Config opens an Embedder.
type Config struct {
	Servers  []Server
	Readings []Reading // tried in order; without a fit tokens are estimated (see Estimate)
	// Limit bounds the tokens of one text; 0: MaxLimit. The server's own limit holds if it is lower.
	Limit int
	// Texts bounds the texts of one call; 0: 128. Some servers take no more than 32.
	Texts int
	// Calls bounds how many calls are under way at once; 0: eight a server. The window starts at one.
	Calls int
	// Patience bounds the wait for one call, whatever was measured; 0: ten minutes.
	Patience time.Duration
	Log      *slog.Logger // nil: nothing is logged
}

// MaxLimit is the most tokens of a text unless Config.Limit says otherwise: chunks are far shorter, and a probe of
// this length must pass the model at every start.
const MaxLimit = 2048

// Embedder embeds by servers. Safe for concurrent use.
type Embedder struct {
	log       *slog.Logger
	pool      *pool
	pace      *pace
	clock     *speed
	model     Model
	dim       int
	reading   Reading
	exact     bool             // the reading's counts are the server's
	texts     int              // of a call at most; 1 when the server spoils batches
	one       bool             // it does
	here      bool             // the reading's Here is the same model
	told      int              // the limit before the self-test
	golden    [][]float32      // of probes, from the first server
	countEach func(string) int // of normalised texts
}

// Fingerprint names the model by the digest of its weights.
func (e *Embedder) Fingerprint() embedding.Fingerprint {
	return embedding.Fingerprint{Model: e.model.Name, Digest: e.model.Digest, Dimensions: e.dim, Normaliser: embedding.NormaliserVersion}
}

// Limit is the most tokens of one text, special ones included, as Count counts them.
func (e *Embedder) Limit() int { return e.model.Limit }

// Told is the limit that the server, or the configuration, named. Above Limit, the self-test found that a text of that
// length is refused.
func (e *Embedder) Told() int { return e.told }

// Count is the number of tokens of the normalised text: exact when Exact, else an estimate that is rather too high.
func (e *Embedder) Count(text string) int { return e.countEach(embedding.Normalise(text)) }

// Exact reports whether Count is what the server counts.
func (e *Embedder) Exact() bool { return e.exact }

// Knows is what the reading says of the text's language; without one every language is known.
func (e *Embedder) Knows(text string) bool { return e.reading.Knows == nil || e.reading.Knows(text) }

// State is how the embedder is doing.
type State struct {
	Window  int     // calls that may be under way at once
	Speed   float64 // tokens a second of one call; 0 before the first
	Single  bool    // the self-test found that batches are spoilt: every text has a call of its own
	Servers []ServerState
}

// ServerState is how one server is doing.
type ServerState struct {
	Name     string
	InFlight int
	Away     string // why it is left alone for now; "" when it is well
}

// State tells how the embedder is doing now.
func (e *Embedder) State() State {
	return State{Window: e.pace.width(), Speed: e.clock.rate(), Single: e.one, Servers: e.pool.state()}
}
