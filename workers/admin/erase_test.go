package admin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/s3"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/pkg/trail"
	"github.com/fingerpost/fingerpost/workers/admin"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// shelf is a house over a versitygw whose bucket keeps versions and can be locked.
type shelf struct {
	*workertest.House
	store  *s3.Store
	client *minio.Client
	eraser admin.Eraser
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	srv := testenv.Versitygw(t, "", "")
	x := &shelf{}
	var err error
	if x.store, err = s3.New(s3.Config{Endpoint: srv.Endpoint, AccessKey: srv.AccessKey, SecretKey: srv.SecretKey}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.store.Close)
	x.client, err = minio.New(strings.TrimPrefix(srv.Endpoint, "http://"), &minio.Options{Creds: credentials.NewStaticV4(srv.AccessKey, srv.SecretKey, ""), Region: "us-east-1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.client.MakeBucket(t.Context(), workertest.Bucket, minio.MakeBucketOptions{ObjectLocking: true}); err != nil {
		t.Fatal(err)
	}
	if err := x.store.MakeBucket(t.Context(), artefact.Bucket); err != nil {
		t.Fatal(err)
	}
	x.House = workertest.Open(t, workertest.Config{NoVectors: true, Blobs: func(blob.Store) blob.Store { return x.store }})
	if err := x.Bus.Declare(t.Context(), []bus.Stream{trail.Stream}, nil); err != nil {
		t.Fatal(err)
	}
	x.eraser = admin.Eraser{Blobs: x.store, Artefacts: x.Artefacts, Ledger: x.Ledger, Index: x.Index, Trail: trail.Log{Bus: x.Bus},
		Letters: pipeline.Letters{Bus: x.Bus, Ledger: x.Ledger}, Builds: func() []uint32 { return []uint32{uint32(workertest.Build)} }}
	return x
}

func (x *shelf) erase() admin.Receipt {
	x.T.Helper()
	rc, err := x.eraser.Erase(x.T.Context(), admin.DocumentRequest{Tenant: workertest.Tenant, Bucket: workertest.Bucket, Key: "a.md"})
	if err != nil {
		x.T.Fatal(err)
	}
	return rc
}

func (x *shelf) versions() (n int) {
	x.T.Helper()
	for _, err := range x.store.Versions(x.T.Context(), workertest.Bucket, "a.md") {
		if err != nil {
			x.T.Fatal(err)
		}
		n++
	}
	return n
}

// In a bucket that keeps versions an erasure takes them all, with their markers, and names each with its hash.
func TestEraseTakesEveryVersion(t *testing.T) {
	x := newShelf(t)
	for _, text := range []string{"# One\n\nSecret.\n", "# Two\n\nSecret.\n"} {
		x.Put("a.md", text)
		x.Settle()
	}
	x.Delete("a.md")
	x.Put("a.md", "# Three\n\nSecret.\n")
	x.Put("a.md.neighbour", "# Other\n\nText.\n")
	x.Settle()
	rc := x.erase()
	hashes := map[string]bool{}
	for _, r := range rc.Removed {
		if r.Where == "bucket "+workertest.Bucket && strings.Contains(r.What, " version ") {
			hashes[r.SHA256] = true
		}
	}
	if len(hashes) != 3 || hashes[""] || !rc.Verified || len(rc.Kept) != 0 {
		t.Errorf("%d versions named by their hashes: %+v", len(hashes), rc)
	}
	if n := x.versions(); n != 0 {
		t.Errorf("%d versions and markers are left", n)
	}
	if _, err := x.store.Head(t.Context(), workertest.Bucket, "a.md.neighbour"); err != nil {
		t.Errorf("the neighbour: %v", err)
	}
}

// What the store holds under a lock stays, hidden; the receipt names it and proves nothing.
func TestEraseNamesWhatIsHeld(t *testing.T) {
	x := newShelf(t)
	x.Put("a.md", "# One\n\nSecret.\n")
	mode, until := minio.Governance, time.Now().Add(time.Hour).UTC()
	if err := x.client.PutObjectRetention(t.Context(), workertest.Bucket, "a.md", minio.PutObjectRetentionOptions{Mode: &mode, RetainUntilDate: &until}); err != nil {
		t.Fatal(err)
	}
	x.Put("a.md", "# Two\n\nSecret.\n")
	x.Settle()
	rc := x.erase()
	if len(rc.Kept) != 1 || !strings.Contains(rc.Kept[0].What, "a.md version ") || rc.Verified {
		t.Errorf("%+v", rc)
	}
	if _, err := x.store.Head(t.Context(), workertest.Bucket, "a.md"); err == nil {
		t.Error("an older version is current")
	}
	for v := range x.client.ListObjects(t.Context(), workertest.Bucket, minio.ListObjectsOptions{Prefix: "a.md", WithVersions: true}) {
		_ = x.client.RemoveObject(t.Context(), workertest.Bucket, "a.md", minio.RemoveObjectOptions{VersionID: v.VersionID, GovernanceBypass: true})
	}
}
