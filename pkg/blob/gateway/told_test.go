package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/tags"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/notice"
)

// told gathers the notifications of a gateway, as intake would read them.
type told struct {
	mu      sync.Mutex
	notices []notice.Notice
	err     error // answers every call from now on
}

func (n *told) notify(_ context.Context, body []byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.err != nil {
		return n.err
	}
	got, err := notice.Decode(body, notice.Auto)
	n.notices = append(n.notices, got...)
	return err
}

func (n *told) refuse(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.err = err
}

// take is what was told since the last take, as "name bucket/key".
func (n *told) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var out []string
	for _, x := range n.notices {
		out = append(out, x.Name+" "+x.Bucket+"/"+x.Key)
	}
	n.notices = nil
	return out
}

func TestEveryChangeIsToldBeforeItsAnswer(t *testing.T) {
	var n told
	g := open(t, Config{Notify: n.notify, Protected: []string{"derived"}})
	c, ctx := client(t, g), t.Context()
	put := func(bucket, key, text string) error {
		_, err := c.PutObject(ctx, bucket, key, strings.NewReader(text), int64(len(text)), minio.PutObjectOptions{})
		return err
	}
	cp := func(dst, src string, o minio.CopyDestOptions) error {
		o.Bucket, o.Object = "docs", dst
		_, err := c.CopyObject(ctx, o, minio.CopySrcOptions{Bucket: "docs", Object: src})
		return err
	}
	for _, step := range []struct {
		name string
		do   func() error
		want []string
	}{
		{"make buckets", func() error {
			return errors.Join(c.MakeBucket(ctx, "docs", minio.MakeBucketOptions{}), c.MakeBucket(ctx, "derived", minio.MakeBucketOptions{}))
		}, nil},
		{"put", func() error { return put("docs", "a b+c%25.md", "x") }, []string{"ObjectCreated:Put docs/a b+c%25.md"}},
		{"put again", func() error { return put("docs", "a b+c%25.md", "y") }, []string{"ObjectCreated:Put docs/a b+c%25.md"}},
		{"put empty", func() error { return put("docs", "я/é.md", "") }, []string{"ObjectCreated:Put docs/я/é.md"}},
		{"put with a leading slash", func() error { return rawPut(t, g, "/docs//lead.md") }, []string{"ObjectCreated:Put docs/lead.md"}},
		{"folder marker", func() error { return put("docs", "folder/", "") }, []string{"ObjectCreated:Put docs/folder/"}},
		{"protected", func() error { return put("derived", "x", "y") }, nil},
		{"multipart", func() error {
			_, err := c.PutObject(ctx, "docs", "big", bytes.NewReader(make([]byte, 11<<20)), 11<<20, minio.PutObjectOptions{PartSize: 5 << 20})
			return err
		}, []string{"ObjectCreated:CompleteMultipartUpload docs/big"}},
		{"abandoned multipart", func() error {
			id, err := minio.Core{Client: c}.NewMultipartUpload(ctx, "docs", "never", minio.PutObjectOptions{})
			return errors.Join(err, minio.Core{Client: c}.AbortMultipartUpload(ctx, "docs", "never", id))
		}, nil},
		{"copy", func() error { return cp("copy.md", "a b+c%25.md", minio.CopyDestOptions{}) }, []string{"ObjectCreated:Copy docs/copy.md"}},
		{"copy onto itself", func() error {
			return cp("copy.md", "copy.md", minio.CopyDestOptions{ReplaceMetadata: true, UserMetadata: map[string]string{"a": "b"}})
		}, []string{"ObjectCreated:Copy docs/copy.md"}},
		{"refused copy", func() error {
			return want(cp("copy.md", "none", minio.CopyDestOptions{}), "NoSuchKey")
		}, nil},
		{"presigned", func() error { return presignedPut(t, c, "pre signed.md") }, []string{"ObjectCreated:Put docs/pre signed.md"}},
		{"post policy", func() error { return postPolicy(t, c, "posted/form file.txt") }, []string{"ObjectCreated:Put docs/posted/form file.txt"}},
		{"condition not met", func() error {
			o := minio.PutObjectOptions{}
			o.SetMatchETagExcept("*")
			_, err := c.PutObject(ctx, "docs", "copy.md", strings.NewReader("z"), 1, o)
			return want(err, "PreconditionFailed")
		}, nil},
		{"tags", func() error {
			tg, _ := tags.NewTags(map[string]string{"a": "b"}, true)
			return errors.Join(c.PutObjectTagging(ctx, "docs", "copy.md", tg, minio.PutObjectTaggingOptions{}),
				c.RemoveObjectTagging(ctx, "docs", "copy.md", minio.RemoveObjectTaggingOptions{}))
		}, []string{"ObjectTagging:Put docs/copy.md", "ObjectTagging:Delete docs/copy.md"}},
		{"delete", func() error { return c.RemoveObject(ctx, "docs", "copy.md", minio.RemoveObjectOptions{}) }, []string{"ObjectRemoved:Delete docs/copy.md"}},
		{"delete what is not there", func() error { return c.RemoveObject(ctx, "docs", "none", minio.RemoveObjectOptions{}) }, []string{"ObjectRemoved:Delete docs/none"}},
		{"delete many", func() error { return deleteMany(c, "big", "folder/", "x/../no", "none", "a b+c%25.md") },
			[]string{"ObjectRemoved:Delete docs/big", "ObjectRemoved:Delete docs/folder/", "ObjectRemoved:Delete docs/none", "ObjectRemoved:Delete docs/a b+c%25.md"}},
		{"reads", func() error {
			_, err := c.StatObject(ctx, "docs", "lead.md", minio.StatObjectOptions{})
			return err
		}, nil},
	} {
		if err := step.do(); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		if got := n.take(); !slices.Equal(got, step.want) {
			t.Errorf("%s: told %q, want %q", step.name, got, step.want)
		}
	}
}

// want is nil when err has the S3 error code.
func want(err error, code string) error {
	if got := minio.ToErrorResponse(err).Code; got != code {
		return fmt.Errorf("got %v (%s), want %s", err, got, code)
	}
	return nil
}

// rawPut PUTs to a path that the client library would clean up.
func rawPut(t *testing.T, g *Server, path string) error {
	u, err := client(t, g).PresignedPutObject(t.Context(), "docs", strings.TrimPrefix(path, "/docs/"), time.Minute)
	if err != nil {
		return err
	}
	return do(t, http.MethodPut, u.String(), strings.NewReader("raw"), "")
}

func do(t *testing.T, method, url string, body io.Reader, contentType string) error {
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		return err
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		b, _ := io.ReadAll(resp.Body)
		return fmt.Errorf("%s %s: %s %s", method, url, resp.Status, b)
	}
	return nil
}

func presignedPut(t *testing.T, c *minio.Client, key string) error {
	u, err := c.PresignedPutObject(t.Context(), "docs", key, time.Minute)
	if err != nil {
		return err
	}
	return do(t, http.MethodPut, u.String(), strings.NewReader("presigned"), "")
}

func postPolicy(t *testing.T, c *minio.Client, key string) error {
	p := minio.NewPostPolicy()
	if err := errors.Join(p.SetBucket("docs"), p.SetKey(key), p.SetExpires(time.Now().Add(time.Hour))); err != nil {
		return err
	}
	u, fields, err := c.PresignedPostPolicy(t.Context(), p)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for k, v := range fields {
		if err := form.WriteField(k, v); err != nil {
			return err
		}
	}
	w, err := form.CreateFormFile("file", "f.txt")
	if err != nil {
		return err
	}
	_, err = w.Write([]byte("posted body"))
	if err = errors.Join(err, form.Close()); err != nil {
		return err
	}
	return do(t, http.MethodPost, u.String(), &b, form.FormDataContentType())
}

// deleteMany wants every key deleted but those with path steps.
func deleteMany(c *minio.Client, keys ...string) error {
	ch := make(chan minio.ObjectInfo, len(keys))
	for _, k := range keys {
		ch <- minio.ObjectInfo{Key: k}
	}
	close(ch)
	for r := range c.RemoveObjects(context.Background(), "docs", ch, minio.RemoveObjectsOptions{}) {
		if r.ObjectName != "x/../no" {
			return fmt.Errorf("delete %s: %w", r.ObjectName, r.Err)
		}
	}
	return nil
}

func TestRefusedNotification(t *testing.T) {
	var n told
	g := open(t, Config{Notify: n.notify, Timeout: 50 * time.Millisecond})
	s, ctx := store(t, g), t.Context()
	if err := s.MakeBucket(ctx, "docs"); err != nil {
		t.Fatal(err)
	}
	for name, refusal := range map[string]error{"stream full": errors.New("nats: maximum bytes exceeded"), "no answer": context.DeadlineExceeded} {
		n.refuse(refusal)
		_, err := s.Put(ctx, "docs", name, strings.NewReader("x"), 1, blob.PutOptions{})
		if !errors.Is(err, blob.ErrAway) || !strings.Contains(err.Error(), refusal.Error()) {
			t.Errorf("%s: put answered %v", name, err)
		}
		if _, err := s.Head(ctx, "docs", name); err != nil {
			t.Errorf("%s: the object is not stored: %v", name, err)
		}
		if err := s.Delete(ctx, "docs", name); !errors.Is(err, blob.ErrAway) {
			t.Errorf("%s: delete answered %v", name, err)
		}
		n.refuse(nil)
		if _, err := s.Put(ctx, "docs", name, strings.NewReader("x"), 1, blob.PutOptions{}); err != nil {
			t.Errorf("%s: the repeated put answered %v", name, err)
		}
	}
	if got := n.take(); len(got) != 2 {
		t.Errorf("told %q, want the two repeated puts", got)
	}
}

func TestSlowNotification(t *testing.T) {
	timedOut := make(chan error, 1)
	g := open(t, Config{Timeout: 20 * time.Millisecond, Notify: func(ctx context.Context, _ []byte) error {
		<-ctx.Done()
		timedOut <- ctx.Err()
		return ctx.Err()
	}})
	s := store(t, g)
	if err := s.MakeBucket(t.Context(), "docs"); err != nil {
		t.Fatal(err)
	}
	_, err := s.Put(t.Context(), "docs", "k", strings.NewReader("x"), 1, blob.PutOptions{})
	if !errors.Is(err, blob.ErrAway) || !errors.Is(<-timedOut, context.DeadlineExceeded) {
		t.Errorf("a notification that hangs: %v", err)
	}
}

// TestStopAnswersRequestsUnderWay holds that a PUT whose notification is under way when the stop
// comes is answered, and only after the notification.
func TestStopAnswersRequestsUnderWay(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	g, err := Start(ctx, Config{
		Addr: "127.0.0.1:0", Dir: t.TempDir(), AccessKey: access, SecretKey: secret,
		Notify: func(ctx context.Context, _ []byte) error {
			close(entered)
			<-release
			return ctx.Err()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := store(t, g)
	if err := s.MakeBucket(ctx, "docs"); err != nil {
		t.Fatal(err)
	}
	answer := make(chan error, 1)
	go func() {
		_, err := s.Put(context.Background(), "docs", "k", strings.NewReader("x"), 1, blob.PutOptions{})
		answer <- err
	}()
	<-entered
	select {
	case err := <-answer:
		t.Errorf("the put was answered (%v) before its notification", err)
	default:
	}
	cancel()
	close(release)
	if err := <-answer; err != nil {
		t.Errorf("the put under way at the stop: %v", err)
	}
	s.Close()
	if err := g.Wait(); err != nil {
		t.Errorf("stop: %v", err)
	}
}
