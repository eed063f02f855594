package s3

import "context"

// Buckets are all that the keys may see, by name.
func (s *Store) Buckets(ctx context.Context) ([]string, error) {
	all, err := s.core.ListBuckets(ctx)
	if err != nil {
		return nil, wrap(ctx, err, "list of buckets")
	}
	names := make([]string, len(all))
	for i, b := range all {
		names[i] = b.Name
	}
	return names, nil
}
