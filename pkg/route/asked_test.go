package route

import (
	"reflect"
	"slices"
	"testing"
)

func TestAsk(t *testing.T) {
	for _, c := range []struct {
		question string
		want     Asked
	}{
		{"revenue in 2022", Asked{Years: []int{2022}}},
		{"FY22 revenue, 2019 prices", Asked{Years: []int{2022}}},
		{"growth from FY2019 to FY2021", Asked{Years: []int{2021, 2019}}},
		{"FY2019 - 2021 average", Asked{Years: []int{2021, 2019}}},
		{"fiscal year 2023", Asked{Years: []int{2023}}},
		{"revenue in 4Q22", Asked{Years: []int{2022}, Quarter: 4}},
		{"second fiscal quarter of 2023", Asked{Years: []int{2023}, Quarter: 2}},
		{"2021 Q1", Asked{Years: []int{2021}, Quarter: 1}},
		{"H1 FY2023", Asked{Years: []int{2023}, Quarter: 2}},
		{"second half of 2022", Asked{Years: []int{2022}, Quarter: 4}},
		{"the first nine months of 2022", Asked{Years: []int{2022}, Quarter: 3}},
		{"Apple 10-K 2023", Asked{Years: []int{2023}, Forms: []string{"10-K"}}},
		{"the 10k and the 10q", Asked{Forms: []string{"10-K", "10-Q"}}},
		{"8-K dated July 1, 2022", Asked{Years: []int{2022}, Date: "2022-07-01", Forms: []string{"8-K"}}},
		{"annual report, adjusted EBITDA", Asked{Forms: []string{"10-K"}, Adjusted: true}},
		{"What is expected for 2024?", Asked{Years: []int{2024}, Ahead: true}},
		{"годовой отчёт за 2024 год, 2 квартал", Asked{Years: []int{2024}, Quarter: 2, Forms: []string{"10-K"}}},
		{"the 2,022 pumps of model 20233", Asked{}},
		{"", Asked{}},
	} {
		if got := Ask(c.question); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, want %+v", c.question, got, c.want)
		}
	}
}

func TestStatements(t *testing.T) {
	for _, c := range []struct {
		question string
		want     []Statement
	}{
		{"Using the balance sheet, what are inventories?", []Statement{{"balance", true}}},
		{"from the P&L and the cash flow statement", []Statement{{"income", true}, {"cash", true}}},
		{"What is the quick ratio? If it is not useful, explain why.", []Statement{{"balance", false}}},
		{"What drove the change of gross margin?", nil},
		{"Which region sold most?", []Statement{{"breakdown", true}}},
		{"What color is it?", nil},
	} {
		r := Rules{Vocabulary: StandardVocabulary.Strict()}.Read(c.question)
		if !slices.Equal(r.Statements, c.want) {
			t.Errorf("%q: %+v, want %+v", c.question, r.Statements, c.want)
		}
	}
}
