package blob

import (
	"context"
	"errors"
)

// The errors of rules.
var (
	ErrUnsupported = errors.New("store cannot do this")                    // 501 and its like: no other try helps
	ErrNoTarget    = errors.New("store knows no such notification target") // or not yet: MinIO says so for a moment after its start
)

// Rule asks a store to tell a target of what happens in a bucket.
type Rule struct {
	Target         string   // the store's name of it: arn:minio:sqs::SAFE:nats
	Events         []string // s3:ObjectCreated:*, ...
	Prefix, Suffix string   // of the keys it is about; "": all
}

// Ruler is a store that may keep notification rules. A store that has none answers ErrUnsupported.
type Ruler interface {
	Rules(ctx context.Context, bucket string) ([]Rule, error)
	// AddRule has the bucket tell the target of every object that is made or removed; other rules stay. False: it did
	// already. Errors: ErrNoTarget, ErrUnsupported, ErrNoBucket, ErrDenied, ErrAway.
	AddRule(ctx context.Context, bucket, target string) (changed bool, err error)
	// RemoveRules takes the rules of the target off the bucket and returns how many there were.
	RemoveRules(ctx context.Context, bucket, target string) (int, error)
}
