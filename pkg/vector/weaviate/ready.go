package weaviate

import (
	"context"
	"fmt"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Writable reports whether the server answers and takes writes into a build: vector.ErrAway, or vector.ErrReadOnly with
// the shards that are (a full disk makes all of them so). One small request a class; a class that is not made yet is
// no fault.
func (x *Index) Writable(ctx context.Context, b vector.Build) error {
	ready, err := x.rest.Misc().ReadyChecker().Do(ctx)
	if err != nil {
		return explain(ctx, err)
	}
	if !ready {
		return fmt.Errorf("%w: the server says that it is not ready", vector.ErrAway)
	}
	for _, k := range doc.Kinds {
		name := x.className(b, k)
		if there, err := x.rest.Schema().ClassExistenceChecker().WithClassName(name).Do(ctx); err != nil || !there {
			if err != nil {
				return explain(ctx, err)
			}
			continue
		}
		shards, err := x.rest.Schema().ShardsGetter().WithClassName(name).Do(ctx)
		if err != nil {
			return explain(ctx, err)
		}
		for _, s := range shards {
			if strings.EqualFold(s.Status, "READONLY") {
				return fmt.Errorf("%w: shard %s of class %s; is the server's disk full?", vector.ErrReadOnly, s.Name, name)
			}
		}
	}
	return nil
}
