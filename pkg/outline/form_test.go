package outline_test

import "regexp"

// anchorForm is what doc.ParsePointer takes.
var anchorForm = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)
