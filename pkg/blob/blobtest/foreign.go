package blobtest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/tags"

	"github.com/fingerpost/fingerpost/pkg/blob"
)

// ForeignOptions say what the store can do.
type ForeignOptions struct {
	Versions, Lock bool
	Conditions     bool // conditional PUTs
}

// RunForeign holds what the port says of objects that others have made, changed and removed in every way that S3 has: s
// looks at what c does.
func RunForeign(t *testing.T, s blob.Store, c *minio.Client, o ForeignOptions) {
	f := foreign{s, c}
	parts := []struct {
		name string
		can  bool
		test func(foreign, *testing.T)
	}{
		{"multipart", true, foreign.multipart}, {"copy", true, foreign.copies}, {"tagging", true, foreign.tagging},
		{"presigned", true, foreign.presigned}, {"many deleted at once", true, foreign.many}, {"conditional put", o.Conditions, foreign.conditions},
		{"versions", o.Versions, foreign.versions}, {"older version is current again", o.Versions, foreign.older}, {"suspended", o.Versions, foreign.suspended},
		{"unversioned", true, foreign.unversioned}, {"lock", o.Lock, foreign.lock},
	}
	for _, p := range parts {
		if p.can {
			t.Run(p.name, func(t *testing.T) { p.test(f, t) })
		}
	}
}

// foreign is the port and the other client.
type foreign struct {
	s blob.Store
	c *minio.Client
}

func (f foreign) put(t *testing.T, bucket, key, text string, o minio.PutObjectOptions) minio.UploadInfo {
	t.Helper()
	up, err := f.c.PutObject(t.Context(), bucket, key, strings.NewReader(text), int64(len(text)), o)
	if err != nil {
		t.Fatalf("put %s: %v", key, err)
	}
	return up
}

// sees holds what the port reads under the key: the text, or "" for not found.
func (f foreign) sees(t *testing.T, when, bucket, key, want string) {
	t.Helper()
	head, err := f.s.Head(t.Context(), bucket, key)
	got, info, gerr := get(t, f.s, bucket, key, blob.GetOptions{})
	if want == "" {
		wantErr(t, when+": head", err, blob.ErrNotFound)
		wantErr(t, when+": get", gerr, blob.ErrNotFound)
		if listed, err := list(t.Context(), f.s, bucket, key, ""); slices.Contains(listed, key) || err != nil {
			t.Errorf("%s: %s is listed: %v, %v", when, key, listed, err)
		}
		return
	}
	if err != nil || gerr != nil || got != want || head.Size != int64(len(want)) || info.ETag != head.ETag || head.ETag == "" {
		t.Errorf("%s: %d bytes, want %d; head %+v, %v, %v", when, len(got), len(want), head, err, gerr)
	}
}

func (f foreign) multipart(t *testing.T) {
	bucket, body := newBucket(t, f.s), strings.Repeat("0123456789abcdef", 12<<20/16)
	f.put(t, bucket, "parts.bin", body, minio.PutObjectOptions{PartSize: 5 << 20})
	f.sees(t, "in parts", bucket, "parts.bin", body)
	one := f.put(t, bucket, "whole.bin", body, minio.PutObjectOptions{DisableMultipart: true})
	head, err := f.s.Head(t.Context(), bucket, "parts.bin")
	if err != nil || head.ETag == one.ETag {
		t.Errorf("parts have the ETag %s of the whole, %v: then an unequal one would mean something", head.ETag, err)
	}
	if got, _, err := get(t, f.s, bucket, "parts.bin", blob.GetOptions{Offset: 5<<20 - 2, Length: 4}); got != body[5<<20-2:5<<20+2] || err != nil {
		t.Errorf("a range over the border of two parts: %q, %v", got, err)
	}
	if _, err := f.c.PutObject(t.Context(), bucket, "broken.bin", io.MultiReader(strings.NewReader(body), errReader{errors.New("cut")}), 20<<20, minio.PutObjectOptions{PartSize: 5 << 20}); err == nil {
		t.Error("a broken upload was stored")
	}
	f.sees(t, "an upload that was given up", bucket, "broken.bin", "")
}

func (f foreign) copies(t *testing.T) {
	bucket, other := newBucket(t, f.s), newBucket(t, f.s)
	up := f.put(t, bucket, "a b+c.md", "text", minio.PutObjectOptions{UserMetadata: map[string]string{"Language": "en"}})
	src := minio.CopySrcOptions{Bucket: bucket, Object: "a b+c.md"}
	for _, to := range []string{bucket, other} {
		if _, err := f.c.CopyObject(t.Context(), minio.CopyDestOptions{Bucket: to, Object: "copy ä.md"}, src); err != nil {
			t.Fatal(err)
		}
		f.sees(t, "copied", to, "copy ä.md", "text")
		if head, err := f.s.Head(t.Context(), to, "copy ä.md"); err != nil || head.Meta["language"] != "en" || head.ETag != up.ETag {
			t.Errorf("the copy says %+v, %v", head, err)
		}
	}
	onto := minio.CopyDestOptions{Bucket: bucket, Object: "a b+c.md", ReplaceMetadata: true, UserMetadata: map[string]string{"language": "de"}}
	if _, err := f.c.CopyObject(t.Context(), onto, src); err != nil {
		t.Fatal(err)
	}
	f.sees(t, "new metadata", bucket, "a b+c.md", "text")
	if head, err := f.s.Head(t.Context(), bucket, "a b+c.md"); err != nil || head.Meta["language"] != "de" || head.ETag != up.ETag {
		t.Errorf("after new metadata: %+v, %v: same bytes, same ETag", head, err)
	}
}

// tagging holds that tags leave all that says "other bytes" as it is: so they cost no embedding.
func (f foreign) tagging(t *testing.T) {
	bucket := newBucket(t, f.s)
	f.put(t, bucket, "k.md", "text", minio.PutObjectOptions{})
	before, err := f.s.Head(t.Context(), bucket, "k.md")
	if err != nil {
		t.Fatal(err)
	}
	set, err := tags.NewTags(map[string]string{"team": "legal"}, true)
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{"set": f.c.PutObjectTagging(t.Context(), bucket, "k.md", set, minio.PutObjectTaggingOptions{}),
		"removed": f.c.RemoveObjectTagging(t.Context(), bucket, "k.md", minio.RemoveObjectTaggingOptions{})} {
		after, herr := f.s.Head(t.Context(), bucket, "k.md")
		if err != nil || herr != nil || after.ETag != before.ETag || after.Size != before.Size || after.VersionID != before.VersionID {
			t.Errorf("tags %s: %+v, was %+v; %v, %v", name, after, before, err, herr)
		}
	}
}

func (f foreign) presigned(t *testing.T) {
	bucket := newBucket(t, f.s)
	u, err := f.c.PresignedPutObject(t.Context(), bucket, "by link.md", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, u.String(), strings.NewReader("text"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", resp, err)
	}
	resp.Body.Close()
	f.sees(t, "by a link", bucket, "by link.md", "text")
}

func (f foreign) many(t *testing.T) {
	bucket := newBucket(t, f.s)
	gone := make(chan minio.ObjectInfo, 3)
	for i := range 3 {
		key := fmt.Sprintf("many/%d.md", i)
		f.put(t, bucket, key, "text", minio.PutObjectOptions{})
		if i < 2 {
			gone <- minio.ObjectInfo{Key: key}
		}
	}
	gone <- minio.ObjectInfo{Key: "many/never.md"}
	close(gone)
	for e := range f.c.RemoveObjects(t.Context(), bucket, gone, minio.RemoveObjectsOptions{}) {
		t.Errorf("%s: %v", e.ObjectName, e.Err)
	}
	f.sees(t, "deleted among many", bucket, "many/0.md", "")
	f.sees(t, "left", bucket, "many/2.md", "text")
}

// conditions holds that a PUT whose condition fails changes nothing, and one whose condition holds is stored.
func (f foreign) conditions(t *testing.T) {
	bucket := newBucket(t, f.s)
	up := f.put(t, bucket, "k.md", "old", minio.PutObjectOptions{})
	with := func(match, except string) (o minio.PutObjectOptions) {
		o.DisableMultipart = true
		if match != "" {
			o.SetMatchETag(match)
		}
		if except != "" {
			o.SetMatchETagExcept(except)
		}
		return o
	}
	for name, c := range map[string]struct {
		key, text string
		o         minio.PutObjectOptions
		stored    bool
	}{
		"only when new, and it is there": {"k.md", "new", with("", "*"), false},
		"another ETag":                   {"k.md", "new", with("0123456789abcdef0123456789abcdef", ""), false},
		"only when new, and it is new":   {"n.md", "new", with("", "*"), true},
	} {
		_, err := f.c.PutObject(t.Context(), bucket, c.key, strings.NewReader(c.text), int64(len(c.text)), c.o)
		if (err == nil) != c.stored {
			t.Errorf("%s: %v", name, err)
		}
		if !c.stored && minio.ToErrorResponse(err).StatusCode != http.StatusPreconditionFailed {
			t.Errorf("%s: %v, want 412", name, err)
		}
	}
	f.sees(t, "after refused PUTs", bucket, "k.md", "old")
	f.sees(t, "after a PUT that may", bucket, "n.md", "new")
	f.put(t, bucket, "k.md", "new", with(up.ETag, ""))
	f.sees(t, "after a PUT over the known ETag", bucket, "k.md", "new")
}

// all is the versions of the key by the port, newest first: id, or "marker".
func (f foreign) all(t *testing.T, bucket, key string) (ids []string) {
	t.Helper()
	v, ok := f.s.(blob.Versioned)
	if !ok {
		t.Fatal("the store has versions and does not say so")
	}
	for x, err := range v.Versions(t.Context(), bucket, key) {
		if err != nil {
			t.Fatal(err)
		}
		if x.Key != key || x.Marker && x.Size != 0 || x.Latest != (len(ids) == 0) {
			t.Errorf("version %d: %+v", len(ids), x)
		}
		if x.Marker {
			ids = append(ids, "marker")
		} else {
			ids = append(ids, x.ID)
		}
	}
	return ids
}

func (f foreign) versioned(t *testing.T) string {
	t.Helper()
	bucket := newBucket(t, f.s)
	if err := f.c.EnableVersioning(t.Context(), bucket); err != nil {
		t.Fatal(err)
	}
	return bucket
}

// marker is the id of the delete marker on top of a key.
func (f foreign) marker(t *testing.T, bucket, key string) string {
	t.Helper()
	for x, err := range f.s.(blob.Versioned).Versions(t.Context(), bucket, key) {
		if err != nil {
			t.Fatal(err)
		}
		if x.Marker {
			return x.ID
		}
	}
	t.Fatalf("%s has no delete marker", key)
	return ""
}

func (f foreign) versions(t *testing.T) {
	bucket := f.versioned(t)
	f.put(t, bucket, "k.md.neighbour", "no", minio.PutObjectOptions{})
	one := f.put(t, bucket, "k.md", "version one", minio.PutObjectOptions{}).VersionID
	two := f.put(t, bucket, "k.md", "version two", minio.PutObjectOptions{}).VersionID
	f.sees(t, "two versions", bucket, "k.md", "version two")
	if got := f.all(t, bucket, "k.md"); fmt.Sprint(got) != fmt.Sprint([]string{two, one}) {
		t.Errorf("versions %q, want %q", got, []string{two, one})
	}
	for id, want := range map[string]string{one: "one", two: "two"} {
		if got, info, err := get(t, f.s, bucket, "k.md", blob.GetOptions{VersionID: id, Offset: 8, Length: 3}); got != want || info.VersionID != id || err != nil {
			t.Errorf("a range of version %s: %q of %q, %v", id, got, info.VersionID, err)
		}
	}
	if err := f.s.Delete(t.Context(), bucket, "k.md"); err != nil {
		t.Fatal(err)
	}
	f.sees(t, "behind a delete marker", bucket, "k.md", "")
	if got := f.all(t, bucket, "k.md"); len(got) != 3 || got[0] != "marker" {
		t.Errorf("versions %q", got)
	}
	if got, _, err := get(t, f.s, bucket, "k.md", blob.GetOptions{VersionID: one}); got != "version one" || err != nil {
		t.Errorf("an old version behind the marker: %q, %v", got, err)
	}
	mark := f.marker(t, bucket, "k.md")
	_, _, err := get(t, f.s, bucket, "k.md", blob.GetOptions{VersionID: mark})
	wantErr(t, "the bytes of a delete marker", err, blob.ErrNotFound)
	if err := f.s.(blob.Versioned).DeleteVersion(t.Context(), bucket, "k.md", mark); err != nil {
		t.Error(err)
	}
	f.sees(t, "restored", bucket, "k.md", "version two")
}

func (f foreign) older(t *testing.T) {
	bucket, v := f.versioned(t), f.s.(blob.Versioned)
	one := f.put(t, bucket, "k.md", "one", minio.PutObjectOptions{}).VersionID
	two := f.put(t, bucket, "k.md", "two!", minio.PutObjectOptions{}).VersionID
	if err := v.DeleteVersion(t.Context(), bucket, "k.md", two); err != nil {
		t.Fatal(err)
	}
	f.sees(t, "the newest version is deleted", bucket, "k.md", "one")
	if head, err := f.s.Head(t.Context(), bucket, "k.md"); err != nil || head.VersionID != one {
		t.Errorf("current is %q, %v; want %q", head.VersionID, err, one)
	}
	if err := v.DeleteVersion(t.Context(), bucket, "k.md", one); err != nil {
		t.Fatal(err)
	}
	f.sees(t, "all versions are deleted", bucket, "k.md", "")
	if got := f.all(t, bucket, "k.md"); len(got) != 0 {
		t.Errorf("versions %q", got)
	}
	if err := v.DeleteVersion(t.Context(), bucket, "k.md", one); err != nil {
		t.Errorf("a version that is gone: %v", err)
	}
}

func (f foreign) suspended(t *testing.T) {
	bucket := f.versioned(t)
	one := f.put(t, bucket, "k.md", "one", minio.PutObjectOptions{}).VersionID
	if err := f.c.SuspendVersioning(t.Context(), bucket); err != nil {
		t.Fatal(err)
	}
	f.put(t, bucket, "k.md", "null", minio.PutObjectOptions{})
	f.put(t, bucket, "k.md", "null again", minio.PutObjectOptions{})
	f.sees(t, "suspended", bucket, "k.md", "null again")
	if head, err := f.s.Head(t.Context(), bucket, "k.md"); err != nil || head.VersionID != "" {
		t.Errorf("a version of a suspended bucket is called %q, %v", head.VersionID, err)
	}
	if got := f.all(t, bucket, "k.md"); len(got) != 2 || got[0] != "null" || got[1] != one {
		t.Errorf("versions %q", got)
	}
	if err := f.s.Delete(t.Context(), bucket, "k.md"); err != nil {
		t.Fatal(err)
	}
	f.sees(t, "deleted while suspended", bucket, "k.md", "")
	if got, _, err := get(t, f.s, bucket, "k.md", blob.GetOptions{VersionID: one}); got != "one" || err != nil {
		t.Errorf("the version of before: %q, %v", got, err)
	}
}

func (f foreign) unversioned(t *testing.T) {
	bucket := newBucket(t, f.s)
	f.put(t, bucket, "k.md", "one", minio.PutObjectOptions{})
	f.put(t, bucket, "k.md", "two", minio.PutObjectOptions{})
	if head, err := f.s.Head(t.Context(), bucket, "k.md"); err != nil || head.VersionID != "" {
		t.Errorf("an unversioned bucket names version %q, %v", head.VersionID, err)
	}
	if err := f.s.Delete(t.Context(), bucket, "k.md"); err != nil {
		t.Fatal(err)
	}
	f.sees(t, "deleted", bucket, "k.md", "")
}

// lock holds that a version under retention cannot be removed for good, and says so; a delete marker hides it.
func (f foreign) lock(t *testing.T) {
	sum := sha256.Sum256([]byte(time.Now().String()))
	bucket := fmt.Sprintf("blobtest-lock-%x", sum[:6])
	if err := f.c.MakeBucket(t.Context(), bucket, minio.MakeBucketOptions{ObjectLocking: true}); err != nil {
		t.Fatal(err)
	}
	id := f.put(t, bucket, "k.md", "held", minio.PutObjectOptions{}).VersionID
	mode, until := minio.Governance, time.Now().Add(time.Hour).UTC()
	if err := f.c.PutObjectRetention(t.Context(), bucket, "k.md", minio.PutObjectRetentionOptions{Mode: &mode, RetainUntilDate: &until, VersionID: id}); err != nil {
		t.Fatal(err)
	}
	f.sees(t, "under retention", bucket, "k.md", "held")
	err := f.s.(blob.Versioned).DeleteVersion(t.Context(), bucket, "k.md", id)
	wantErr(t, "a version under retention", err, blob.ErrDenied)
	if err := f.s.Delete(t.Context(), bucket, "k.md"); err != nil {
		t.Errorf("a delete marker over it: %v", err)
	}
	f.sees(t, "hidden", bucket, "k.md", "")
	if got, _, err := get(t, f.s, bucket, "k.md", blob.GetOptions{VersionID: id}); got != "held" || err != nil {
		t.Errorf("what is held: %q, %v", got, err)
	}
	_ = f.c.RemoveObject(context.WithoutCancel(t.Context()), bucket, "k.md", minio.RemoveObjectOptions{VersionID: id, GovernanceBypass: true})
}
