package sqlite

import (
	"errors"
	"fmt"

	lib "modernc.org/sqlite"

	"github.com/fingerpost/fingerpost/pkg/vector"
)

// errDamage is damage that we found ourselves.
var errDamage = errors.New("the file is damaged")

// The primary result codes of SQLite that need an answer of their own (sqlite.org/rescode.html).
const (
	codeBusy     = 5
	codeReadOnly = 8
	codeCorrupt  = 11
	codeFull     = 13
	codeCantOpen = 14
	codeNotADB   = 26
)

// codeOf is the primary result code of an error of SQLite, 0 of any other.
func codeOf(err error) int {
	if e, ok := errors.AsType[*lib.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// explain says what was done, to which file, and what to do about it.
func (x *Index) explain(op string, err error) error {
	if err == nil {
		return nil
	}
	code := codeOf(err)
	switch {
	case code == codeCorrupt || code == codeNotADB || errors.Is(err, errDamage):
		return fmt.Errorf("%s: %w: %s: %w; stop the program, move the file away and start again: the index is made again from the bucket",
			op, vector.ErrCorrupt, x.path, err)
	case code == codeFull:
		return fmt.Errorf("%s: %w: the disk of %s is full; free some space on it: %w", op, vector.ErrNoRoom, x.path, err)
	case code == codeReadOnly:
		return fmt.Errorf("%s: %w: %s cannot be written; check its permissions: %w", op, vector.ErrReadOnly, x.path, err)
	case code == codeCantOpen:
		return fmt.Errorf("%s index %s: check that its folder exists and can be written: %w", op, x.path, err)
	}
	return fmt.Errorf("%s index %s: %w", op, x.path, err)
}
