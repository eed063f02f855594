package artefact

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// parsed is what parse leaves; layout and card need not be there.
var parsed = []string{layoutName, "card.json", treeName, sourceName}

// needed are those without which nothing was parsed.
var needed = []string{treeName, sourceName}

// figures are the names of the pictures of a generation.
func (s Store) figures(ctx context.Context, r Ref) (names []string, err error) {
	folder := s.key(r, "")
	for info, err := range s.Blobs.List(ctx, Bucket, folder+"figures/", "") {
		if err != nil {
			return nil, fmt.Errorf("figures of %s: %w", r.Doc, err)
		}
		names = append(names, strings.TrimPrefix(info.Key, folder))
	}
	return names, nil
}

// Inherit copies what parse left in another folder, for a build that cuts the same text otherwise. It is done when
// source.md is there: that comes last. Missing when the other folder does not have it.
func (s Store) Inherit(ctx context.Context, r Ref, from string) error {
	if _, err := s.Blobs.Head(ctx, Bucket, s.SourceKey(r)); err == nil || !Missing(err) {
		return err
	}
	other := Store{Blobs: s.Blobs, Folder: from}
	names, err := other.figures(ctx, r)
	if err != nil {
		return err
	}
	for _, name := range append(names, parsed...) {
		b, err := other.get(ctx, other.key(r, name))
		if Missing(err) && !slices.Contains(needed, name) {
			continue
		}
		if err != nil {
			return fmt.Errorf("inherit from %s: %w", from, err)
		}
		if err := s.put(ctx, s.key(r, name), b, ""); err != nil {
			return err
		}
	}
	return nil
}
