package route

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// cards are three documents: two companies' reports and a paper that speaks of the first company once.
func cards() []Card {
	acme := "# Acme Corporation\nAnnual report of Acme. Acme sells pumps to Borealis.\n" + strings.Repeat("Acme pumps. ", 30)
	bore := "# Borealis plc\nReport of Borealis. Borealis Growth.\n" + strings.Repeat("Borealis pumps growth. ", 30)
	paper := "# Growth of Firms\nA Study of growth, as in Acme.\n" + strings.Repeat("Study of growth. ", 30)
	return []Card{
		CardOf(doc.Prefix{1}, "2022/ACM.md", []byte(acme)),
		CardOf(doc.Prefix{2}, "b/report-2022.md", []byte(bore)),
		CardOf(doc.Prefix{3}, "x.pdf", []byte(paper)),
	}
}

func TestDocumentsByName(t *testing.T) {
	table := NewTable(cards()...)
	for _, c := range []struct {
		question string
		want     []byte
	}{
		{"What did Acme sell in 2022?", []byte{1}},
		{"Compare Borealis's pumps with those of Acme", []byte{2, 1}},
		{"ACM: total assets", []byte{1}},        // the key's stem
		{"What is the Growth of firms?", nil},   // spread over two documents
		{"Report on pumps", nil},                // an ordinary word, and a lower-case one
		{"what did acme sell", nil},             // a name has its capital
		{"What does the Study say?", []byte{3}}, // most uses lie there
		{"Who is Nobody?", nil},
		{"", nil},
	} {
		var got []byte
		for _, n := range table.Documents(c.question) {
			for _, p := range n.Docs {
				got = append(got, p[0])
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.question, got, c.want)
		}
	}
}

func TestCardIsBounded(t *testing.T) {
	var sb strings.Builder
	for i := range 5000 {
		for range 3 + i%7 {
			fmt.Fprintf(&sb, "Name%d ", i)
		}
	}
	c := CardOf(doc.Prefix{1}, strings.Repeat("a-b.", 500), []byte(sb.String()))
	if len(c.Uses) > maxUses || len(c.Stems) > maxStems || len(c.Names) > len(c.Uses) {
		t.Errorf("%d uses, %d stems, %d names", len(c.Uses), len(c.Stems), len(c.Names))
	}
	if c := CardOf(doc.Prefix{1}, "", []byte("\xff\xfe<<<<>")); len(c.Names) != 0 {
		t.Errorf("%+v", c)
	}
	if c := CardOf(doc.Prefix{1}, "10k/2022.md", nil); len(c.Stems) != 0 {
		t.Errorf("a year is no name: %v", c.Stems)
	}
}

func TestWithout(t *testing.T) {
	named := []Named{{"express", make([]doc.Prefix, 1)}, {"amd", make([]doc.Prefix, 1)}, {"table", make([]doc.Prefix, 2)}}
	for _, c := range []struct{ in, want string }{
		{"How did American Express define it?", "How did  define it?"},
		{"For AMD, what is the Data Center revenue of Advanced AMD?", "For , what is the Data Center revenue of ?"},
		{"In Table 3, American Express Company issued", "In Table 3,  Company issued"},
		{"Goodwill. AMD paid", "Goodwill.  paid"},
		{"AMD?", "AMD?"},
		{"amd says", "amd says"},
		{"", ""},
	} {
		if got := Without(c.in, named); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestTableForgets(t *testing.T) {
	cs := cards()
	table := NewTable(cs...)
	table.Remove(cs[2])
	if got := table.Documents("What does the Study say of Acme?"); len(got) != 1 || got[0].Docs[0][0] != 1 {
		t.Errorf("without the paper: %v", got)
	}
	table.Remove(cs[0])
	table.Remove(cs[1])
	if len(table.names) != 0 || len(table.uses) != 0 {
		t.Errorf("left over: %v %v", table.names, table.uses)
	}
}

func TestEditionsShareTheirName(t *testing.T) {
	text := func(year string) []byte {
		return []byte("# Larkmoor Inc\nReport " + year + " of Larkmoor in Dorset.\n" + strings.Repeat("Larkmoor in Dorset. ", 20))
	}
	table := NewTable(append(cards(), CardOf(doc.Prefix{7}, "a-2024", text("2024")), CardOf(doc.Prefix{8}, "a-2025", text("2025")))...)
	for _, c := range []struct {
		question string
		want     []Named
	}{
		{"Revenue of Larkmoor in 2025", []Named{{"larkmoor", []doc.Prefix{{7}, {8}}}}},
		{"Larkmoor of Dorset", []Named{{"larkmoor", []doc.Prefix{{7}, {8}}}}},
		{"Compare Larkmoor and Borealis", []Named{{"borealis", []doc.Prefix{{2}}}, {"larkmoor", []doc.Prefix{{7}, {8}}}}},
		{"anything", nil},
	} {
		if got := table.Documents(c.question); !slices.EqualFunc(got, c.want, func(a, b Named) bool { return a.Word == b.Word && slices.Equal(a.Docs, b.Docs) }) {
			t.Errorf("%s: %v, want %v", c.question, got, c.want)
		}
	}
}
