package section

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestDistinct(t *testing.T) {
	statement := "| Cash | 1,526 | 1,499 |\n| Accounts receivable, net | 657 | 542 |\n| Inventories | 110 | 102 |\n| Goodwill | 1,821 | 1,806 |\n" +
		"| Other assets | 455 | 318 |\n| Accounts payable | 302 | 255 |\n| Long-term debt | 15,088 | 12,751 |\n| Total equity | 10,469 | 11,611 |\n"
	other := strings.NewReplacer("1,", "2,", "5", "6", "0", "8").Replace(statement)
	for _, c := range []struct {
		name  string
		texts []string
		want  []int
	}{
		{"nothing", nil, nil},
		{"printed twice", []string{"## Balance sheet\n" + statement, "prose about something else altogether", "### BALANCE SHEETS\n" + statement + "\n57\n"}, []int{0, 1}},
		{"another year", []string{statement, other}, []int{0, 1}},
		{"short ones", []string{"See Note 7.", "See Note 7.", "", ""}, []int{0, 1, 2, 3}},
		{"a part of it", []string{statement, statement[:len(statement)/2]}, []int{0, 1}},
		{"no text", []string{"\xff\xfe\x00", "\xff"}, []int{0, 1}},
	} {
		var texts [][]byte
		for _, s := range c.texts {
			texts = append(texts, []byte(s))
		}
		if got := Distinct(texts); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// BenchmarkDistinct compares ten sections of 40,000 characters.
func BenchmarkDistinct(b *testing.B) {
	var texts [][]byte
	for i := range 10 {
		texts = append(texts, []byte(strings.Repeat(fmt.Sprintf("word%d and more of it ", i), 2000)))
	}
	for b.Loop() {
		Distinct(texts)
	}
}
