// Package doc is the vocabulary of Fingerpost: documents and their versions, the nodes of
// their trees, the chunks that stand in for them, and the pointers that lead back to the text.
//
// Counting, everywhere in the project: lines and pages count from 1, both ends included;
// bytes are half-open and count from 0 in the Source; the zero value of a range is "no range".
package doc

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"strings"
)

// Tenant names who a document belongs to. It stands in every subject, artefact key, index
// entry and range read. Letters a-z, digits, '-' and '_', 1 to 32 of them, the first a letter or digit.
type Tenant string

// Valid reports whether t may stand in a NATS subject and in an object key; names that begin with '_', admin and operator
// are ours.
func (t Tenant) Valid() bool {
	if t == "" || len(t) > 32 || t[0] == '_' || t[0] == '-' || t == "admin" || t == "operator" {
		return false
	}
	for _, r := range t {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-_", r) {
			return false
		}
	}
	return true
}

// ID names a document for as long as its object's key lives, whatever the content:
// 32 letters, lower-case unpadded base32 of the first 20 bytes of SHA-256(tenant, 0, bucket, 0, key).
type ID string

// NewID makes the ID of the object bucket/key of a tenant.
func NewID(t Tenant, bucket, key string) ID {
	h := sha256.Sum256([]byte(string(t) + "\x00" + bucket + "\x00" + key))
	return ID(Base32(h[:20]))
}

var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Base32 is the lower-case unpadded base32 (RFC 4648 alphabet) used for all our names.
func Base32(b []byte) string { return base32Lower.EncodeToString(b) }

// Valid reports whether id has the shape that NewID makes.
func (id ID) Valid() bool {
	b, err := base32Lower.DecodeString(string(id))
	return err == nil && len(b) == 20 && len(id) == 32 // the decoder takes line ends and a half letter more
}

// Version names one content of a document: lower-case hex SHA-256 of the object's bytes.
type Version string

// VersionOf is the Version of content b.
func VersionOf(b []byte) Version { return Version(SHA256(b)) }

// SHA256 is the lower-case hex SHA-256 of b.
func SHA256(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// Generation grows with every accepted change of one document; it is the fence: work of an
// older generation ends quietly. From 1 to MaxGeneration (24 bits); 0 is "none".
type Generation uint32

// MaxGeneration is the largest generation an EntryID can carry.
const MaxGeneration Generation = 1<<24 - 1

// Lines is a range of lines of the Source, from 1, both ends included.
type Lines struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Bytes is a half-open range of bytes of the Source, from 0.
type Bytes struct {
	Start int64 `json:"start"`
	End   int64 `json:"end"`
}

// Len is the number of bytes in the range.
func (b Bytes) Len() int64 { return b.End - b.Start }

// Pages is a range of pages of the original file, from 1, both ends included.
type Pages struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Level says how far a version can be found.
type Level string

// The levels, lowest first. LevelNone is a version that no index holds yet.
const (
	LevelNone     Level = ""
	LevelWords    Level = "words"    // windows, rows and nodes are found by words
	LevelSections Level = "sections" // the first chunk of every section has its vector
	LevelFull     Level = "full"     // every chunk has its vector
)

// AtLeast reports whether l is m or above it.
func (l Level) AtLeast(m Level) bool { return l.rank() >= m.rank() }

func (l Level) rank() int {
	switch l {
	case LevelWords:
		return 1
	case LevelSections:
		return 2
	case LevelFull:
		return 3
	}
	return 0
}

// State is where a document stands. At rest every object is indexed, skipped or failed.
type State string

// The states of a document.
const (
	Pending State = "pending" // accepted, on its way
	Indexed State = "indexed" // its accepted version is found by words at least
	Skipped State = "skipped" // not for the index, with a Class: never a dead letter
	Failed  State = "failed"  // no try can mend it, with a Class: always a dead letter
	Deleted State = "deleted" // the tombstone
)

// Class says why a document is skipped or failed.
type Class string

// The classes of skipped documents, then those of failed ones.
const (
	Unsupported Class = "unsupported"
	Empty       Class = "empty"
	Excluded    Class = "excluded"

	Encrypted     Class = "encrypted"
	Corrupt       Class = "corrupt"
	NeedsOCR      Class = "needs_ocr"
	TooLarge      Class = "too_large"
	ResourceLimit Class = "resource_limit"
	Internal      Class = "internal"
	Upstream      Class = "upstream"
)
