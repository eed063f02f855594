package inline

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"  two   blanks\tand\nlines ", "two blanks and lines"},
		{"**Total assets**", "Total assets"},
		{"*one* and **two** and ***three***", "one and two and three"},
		{"__strong__ _soft_ snake_case_name", "strong soft snake_case_name"},
		{"2 * 3 * 4", "2 * 3 * 4"},
		{"767 ***", "767 ***"},
		{"a*b*c", "abc"},
		{"5* of 6", "5* of 6"},
		{"Fees<sup>(a)</sup>", "Fees(a)"},
		{"Fees <sup>(a)</sup>", "Fees (a)"},
		{"December 31,<br/>2022", "December 31, 2022"},
		{"<u>Table</u> of", "Table of"},
		{"<p>one</p><p>two</p>", "one two"},
		{"S&amp;P &lt;500&gt; &nbsp;x &#8212; &unknown; &", "S&P <500> x — &unknown; &"},
		{"[text](http://a/b_(c)) and [not](broken", "text and [not](broken"},
		{"![alt](image.png)", "alt"},
		{"see <https://example.org/a_b> now", "see https://example.org/a_b now"},
		{"a < b and c > d", "a < b and c > d"},
		{"x <y", "x <y"},
		{"`code` and \\*star\\*", "code and *star*"},
		{"before<!-- page: 3 -->after", "beforeafter"},
		{"[ ] open", "[ ] open"},
		{"$\u00a01,320", "$ 1,320"},
		{`<td title="a > b">x</td>`, "x"},
		{"Привет **мир**", "Привет мир"},
		{"", ""},
		{"   ", ""},
	} {
		if got := Text([]byte(c.in)); got != c.want {
			t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestTextIsTheSameByBothWays(t *testing.T) {
	for _, s := range []string{"a b", "a_b c", " a ", "a  b", "x!", "1,234"} {
		if got, want := Text([]byte(s)), string(Append(nil, []byte(s))); got != want {
			t.Errorf("%q: fast %q, slow %q", s, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"a**b**", "<a href='x>y'>", "[[[a](b)](c)](d)", "&amp;&#0;&#xffffff;", "\\", "_*_*_", "<!--", "\x00\xff\xc2"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := Text(b)
		if slow := string(Append(nil, b)); got != slow {
			t.Fatalf("fast %q, slow %q", got, slow)
		}
		if strings.ContainsAny(got, "\x00\n\t\r") || strings.Contains(got, "  ") || got != strings.Trim(got, " ") {
			t.Fatalf("%q is not clean", got)
		}
		if utf8.Valid(b) && !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8 any more", got)
		}
		if prefix := Append([]byte("x"), b); !bytes.HasPrefix(prefix, []byte("x")) {
			t.Fatal("what stood before is gone")
		}
	})
}

func BenchmarkHostile(b *testing.B) {
	for _, unit := range []string{"<a ", "[", "![](", "*a ", "_a ", "&am", "<!--", "`", "](", "\\", "<a b='"} {
		text := bytes.Repeat([]byte(unit), 1<<20/len(unit))
		b.Run(unit, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Append(nil, text)
			}
		})
	}
}
