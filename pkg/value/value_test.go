package value

import (
	"math/big"
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text, want string // amount; "" is a text
		in         Convention
		currency   string
		unit       string
		notes      string
		to         string
	}{
		{text: "1,234", want: "1234"},
		{text: "1,234.50", want: "1234.5"},
		{text: "12,34,567", want: "1234567"},
		{text: "1.234", want: "1.234"},
		{text: "1.234", in: Comma, want: "1234"},
		{text: "1.234,5", want: "1234.5"},
		{text: "1.234.567", want: "1234567"},
		{text: "1 234 567,8", in: Comma, want: "1234567.8"},
		{text: "1 234", want: "1234"},
		{text: "1\u00a0234\u202f567", want: "1234567"},
		{text: "1'234'567.05", want: "1234567.05"},
		{text: "0,5", want: "0.5"},
		{text: "0,125", want: "0.125"},
		{text: "2,5", want: "2.5"},
		{text: ".5", want: "0.5"},
		{text: "(1,234)", want: "-1234"},
		{text: "$(1,234.5)", want: "-1234.5", currency: "USD"},
		{text: "($5)", want: "-5", currency: "USD"},
		{text: "(12.5)%", want: "-12.5", unit: "%"},
		{text: "(12.5%)", want: "-12.5", unit: "%"},
		{text: "(5", want: "-5"},
		{text: "-7", want: "-7"},
		{text: "−7", want: "-7"},
		{text: "7-", want: "-7"},
		{text: "+3.1", want: "3.1"},
		{text: "—", want: "0"},
		{text: "$ —", want: "0", currency: "USD"},
		{text: "—%", want: "0", unit: "%"},
		{text: "--", want: "0"},
		{text: "5%", want: "5", unit: "%"},
		{text: "5 percent", want: "5", unit: "%"},
		{text: "12,5 %", in: Comma, want: "12.5", unit: "%"},
		{text: "$1.5M", want: "1500000", currency: "USD"},
		{text: "€ 3,2 Mrd.", in: Comma, want: "3200000000", currency: "EUR"},
		{text: "4,6 млн руб.", in: Comma, want: "4600000", currency: "RUB"},
		{text: "$ 2.4 billion", want: "2400000000", currency: "USD"},
		{text: "5 million shares", want: "5000000", unit: "shares"},
		{text: "26G", want: "26", unit: "G"},
		{text: "15.64 (4.38G)", want: "15.64"},
		{text: "14 years", want: "14", unit: "years"},
		{text: "1.5x", want: "1.5", unit: "x"},
		{text: "5–7 years", want: "5", to: "7", unit: "years"},
		{text: "$1.2 to $1.5 billion", want: "1200000000", to: "1.5", currency: "USD"},
		{text: "от 5 до 7", want: ""},
		{text: "1,234(1)", want: "1234", notes: "(1)"},
		{text: "1,234 (a)(b)", want: "1234", notes: "(a) (b)"},
		{text: "56*", want: "56", notes: "*"},
		{text: "7¹", want: "7", notes: "¹"},
		{text: "(1)", want: "-1"},
		{text: "~30", want: "30"},
		{text: "about 30", want: "30"},
		{text: "12/31/2022", want: ""},
		{text: "2022-12-31", want: ""},
		{text: "1.2.3", want: ""},
		{text: "1,23,4", want: ""},
		{text: "n/a", want: ""},
		{text: "", want: ""},
		{text: "The 3 companies of 2022 and 2021", want: ""},
		{text: strings.Repeat("9", 300), want: ""},
		{text: "99999999999999999999.99", want: "99999999999999999999.99"},
	} {
		v := Parse(c.text, c.in)
		got := ""
		if v.Number != nil {
			got = Exact(v.Amount())
		}
		if got != c.want || v.Currency != c.currency || v.Unit != c.unit || strings.Join(v.Notes, " ") != c.notes {
			t.Errorf("%q: %q, currency %q, unit %q, notes %q: %+v", c.text, got, v.Currency, v.Unit, v.Notes, v)
		}
		if to := ""; v.To != nil {
			if to = Exact(v.To); to != c.to {
				t.Errorf("%q goes to %s, want %s", c.text, to, c.to)
			}
		} else if c.to != "" {
			t.Errorf("%q is no range", c.text)
		}
	}
}

func TestAllFindsTheNumbersOfASentence(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"Revenue was $23.6 billion, up 44% from $16,434 million in 2021.", []string{"23600000000 USD", "44 %", "16434000000 USD", "2021"}},
		{"a loss of $(1,234) and (5.5)% of sales (2022)", []string{"-1234 USD", "-5.5 %", "2022"}},
		{"see Note 15, A2.1 and 12/31/2022", []string{"15", "2.1", "12", "31", "2022"}},
		{"from -5 to 10", []string{"-5", "10"}},
		{"1.2.3 and 10.0.0.1", nil},
		{"нет чисел", nil},
		{"", nil},
	} {
		var got []string
		for _, f := range All(c.text, Point) {
			s := strings.TrimSpace(Exact(f.Amount()) + " " + f.Currency)
			if f.Percent {
				s += " %"
			}
			got = append(got, strings.Join(strings.Fields(s), " "))
			if c.text[f.Start:f.End] != f.Text {
				t.Errorf("%q: bytes %d-%d are not %q", c.text, f.Start, f.End, f.Text)
			}
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		n      string
		places int
		want   string
	}{
		{"1234567.891", 2, "1,234,567.89"}, {"-1234.5", 0, "-1,235"}, {"0.125", 2, "0.13"}, {"-0.001", 1, "0.0"}, {"999", 0, "999"}, {"100", 1, "100.0"},
	} {
		n, _ := new(big.Rat).SetString(c.n)
		if got := Format(n, c.places); got != c.want {
			t.Errorf("%s with %d places: %q, want %q", c.n, c.places, got, c.want)
		}
	}
}

func TestRounds(t *testing.T) {
	exact := big.NewRat(2, 3)
	for s, want := range map[string]bool{"0.67": true, "0.66": true, "0.7": true, "0.6": true, "0.68": false, "0.65": false, "1": true} {
		v := Parse(s, Point)
		if got := Rounds(v.Number, v.Places, exact); got != want {
			t.Errorf("%s for 2/3: %v", s, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1,234", "$(5)%", "5–7 years", "1.2.3", "(((", "€ 3,2 Mrd.", "\xff1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, c := range []Convention{Point, Comma} {
			if v := Parse(s, c); (v.Kind == Text) != (v.Number == nil) {
				t.Errorf("%q: %+v", s, v)
			}
			for _, f := range All(s, c) {
				if s[f.Start:f.End] != f.Text || f.Number == nil {
					t.Errorf("%q: %+v", s, f)
				}
			}
		}
	})
}
