package proof_test

import "testing"

// falseWords are statements of the report whose every number is true and cited, and whose words are not.
var falseWords = []struct{ kind, question, statement string }{
	{"cause", "", "Net revenue rose to $2,412.5 million in 2031 because of fraud [1]."},
	{"cause", "", "Net revenue was $2,412.5 million in 2031 because pumps sold well [1]."},
	{"cause", "", "Gross profit of 1,112.1 in 2031 was driven by cost of sales [1]."},
	{"cause", "", "Due to pumps, gross margin was 46.1% in 2031 [1]."},
	{"cause", "", "The operating loss of pumps was 45.6 in 2031, thanks to Asia [1]."},
	{"cause", "", "Net revenue of 2,412.5 in 2031 led to gross profit of 1,112.1 in 2031 [1]."},
	{"cause", "", "Despite pumps, net revenue was 2,412.5 in 2031 [1]."},
	{"cause", "Did fraud raise net revenue in 2031?", "Net revenue was 2,412.5 in 2031 because of fraud [1]."},
	{"negation", "", "Net revenue was not $2,412.5 million in 2031 [1]."},
	{"negation", "", "Net revenue never was 2,412.5 in 2031 [1]."},
	{"negation", "", "Without pumps, net revenue was 2,412.5 in 2031 [1]."},
	{"negation", "", "The company did not employ about 4,310 people [1]."},
	{"negation", "", "The company employed no more than 4,310 people [1]."},
	{"negation", "", "Net revenue wasn't 2,412.5 in 2031 [1]."},
	{"subject", "", "Acme's net revenue was $2,412.5 million in 2031 [1]."},
	{"subject", "", "Net revenue of the hospital division was 2,412.5 in 2031 [1]."},
	{"subject", "", "The competitor employed about 4,310 people [1]."},
	{"subject", "", "The company employed about 4,310 lawyers [1]."},
	{"subject", "", "Africa, like Europe, sold 311 pumps [1]."},
	{"subject", "", "Gross profit of the subsidiary was 1,112.1 in 2031 [1]."},
	{"subject", "", "Goodwill of Asia was 55.0 at the end of 2031 [2]."},
	{"direction", "", "Net revenue fell to $2,412.5 million in 2031 [1]."},
	{"direction", "", "Net revenue fell from $1,931.0 million in 2030 to $2,412.5 million in 2031 [1]."},
	{"direction", "", "Net revenue was $2,412.5 million in 2031, down from $1,931.0 million in 2030 [1]."},
	{"direction", "", "Gross margin declined to 46.1% in 2031 [1]."},
	{"direction", "", "Gross margin was 46.1% in 2031 and 42.0% in 2030, a decrease [1]."},
	{"direction", "", "Cost of sales dropped to $1,300.4 million in 2031 [1]."},
	{"direction", "", "Growth of net revenue fell: (2,412.5 - 1,931.0) / 1,931.0 = 24.9% [1]."},
	{"direction", "", "The quick ratio fell to 0.56."},
	{"period", "", "Net revenue was $2,412.5 million in the first quarter of 2031 [1]."},
	{"period", "", "Monthly net revenue was $2,412.5 million in 2031 [1]."},
	{"period", "", "Net revenue was $2,412.5 million in the six months to June 2031 [1]."},
	{"period", "", "Net revenue will be $2,412.5 million in 2031 [1]."},
	{"period", "", "Goodwill was 55.0 at the beginning of 2031 [2]."},
	{"adjective", "", "Record net revenue was $2,412.5 million in 2031 [1]."},
	{"adjective", "", "Net revenue was a disappointing $2,412.5 million in 2031 [1]."},
	{"adjective", "", "Europe sold 311 defective pumps [1]."},
	{"adjective", "", "Unaudited gross profit was 1,112.1 in 2031 [1]."},
	{"adjective", "", "Net revenue rose sharply from $1,931.0 million in 2030 to $2,412.5 million in 2031 [1]."},
	{"adjective", "", "The disputed quick ratio is 0.56."},
}

// A true number does not carry false words: none of forty is proven.
func TestTrueNumbersDoNotCarryFalseWords(t *testing.T) {
	if len(falseWords) != 40 {
		t.Fatalf("%d statements", len(falseWords))
	}
	for _, c := range falseWords {
		for _, s := range judge(c.question, c.statement) {
			if s.Proven() {
				t.Errorf("%s: %q is proven", c.kind, c.statement)
			}
		}
	}
}

// The same numbers in words that the places hold are proven: synonyms, the words of saying, a direction that the numbers show.
func TestTrueWordsAreProven(t *testing.T) {
	for _, c := range []struct{ question, statement string }{
		{"", "Net revenue rose to $2,412.5 million in 2031 [1]."},
		{"", "Net revenue was $2,412.5 million in 2031, up from $1,931.0 million in 2030 [1]."},
		{"", "Net sales of Pump Works AG amounted to $2,412.5 million in 2031 [1]."},
		{"", "In 2031 the company reported gross profit of 1,112.1 [1]."},
		{"", "Cost of sales increased from $1,120.9 million in 2030 to $1,300.4 million in 2031 [1]."},
		{"", "The operating loss of pumps increased to 45.6 in 2031 [1]."},
		{"", "The company had about 4,310 employees [1]."},
		{"", "Net revenue grew 24.9%, growth that came from pumps [1]."},
		{"", "Goodwill stood at 55.0 at the end of 2031 [2]."},
		{"How many pumps were delivered in Europe?", "311 pumps were delivered in Europe [1]."},
		{"", "The quick ratio is about 0.56."},
	} {
		for _, s := range judge(c.question, c.statement) {
			if !s.Proven() {
				t.Errorf("%q: %s (%s)", c.statement, s.Fault, s.About)
			}
		}
	}
}

// What says nothing is not proven: citations alone, the question once more.
func TestNothingSaidIsNotProven(t *testing.T) {
	for _, said := range []string{"- It is [1].", "[ [1]", "What were the fees of lawyers in 2031 [1]?", "The fees of lawyers [1]."} {
		for _, s := range judge("What were the fees of lawyers in 2031?", said) {
			if s.Proven() {
				t.Errorf("%q is proven", said)
			}
		}
	}
}
