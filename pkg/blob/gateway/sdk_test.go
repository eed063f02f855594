package gateway

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// TestAWSClient holds that the AWS SDK, whose checksums and framing the aws command line shares,
// works as a client: upload, parts, range, presigned read, list, delete.
func TestAWSClient(t *testing.T) {
	var n told
	g := open(t, Config{Notify: n.notify})
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	c := s3.New(s3.Options{
		BaseEndpoint: aws.String("http://" + g.Addr()), Region: "us-east-1", UsePathStyle: true, HTTPClient: &http.Client{Transport: tr},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: access, SecretAccessKey: secret}, nil
		}),
	})
	ctx, bucket, key := t.Context(), aws.String("docs"), aws.String("dir/a b+c%25 я.md")
	must(t)(c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: bucket}))
	must(t)(c.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("0123456789")}))
	got, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: key, Range: aws.String("bytes=2-4")})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(got.Body); string(b) != "234" || err != nil {
		t.Errorf("range: %q, %v", b, err)
	}
	got.Body.Close()
	u, err := s3.NewPresignClient(c).PresignGetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	if err := do(t, http.MethodGet, u.URL, nil, ""); err != nil {
		t.Errorf("presigned: %v", err)
	}
	parts(t, c, bucket)
	list, err := c.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: bucket})
	if err != nil || len(list.Contents) != 2 || *list.Contents[0].Key != "big" || *list.Contents[0].Size != 6<<20 {
		t.Errorf("list: %+v, %v", list, err)
	}
	must(t)(c.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: bucket, Delete: &types.Delete{Objects: []types.ObjectIdentifier{{Key: key}, {Key: aws.String("big")}}}}))
	must(t)(c.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: bucket}))
	want := []string{
		"ObjectCreated:Put docs/" + *key, "ObjectCreated:CompleteMultipartUpload docs/big",
		"ObjectRemoved:Delete docs/" + *key, "ObjectRemoved:Delete docs/big",
	}
	if got := n.take(); !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

// parts uploads "big" in two parts of 5 and 1 MiB.
func parts(t *testing.T, c *s3.Client, bucket *string) {
	t.Helper()
	up, err := c.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: bucket, Key: aws.String("big")})
	if err != nil {
		t.Fatal(err)
	}
	var done []types.CompletedPart
	for i, size := range []int{5 << 20, 1 << 20} {
		number := aws.Int32(int32(i + 1))
		p, err := c.UploadPart(t.Context(), &s3.UploadPartInput{
			Bucket: bucket, Key: up.Key, UploadId: up.UploadId, PartNumber: number, Body: bytes.NewReader(make([]byte, size)),
		})
		if err != nil {
			t.Fatal(err)
		}
		done = append(done, types.CompletedPart{PartNumber: number, ETag: p.ETag, ChecksumCRC32: p.ChecksumCRC32})
	}
	must(t)(c.CompleteMultipartUpload(t.Context(), &s3.CompleteMultipartUploadInput{
		Bucket: bucket, Key: up.Key, UploadId: up.UploadId, MultipartUpload: &types.CompletedMultipartUpload{Parts: done},
	}))
}

// must gives a function that ends the test on an error and forgets the answer.
func must(t *testing.T) func(any, error) {
	return func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
}
