package pdf

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fingerpost/fingerpost/pkg/source/pdf/layout"
)

// childEnv starts the program as a reader of one PDF.
const childEnv = "FINGERPOST_PDF_CHILD"

// task is what a child is to do with the file it gets.
type task struct {
	Pages  int   `json:"pages"`  // at most
	Memory int64 `json:"memory"` // resident bytes, at most

	Page  int   `json:"page,omitempty"` // draw this page (from 1) instead of reading the text
	DPI   int   `json:"dpi,omitempty"`
	Boxes []Box `json:"boxes,omitempty"` // to be marked on it

	NoOutline bool `json:"no_outline,omitempty"`
}

// maxAnswer bounds what a child may answer, in bytes.
const maxAnswer = 512 << 20

var (
	errLimit   = errors.New("over its limit")
	errNoChild = errors.New("pdf.ChildMain is not called at the start of main")
	hosted     atomic.Bool // ChildMain was called: our binary can be started again
)

// child is one run of the reader.
type child struct {
	limits Limits
	in     io.Reader
	size   int64
	task   task

	ready    bool // it came up and began to read the file
	markdown []byte
	layout   []byte
	figures  []Figure
	cpu      time.Duration
	memory   int64
}

// run starts the child, gives it the file and reads its answer.
func (c *child) run(ctx context.Context) (reply, error) {
	if !hosted.Load() {
		return reply{}, errNoChild
	}
	self, err := os.Executable()
	if err != nil {
		return reply{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cmd := exec.CommandContext(ctx, self)
	c.task.Pages, c.task.Memory, c.task.NoOutline = c.limits.Pages, c.limits.Memory, c.limits.hideOutline
	job, err := json.Marshal(c.task)
	if err != nil {
		return reply{}, err
	}
	cmd.Env = append(keepEnv(), childEnv+"="+string(job))
	cmd.Stdin = io.MultiReader(bytesOf(c.size), c.in)
	complaint := &tail{max: 2000}
	cmd.Stderr = complaint
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return reply{}, err
	}
	if err := cmd.Start(); err != nil {
		return reply{}, err
	}
	w := &watch{limits: c.limits, pid: cmd.Process.Pid, kill: cancel, done: make(chan struct{})}
	ended := make(chan struct{})
	go func() { w.run(); close(ended) }()
	r, err := c.read(bufio.NewReader(io.LimitReader(out, maxAnswer)), w)
	waited := cmd.Wait()
	close(w.done)
	<-ended
	c.memory = w.peak.Load()
	if cmd.ProcessState != nil {
		c.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return r, cause
	}
	if err != nil {
		return r, errors.Join(err, waited, complaint.err())
	}
	return r, nil
}

// keepEnv is what the child needs of our environment: where caches are, nothing that is secret.
func keepEnv() (out []string) {
	for _, k := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData", "SystemRoot", "TMPDIR", "TEMP", "TMP", "GOCOVERDIR"} {
		if v, ok := os.LookupEnv(k); ok {
			out = append(out, k+"="+v)
		}
	}
	return out
}

func bytesOf(size int64) io.Reader {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(size))
	return strings.NewReader(string(b[:]))
}

// read follows the child's lines: "ready", "pages N", then the reply as JSON and the files it announces.
func (c *child) read(r *bufio.Reader, w *watch) (reply, error) {
	var rep reply
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return rep, err
		}
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "ready":
			c.ready = true
			w.begin()
			continue
		case "pages":
			n, _ := strconv.Atoi(rest)
			w.pages.Store(int64(n))
			continue
		case "reply":
		default:
			return rep, fmt.Errorf("odd line %.40q", line)
		}
		if err := json.Unmarshal([]byte(rest), &rep); err != nil {
			return rep, err
		}
		return rep, c.files(r, rep)
	}
}

// files reads Markdown, side-car and the images of the figures.
func (c *child) files(r io.Reader, rep reply) error {
	if rep.Markdown < 0 || rep.Layout < 0 || rep.Markdown > maxAnswer || rep.Layout > maxAnswer {
		return errors.New("odd sizes")
	}
	if len(rep.Figures) > layout.MaxFigures {
		return errors.New("odd number of figures")
	}
	c.markdown, c.layout = make([]byte, rep.Markdown), make([]byte, rep.Layout)
	if _, err := io.ReadFull(r, c.markdown); err != nil {
		return err
	}
	if _, err := io.ReadFull(r, c.layout); err != nil {
		return err
	}
	for _, f := range rep.Figures {
		if f.Size < 0 || f.Size > figureBytes || !reFigure.MatchString(f.Name) {
			return errors.New("odd figure")
		}
		b := make([]byte, f.Size)
		if _, err := io.ReadFull(r, b); err != nil {
			return err
		}
		if len(b) > 0 {
			c.figures = append(c.figures, Figure{f.Name, b})
		}
	}
	return nil
}

var reFigure = regexp.MustCompile(`^figures/p\d{1,6}-\d{1,6}\.png$`)

// tail keeps the first max bytes that are written to it.
type tail struct {
	b   []byte
	max int
}

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p[:min(len(p), t.max-len(t.b))]...)
	return len(p), nil
}

func (t *tail) err() error {
	if len(t.b) == 0 {
		return nil
	}
	line, _, _ := strings.Cut(string(t.b), "\n")
	return errors.New(line)
}
