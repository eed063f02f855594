package route

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/facts"
)

// Library knows the documents of a tenant by their facts: whose they are, by every name of the owner, and which period
// and form they are of. Documents of one owner are joined by registration number, ticker and squashed name.
// Safe for concurrent use.
type Library struct {
	Priors Priors

	mu     sync.Mutex
	docs   map[doc.Prefix]*filed
	idents map[string]*identity
	more   map[string][]string // a user's names of owners, by squashed name
	index  *index              // nil: to be made anew
}

// filed is a document with its facts.
type filed struct {
	prefix doc.Prefix
	facts  facts.Facts
	ident  *identity
}

// identity is one way in which documents state their owner.
type identity struct {
	key   string
	facts *facts.Facts // of the first of its documents: the owner's part is the same in all
	docs  []*filed
	group *owner
}

// owner is identities that are the same.
type owner struct {
	name   string // the longest
	idents []*identity
	common map[string]bool
}

// NewLibrary is an empty Library with StandardPriors.
func NewLibrary() *Library {
	return &Library{Priors: StandardPriors(), docs: map[doc.Prefix]*filed{}, idents: map[string]*identity{}}
}

// MaxAliases bounds the lines of a file of aliases.
const MaxAliases = 10_000

// Aliases takes a user's names of owners, a line each, "Owner = name; name"; "#" begins a comment. They replace those
// given before. An error names the line, and nothing changes.
func (l *Library) Aliases(text string) error {
	more := map[string][]string{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		owner, names, ok := strings.Cut(line, "=")
		key := facts.Squash(facts.Core(strings.TrimSpace(owner)))
		if !ok || key == "" || strings.TrimSpace(names) == "" || n > MaxAliases {
			return fmt.Errorf("aliases line %d: want \"owner = name; name\", at most %d lines", n, MaxAliases)
		}
		for name := range strings.SplitSeq(names, ";") {
			if name = strings.TrimSpace(name); name != "" {
				more[key] = append(more[key], name)
			}
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.more, l.index = more, nil
	return nil
}

// Add takes a document in, in place of what was known of it.
func (l *Library) Add(p doc.Prefix, f facts.Facts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(p)
	d := &filed{prefix: p, facts: f}
	l.docs[p] = d
	key := strings.Join([]string{f.Owner, f.Registration, f.Ticker, strings.Join(f.Aliases, ";"), strings.Join(f.Parties, ";"),
		strings.Join(f.Common, ";"), strings.Join(f.Near, ";")}, "\x00")
	if f.Owner == "" {
		key = ""
	}
	id := l.idents[key]
	if id == nil {
		id = &identity{key: key, facts: &d.facts}
		l.idents[key] = id
		l.index = nil
	}
	d.ident = id
	id.docs = append(id.docs, d)
}

// Remove forgets a document.
func (l *Library) Remove(p doc.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(p)
}

func (l *Library) remove(p doc.Prefix) {
	d := l.docs[p]
	if d == nil {
		return
	}
	delete(l.docs, p)
	d.ident.docs = slices.DeleteFunc(d.ident.docs, func(x *filed) bool { return x == d })
	if len(d.ident.docs) == 0 {
		delete(l.idents, d.ident.key)
		l.index = nil
	}
}

// Facts is what is known of a document.
func (l *Library) Facts(p doc.Prefix) (facts.Facts, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d := l.docs[p]; d != nil {
		return d.facts, true
	}
	return facts.Facts{}, false
}

// group joins the identities of one owner: same registration number, ticker or squashed core.
func group(idents []*identity) []*owner {
	by := map[string]*owner{}
	var owners []*owner
	for _, id := range idents {
		id.group = nil
	}
	for _, id := range idents {
		keys := joins(id.facts)
		var o *owner
		for _, k := range keys {
			if x := by[k]; x != nil && o == nil {
				o = x
			} else if x != nil && x != o {
				merge(o, x, by)
			}
		}
		if o == nil {
			o = &owner{common: map[string]bool{}}
			owners = append(owners, o)
		}
		o.take(id)
		for _, k := range keys {
			by[k] = o
		}
	}
	return slices.DeleteFunc(owners, func(o *owner) bool { return len(o.idents) == 0 })
}

// joins are the keys under which an owner is the same.
func joins(f *facts.Facts) (keys []string) {
	if f.Registration != "" {
		keys = append(keys, "number:"+f.Registration)
	}
	if f.Ticker != "" {
		keys = append(keys, "ticker:"+f.Ticker)
	}
	if s := facts.Squash(facts.Core(f.Owner)); s != "" {
		keys = append(keys, "name:"+s)
	}
	return keys
}

func (o *owner) take(id *identity) {
	id.group = o
	o.idents = append(o.idents, id)
	if len(id.facts.Owner) > len(o.name) {
		o.name = id.facts.Owner
	}
	for _, w := range id.facts.Common {
		o.common[w] = true
	}
}

// merge puts x into o.
func merge(o, x *owner, by map[string]*owner) {
	for _, id := range x.idents {
		o.take(id)
	}
	x.idents = nil
	for k, v := range by {
		if v == x {
			by[k] = o
		}
	}
}

// sorted is the identities with an owner, in a fixed order.
func (l *Library) sorted() []*identity {
	var ids []*identity
	for key, id := range l.idents {
		if key != "" {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b *identity) int { return cmp.Compare(a.key, b.key) })
	return ids
}

// documentsOf is the documents of owners, each once.
func documentsOf(owners []*owner) (ds []*filed) {
	seen := map[doc.Prefix]bool{}
	for _, o := range owners {
		for _, id := range o.idents {
			for _, d := range id.docs {
				if !seen[d.prefix] {
					seen[d.prefix] = true
					ds = append(ds, d)
				}
			}
		}
	}
	return ds
}
