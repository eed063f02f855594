package facts

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Facts are what is known of one document. The zero value knows nothing.
type Facts struct {
	Family string `json:"family,omitempty"` // "filing", "release", "contract", "paper" ...: a family of rules.txt
	Form   string `json:"form,omitempty"`   // "10-K", "8-K", "earnings release", "contract", "manual" ...
	Title  string `json:"title,omitempty"`  // what it calls itself

	Owner        string   `json:"owner,omitempty"`        // company, party, publisher or product, as written
	Registration string   `json:"registration,omitempty"` // the owner's registration number, "00-1234567"
	Ticker       string   `json:"ticker,omitempty"`
	Parties      []string `json:"parties,omitempty"` // of a contract; authors of a paper
	Aliases      []string `json:"aliases,omitempty"` // other names of the owner: former ones, and those it states
	// Common are words of the owner's name and ticker that the text also uses as ordinary words, lower case:
	// alone they name nobody. Near are ordinary words of the text one edit away from a word of the name.
	Common []string `json:"common,omitempty"`
	Near   []string `json:"near,omitempty"`

	// Years are the labels of its fiscal year, the owner's own first; a year that ends in January or February
	// has two. Of other documents, the year of its date.
	Years     []int  `json:"years,omitempty"`
	Quarter   int    `json:"quarter,omitempty"`    // 1 to 4; 0: none
	PeriodEnd string `json:"period_end,omitempty"` // "2022-12-31"; of an 8-K the date of report
	Date      string `json:"date,omitempty"`       // when it was made or takes effect, "2025-03-03"
	Edition   string `json:"edition,omitempty"`    // version or edition
	Number    string `json:"number,omitempty"`     // of an agreement, a standard, a preprint

	// Content tells equal texts under different keys: 16 hex digits of the Source's SHA-256.
	Content string `json:"content,omitempty"`

	// Why says, by field, where a fact comes from: "cover, page 2", "metadata".
	Why map[string]string `json:"why,omitempty"`
}

// field is one of Facts by its name in flat form.
type field struct {
	name string
	get  func(*Facts) string
	set  func(*Facts, string) bool // false: no such value
}

// text is a field that any text may fill.
func text(name string, at func(*Facts) *string) field {
	return field{name, func(f *Facts) string { return *at(f) }, func(f *Facts, v string) bool { *at(f) = v; return true }}
}

// list is a field of several values, joined by "; ".
func list(name string, at func(*Facts) *[]string) field {
	return field{name, func(f *Facts) string { return strings.Join(*at(f), "; ") }, func(f *Facts, v string) bool {
		*at(f) = nil
		for s := range strings.SplitSeq(v, ";") {
			if s = strings.TrimSpace(s); s != "" {
				*at(f) = append(*at(f), s)
			}
		}
		return true
	}}
}

// date is a field that holds a day, in any form that dates are written in.
func date(name string, at func(*Facts) *string) field {
	return field{name, func(f *Facts) string { return *at(f) }, func(f *Facts, v string) bool {
		d, ok := Day(v)
		if ok {
			*at(f) = d.Format(time.DateOnly)
		}
		return ok
	}}
}

// fields are the facts in the order in which they are shown.
var fields = []field{
	text("family", func(f *Facts) *string { return &f.Family }),
	text("form", func(f *Facts) *string { return &f.Form }),
	text("title", func(f *Facts) *string { return &f.Title }),
	text("owner", func(f *Facts) *string { return &f.Owner }),
	text("registration", func(f *Facts) *string { return &f.Registration }),
	text("ticker", func(f *Facts) *string { return &f.Ticker }),
	list("parties", func(f *Facts) *[]string { return &f.Parties }),
	list("aliases", func(f *Facts) *[]string { return &f.Aliases }),
	list("common", func(f *Facts) *[]string { return &f.Common }),
	list("near", func(f *Facts) *[]string { return &f.Near }),
	{"years", (*Facts).years, (*Facts).setYears},
	{"quarter", (*Facts).quarter, (*Facts).setQuarter},
	date("period_end", func(f *Facts) *string { return &f.PeriodEnd }),
	date("date", func(f *Facts) *string { return &f.Date }),
	text("edition", func(f *Facts) *string { return &f.Edition }),
	text("number", func(f *Facts) *string { return &f.Number }),
	text("content", func(f *Facts) *string { return &f.Content }),
}

// names of fields as people write them in metadata.
var synonyms = map[string]string{
	"year": "years", "fiscal_year": "years", "fiscal_years": "years", "company": "owner", "alias": "aliases",
	"type": "form", "kind": "form", "version": "edition", "ein": "registration", "period": "period_end",
}

// Names are the names of the flat form, in the order in which facts are shown.
func Names() []string {
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	return names
}

func (f *Facts) years() string {
	var out []string
	for _, y := range f.Years {
		out = append(out, strconv.Itoa(y))
	}
	return strings.Join(out, "; ")
}

func (f *Facts) setYears(v string) bool {
	var years []int
	for _, s := range strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune(";, /", r) }) {
		y, err := strconv.Atoi(strings.TrimLeft(strings.ToUpper(s), "FY"))
		if err != nil || y < minYear || y > maxYear {
			return false
		}
		years = append(years, y)
	}
	f.Years = years
	return true
}

// Years outside of these are none.
const (
	minYear = 1900
	maxYear = 2099
)

func (f *Facts) quarter() string {
	if f.Quarter == 0 {
		return ""
	}
	return strconv.Itoa(f.Quarter)
}

func (f *Facts) setQuarter(v string) bool {
	q, err := strconv.Atoi(strings.Trim(v, "Qq "))
	if err != nil || q < 0 || q > 4 {
		return false
	}
	f.Quarter = q
	return true
}

// Flat is the facts as names and values, without empty ones; lists are joined by "; ". Read is its inverse, but
// for Why.
func (f *Facts) Flat() map[string]string {
	m := map[string]string{}
	for _, x := range fields {
		if v := x.get(f); v != "" {
			m[x.name] = v
		}
	}
	return m
}

// Read is the facts of a flat form; what it does not know is passed over.
func Read(flat map[string]string) Facts {
	var f Facts
	for _, x := range fields {
		if v, ok := flat[x.name]; ok {
			x.set(&f, v)
		}
	}
	return f
}

// With is f as an object's metadata corrects it: "owner", "form", "years" ..., or "x-amz-meta-owner"; dashes are
// underscores, case does not matter, and an empty value takes a fact away. The names that had no
// possible value ("quarter: 7") come back, sorted; other names are passed over.
func (f Facts) With(meta map[string]string) (_ Facts, refused []string) {
	f.Why = maps.Clone(f.Why)
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		name := strings.ReplaceAll(strings.TrimPrefix(strings.ToLower(key), "x-amz-meta-"), "-", "_")
		if s, ok := synonyms[name]; ok {
			name = s
		}
		i := slices.IndexFunc(fields, func(x field) bool { return x.name == name })
		if i < 0 {
			continue
		}
		value := strings.TrimSpace(meta[key])
		if len(value) > maxValue || value != "" && !fields[i].set(&f, value) {
			refused = append(refused, key)
			continue
		}
		if value == "" {
			f.clear(name)
		}
		f.because(name, "metadata")
	}
	return f, refused
}

// maxValue bounds a value of metadata, in bytes.
const maxValue = 2 << 10

func (f *Facts) clear(name string) {
	flat := f.Flat()
	delete(flat, name)
	why := f.Why
	*f = Read(flat)
	f.Why = why
}

func (f *Facts) because(name, why string) {
	if f.Why == nil {
		f.Why = map[string]string{}
	}
	f.Why[name] = why
}
