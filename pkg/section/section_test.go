package section

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

func fields(s string) []string { return strings.Fields(strings.ToLower(s)) }

// source is a section that begins on line 11.
func source(text string) Source {
	n := strings.Count(strings.TrimSuffix(text, "\n"), "\n")
	return Source{Text: []byte(text), Lines: doc.Lines{Start: 11, End: 11 + n}}
}

func TestShortSectionIsWhole(t *testing.T) {
	text := "## Notes\n\nA **bold** word.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
	got := Cut(source(text), Words([]string{"word"}, fields), 4000)
	if got.Cut || got.Text != text || !strings.Contains(got.Shown, "A bold word.") || !strings.Contains(got.Shown, "| 1 | 2 |") {
		t.Errorf("%+v", got)
	}
}

// long has a paragraph of about 600 characters on each odd line; the one on line 11+2*n speaks of its own word.
func long(paragraphs int) string {
	var sb strings.Builder
	sb.WriteString("# Heading\n")
	for i := 1; i <= paragraphs; i++ {
		fmt.Fprintf(&sb, "\nword%d %s\n", i, strings.Repeat("filler text ", 50))
	}
	return sb.String()
}

func TestLongSectionKeepsHeadingAndBestParts(t *testing.T) {
	s := source(long(30))
	got := Cut(s, Words([]string{"word17", "word3"}, fields), 2000)
	if !got.Cut || !strings.HasPrefix(got.Shown, "Heading\n") || !strings.Contains(got.Shown, "word17 ") || !strings.Contains(got.Shown, "word3 ") {
		t.Fatalf("%+v", got)
	}
	if strings.Index(got.Shown, "word3 ") > strings.Index(got.Shown, "word17 ") {
		t.Error("parts are out of reading order")
	}
	if !strings.Contains(got.Shown, "[... #L") || !strings.Contains(got.Text, "[... #L") {
		t.Errorf("nothing marks what is left out: %s", got.Shown)
	}
	s.Pointer = func(l doc.Lines) string { return fmt.Sprintf("fp:x#L%d-%d", l.Start, l.End) }
	if got := Cut(s, Words([]string{"word1"}, fields), 1000); !strings.Contains(got.Shown, "[... fp:x#L") {
		t.Errorf("pointer: %s", got.Shown)
	}
}

func TestRowsComeWithTheirHeader(t *testing.T) {
	var sb strings.Builder
	sb.WriteString("# Sales\n\n| Region | 2022 | 2021 |\n|---|---|---|\n")
	for i := range 200 {
		fmt.Fprintf(&sb, "| Region %d | %d | %d |\n", i, 1000+i, 900+i)
	}
	got := Cut(source(sb.String()), Words([]string{"1150"}, fields), 1500)
	if !strings.Contains(got.Shown, "| Region | 2022 | 2021 |") || !strings.Contains(got.Shown, "| Region 150 | 1150 | 1050 |") {
		t.Errorf("shown:\n%s", got.Shown)
	}
}

func TestResolveFillsTheBudgetInRankOrder(t *testing.T) {
	var sources []Source
	for range 8 {
		sources = append(sources, source(long(30)))
	}
	got := Resolve(sources, Words([]string{"word9"}, fields), Budget{})
	if len(got) != 8 {
		t.Fatalf("%d sections", len(got))
	}
	total := 0
	for i, s := range got {
		n := utf8.RuneCountInString(s.Shown)
		total += n
		if n > 4000 || !strings.HasPrefix(s.Shown, "Heading\n") {
			t.Errorf("section %d: %d characters: %.40s", i, n, s.Shown)
		}
	}
	if total > 16000 || total < 14000 {
		t.Errorf("%d characters in all", total)
	}
	if last := got[7]; !strings.HasPrefix(last.Shown, "Heading\n[... #L1") || !strings.HasPrefix(last.Text, "# Heading\n[... #L1") {
		t.Errorf("last: %q", last.Shown)
	}
}

// However many sections, and however long their headings and pointers, the budget holds, and each has its place.
func TestResolveNeverPassesTheBudget(t *testing.T) {
	pointer := func(l doc.Lines) string { return fmt.Sprintf("fp:%s#L%d-%d", strings.Repeat("x", 130), l.Start, l.End) }
	for _, n := range []int{1, 2, 5, 20, 100, 1000} {
		for name, text := range map[string]string{
			"long": long(30), "short": "# Heading\n\nshort\n", "long heading": "# " + strings.Repeat("title ", 200) + "\n\n" + long(10),
			"no heading": strings.Repeat("x", 9000), "very long": "# Heading\n" + strings.Repeat("line of the log\n", 100_000), "empty": "",
		} {
			if n > 2 && name == "very long" {
				continue
			}
			var sources []Source
			for range n {
				s := source(text)
				s.Pointer, s.Around = pointer, len(text)/2
				sources = append(sources, s)
			}
			total := 0
			got := Resolve(sources, Words([]string{"word9"}, fields), Standard)
			for i, s := range got {
				if total += utf8.RuneCountInString(s.Shown); text != "" && s.Shown == "" || utf8.RuneCountInString(s.Shown) > Standard.Section {
					t.Errorf("%d of %d %s: %d characters", i, n, name, utf8.RuneCountInString(s.Shown))
					break
				}
			}
			if len(got) != n || total > Standard.Total {
				t.Errorf("%d %s: %d sections of %d characters", n, name, len(got), total)
			}
		}
	}
}

// Each section may have a scorer of its own.
func TestResolveByTheScorerOfTheSource(t *testing.T) {
	a, b := source(long(30)), source(long(30))
	b.Score = Words([]string{"word21"}, fields)
	got := Resolve([]Source{a, b}, Words([]string{"word9"}, fields), Budget{Section: 1500, Total: 3000})
	if !strings.Contains(got[0].Shown, "word9 ") || !strings.Contains(got[1].Shown, "word21 ") {
		t.Errorf("%s\n\n%s", got[0].Shown, got[1].Shown)
	}
}

func TestHostileSections(t *testing.T) {
	for name, text := range map[string]string{
		"empty":          "",
		"blank lines":    strings.Repeat("\n", 50000),
		"one line":       strings.Repeat("word ", 200000),
		"no blanks":      strings.Repeat("x", 100000),
		"cjk":            strings.Repeat("文", 50000),
		"bad utf-8":      strings.Repeat("\xff\xfe ok ", 5000),
		"long heading":   "# " + strings.Repeat("title ", 5000) + "\n\nbody\n",
		"wide row":       "# T\n\n|" + strings.Repeat(" a |", 5000) + "\n|" + strings.Repeat("---|", 5000) + "\n|" + strings.Repeat(" 1 |", 5000) + "\n",
		"one-line table": "# T\n\n<table>" + strings.Repeat("<tr><td>a</td><td>1</td></tr>", 3000) + "</table>\n",
		"open table":     "# T\n\n<table><tr><td>" + strings.Repeat("<tr><td>a", 3000),
		"fence":          "# T\n\n```\n" + strings.Repeat("code\n", 3000),
	} {
		got := Cut(source(text), Words([]string{"word", "a"}, fields), 1000)
		if n := utf8.RuneCountInString(got.Shown); n > 1000 {
			t.Errorf("%s: %d characters shown", name, n)
		}
		if !utf8.ValidString(got.Shown) {
			t.Errorf("%s: shown is no text", name)
		}
	}
}

func TestVeryLongSectionIsLookedAtAround(t *testing.T) {
	var sb strings.Builder
	for i := range 400000 {
		fmt.Fprintf(&sb, "line %d of the log\n", i)
	}
	s := source(sb.String())
	s.Around = strings.Index(sb.String(), "line 300000 ")
	got := Cut(s, Words([]string{"300000"}, fields), 1000)
	if !got.Cut || !strings.Contains(got.Shown, "line 300000 of the log") || utf8.RuneCountInString(got.Shown) > 1000 {
		t.Fatalf("%s", got.Shown)
	}
	if !strings.HasPrefix(got.Text, "[... #L11-") || !strings.HasSuffix(got.Text, "-400010]") {
		t.Errorf("%s", got.Text)
	}
	s.Text = []byte(strings.Repeat("endless ", 1<<20))
	s.Lines.End = s.Lines.Start
	if got := Cut(s, Words([]string{"endless"}, fields), 1000); utf8.RuneCountInString(got.Shown) > 1000 {
		t.Errorf("%d characters", utf8.RuneCountInString(got.Shown))
	}
}

func FuzzCut(f *testing.F) {
	f.Add("# a\n\ntext text\n|a|b|\n|-|-|\n|1|2|\n", 500)
	f.Add(long(4), 900)
	f.Fuzz(func(t *testing.T, text string, budget int) {
		budget = 400 + budget&0x3ff
		s := source(text)
		got := Cut(s, Words([]string{"text"}, fields), budget)
		if n := utf8.RuneCountInString(got.Shown); n > budget {
			t.Errorf("%d characters shown of %d", n, budget)
		}
		for piece := range strings.SplitSeq(got.Text, "\n") {
			if got.Cut && !strings.HasPrefix(piece, "[... #L") && !strings.Contains(text, strings.TrimRight(piece, "\r")) {
				t.Errorf("%q is not verbatim", piece)
			}
		}
	})
}
