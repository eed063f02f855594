package proof_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/proof"
	"github.com/fingerpost/fingerpost/pkg/value"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// lines are the rows of the statement that the planted answers speak of.
var lines = []string{"Net revenue", "Cost of goods sold", "Gross profit", "Research and development", "Operating income", "Interest expense",
	"Income tax provision", "Net income", "Inventories", "Accounts receivable", "Goodwill", "Long-term debt"}

var years = []int{2033, 2032, 2031}

// books is a statement of seeded amounts in millions: amount[row][year].
type books struct {
	rng    *rand.Rand
	amount [][]*big.Rat
}

func newBooks(seed uint64) *books {
	b := &books{rng: rand.New(rand.NewPCG(seed, 1))}
	for i := range lines {
		row := []*big.Rat{}
		for range years {
			n := big.NewRat(10_000+b.rng.Int64N(9_000_000), 10)
			if lines[i] == "Cost of goods sold" || lines[i] == "Interest expense" {
				n.Neg(n)
			}
			row = append(row, n)
		}
		b.amount = append(b.amount, row)
	}
	return b
}

func (b *books) text() string {
	var s strings.Builder
	s.WriteString("## Consolidated statements\n\n(In millions)\n\n| | 2033 | 2032 | 2031 |\n|---|---|---|---|\n")
	for i, l := range lines {
		fmt.Fprintf(&s, "| %s |", l)
		for j := range years {
			fmt.Fprintf(&s, " %s |", printed(b.amount[i][j]))
		}
		s.WriteString("\n")
	}
	for i, l := range lines {
		fmt.Fprintf(&s, "\nThe matter of %s was reviewed by the board in %d and found to be in good order.\n", strings.ToLower(l), years[i%3])
	}
	return s.String()
}

func printed(n *big.Rat) string {
	if n.Sign() < 0 {
		return "(" + value.Format(new(big.Rat).Neg(n), 1) + ")"
	}
	return value.Format(n, 1)
}

// said is an amount in words: form 0 in millions, 1 in billions, 2 in full, 3 as printed.
func said(n *big.Rat, form int) string {
	a := new(big.Rat).Abs(n)
	switch form {
	case 0:
		return "$" + value.Format(a, 1) + " million"
	case 1:
		return "$" + value.Format(new(big.Rat).Quo(a, big.NewRat(1000, 1)), 2) + " billion"
	case 2:
		return "$" + value.Format(new(big.Rat).Mul(a, big.NewRat(1_000_000, 1)), 0)
	}
	return printed(n)
}

type planted struct{ question, answer string }

func (b *books) pick() (row, col int) { return b.rng.IntN(len(lines)), b.rng.IntN(len(years)) }

// truth is the i-th true statement.
func (b *books) truth(i int) planted {
	r, c := b.pick()
	n, l := b.amount[r][c], lines[r]
	d := (c + 1) % len(years)
	m := b.amount[r][d]
	switch i % 8 {
	case 0, 1, 2, 3:
		return planted{"", fmt.Sprintf("%s was %s in %d [1].", l, said(n, i%4), years[c])}
	case 4:
		return planted{fmt.Sprintf("What was %s in %d?", strings.ToLower(l), years[c]), fmt.Sprintf("%s was %s [1].", l, said(n, 0))}
	case 5:
		return planted{"", fmt.Sprintf("%s went from %s in %d to %s in %d [1].", l, said(m, 0), years[d], said(n, 1), years[c])}
	case 6:
		p := new(big.Rat).Quo(new(big.Rat).Sub(n, m), m)
		return planted{"", fmt.Sprintf("%s changed by (%s - %s) / %s = %s%% [1].", l, value.Format(n, 1), value.Format(m, 1), value.Format(m, 1), value.Format(p.Mul(p, big.NewRat(100, 1)), 1))}
	}
	return planted{"", fmt.Sprintf("The board's review found “%s was reviewed by the board in %d” [1].", strings.ToLower(l), years[r%3])}
}

// lie is the i-th false statement: half of them with numbers of the same row or table.
func (b *books) lie(i int) planted {
	r, c := b.pick()
	d := (c + 1) % len(years)
	other := (r + 1 + b.rng.IntN(len(lines)-1)) % len(lines)
	l := lines[r]
	switch i % 8 {
	case 0:
		return planted{"", fmt.Sprintf("%s was %s in %d [1].", l, said(b.amount[r][d], i/8%4), years[c])}
	case 1:
		return planted{"", fmt.Sprintf("%s was %s in %d [1].", l, said(b.amount[other][c], i/8%4), years[c])}
	case 2:
		return planted{fmt.Sprintf("What was %s in %d?", strings.ToLower(l), years[c]), fmt.Sprintf("It was %s [1].", said(b.amount[r][d], i/8%2))}
	case 3:
		return planted{"", fmt.Sprintf("%s was $%s billion in %d [1].", l, value.Format(new(big.Rat).Abs(b.amount[r][c]), 1), years[c])}
	case 4:
		return planted{"", fmt.Sprintf("%s was %s in %d [1].", l, said(new(big.Rat).Mul(b.amount[r][c], big.NewRat(11, 10)), i/8%4), years[c])}
	case 5:
		return planted{"", fmt.Sprintf("%s went from %s in %d to %s in %d [1].", l, said(b.amount[r][c], 0), years[d], said(b.amount[r][d], 0), years[c])}
	case 6:
		n, m := value.Format(b.amount[r][c], 1), value.Format(b.amount[r][d], 1)
		return planted{"", fmt.Sprintf("%s changed by (%s - %s) / %s = %d%% [1].", l, n, m, m, 4000+b.rng.IntN(999))}
	}
	return planted{"", fmt.Sprintf("The board said “%s was approved by the board in %d” [1].", strings.ToLower(l), years[r%3])}
}

// Fifty false numbers and quotes are caught, two hundred true statements are not dropped.
func TestKnown62PlantedNumbersAreCaught(t *testing.T) {
	for seed := range uint64(3) {
		b := newBooks(seed)
		text := b.text()
		sections := []proof.Section{{N: 1, Text: []byte(text), First: 1, Head: "Works AG annual report 2033", Language: words.Detect(text)}}
		caught, dropped := 0, 0
		for i := range 50 {
			p := b.lie(i)
			if s := proof.Check(p.question, p.answer, sections, nil); len(s) == 1 && !s[0].Proven() {
				caught++
			} else {
				t.Errorf("seed %d: proven: %s %s: %+v", seed, p.question, p.answer, s)
			}
		}
		for i := range 200 {
			p := b.truth(i)
			if s := proof.Check(p.question, p.answer, sections, nil); len(s) != 1 || !s[0].Proven() {
				dropped++
				t.Errorf("seed %d: dropped: %s %s: %s (%s)", seed, p.question, p.answer, s[0].Fault, s[0].About)
			}
		}
		t.Logf("seed %d: %d of 50 caught, %d of 200 dropped", seed, caught, dropped)
	}
}
