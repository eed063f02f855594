package schemas_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/schemas"
)

func TestHostileMessagesAreAnsweredSoon(t *testing.T) {
	for name, in := range map[string]string{
		"exponent": `{"question":"q","k":1e999999999}`,
		"million":  `{"question":"q","k":1e999999}`,
		"negative": `{"question":"q","k":1e-999999999}`,
		"zero":     `{"question":"q","k":0e-999999,"x":1}`,
		"digits":   `{"question":"q","k":` + strings.Repeat("9", 1_000_000) + `}`,
		"nested":   `{"question":"q","keys":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `}`,
		"deep":     strings.Repeat("[", 1_000_000),
		"fields":   `{"question":"q"` + strings.Repeat(`,"x":1`, 200_000) + `}`,
		"keys":     `{"question":"q","keys":[` + strings.Repeat(`"",`, 200_000) + `""]}`,
	} {
		start := time.Now()
		err := schemas.Validate("find.request", []byte(in))
		if err == nil || len(err.Error()) > 1000 {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}
