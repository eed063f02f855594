package route

import (
	"testing"

	"github.com/fingerpost/fingerpost/pkg/reference"
)

func TestKind(t *testing.T) {
	rules := Rules{References: reference.OfQuestion, Names: NewTable(cards()...)}
	for _, c := range []struct {
		question string
		want     Kind
	}{
		{"What was the total revenue in 2022?", Cell},
		{"How many pumps were sold?", Cell},
		{"In Table 3, how much did the pumps cost?", Cell},
		{"Сколько насосов на станции?", Cell},
		{"Wie hoch ist die Gebühr?", Cell},
		{"What does Note 7 say?", Structural},
		{"What is covered in Article 9?", Structural},
		{"Что говорит статья 15?", Structural},
		{"Compare the goodwill of both companies", Comparison},
		{"Did pumps grow faster than valves?", Comparison},
		{"What goodwill have Acme and Borealis?", Comparison},
		{"Чем отличается режим А от режима Б?", Comparison},
		{"What is a watermark?", Definition},
		{"How is Loss Value defined?", Definition},
		{"Что такое резервный агрегат?", Definition},
		{"Was bedeutet Rahmenvertrag?", Definition},
		{"Summarize the risk factors", Summary},
		{"Кратко опишите порядок пуска", Summary},
		{"Why did revenue shrink?", Factual},
		{"", Factual},
	} {
		if got := rules.Read(c.question).Kind; got != c.want {
			t.Errorf("%q: %s, want %s", c.question, got, c.want)
		}
	}
}
