package gateway

import (
	"errors"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"github.com/fingerpost/fingerpost/pkg/blob"
)

func TestVersions(t *testing.T) {
	var n told
	g := open(t, Config{Versions: true, Notify: n.notify})
	s, c, ctx := store(t, g), client(t, g), t.Context()
	if err := s.MakeBucket(ctx, "docs"); err != nil {
		t.Fatal(err)
	}
	if err := c.EnableVersioning(ctx, "docs"); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, text := range []string{"one", "two"} {
		info, err := s.Put(ctx, "docs", "k.md", strings.NewReader(text), 3, blob.PutOptions{})
		if err != nil || info.VersionID == "" {
			t.Fatalf("put %s: %+v, %v", text, info, err)
		}
		ids = append(ids, info.VersionID)
	}
	read := func(o blob.GetOptions) string {
		b, info, err := blob.ReadAll(ctx, s, "docs", "k.md", o, 100)
		if err == nil && (info.Size != 3 || info.VersionID == "") {
			t.Errorf("%+v says %+v", o, info)
		}
		if errors.Is(err, blob.ErrNotFound) {
			return "not found"
		}
		return string(b)
	}
	for what, c := range map[string]struct {
		o    blob.GetOptions
		want string
	}{
		"present": {blob.GetOptions{}, "two"}, "first": {blob.GetOptions{VersionID: ids[0]}, "one"},
		"range of the first": {blob.GetOptions{VersionID: ids[0], Offset: 1, Length: 1}, "n"},
	} {
		if got := read(c.o); got != c.want {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
	}
	if err := s.Delete(ctx, "docs", "k.md"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Head(ctx, "docs", "k.md"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("head behind a delete marker: %v", err)
	}
	if got := read(blob.GetOptions{}) + ", " + read(blob.GetOptions{VersionID: ids[0]}); got != "not found, one" {
		t.Errorf("behind a delete marker: %s", got)
	}
	if keys, err := keysOf(t, s, "docs"); len(keys) != 0 || err != nil {
		t.Errorf("a key behind a delete marker is listed: %q, %v", keys, err)
	}
	n.take()
	removeMarker(t, c)
	if got := read(blob.GetOptions{}); got != "two" {
		t.Errorf("after the marker is removed: %q", got)
	}
	if got := n.take(); len(got) != 1 || got[0] != "ObjectRemoved:Delete docs/k.md" {
		t.Errorf("removing the marker told %q", got)
	}
}

// removeMarker deletes the delete marker of docs/k.md: the object is back.
func removeMarker(t *testing.T, c *minio.Client) {
	t.Helper()
	for v := range c.ListObjects(t.Context(), "docs", minio.ListObjectsOptions{Prefix: "k.md", WithVersions: true}) {
		if v.Err != nil {
			t.Fatal(v.Err)
		}
		if v.IsDeleteMarker {
			if err := c.RemoveObject(t.Context(), "docs", "k.md", minio.RemoveObjectOptions{VersionID: v.VersionID}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func keysOf(t *testing.T, s blob.Store, bucket string) ([]string, error) {
	t.Helper()
	var keys []string
	for i, err := range s.List(t.Context(), bucket, "", "") {
		if err != nil {
			return keys, err
		}
		keys = append(keys, i.Key)
	}
	return keys, nil
}
