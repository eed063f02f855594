package trail

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

const (
	queued    = 4096            // events that wait to be written
	writeMost = 5 * time.Second // of one write; a bus that is away answers later than that
	closeMost = 2 * time.Second // for what waits when the writer is closed
)

// Writer writes trails beside the work: to note an event never waits. What finds no place, and what cannot be written, is
// dropped and counted.
type Writer struct {
	log     Log
	out     *slog.Logger
	queue   chan entry
	dropped atomic.Uint64
	stop    chan struct{}
	cancel  context.CancelFunc
	once    sync.Once
	ended   chan struct{}
}

type entry struct {
	tenant doc.Tenant
	id     doc.ID
	event  Event
}

// NewWriter starts a writer; Close ends it.
func NewWriter(l Log, out *slog.Logger) *Writer {
	ctx, cancel := context.WithCancel(context.Background())
	w := &Writer{cancel: cancel, log: l, out: out, queue: make(chan entry, queued), stop: make(chan struct{}), ended: make(chan struct{})}
	go w.run(ctx)
	return w
}

// Note adds an event to a document's trail, soon.
func (w *Writer) Note(t doc.Tenant, id doc.ID, e Event) {
	select {
	case w.queue <- entry{t, id, e}:
	default:
		w.dropped.Add(1)
	}
}

// Dropped is how many events were not written since the start.
func (w *Writer) Dropped() uint64 { return w.dropped.Load() }

// Close writes what waits, within two seconds, and returns. What is noted afterwards is never written.
func (w *Writer) Close() {
	w.once.Do(func() {
		time.AfterFunc(closeMost, w.cancel)
		close(w.stop)
	})
	<-w.ended
}

func (w *Writer) run(ctx context.Context) {
	defer close(w.ended)
	defer w.cancel()
	for told := uint64(0); ; {
		select {
		case e := <-w.queue:
			w.write(ctx, e)
		case <-w.stop:
			w.rest(ctx)
			return
		}
		if n := w.Dropped(); n > told && len(w.queue) == 0 { // once for a time of trouble
			w.out.Warn("events are missing in trails", "dropped", n)
			told = n
		}
	}
}

// rest writes what waits.
func (w *Writer) rest(ctx context.Context) {
	for {
		select {
		case e := <-w.queue:
			w.write(ctx, e)
		default:
			return
		}
	}
}

func (w *Writer) write(ctx context.Context, e entry) {
	ctx, cancel := context.WithTimeout(ctx, writeMost)
	defer cancel()
	if err := w.log.Note(ctx, e.tenant, e.id, e.event); err != nil {
		w.dropped.Add(1)
	}
}
