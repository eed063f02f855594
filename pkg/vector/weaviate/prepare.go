package weaviate

import (
	"context"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Prepare makes the classes of a build that are missing and names them; dry only names them. dim is of the vectors, 0 for
// a build without: then no class of chunks is made. Put would make each when it is first needed.
func (x *Index) Prepare(ctx context.Context, b vector.Build, dim int, dry bool) (missing []string, err error) {
	for _, k := range doc.Kinds {
		if k == doc.KindChunk && dim == 0 {
			continue
		}
		_, ok, err := x.class(ctx, b, k)
		if err != nil {
			return missing, err
		}
		if ok {
			continue
		}
		if !dry {
			d := 0
			if k == doc.KindChunk {
				d = dim
			}
			if _, err := x.ensure(ctx, b, k, d); err != nil {
				return missing, err
			}
		}
		missing = append(missing, x.className(b, k))
	}
	return missing, nil
}
