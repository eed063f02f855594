package schemas

import (
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// say words one fault as a sentence for the person who wrote the message: where, what stands there, what may.
func say(e *jsonschema.ValidationError) string {
	at := "/" + strings.Join(e.InstanceLocation, "/")
	if len(e.InstanceLocation) == 0 {
		at = "the message"
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return fmt.Sprintf("%s lacks %s", at, strings.Join(k.Missing, " and "))
	case *kind.AdditionalProperties:
		return fmt.Sprintf("%s has %s, which is not known here", at, quoted(k.Properties))
	case *kind.Type:
		return fmt.Sprintf("%s is of type %s; it must be %s", at, k.Got, strings.Join(k.Want, " or "))
	case *kind.Enum:
		return fmt.Sprintf("%s is %.60q; it may be %s", at, fmt.Sprint(k.Got), words(k.Want))
	case *kind.Minimum:
		return fmt.Sprintf("%s is %s; it must be at least %s", at, k.Got.RatString(), k.Want.RatString())
	case *kind.Maximum:
		return fmt.Sprintf("%s is %s; it may be at most %s", at, k.Got.RatString(), k.Want.RatString())
	case *kind.MinLength:
		return fmt.Sprintf("%s has %d characters; it must have at least %d", at, k.Got, k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("%s has %d characters; it may have at most %d", at, k.Got, k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("%s has %d items; it must have at least %d", at, k.Got, k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("%s has %d items; it may have at most %d", at, k.Got, k.Want)
	}
	return at + ": " + e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
}

// quoted is names in quotes, a few of them.
func quoted(names []string) string {
	var out []string
	for _, n := range names[:min(len(names), maxComplaints)] {
		out = append(out, fmt.Sprintf("%.40q", n))
	}
	return strings.Join(out, " and ")
}

// words is what may stand in a place.
func words(all []any) string {
	var out []string
	for _, v := range all {
		s := fmt.Sprint(v)
		if s == "" {
			s = "empty"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}
