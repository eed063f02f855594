package query

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/cost"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// table is the documents of every tenant, in memory, a moment behind FP_DOCS. It serves routing,
// lists and counters; whether a hit may be shown is asked of FP_DOCS itself (see current).
// About 1 kB a document.
type table struct {
	mu      sync.RWMutex
	tenants map[doc.Tenant]*tenantTable
}

type tenantTable struct {
	records map[doc.Prefix]ledger.Record
	keys    map[string][]doc.Prefix      // a document a bucket
	shown   map[doc.Version][]doc.Prefix // who shows these bytes
	made    int
	saved   int
	spent   cost.Spent
	langs   map[words.Language]int
}

func newTable() *table { return &table{tenants: map[doc.Tenant]*tenantTable{}} }

// set takes one record, new or changed.
func (t *table) set(r ledger.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tt := t.tenants[r.Tenant]
	if tt == nil {
		tt = &tenantTable{records: map[doc.Prefix]ledger.Record{}, keys: map[string][]doc.Prefix{},
			shown: map[doc.Version][]doc.Prefix{}, langs: map[words.Language]int{}}
		t.tenants[r.Tenant] = tt
	}
	p := doc.PrefixOf(r.DocID)
	old, known := tt.records[p]
	if !known {
		tt.keys[r.Key] = append(tt.keys[r.Key], p)
	}
	tt.shows(p, old.CurrentVersion, r.CurrentVersion)
	tt.made += r.Made - old.Made
	tt.saved += r.Saved - old.Saved
	tt.spent = tt.spent.Plus(r.Spent).Minus(old.Spent)
	tt.language(old, -1)
	tt.language(r, +1)
	tt.records[p] = r
}

// shows notes that a document shows other bytes than before; "" is none.
func (tt *tenantTable) shows(p doc.Prefix, before, now doc.Version) {
	if before == now {
		return
	}
	if i := slices.Index(tt.shown[before], p); before != "" && i >= 0 {
		if tt.shown[before] = slices.Delete(tt.shown[before], i, i+1); len(tt.shown[before]) == 0 {
			delete(tt.shown, before)
		}
	}
	if now != "" {
		tt.shown[now] = append(tt.shown[now], p)
	}
}

func (tt *tenantTable) language(r ledger.Record, n int) {
	l := words.Language(r.Facts["language"])
	if l == "" {
		return
	}
	if tt.langs[l] += n; tt.langs[l] <= 0 {
		delete(tt.langs, l)
	}
}

// of runs f on a tenant's table under the read lock; not at all when the tenant has no documents.
func (t *table) of(tn doc.Tenant, f func(*tenantTable)) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if tt := t.tenants[tn]; tt != nil {
		f(tt)
	}
}

// twins is the documents that show these bytes, at most n.
func (t *table) twins(tn doc.Tenant, v doc.Version, n int) (all []doc.Prefix) {
	t.of(tn, func(tt *tenantTable) { all = slices.Clone(tt.shown[v][:min(n, len(tt.shown[v]))]) })
	return all
}

// record is the record of the document with that prefix.
func (t *table) record(tn doc.Tenant, p doc.Prefix) (r ledger.Record, ok bool) {
	t.of(tn, func(tt *tenantTable) { r, ok = tt.records[p] })
	return r, ok
}

// byKey is the present documents with that key, in any bucket (or the one given).
func (t *table) byKey(tn doc.Tenant, bucket, key string) (found []ledger.Record) {
	t.of(tn, func(tt *tenantTable) {
		for _, p := range tt.keys[key] {
			if r := tt.records[p]; (bucket == "" || r.Bucket == bucket) && r.State != doc.Deleted {
				found = append(found, r)
			}
		}
	})
	return found
}

// languages of the tenant's documents, in order.
func (t *table) languages(tn doc.Tenant) (langs []words.Language) {
	t.of(tn, func(tt *tenantTable) { langs = slices.Sorted(maps.Keys(tt.langs)) })
	if len(langs) == 0 {
		langs = []words.Language{words.English}
	}
	return langs
}

// list is the present documents that `want` takes, in order of bucket and key.
func (t *table) list(tn doc.Tenant, want func(*ledger.Record) bool) (out []ledger.Record) {
	t.of(tn, func(tt *tenantTable) {
		for _, r := range tt.records {
			if r.State != doc.Deleted && want(&r) {
				out = append(out, r)
			}
		}
	})
	slices.SortFunc(out, func(a, b ledger.Record) int { return cmp.Compare(place(a), place(b)) })
	return out
}

// place orders documents; bucket names hold no '/'.
func place(r ledger.Record) string { return r.Bucket + "/" + r.Key }

// status folds the counters.
func (t *table) status(tn doc.Tenant) (s api.StatusReply) {
	t.of(tn, func(tt *tenantTable) {
		s.Embeddings = api.Embeddings{Made: tt.made, Saved: tt.saved, Spent: tt.spent}
		for _, r := range tt.records {
			count(&s, r)
		}
	})
	slices.Sort(s.Notes)
	return s
}

func count(s *api.StatusReply, r ledger.Record) {
	switch r.State {
	case doc.Pending:
		s.Documents.Pending++
	case doc.Skipped:
		s.Documents.Skipped++
	case doc.Failed:
		s.Documents.Failed++
	case doc.Indexed:
		s.Documents.Indexed++
		switch r.Level {
		case doc.LevelWords:
			s.Levels.Words++
		case doc.LevelSections:
			s.Levels.Sections++
		case doc.LevelFull:
			s.Levels.Full++
		}
	}
	for _, n := range r.Notes {
		if len(s.Notes) < 20 {
			s.Notes = append(s.Notes, r.Key+": "+n)
		}
	}
}

// filter is the prefixes of the keys; the first key that no document has is told.
func (t *table) filter(tn doc.Tenant, keys []string) (vector.Filter, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	f := vector.Filter{}
	for _, k := range keys {
		found := t.byKey(tn, "", k)
		if len(found) == 0 {
			return nil, refuse(404, "no document has the key %q; `documents` lists the keys", k)
		}
		for _, r := range found {
			f = append(f, doc.PrefixOf(r.DocID))
		}
	}
	return f, nil
}
