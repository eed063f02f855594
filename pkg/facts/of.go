package facts

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Of reads the facts of a document from its Source and tree (nil: none). It never fails: what the text does not say
// stays empty.
func Of(src []byte, tree *doc.Tree) Facts {
	r := reading{pages: opening(src)}
	if len(r.pages) == 0 {
		return Facts{}
	}
	r.text = r.join(len(r.pages))
	f := &r.facts
	r.frontMatter(src)
	f.Content = doc.SHA256(src)[:16]
	for i := range families {
		if at, ok := r.holds(families[i].signs); ok {
			r.family(&families[i], at)
			break
		}
	}
	if f.Title == "" {
		f.Title = r.title(tree)
	}
	whole := string(src[:min(len(src), maxScanned)])
	r.owner(whole)
	r.period(whole)
	if f.Owner != "" {
		ordinary(f, whole)
	}
	if f.Family == "filing" && f.Title == "" {
		f.Title = f.filingTitle()
	}
	return *f
}

// reading is one document while it is read.
type reading struct {
	pages []page
	text  string // all pages
	cover page   // the page on which the family's sign was found
	facts Facts
}

// join is the text of the first n pages.
func (r *reading) join(n int) string {
	var parts []string
	for _, p := range r.pages[:min(n, len(r.pages))] {
		parts = append(parts, p.text)
	}
	return strings.Join(parts, "\n")
}

// holds finds the page on which one of the signs holds.
func (r *reading) holds(signs []sign) (page, bool) {
	for _, s := range signs {
		for _, p := range r.scope(s.scope) {
			if !slices.ContainsFunc(s.all, func(re *regexp.Regexp) bool { return !re.MatchString(p.text) }) {
				return p, true
			}
		}
	}
	return page{}, false
}

// scope is the texts of a scope.
func (r *reading) scope(name string) []page {
	switch name {
	case "any":
		return r.pages
	case "page":
		return []page{r.cover}
	case "first":
		return []page{{1, r.join(2)}}
	case "text":
		return []page{{1, r.text}}
	}
	return []page{{1, head(r.pages[0].text)}}
}

// family fills the facts by the rules of a family.
func (r *reading) family(fam *family, cover page) {
	r.cover, r.facts.Family = cover, fam.name
	why := fmt.Sprintf("%s, page %d", fam.name, cover.number)
	for _, rule := range fam.forms {
		if m := r.match(rule); m != nil {
			r.facts.Form = strings.ToUpper(strings.Join(strings.Fields(m[len(m)-1]), ""))
			if !strings.Contains(rule.name, "$1") {
				r.facts.Form = rule.name
			}
			r.facts.because("form", why)
			break
		}
	}
	for _, x := range fields {
		rules := fam.fields[x.name]
		if len(rules) == 0 || r.facts.Why[x.name] != "" {
			continue
		}
		var values []string
		for _, rule := range rules {
			if v := r.value(x.name, rule); v != "" && !slices.Contains(values, v) {
				values = append(values, v)
			}
			if len(values) > 0 && x.name != "parties" {
				break
			}
		}
		if len(values) > 0 && x.set(&r.facts, strings.Join(values, "; ")) {
			r.facts.because(x.name, why)
		}
	}
}

// match is the submatches of a rule in its scope.
func (r *reading) match(rule rule) []string {
	for _, p := range r.scope(rule.scope) {
		if m := rule.re.FindStringSubmatch(p.text); m != nil {
			return m
		}
	}
	return nil
}

// value is what a rule reads; names must be plausible, and the next match is tried when one is not.
func (r *reading) value(field string, rule rule) string {
	for _, p := range r.scope(rule.scope) {
		for _, m := range rule.re.FindAllStringSubmatch(p.text, 20) {
			v := strings.Trim(strings.TrimSpace(m[1]), ",;:*_\" ")
			if field != "owner" && field != "parties" || plausible(v) {
				return v
			}
		}
	}
	return ""
}

var matterLine = regexp.MustCompile(`^([A-Za-z_-]{2,20}):\s*"?([^"\n]{1,200}?)"?\s*$`)

// frontMatter takes what the YAML block at the beginning states about the document.
func (r *reading) frontMatter(src []byte) {
	if !strings.HasPrefix(string(src[:min(len(src), 4)]), "---\n") {
		return
	}
	block, _, ok := strings.Cut(string(src[4:min(len(src), 4<<10)]), "\n---")
	if !ok {
		return
	}
	meta := map[string]string{}
	for line := range strings.Lines(block) {
		if m := matterLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			meta[m[1]] = strings.TrimSpace(m[2])
		}
	}
	if p := meta["product"]; p != "" && meta["owner"] == "" {
		meta["owner"] = p
	}
	r.facts, _ = r.facts.With(meta)
	for name := range r.facts.Why {
		r.facts.Why[name] = "front matter"
	}
}

// filingTitle names a filing as people do, "Some Company 10-K 2022": what its cover prints first is the agency's name. "" without owner or form.
func (f *Facts) filingTitle() string {
	if f.Owner == "" || f.Form == "" {
		return ""
	}
	t := f.Owner + " " + f.Form
	if f.Quarter > 0 {
		t += " Q" + strconv.Itoa(f.Quarter)
	}
	if len(f.Years) > 0 {
		t += " " + strconv.Itoa(f.Years[0])
	}
	return clip(t)
}

// title is what the document calls itself: its first heading that is no part of a form, else its first line.
func (r *reading) title(tree *doc.Tree) string {
	f := &r.facts
	if f.Family == "filing" || f.Family == "" && tree == nil {
		return ""
	}
	if tree != nil {
		for _, n := range tree.Nodes[:min(len(tree.Nodes), 6)] {
			if t := strings.TrimSpace(n.Title); len([]rune(t)) > 3 && !n.Synthetic && !bareTitle.MatchString(t) {
				return clip(t)
			}
		}
	}
	for line := range strings.SplitSeq(head(r.pages[0].text), "\n") {
		if len([]rune(line)) > 3 && !bareTitle.MatchString(line) {
			return clip(line)
		}
	}
	return ""
}

var bareTitle = regexp.MustCompile(`(?i)^\W*(?:abstract|contents|table of contents|introduction|preface|exhibit [\d.]+|united states|(?:united states )?securities and exchange commission.*|washington, d\.?c\.?.*|form \S+|arxiv.*|page \d+|title:.*|(?:part|chapter|section|глава|раздел)\s+\S+)\W*$`)

func clip(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:200])
	}
	return s
}

// owner settles the name: as the text writes it most often, or the most frequent company where no rule found one.
func (r *reading) owner(whole string) {
	f := &r.facts
	if f.Owner == "" && (f.Family == "filing" || f.Family == "release") {
		if f.Owner = frequent(whole); f.Owner != "" {
			f.because("owner", "most frequent name")
		}
	}
	if f.Owner == "" && f.Family == "contract" && len(f.Parties) > 0 {
		f.Owner = f.Parties[0]
	}
	if f.Family == "filing" && len(Words(f.Owner)) > 0 && bareLegal.MatchString(f.Owner) {
		f.Owner = r.lineBefore(f.Owner)
	}
	if f.Owner != "" {
		f.Owner = settle(strings.TrimSpace(state.ReplaceAllString(f.Owner, "")), whole)
	}
}

// bareLegal is the end of a name that goes over two lines: "GROUP, INC."
var bareLegal = regexp.MustCompile(`(?i)^(?:` + legal + `[\s,.&]*)+$`)

// lineBefore is a name with the line before it on the cover.
func (r *reading) lineBefore(name string) string {
	before, _, ok := strings.Cut("\n"+r.cover.text, "\n"+name)
	if !ok {
		return name
	}
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if !plausible(line) {
		return name
	}
	return strings.TrimSpace(line) + " " + name
}

// last is the latest of the dates that expr captures in text.
func last(expr *regexp.Regexp, text string) (latest time.Time) {
	for _, m := range expr.FindAllStringSubmatch(text, 40) {
		if d, ok := Day(m[1]); ok && d.After(latest) {
			latest = d
		}
	}
	return latest
}
