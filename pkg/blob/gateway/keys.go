package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/s3err"
)

// maxKey and maxComponent are lengths in bytes: of S3 and of nearly every file system.
const (
	maxKey       = 1024
	maxComponent = 255
)

// stored is the key under which an object is stored, listed and notified: without leading
// slashes. A key that the file system would read as another path is refused. The result is a copy:
// the server reuses the memory of a request.
func stored(key *string) (string, error) {
	k := strings.Clone(strings.TrimLeft(str(key), "/"))
	switch {
	case k == "":
		return "", refuse("The object key is empty.")
	case len(k) > maxKey:
		return "", tooLong(fmt.Sprintf("The object key has %d bytes, at most %d are allowed.", len(k), maxKey))
	case !utf8.ValidString(k) || strings.ContainsRune(k, 0):
		return "", refuse(fmt.Sprintf("The object key %q is not UTF-8 text without NUL.", k))
	}
	if i := strings.IndexFunc(k, unlisted); i >= 0 {
		return "", refuse(fmt.Sprintf("The object key %q holds a character that no list can show.", k))
	}
	if !onThisSystem(k) {
		return "", refuse(fmt.Sprintf("The object key %q cannot be a file of this server.", k))
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(k, "/"), "/") {
		switch {
		case part == "" || part == "." || part == "..":
			return "", refuse(fmt.Sprintf("The object key %q has the path step %q; use %q.", k, part, canonical(k)))
		case part == posix.MetaTmpDir: // lists leave it out
			return "", refuse(fmt.Sprintf("The name %q in an object key is the server's own.", part))
		case len(part) > maxComponent:
			return "", tooLong(fmt.Sprintf("A component of the object key has %d bytes, at most %d are allowed between slashes.", len(part), maxComponent))
		}
	}
	return k, nil
}

// unlisted are characters that XML 1.0 cannot carry (2.2 Char), or that its readers change: an object of such a key would
// be listed by another one.
func unlisted(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' || r == 0xFFFE || r == 0xFFFF
}

// onThisSystem says whether the key, taken as a path, is the file that it seems: Windows has a second
// separator, drives and reserved names.
func onThisSystem(key string) bool {
	return os.PathSeparator == '/' || !strings.ContainsAny(key, `\:*?"<>|`) && filepath.IsLocal(filepath.FromSlash(key))
}

// canonical is a key near k that the gateway takes.
func canonical(k string) string {
	c := strings.TrimPrefix(filepath.ToSlash(filepath.Clean("/"+k)), "/")
	if c == "" {
		return "name"
	}
	return c
}

func refuse(why string) error {
	return s3err.APIError{Code: "InvalidURI", Description: why, HTTPStatusCode: http.StatusBadRequest}
}

func tooLong(why string) error {
	return s3err.APIError{Code: "KeyTooLongError", Description: why, HTTPStatusCode: http.StatusBadRequest}
}

// explain corrects the library where it calls every failure to make a folder a name clash (409):
// a full disk is one too. bucket and key are those of the upload that failed.
func (n *notifier) explain(bucket, key string, err error) error {
	var api s3err.APIError
	if !errors.As(err, &api) || api.Code != "ExistingObjectIsDirectory" {
		return err
	}
	for p := filepath.Join(bucket, key); p != bucket && p != "."; p = filepath.Dir(p) {
		fi, serr := os.Stat(p)
		if serr != nil {
			continue
		}
		if fi.IsDir() == (p == filepath.Join(bucket, key)) {
			return err // the key is a folder, or a folder of it is an object
		}
		break
	}
	return s3err.GetAPIError(s3err.ErrNoSpaceLeftOnDevice)
}
