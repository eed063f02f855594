//go:build !unix

package sqlite

import "time"

// cpu is not measured here.
func cpu() time.Duration { return 0 }
