package workers

import (
	"context"

	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/bus"
)

// MakeBuild makes the record of the first build, as the first worker does.
func MakeBuild(ctx context.Context, b bus.Bus, c Config) error {
	r, err := build.Open(ctx, b)
	if err == nil {
		_, _, err = openBuild(ctx, r, c, stock{servers: c.Servers})
	}
	return err
}
