package markdown_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/source/markdown"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

func TestPlainTitle(t *testing.T) {
	for raw, want := range map[string]string{
		"Plain":                               "Plain",
		"**Bold** and *it*":                   "Bold and it",
		"***Both***":                          "Both",
		"<u>ARTICLE I</u><br/><u>Intro</u>":   "ARTICLE I Intro",
		"Rates<sup>(a)</sup>":                 "Rates(a)",
		"[link](http://x \"t\") ![img](a)":    "link img",
		"<http://a.b>":                        "http://a.b",
		"`code *x*`":                          "code *x*",
		"a\\*b\\# &amp; &#8212; &lt;":         "a*b# & — <",
		"`&amp;`":                             "&amp;",
		"~~old~~ new":                         "old new",
		"Title {#id .c k=v}":                  "Title",
		"Title {: #id }":                      "Title",
		"func f(x) {}":                        "func f(x) {}",
		"set {a, b}":                          "set {a, b}",
		"A[^1] b[^note]":                      "A b",
		"a[i][j]":                             "a[i][j]",
		"two\nlines  of\u00a0it":              "two lines of it",
		"snake_case_name":                     "snake_case_name",
		"ends with #":                         "ends with #",
		"- not a list":                        "- not a list",
		"2 * 3 * 4":                           "2 * 3 * 4",
		"unclosed **bold":                     "unclosed **bold",
		"":                                    "",
		strings.Repeat("Ж", 400):              strings.Repeat("Ж", 300),
		"\xff bad":                            "\uFFFD bad",
		"trailing backslash\\":                "trailing backslash\\",
		"**2.1.** [Terms](#t) <!-- c --> end": "2.1. Terms end",
	} {
		if got := markdown.PlainTitle([]byte(raw)); got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
}

// goldmark is quadratic on such titles; what it gets is bounded.
func TestHostileTitleIsBounded(t *testing.T) {
	for _, s := range []string{"[", "![", "*a_", "`", "<a ", "&", "\\", "[a](", "{#a ", "[^"} {
		raw := []byte(strings.Repeat(s, 10_000_000/len(s)))
		took := testenv.CPU(func() { markdown.PlainTitle(raw) })
		if took > time.Second {
			t.Errorf("a title of %q took %v", s, took)
		}
	}
}

func TestPages(t *testing.T) {
	printed := "cover\n\n" + strings.Repeat("long text\n\n\n\n\n\n\n\n", 1)
	for i := range 5 {
		printed += string(rune('1'+i)) + "\n\ntext\n\n\n\n\n\n\n\n\n\n"
	}
	for _, c := range []struct {
		name, src string
		want      []markdown.Page
	}{
		{"comments", "<!-- page: 3 -->\n# a\n\n<!-- Page 4 -->\nb\n", []markdown.Page{{Line: 1, Number: 3}, {Line: 4, Offset: 22, Number: 4}}},
		{"form feeds", "a\n\n\fb\n\nc\n\n\fd\n", []markdown.Page{{Line: 1, Number: 1}, {Line: 3, Offset: 3, Number: 2}, {Line: 7, Offset: 10, Number: 3}}},
		{"in a fence", "```\n<!-- page: 1 -->\n\f\n```\n", nil},
		{"cells of a table", "1\n\n2\n\n3\n\n4\n\n5\n\n6\n", nil},
		{"years", "2019\n\n\n\n\n\n\n\n\n2020\n\n\n\n\n\n\n\n\n2018\n", nil},
	} {
		sk, err := markdown.Scan([]byte(c.src), markdown.Options{})
		if err != nil || len(sk.Pages) != len(c.want) {
			t.Errorf("%s: %v, %v, want %v", c.name, sk.Pages, err, c.want)
			continue
		}
		for i := range c.want {
			if sk.Pages[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", c.name, sk.Pages[i], c.want[i])
			}
		}
	}
	sk, _ := markdown.Scan([]byte(printed), markdown.Options{})
	var got []int
	for _, p := range sk.Pages {
		if !p.Printed {
			t.Errorf("%v is not marked as printed", p)
		}
		got = append(got, p.Number)
	}
	if len(got) != 5 || got[0] != 2 || got[3] != 5 || got[4] != 0 {
		t.Errorf("printed numbers: pages %v, want 2 3 4 5 and unknown", got)
	}
}

// Text lines are running text only, with their paragraph's beginning told.
func TestTextLines(t *testing.T) {
	src := "# h\n\none\ntwo\n\n- item\n\n> quote\n\n```\ncode\n```\n\n<div>\nhtml\n</div>\n\n    indented\n\n1. a\n"
	var got []string
	_, _ = markdown.Scan([]byte(src), markdown.Options{Text: func(l markdown.Text) {
		s := src[l.Start:l.End]
		if l.First {
			s = "^" + s
		}
		if l.Item {
			s = "-" + s
		}
		got = append(got, s)
	}})
	if want := "^one two -^item ^quote -^a"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}
