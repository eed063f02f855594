package query

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/route"
)

// cards keeps the tables of names, a tenant each, in step with the documents: the card of a version is an artefact,
// read in the background when the version becomes current. Until then its document is found without being named.
type cards struct {
	read func(context.Context, artefact.Ref) ([]byte, error)
	log  *slog.Logger

	mu     sync.Mutex
	tables map[doc.Tenant]*route.Table
	held   map[doc.ID]card
	todo   map[doc.ID]ledger.Record // the newest record of each document that waits
	wake   chan struct{}
}

// card is a document's card with the generation it was made from.
type card struct {
	generation doc.Generation
	route.Card
}

func newCards(read func(context.Context, artefact.Ref) ([]byte, error), log *slog.Logger) *cards {
	return &cards{read: read, log: log, tables: map[doc.Tenant]*route.Table{}, held: map[doc.ID]card{},
		todo: map[doc.ID]ledger.Record{}, wake: make(chan struct{}, 1)}
}

// changed notes that a record changed; nothing waits for what follows from it.
func (c *cards) changed(r ledger.Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held[r.DocID].generation == r.Current {
		delete(c.todo, r.DocID)
		return
	}
	c.todo[r.DocID] = r
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// run reads cards until ctx ends.
func (c *cards) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.wake:
		}
		for r, ok := c.next(); ok && ctx.Err() == nil; r, ok = c.next() {
			c.renew(ctx, r)
		}
	}
}

func (c *cards) next() (ledger.Record, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, r := range c.todo {
		delete(c.todo, id)
		return r, true
	}
	return ledger.Record{}, false
}

// renew replaces the card of a document by that of its current version; none when it shows none.
func (c *cards) renew(ctx context.Context, r ledger.Record) {
	now := card{generation: r.Current}
	if r.Current != 0 {
		b, err := c.read(ctx, refOf(r))
		if err == nil {
			err = json.Unmarshal(b, &now.Card)
		}
		if err != nil {
			if !artefact.Missing(err) && ctx.Err() == nil {
				c.log.Warn("card", "key", r.Key, "err", err)
			}
			return // replaced meanwhile, or of an older program: found without its name
		}
		now.Prefix = doc.PrefixOf(r.DocID)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.table(r.Tenant)
	if old, ok := c.held[r.DocID]; ok {
		t.Remove(old.Card)
		delete(c.held, r.DocID)
	}
	if r.Current != 0 {
		t.Add(now.Card)
		c.held[r.DocID] = now
	}
}

// of is the table of a tenant's names.
func (c *cards) of(t doc.Tenant) *route.Table {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.table(t)
}

func (c *cards) table(t doc.Tenant) *route.Table {
	if c.tables[t] == nil {
		c.tables[t] = route.NewTable()
	}
	return c.tables[t]
}
