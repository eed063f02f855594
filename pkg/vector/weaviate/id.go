package weaviate

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// parseID is the entry behind a UUID of the server.
func parseID(s string) (id doc.EntryID, err error) {
	h := strings.ReplaceAll(s, "-", "")
	if len(h) != 2*len(id) {
		return id, fmt.Errorf("the server gave %q as an id", clip(s))
	}
	if _, err := hex.Decode(id[:], []byte(h)); err != nil {
		return id, fmt.Errorf("the server gave %q as an id: %w", clip(s), err)
	}
	return id, nil
}
