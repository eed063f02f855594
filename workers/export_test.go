package workers

import (
	"context"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// MakeBuild makes the record of the first build, as the first worker does.
func MakeBuild(ctx context.Context, b bus.Bus, c Config) error {
	_, _, err := openBuild(ctx, b, c.Embedder, embedders{nil, c.Servers})
	return err
}
