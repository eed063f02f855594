package gateway

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/s3err"
	"github.com/versity/versitygw/s3response"
)

// notifier is the library's backend with two additions: keys that are not what they seem are
// refused, and a change is answered when its notification was taken.
type notifier struct {
	backend.Backend
	ctx     context.Context // ends with nothing: a request under way at the stop is still told
	conf    Config
	sidecar bool // metadata lies in files beside the objects
}

func newNotifier(ctx context.Context, be backend.Backend, c Config, sidecar bool) *notifier {
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Second
	}
	return &notifier{be, context.WithoutCancel(ctx), c, sidecar}
}

// tell hands the records over. Its error is the answer to the client.
func (n *notifier) tell(bucket string, records ...record) error {
	if n.conf.Notify == nil || len(records) == 0 || n.conf.protected(bucket) {
		return nil
	}
	messages, err := bodies(records)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(n.ctx, n.conf.Timeout)
	defer cancel()
	for _, b := range messages {
		if err := n.conf.Notify(ctx, b); err != nil {
			return s3err.APIError{
				Code: "ServiceUnavailable", HTTPStatusCode: http.StatusServiceUnavailable,
				Description: fmt.Sprintf("The change is stored, but its notification was not taken; repeat the request. (%v)", err),
			}
		}
	}
	return nil
}

func (n *notifier) told(name string, bucket *string, o object) error {
	return n.tell(str(bucket), newRecord(name, str(bucket), time.Now(), o))
}

// PutObject also serves POST policy uploads.
func (n *notifier) PutObject(ctx context.Context, in s3response.PutObjectInput) (s3response.PutObjectOutput, error) {
	key, err := stored(in.Key)
	if err != nil {
		drain(in.Body)
		return s3response.PutObjectOutput{}, err
	}
	in.Key, in.Metadata = &key, n.marked(key, in.Metadata)
	out, err := n.Backend.PutObject(ctx, in)
	if err != nil {
		return out, n.explain(*in.Bucket, key, err)
	}
	o := object{Key: key, ETag: unquote(out.ETag), VersionID: out.VersionID}
	if out.Size != nil {
		o.Size = *out.Size
	}
	return out, n.told("ObjectCreated:Put", in.Bucket, o)
}

func (n *notifier) CompleteMultipartUpload(ctx context.Context, in *s3.CompleteMultipartUploadInput) (s3response.CompleteMultipartUploadResult, string, error) {
	key, err := stored(in.Key)
	if err != nil {
		return s3response.CompleteMultipartUploadResult{}, "", err
	}
	in.Key = &key
	out, version, err := n.Backend.CompleteMultipartUpload(ctx, in)
	if err != nil {
		return out, version, n.explain(*in.Bucket, key, err)
	}
	o := object{Key: key, ETag: unquote(str(out.ETag)), VersionID: version}
	return out, version, n.told("ObjectCreated:CompleteMultipartUpload", in.Bucket, o)
}

func (n *notifier) CopyObject(ctx context.Context, in s3response.CopyObjectInput) (s3response.CopyObjectOutput, error) {
	key, err := stored(in.Key)
	if err != nil {
		return s3response.CopyObjectOutput{}, err
	}
	if err := source(in.CopySource); err != nil {
		return s3response.CopyObjectOutput{}, err
	}
	in.Key = &key
	out, err := n.Backend.CopyObject(ctx, in)
	if err != nil {
		return out, n.explain(*in.Bucket, key, err)
	}
	o := object{Key: key, VersionID: str(out.VersionId)}
	if out.CopyObjectResult != nil {
		o.ETag = unquote(str(out.CopyObjectResult.ETag))
	}
	return out, n.told("ObjectCreated:Copy", in.Bucket, o)
}

func (n *notifier) DeleteObject(ctx context.Context, in *s3.DeleteObjectInput) (*s3.DeleteObjectOutput, error) {
	key, err := stored(in.Key)
	if err != nil {
		return nil, err
	}
	in.Key = &key
	out, err := n.Backend.DeleteObject(ctx, in)
	if err != nil {
		return out, err
	}
	return out, n.told("ObjectRemoved:Delete", in.Bucket, object{Key: key, VersionID: str(in.VersionId)})
}

// DeleteObjects answers key by key, but a refused notification fails the whole request. The library
// finds its answers by the keys as asked, so these stay.
func (n *notifier) DeleteObjects(ctx context.Context, in *s3.DeleteObjectsInput) (s3response.DeleteResult, error) {
	var bad []types.Error
	good := make([]types.ObjectIdentifier, 0, len(in.Delete.Objects))
	for _, o := range in.Delete.Objects {
		if _, err := stored(o.Key); err != nil {
			bad = append(bad, s3err.ObjectDeleteError(o.Key, o.VersionId, err))
			continue
		}
		good = append(good, o)
	}
	in.Delete.Objects = good
	out, err := n.Backend.DeleteObjects(ctx, in)
	if err != nil {
		return out, err
	}
	out.Error = append(out.Error, bad...)
	records := make([]record, 0, len(out.Deleted))
	for _, d := range out.Deleted {
		key, err := stored(d.Key)
		if err != nil {
			return out, err
		}
		o := object{Key: key, VersionID: str(d.VersionId)}
		records = append(records, newRecord("ObjectRemoved:Delete", str(in.Bucket), time.Now(), o))
	}
	return out, n.tell(str(in.Bucket), records...)
}

func (n *notifier) PutObjectTagging(ctx context.Context, bucket, key, version string, tags map[string]string) error {
	key, err := stored(&key)
	if err != nil {
		return err
	}
	if err := n.Backend.PutObjectTagging(ctx, bucket, key, version, tags); err != nil {
		return err
	}
	return n.told("ObjectTagging:Put", &bucket, object{Key: key, VersionID: version})
}

func (n *notifier) DeleteObjectTagging(ctx context.Context, bucket, key, version string) error {
	key, err := stored(&key)
	if err != nil {
		return err
	}
	if err := n.Backend.DeleteObjectTagging(ctx, bucket, key, version); err != nil {
		return err
	}
	return n.told("ObjectTagging:Delete", &bucket, object{Key: key, VersionID: version})
}

// drain reads what a client still sends, or it would see a reset instead of the answer.
func drain(r io.Reader) {
	if r != nil {
		_, _ = io.Copy(io.Discard, r) // the answer is fixed already
	}
}

func str(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

func unquote(etag string) string { return strings.Trim(etag, `"`) }
