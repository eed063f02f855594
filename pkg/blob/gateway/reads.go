package gateway

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/s3response"
)

// What follows changes nothing and tells nobody: it only holds keys to the same rule as the
// changes do, so that a key never reaches another object than its own.

func (n *notifier) HeadObject(ctx context.Context, in *s3.HeadObjectInput) (*s3.HeadObjectOutput, error) {
	key, err := stored(in.Key)
	if err != nil {
		return nil, err
	}
	in.Key = &key
	return n.Backend.HeadObject(ctx, in)
}

func (n *notifier) GetObject(ctx context.Context, in *s3.GetObjectInput) (*s3.GetObjectOutput, error) {
	key, err := stored(in.Key)
	if err != nil {
		return nil, err
	}
	in.Key = &key
	return n.Backend.GetObject(ctx, in)
}

func (n *notifier) GetObjectAcl(ctx context.Context, in *s3.GetObjectAclInput) (*s3.GetObjectAclOutput, error) {
	key, err := stored(in.Key)
	if err != nil {
		return nil, err
	}
	in.Key = &key
	return n.Backend.GetObjectAcl(ctx, in)
}

func (n *notifier) GetObjectAttributes(ctx context.Context, in *s3.GetObjectAttributesInput) (s3response.GetObjectAttributesResponse, error) {
	key, err := stored(in.Key)
	if err != nil {
		return s3response.GetObjectAttributesResponse{}, err
	}
	in.Key = &key
	return n.Backend.GetObjectAttributes(ctx, in)
}

func (n *notifier) CreateMultipartUpload(ctx context.Context, in s3response.CreateMultipartUploadInput) (s3response.InitiateMultipartUploadResult, error) {
	key, err := stored(in.Key)
	if err != nil {
		return s3response.InitiateMultipartUploadResult{}, err
	}
	in.Key, in.Metadata = &key, n.marked(key, in.Metadata)
	return n.Backend.CreateMultipartUpload(ctx, in)
}

func (n *notifier) ListParts(ctx context.Context, in *s3.ListPartsInput) (s3response.ListPartsResult, error) {
	key, err := stored(in.Key)
	if err != nil {
		return s3response.ListPartsResult{}, err
	}
	in.Key = &key
	return n.Backend.ListParts(ctx, in)
}

func (n *notifier) UploadPart(ctx context.Context, in *s3.UploadPartInput) (*s3.UploadPartOutput, error) {
	key, err := stored(in.Key)
	if err != nil {
		return nil, err
	}
	in.Key = &key
	return n.Backend.UploadPart(ctx, in)
}

func (n *notifier) UploadPartCopy(ctx context.Context, in *s3.UploadPartCopyInput) (s3response.CopyPartResult, error) {
	key, err := stored(in.Key)
	if err != nil {
		return s3response.CopyPartResult{}, err
	}
	if err := source(in.CopySource); err != nil {
		return s3response.CopyPartResult{}, err
	}
	in.Key = &key
	return n.Backend.UploadPartCopy(ctx, in)
}

func (n *notifier) AbortMultipartUpload(ctx context.Context, in *s3.AbortMultipartUploadInput) error {
	key, err := stored(in.Key)
	if err != nil {
		return err
	}
	in.Key = &key
	return n.Backend.AbortMultipartUpload(ctx, in)
}

func (n *notifier) GetObjectTagging(ctx context.Context, bucket, key, version string) (map[string]string, error) {
	key, err := stored(&key)
	if err != nil {
		return nil, err
	}
	return n.Backend.GetObjectTagging(ctx, bucket, key, version)
}

// source holds the key of a copy source to the rule.
func source(s *string) error {
	_, key, _, err := backend.ParseCopySource(str(s))
	if err == nil {
		_, err = stored(&key)
	}
	return err
}
