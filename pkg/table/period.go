package table

import (
	"regexp"
	"strings"
)

var (
	reMonth = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|` +
		`января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря|` +
		`januar|februar|märz|mai|juni|juli|oktober|dezember)\.?`
	reYear   = `(?:19|20)\d\d`
	rePrefix = `(?:(?:fiscal|full|calendar|financial|as of|at|as of or for the|for the|for|in|the|на|за|zum|per|stand)\s+)*`
	reSpan   = `(?:(?:three|six|nine|twelve|thirteen|twenty-six|fifty-two|fifty-three|3|6|9|12|13|26|39|52|53)[ -](?:months?|weeks?)|years?|quarters?|fiscal years?|periods?|год(?:ы|а)?|geschäftsjahre?)`
	reDate   = `(?:` + reMonth + `\s+\d{1,2}(?:,?\s+` + reYear + `)?|\d{1,2}\.?\s+` + reMonth + `(?:\s+` + reYear + `)?|\d{1,2}[./]\d{1,2}[./](?:\d\d)?\d\d|` + reYear + `-\d\d-\d\d|` + reMonth + `\s+` + reYear + `)`
	// onePeriod is a text that is nothing but a time.
	onePeriod = regexp.MustCompile(`(?i)^` + rePrefix + `(?:` + reSpan + `(?:\s+(?:ended|ending|to|beendet))?,?\s*)?(?:the\s+)?(?:(?:fy|q[1-4]|[1-4]q|h[12]|[1-4]h)\W?\s?(?:'?\d\d|` + reYear + `)?|` + reYear + `(?:\s*[-–/]\s*(?:\d\d|` + reYear + `))?|` + reDate + `|` + reSpan + `\s+ended)(?:\s*(?:г\.?|год[ауы]?|года))?[,:]?(?:\s*(?:and\s*)?` + reYear + `)?(?:\s*(?:\([a-z0-9]{1,2}\)|\*+|†))*$`)
	yearOnly  = regexp.MustCompile(`^` + reYear + `(?:\s*\([a-z0-9]{1,2}\))*$`)
	versus    = regexp.MustCompile(`(?i)^` + reYear + `\s*(?:vs?\.?|versus|compared (?:to|with)|to|-|–)\s*` + reYear + `$`)
	someYear  = regexp.MustCompile(`\b` + reYear + `\b|\d[./]\d{1,2}[./]\d\d|(?i:fy|q[1-4])\W?'?\d\d`)
	// anyPeriod finds a time in a sentence.
	anyPeriod = regexp.MustCompile(`(?i)` + reDate + `(?:,?\s+` + reYear + `)?|\b` + reYear + `\b`)
)

// isPeriod reports whether s is nothing but a time: "2022", "December 31, 2022", "Q3 2021",
// "Years Ended December 31,", "FY22".
func isPeriod(s string) bool {
	if len(s) < 2 || len(s) > 80 {
		return false
	}
	return onePeriod.MatchString(strings.TrimSpace(s)) || versus.MatchString(s)
}

// hasYear reports whether a time is complete: it names its year.
func hasYear(s string) bool { return someYear.MatchString(s) }

// periodOf joins the parts of a header path that are times: "Year Ended", "December 31, 2022".
func periodOf(parts []string) string {
	var b strings.Builder
	for _, p := range parts {
		if !isPeriod(p) || strings.Contains(b.String(), p) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(p)
	}
	return strings.TrimRight(b.String(), ",: ")
}
