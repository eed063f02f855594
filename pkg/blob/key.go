package blob

import (
	"fmt"
	"unicode/utf8"
)

// MaxKey is the greatest length of a key in bytes, as S3 fixes it.
const MaxKey = 1024

// CheckKey refuses with ErrBadKey what no S3 store takes: an empty key, one of more than MaxKey
// bytes, one that is no UTF-8 or holds a NUL. A store may refuse more (`..`, `//`).
func CheckKey(key string) error {
	switch {
	case key == "":
		return fmt.Errorf("key is empty: %w", ErrBadKey)
	case len(key) > MaxKey:
		return fmt.Errorf("key of %d bytes is over the %d of S3: %w", len(key), MaxKey, ErrBadKey)
	case !utf8.ValidString(key):
		return fmt.Errorf("key %q is no valid UTF-8: %w", key, ErrBadKey)
	}
	for i := range len(key) {
		if key[i] == 0 {
			return fmt.Errorf("key %q holds a NUL byte: %w", key, ErrBadKey)
		}
	}
	return nil
}

// Check refuses options that no object could satisfy: a negative offset or length.
func (o GetOptions) Check() error {
	if o.Offset < 0 || o.Length < 0 {
		return fmt.Errorf("range of %d bytes from %d: %w", o.Length, o.Offset, ErrRange)
	}
	return nil
}

// Span is the half-open byte range [start, end) that o asks of an object of size bytes, or
// ErrRange when it does not lie within.
func (o GetOptions) Span(size int64) (start, end int64, err error) {
	if err := o.Check(); err != nil {
		return 0, 0, err
	}
	end = size
	if o.Length > 0 {
		end = o.Offset + o.Length
	}
	if end < o.Offset || end > size || (o.Offset == size && o.Offset > 0) {
		return 0, 0, fmt.Errorf("%d bytes from %d of an object of %d bytes: %w", o.Length, o.Offset, size, ErrRange)
	}
	return o.Offset, end, nil
}
