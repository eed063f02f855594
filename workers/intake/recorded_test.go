package intake_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/miniotest"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/notice"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/intake"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// tiny is a store that holds what a recording says, and stands in front of one that holds the rest.
type tiny struct {
	blob.Store
	buckets map[string]map[string]blob.Info
	content map[string]string // by ETag: what stands for the object's bytes
	gets    int
	mu      sync.Mutex // the query worker reads beside the test
}

// hold takes over what the store held after o. The list shows the keys of the operation, not the whole bucket: a key that
// the messages speak of and the list does not show is gone.
func (s *tiny) hold(o miniotest.Operation, spoken map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.buckets[o.Bucket]
	if held == nil {
		held = map[string]blob.Info{}
		s.buckets[o.Bucket] = held
	}
	for k := range spoken {
		delete(held, k)
	}
	for _, e := range o.After.List {
		if e.Key != "" {
			etag := strings.Trim(e.ETag, `"`)
			held[e.Key] = blob.Info{Bucket: o.Bucket, Key: e.Key, ETag: etag, Size: e.Size}
		}
	}
	key := o.Stored()
	switch h := o.After.Head; {
	case h.Status == 200:
		etag := strings.Trim(h.Headers["Etag"], `"`)
		var size int64
		_, _ = fmt.Sscan(h.Headers["Content-Length"], &size)
		held[key] = blob.Info{Bucket: o.Bucket, Key: key, ETag: etag, Size: size, Meta: metaOf(h.Headers)}
		if o.After.Get.SHA256 != "" {
			s.content[etag] = o.After.Get.SHA256
		}
	case h.Status != 0:
		delete(held, key)
	}
}

func metaOf(headers map[string]string) map[string]string {
	m := map[string]string{}
	for k, v := range headers {
		if n, ok := strings.CutPrefix(strings.ToLower(k), "x-amz-meta-"); ok {
			m[n] = v
		}
	}
	return m
}

func (s *tiny) Head(ctx context.Context, bucket, key string) (blob.Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, ok := s.buckets[bucket]
	if !ok {
		return s.Store.Head(ctx, bucket, key)
	}
	if info, ok := held[key]; ok {
		return info, nil
	}
	return blob.Info{}, fmt.Errorf("head %s/%s: %w", bucket, key, blob.ErrNotFound)
}

func (s *tiny) Get(ctx context.Context, bucket, key string, o blob.GetOptions) (io.ReadCloser, blob.Info, error) {
	info, err := s.Head(ctx, bucket, key)
	if err != nil {
		return nil, info, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.buckets[bucket]; !ok {
		return s.Store.Get(ctx, bucket, key, o)
	}
	s.gets++
	text, ok := s.content[info.ETag]
	if !ok {
		text = info.ETag
	}
	return io.NopCloser(strings.NewReader(text)), info, nil
}

func (s *tiny) List(ctx context.Context, bucket, prefix, after string) iter.Seq2[blob.Info, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, ok := s.buckets[bucket]
	if !ok {
		return s.Store.List(ctx, bucket, prefix, after)
	}
	held = maps.Clone(held)
	return func(yield func(blob.Info, error) bool) {
		for _, k := range slices.Sorted(maps.Keys(held)) {
			if strings.HasPrefix(k, prefix) && k > after && !yield(held[k], nil) {
				return
			}
		}
	}
}

// free are operations that change no bytes: they must cost no job.
var free = []string{"tagging-set", "tagging-remove", "overwrite-same-bytes", "copy-onto-itself-metadata-replace", "lock-retention", "lock-legal-hold-on",
	"v-delete-old-version", "delete-non-existing", "all-head", "all-get", "all-get-range", "folder-marker"}

// Whatever a real store says, in whatever order and how often, the ledger holds what the bucket holds.
func TestRecordedEventsEndAsTheBucketSays(t *testing.T) {
	for _, store := range []string{"minio", "versitygw"} {
		t.Run(store, func(t *testing.T) {
			ops := miniotest.Recorded(t, store)
			buckets := map[string]bool{}
			var sources []intake.Source
			for _, o := range ops {
				if o.Bucket != "" && !buckets[o.Bucket] {
					buckets[o.Bucket] = true
					sources = append(sources, intake.Source{Bucket: o.Bucket, Tenant: workertest.Tenant})
				}
			}
			s := &tiny{buckets: map[string]map[string]blob.Info{}, content: map[string]string{}}
			h := workertest.Open(t, workertest.Config{Sources: sources, MaxSize: 1 << 40, Blobs: func(under blob.Store) blob.Store { s.Store = under; return s }})
			bodies := 0
			for _, o := range ops {
				s.hold(o, touched(t, o, notice.Source(store)))
				bodies += len(o.Bodies())
				replay(t, h, s, o, notice.Source(store))
			}
			if bodies < 60 {
				t.Errorf("%d messages were replayed", bodies)
			}
		})
	}
}

// replay has intake handle the messages of o, once and once more in reverse, and compares with the store.
func replay(t *testing.T, h *workertest.House, s *tiny, o miniotest.Operation, src notice.Source) {
	t.Helper()
	handle := func(body []byte) {
		if err := h.Intake.Handle(t.Context(), body, src); err != nil {
			t.Errorf("%s: %v", o.Name, err)
		}
	}
	bodies := o.Bodies()
	for _, b := range bodies {
		handle(b)
	}
	jobs := h.Waiting(wire.Parse)
	gets := s.gets
	slices.Reverse(bodies)
	for _, b := range bodies {
		handle(b)
	}
	if again := h.Waiting(wire.Parse); again != jobs {
		t.Errorf("%s: the second time makes %d jobs", o.Name, again-jobs)
	}
	if s.gets != gets {
		t.Errorf("%s: the second time reads %d objects", o.Name, s.gets-gets)
	}
	if slices.Contains(free, o.Name) && jobs != 0 {
		t.Errorf("%s makes %d jobs", o.Name, jobs)
	}
	for key := range touched(t, o, src) {
		compare(t, h, s, o, key)
	}
	finish(t, h)
}

// touched are the keys that the messages speak of, and all of the bucket when they do not say which.
func touched(t *testing.T, o miniotest.Operation, src notice.Source) map[string]bool {
	t.Helper()
	keys := map[string]bool{}
	for _, b := range o.Bodies() {
		notices, err := notice.Decode(b, src)
		if err != nil {
			t.Errorf("%s: %v", o.Name, err)
		}
		for _, n := range notices {
			if keys[n.Key] = true; n.List {
				for _, e := range o.After.List {
					keys[e.Key] = true
				}
			}
		}
	}
	delete(keys, "")
	return keys
}

func compare(t *testing.T, h *workertest.House, s *tiny, o miniotest.Operation, key string) {
	t.Helper()
	r := h.Record(doc.NewID(workertest.Tenant, o.Bucket, key))
	info, there := s.buckets[o.Bucket][key]
	switch {
	case !there && r.DocID != "" && r.State != doc.Deleted:
		t.Errorf("%s: %q is gone from the bucket and %s in the ledger", o.Name, key, r.State)
	case there && (r.State == doc.Deleted || r.DocID == ""):
		t.Errorf("%s: %q is in the bucket and not in the ledger (%q)", o.Name, key, r.State)
	case there && (r.ETag != info.ETag || r.Size != info.Size || r.Key != key):
		t.Errorf("%s: the ledger has %q %s %d, the bucket %s %d", o.Name, r.Key, r.ETag, r.Size, info.ETag, info.Size)
	case there && strings.HasSuffix(key, "/") && info.Size == 0 && r.Class != doc.Excluded:
		t.Errorf("%s: the folder marker %q is %s", o.Name, key, r.State)
	}
}

// finish takes the jobs out and says that they are done, so that the next operation meets documents at rest.
func finish(t *testing.T, h *workertest.House) {
	t.Helper()
	for h.Waiting(wire.Parse) > 0 {
		h.Take(wire.Parse)
	}
	for h.Waiting(wire.Index) > 0 {
		h.Take(wire.Index)
	}
	var pending []ledger.Record
	if err := h.Ledger.Each(t.Context(), workertest.Tenant, func(r ledger.Record) error {
		if r.State == doc.Pending {
			pending = append(pending, r)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, r := range pending {
		if _, err := h.Ledger.SetCurrent(t.Context(), r.Tenant, r.DocID, r.Generation, doc.LevelFull, nil); err != nil {
			t.Fatal(err)
		}
	}
}
