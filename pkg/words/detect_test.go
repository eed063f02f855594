package words

import (
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		text string
		want Language
	}{
		{"The company is not liable for the loss of goods in transit, and it shall notify the buyer of any delay within the period that is stated in the schedule.", English},
		{"Das Unternehmen haftet nicht für den Verlust der Ware, und es teilt dem Käufer jede Verzögerung innerhalb der Frist mit, die in der Anlage genannt ist.", German},
		{"Общество не несёт ответственности за утрату товара в пути и обязано уведомить покупателя о задержке в срок, который указан в приложении к договору.", Russian},
		{"Чистая прибыль EBITDA", Russian},
		{"La société n'est pas responsable de la perte des marchandises pendant le transport et elle doit informer l'acheteur de tout retard dans le délai qui est indiqué dans l'annexe au contrat de vente.", None},
		{"東京都庁は新宿にあります。", None},
		{"Wie hoch war der Gewinn im Jahr 2022?", German},
		{"How large was goodwill in 2022?", English},
		{"Goodwill 2,648", English},
		{"| 1 | 2 | 3 |", English},
		{"", English},
		{strings.Repeat("Revenue Cost Margin ", 40), None},
	} {
		if got := Detect(c.text); got != c.want {
			t.Errorf("%.40q: got %q, want %q", c.text, got, c.want)
		}
	}
}
