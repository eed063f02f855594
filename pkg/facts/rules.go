package facts

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed rules.txt
var standardRules string

// families are the families of rules.txt, in order.
var families = func() []family {
	fs, err := parseRules(standardRules)
	if err != nil {
		panic(err) // the program was built with a broken file; its test guards it
	}
	return fs
}()

// family is one kind of document.
type family struct {
	name   string
	signs  []sign
	forms  []rule
	fields map[string][]rule
}

// sign is what a family is known by: all expressions match in one text of the scope.
type sign struct {
	scope string
	all   []*regexp.Regexp
}

// rule reads one value.
type rule struct {
	name  string // of a form, with "$1"
	scope string
	re    *regexp.Regexp
}

// scopes are where a rule may look.
var scopes = map[string]bool{"head": true, "first": true, "any": true, "page": true, "text": true}

// parseRules reads the form that rules.txt describes. An error names the line.
func parseRules(text string) ([]family, error) {
	var fs []family
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			fs = append(fs, family{name: strings.Trim(line, "[]"), fields: map[string][]rule{}})
			continue
		}
		if len(fs) == 0 {
			return nil, fmt.Errorf("rules line %d: no [family] above", n)
		}
		if err := fs[len(fs)-1].line(line); err != nil {
			return nil, fmt.Errorf("rules line %d: %w", n, err)
		}
	}
	return fs, nil
}

func (f *family) line(line string) error {
	key, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	var r rule
	if key == "form" {
		name, rest, ok := strings.Cut(value, "=")
		if !ok {
			return fmt.Errorf("want form: NAME = scope: expression")
		}
		r.name, value = strings.TrimSpace(name), strings.TrimSpace(rest)
	}
	scope, expr, _ := strings.Cut(value, ":")
	if !scopes[scope] {
		return fmt.Errorf("%q is no scope", scope)
	}
	if key == "sign" {
		s := sign{scope: scope}
		for e := range strings.SplitSeq(expr, " && ") {
			re, err := compile(e)
			if err != nil {
				return err
			}
			s.all = append(s.all, re)
		}
		f.signs = append(f.signs, s)
		return nil
	}
	re, err := compile(expr)
	if err != nil {
		return err
	}
	r.scope, r.re = scope, re
	switch {
	case key == "form":
		f.forms = append(f.forms, r)
	case re.NumSubexp() < 1:
		return fmt.Errorf("%s: no capture group", key)
	case !known(key):
		return fmt.Errorf("%q is no field", key)
	default:
		f.fields[key] = append(f.fields[key], r)
	}
	return nil
}

func known(name string) bool {
	for _, f := range fields {
		if f.name == name {
			return true
		}
	}
	return false
}

var macros = strings.NewReplacer("{date}", dayExpr, "{gap}", `[\s\S]{0,80}?`)

func compile(expr string) (*regexp.Regexp, error) {
	return regexp.Compile(`(?im)` + macros.Replace(strings.TrimSpace(expr)))
}
