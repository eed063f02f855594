package route

import (
	"fmt"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/facts"
)

// said is what is asked by period and form, in words.
func (a Asked) said() string {
	var parts []string
	if a.Date != "" {
		parts = append(parts, a.Date)
	}
	if a.Quarter > 0 {
		parts = append(parts, fmt.Sprintf("quarter %d", a.Quarter))
	}
	for _, y := range a.Years {
		parts = append(parts, fmt.Sprint(y))
	}
	parts = append(parts, a.Forms...)
	if len(parts) == 0 {
		return ""
	}
	return ", of " + strings.Join(parts, ", ")
}

// what says what a document is: owner, form, quarter and year, or its title.
func what(f *facts.Facts) string {
	var parts []string
	if f.Owner != "" {
		parts = append(parts, f.Owner)
	}
	if f.Form != "" {
		parts = append(parts, f.Form)
	}
	if f.Quarter > 0 {
		parts = append(parts, fmt.Sprintf("Q%d", f.Quarter))
	}
	if len(f.Years) > 0 {
		parts = append(parts, fmt.Sprint(f.Years[0]))
	}
	if len(parts) < 2 && f.Title != "" {
		parts = append(parts, f.Title)
	}
	if f.Form == "8-K" && f.PeriodEnd != "" {
		parts = append(parts, f.PeriodEnd)
	}
	return strings.Join(parts, ", ")
}
