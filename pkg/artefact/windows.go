package artefact

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// PutWindows stores where the windows of long nodes stand.
func (s Store) PutWindows(ctx context.Context, r Ref, ws doc.Windows) error {
	return s.putJSON(ctx, s.key(r, "windows.json"), ws)
}

// Windows reads them; a version without long nodes has none.
func (s Store) Windows(ctx context.Context, r Ref) (doc.Windows, error) {
	b, err := s.get(ctx, s.key(r, "windows.json"))
	if Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ws doc.Windows
	if err := json.Unmarshal(b, &ws); err != nil {
		return nil, fmt.Errorf("windows of %s: %w: %w", r.Doc, ErrDamaged, err)
	}
	return ws, nil
}
