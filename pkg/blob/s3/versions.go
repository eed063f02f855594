package s3

import (
	"context"
	"fmt"
	"iter"

	"github.com/minio/minio-go/v7"

	"github.com/fingerpost/fingerpost/pkg/blob"
)

var _ blob.Versioned = (*Store)(nil)

// KeepVersions has the bucket keep old versions from now on.
func (s *Store) KeepVersions(ctx context.Context, bucket string) error {
	return wrapRule(ctx, s.core.EnableVersioning(ctx, bucket), "versions of bucket "+bucket)
}

// Versions implements blob.Versioned.
func (s *Store) Versions(ctx context.Context, bucket, key string) iter.Seq2[blob.Version, error] {
	return func(yield func(blob.Version, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		o := minio.ListObjectsOptions{Prefix: key, Recursive: true, WithVersions: true}
		for i := range s.core.ListObjectsIter(ctx, bucket, o) {
			if i.Err != nil {
				yield(blob.Version{}, wrapRule(ctx, i.Err, "versions of "+bucket+"/"+key))
				return
			}
			if i.Key > key { // the list is in order of keys
				return
			}
			if i.Key == key && !yield(blob.Version{Info: info(bucket, key, i), ID: i.VersionID, Marker: i.IsDeleteMarker, Latest: i.IsLatest}, nil) {
				return
			}
		}
	}
}

// DeleteVersion implements blob.Versioned.
func (s *Store) DeleteVersion(ctx context.Context, bucket, key, id string) error {
	err := s.core.RemoveObject(ctx, bucket, key, minio.RemoveObjectOptions{VersionID: id})
	return wrap(ctx, err, fmt.Sprintf("delete version %s of %s/%s", id, bucket, key))
}
