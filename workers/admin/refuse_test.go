package admin_test

import (
	"errors"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/workers/admin"
)

// A request that is misspelt is refused before anything is done: left out, a field often means "all".
func TestMisspeltRequestsAreRefused(t *testing.T) {
	for verb, req := range map[string]string{
		"dead":    `{"do": "drop", "which": {"docid": "abc"}}`,
		"erase":   `{"tenant": "*", "bucket": "b", "key": "k"}`,
		"explain": `{"tenant": "t", "bucket": "", "key": "k"}`,
		"audit":   `{"repairs": true}`,
	} {
		for _, e := range new(admin.Worker).Service().Endpoints {
			if e.Name != verb {
				continue
			}
			_, err := e.Handle(t.Context(), e.Subject, []byte(req))
			if se, ok := errors.AsType[*bus.ServiceError](err); !ok || se.Code != 400 {
				t.Errorf("%s %s: %v", verb, req, err)
			}
		}
	}
}
