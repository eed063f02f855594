package query

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/route"
)

// cards keeps the tables of names, a tenant each, in step with the documents: the card of a version is an artefact,
// read in the background when the version becomes current. Until then its document is found without being named. A
// card that cannot be read, because the store is away, is read again after a pause.
type cards struct {
	read  func(context.Context, artefact.Ref) ([]byte, error)
	log   *slog.Logger
	pause time.Duration // before cards that could not be read are read again

	mu     sync.Mutex
	tables map[doc.Tenant]known
	held   map[doc.ID]card
	todo   map[doc.ID]ledger.Record // the newest record of each document that waits
	failed map[doc.ID]ledger.Record // those that wait for the pause to end
	busy   map[doc.ID]bool          // being read: never twice at once, so that the newest is last
	wake   chan struct{}
}

// cardReaders is how many cards are read side by side.
const cardReaders = 8

// card is a document's card with the generation it was made from.
type card struct {
	generation doc.Generation
	route.Card
}

func newCards(read func(context.Context, artefact.Ref) ([]byte, error), log *slog.Logger, pause time.Duration) *cards {
	if pause <= 0 {
		pause = 5 * time.Second
	}
	return &cards{read: read, log: log, pause: pause, tables: map[doc.Tenant]known{}, held: map[doc.ID]card{},
		todo: map[doc.ID]ledger.Record{}, failed: map[doc.ID]ledger.Record{}, busy: map[doc.ID]bool{}, wake: make(chan struct{}, 1)}
}

// changed notes that a record changed; nothing waits for what follows from it.
func (c *cards) changed(r ledger.Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.failed, r.DocID)
	if c.held[r.DocID].generation == r.Current && !c.busy[r.DocID] {
		delete(c.todo, r.DocID)
		return
	}
	c.todo[r.DocID] = r
	c.nudge()
}

// nudge wakes run; the lock is held or not.
func (c *cards) nudge() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// run reads cards until ctx ends.
func (c *cards) run(ctx context.Context) {
	var g errgroup.Group
	g.SetLimit(cardReaders)
	for {
		select {
		case <-ctx.Done():
			_ = g.Wait()
			return
		case <-c.wake:
		}
		for r, ok := c.next(); ok && ctx.Err() == nil; r, ok = c.next() {
			g.Go(func() error {
				c.done(ctx, r, c.renew(ctx, r))
				return nil
			})
		}
	}
}

// next takes a document that waits and is not being read.
func (c *cards) next() (ledger.Record, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, r := range c.todo {
		if !c.busy[id] {
			delete(c.todo, id)
			c.busy[id] = true
			return r, true
		}
	}
	return ledger.Record{}, false
}

// done ends the reading of a card. After an error it waits for the pause, unless a newer one waits already; one
// timer serves all that fail meanwhile, and one line of the log tells of them.
func (c *cards) done(ctx context.Context, r ledger.Record, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.busy, r.DocID)
	if _, newer := c.todo[r.DocID]; newer {
		c.nudge()
		return
	}
	if err == nil || ctx.Err() != nil {
		return
	}
	if c.failed[r.DocID] = r; len(c.failed) == 1 {
		c.log.Warn("card is read again later, as others that fail", "key", r.Key, "in", c.pause, "err", err)
		time.AfterFunc(c.pause, c.again)
	}
}

// again puts what failed back.
func (c *cards) again() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, r := range c.failed {
		if _, newer := c.todo[id]; !newer {
			c.todo[id] = r
		}
	}
	clear(c.failed)
	c.nudge()
}

// renew replaces the card of a document by that of its current version; none when it shows none. An error is one that
// another try may mend.
func (c *cards) renew(ctx context.Context, r ledger.Record) error {
	now := card{generation: r.Current}
	if r.Current != 0 {
		b, err := c.read(ctx, refOf(r))
		if artefact.Missing(err) {
			return nil // replaced meanwhile, or of an older program: found without its name
		}
		if err != nil {
			return err
		}
		if err := json.Unmarshal(b, &now.Card); err != nil {
			c.log.Warn("card is damaged", "key", r.Key, "err", err)
			return nil
		}
		now.Prefix = doc.PrefixOf(r.DocID)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.table(r.Tenant)
	if old, ok := c.held[r.DocID]; ok {
		t.Names.Remove(old.Card)
		t.Library.Remove(old.Prefix)
		delete(c.held, r.DocID)
	}
	if r.Current != 0 {
		t.Names.Add(now.Card)
		t.Library.Add(now.Prefix, now.Facts)
		c.held[r.DocID] = now
	}
	return nil
}

// known is what is known of a tenant's documents: their names, and what they are, whose, and of when.
type known struct {
	Names   *route.Table
	Library *route.Library
}

// of is what is known of a tenant's documents.
func (c *cards) of(t doc.Tenant) known {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.table(t)
}

func (c *cards) table(t doc.Tenant) known {
	if c.tables[t].Names == nil {
		c.tables[t] = known{route.NewTable(), route.NewLibrary()}
	}
	return c.tables[t]
}
