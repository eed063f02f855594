package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/fingerpost/fingerpost/pkg/blob"
)

// codes are the S3 error codes that mean one of the port's sentinels, whatever the status.
var codes = map[string]error{
	"NoSuchKey": blob.ErrNotFound, "NoSuchVersion": blob.ErrNotFound, "MethodNotAllowed": blob.ErrNotFound, // 405: a delete marker
	"NoSuchBucket": blob.ErrNoBucket, "InvalidBucketName": blob.ErrNoBucket,
	"AccessDenied": blob.ErrDenied, "InvalidAccessKeyId": blob.ErrKeys, "SignatureDoesNotMatch": blob.ErrKeys,
	"ExpiredToken": blob.ErrKeys, "InvalidToken": blob.ErrKeys, "TokenRefreshRequired": blob.ErrKeys,
	"RequestTimeTooSkewed": blob.ErrSkew, "AllAccessDisabled": blob.ErrDenied, "AccountProblem": blob.ErrDenied,
	"PreconditionFailed": blob.ErrPrecondition, "ConditionalRequestConflict": blob.ErrPrecondition,
	"InvalidRange":                   blob.ErrRange,
	"NotImplemented":                 blob.ErrUnsupported,
	"KeyTooLongError":                blob.ErrBadKey,
	"InvalidURI":                     blob.ErrBadKey,
	"XMinioInvalidObjectName":        blob.ErrBadKey,
	"XMinioParentIsObject":           blob.ErrBadKey,
	"XMinioObjectExistsAsDirectory":  blob.ErrBadKey,
	"XMinioInvalidResourceName":      blob.ErrBadKey,
	"ExistingObjectIsDirectory":      blob.ErrBadKey, // versitygw: the key is a folder of others
	"ObjectParentIsFile":             blob.ErrBadKey, // versitygw: a folder of the key is an object
	"ErrDirectoryNotEmpty":           blob.ErrBadKey, // versitygw: the marker of a folder that has objects
	"DirectoryObjectContainsData":    blob.ErrBadKey,
	"InsufficientStorage":            blob.ErrFull,
	"QuotaExceeded":                  blob.ErrFull,
	"XMinioStorageFull":              blob.ErrFull,
	"XMinioAdminBucketQuotaExceeded": blob.ErrFull,
}

// unclear says that a HEAD failed in a way whose reason only an error body tells.
func unclear(err error) bool {
	r := minio.ToErrorResponse(err)
	return r.StatusCode == http.StatusBadRequest || r.StatusCode == http.StatusNotFound && r.Code != "NoSuchBucket"
}

// sealed says that the store wants the key by which the object was encrypted; AWS and MinIO word it alike.
func sealed(err error) bool {
	r := minio.ToErrorResponse(err)
	return r.StatusCode == http.StatusBadRequest && r.Code == "InvalidRequest" && strings.Contains(r.Message, "Server Side Encryption")
}

// wrap says what was done and puts the sentinel of err before it. A nil err stays nil.
func wrap(ctx context.Context, err error, what string) error {
	if err == nil {
		return nil
	}
	if e := ctx.Err(); e != nil { // asked of ctx: a server that hangs also looks like a deadline
		return fmt.Errorf("%s: %w", what, e)
	}
	if s := sentinel(err); s != nil {
		return fmt.Errorf("%s: %w: %w", what, s, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// sentinel is what err means for the port, nil for a programming error.
func sentinel(err error) error {
	r, ok := errors.AsType[minio.ErrorResponse](err)
	if !ok {
		return network(err)
	}
	if s := codes[r.Code]; s != nil {
		return s
	}
	switch {
	case r.StatusCode == http.StatusBadRequest && strings.HasPrefix(r.Code, "400"):
		return blob.ErrBadKey // versitygw's plain refusal of a path that leaves the bucket
	case r.StatusCode == http.StatusBadRequest && versionID(r):
		return blob.ErrNotFound
	case r.StatusCode == http.StatusUnauthorized || r.StatusCode == http.StatusForbidden:
		return blob.ErrDenied
	case r.StatusCode == http.StatusNotFound:
		return blob.ErrNotFound
	case r.StatusCode == http.StatusPreconditionFailed:
		return blob.ErrPrecondition
	case r.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return blob.ErrRange
	case r.StatusCode == http.StatusInsufficientStorage:
		return blob.ErrFull
	case r.StatusCode == http.StatusNotImplemented:
		return blob.ErrUnsupported
	case r.StatusCode >= 500 || r.StatusCode == http.StatusTooManyRequests:
		return blob.ErrAway
	}
	return nil
}

// versionID says that the store calls the asked version no version id of its making.
func versionID(r minio.ErrorResponse) bool {
	return r.Code == "InvalidVersionId" || r.Code == "InvalidArgument" && strings.Contains(strings.ToLower(r.Message), "version id")
}

// network is ErrAway for what happens on the way to the store and back.
func network(err error) error {
	if _, ok := errors.AsType[*url.Error](err); ok {
		return blob.ErrAway
	}
	return nil
}
