package route

import (
	"slices"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/facts"
)

// Priors say how well a document's period and form fit what is asked. The numbers add up, and enter the score of every
// place in the document.
//
// Source: the project's retrieval notes, "Router", measured on 166 filings in one index.
type Priors struct {
	Year, OtherLabel  float64 // its year is asked for; by its second label
	Next, AfterNext   float64 // an annual report of the year after, which holds the asked one for comparison
	Quarterly, Quick  float64 // the quarter's report; its earnings release
	Annual, AnnualRel float64 // no quarter asked: annual report; release of the fourth quarter
	Adjusted          float64 // added to releases where adjusted figures are asked
	Form              float64 // its form is named
	Day               float64 // of the day asked; a current report within DayWithin of it
	DayWithin         time.Duration
	Newest            float64    // nothing asked by period: the newest annual report
	Recent            [3]float64 // and the newest three of all
	// Drop leaves out documents that are this much below the best.
	Drop float64
}

// StandardPriors are the ones in use.
func StandardPriors() Priors {
	return Priors{
		Year: 1, OtherLabel: .9, Next: .35, AfterNext: .15, Quarterly: .8, Quick: .7, Annual: .5, AnnualRel: .42, Adjusted: .15,
		Form: .6, Day: 1.6, DayWithin: 4 * 24 * time.Hour, Newest: .5, Recent: [3]float64{.3, .2, .1}, Drop: .6,
	}
}

// of is the prior of one document among those of its owner; newest is the newest year of these.
func (p Priors) of(f *facts.Facts, a Asked, newest int) float64 {
	var score float64
	year, rest := a.year(newest)
	if year > 0 {
		score += p.year(f, a, year)
	}
	if slices.ContainsFunc(a.Forms, func(form string) bool { return sameForm(f.Form, form) }) {
		score += p.Form
	}
	if a.Date != "" {
		score += p.day(f, a.Date)
	}
	if year == 0 && !rest && a.Quarter == 0 {
		return score
	}
	return score + p.kind(f, a)
}

// year is the newest year asked for that is not after the newest document, 0 when there is none; rest says that
// years were asked for, all later.
func (a Asked) year(newest int) (year int, rest bool) {
	for _, y := range a.Years {
		if y <= newest {
			return y, false
		}
	}
	return 0, len(a.Years) > 0
}

func (p Priors) year(f *facts.Facts, a Asked, year int) float64 {
	i := slices.Index(f.Years, year)
	switch {
	case i == 0:
		return p.Year
	case i > 0:
		return p.OtherLabel
	case a.Ahead && slices.Contains(f.Years, year-1):
		return p.OtherLabel
	case sameForm(f.Form, "10-K") && slices.Contains(f.Years, year+1):
		return p.Next
	case sameForm(f.Form, "10-K") && slices.Contains(f.Years, year+2):
		return p.AfterNext
	}
	return 0
}

// kind is what the form counts for the quarter asked, or for none.
func (p Priors) kind(f *facts.Facts, a Asked) float64 {
	release := f.Family == "release"
	switch {
	case a.Quarter > 0 && f.Quarter == a.Quarter && release:
		return p.Quick
	case a.Quarter > 0 && f.Quarter == a.Quarter:
		return p.Quarterly
	case a.Quarter == 4 && annual(f):
		return p.Annual
	case a.Quarter > 0:
		return 0
	case annual(f):
		return p.Annual
	case release && f.Quarter == 4:
		if a.Adjusted {
			return p.AnnualRel + p.Adjusted
		}
		return p.AnnualRel
	}
	return 0
}

func (p Priors) day(f *facts.Facts, date string) float64 {
	asked, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return 0
	}
	within := time.Duration(0)
	if sameForm(f.Form, "8-K") || sameForm(f.Form, "6-K") {
		within = p.DayWithin
	}
	for _, own := range []string{f.PeriodEnd, f.Date} {
		d, err := time.Parse(time.DateOnly, own)
		if err == nil && asked.Sub(d).Abs() <= within {
			return p.Day
		}
	}
	return 0
}

// annual reports whether a document is an annual report.
func annual(f *facts.Facts) bool {
	return sameForm(f.Form, "10-K") || sameForm(f.Form, "20-F") || sameForm(f.Form, "40-F")
}

// sameForm holds amendments for their form: "10-K/A" is a 10-K.
func sameForm(form, asked string) bool { return form == asked || strings.HasPrefix(form, asked+"/") }
