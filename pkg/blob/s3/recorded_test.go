package s3

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// recordedCall is what a real MinIO answered to somebody with narrow, wrong or no rights.
type recordedCall struct {
	What, Who string
	Code      string `json:"client_error_code"`
	HTTP      []struct {
		Status  int
		Headers map[string]string
		Body    string
	}
}

// TestRecordedRights holds that 403 is told from 404 as a real MinIO words them, a HEAD without a body too: who may not look
// is never told that an object is missing, or it would be taken for deleted.
func TestRecordedRights(t *testing.T) {
	b, err := os.ReadFile(testenv.Shared(t, "cases", "events", "minio", "credentials-and-error-bodies.json"))
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Calls []recordedCall }
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, c := range f.Calls {
		s := server(t, c.answer)
		err, known := c.ask(t, s)
		if !known || strings.Contains(c.What, "presigned") || c.Who == "expired presigned GET" {
			continue
		}
		seen++
		want := map[string]error{"": nil, "NoSuchKey": blob.ErrNotFound}[c.Code]
		if c.Code != "" && want == nil {
			want = blob.ErrDenied
		}
		if !errors.Is(err, want) || errors.Is(want, blob.ErrDenied) && errors.Is(err, blob.ErrNotFound) {
			t.Errorf("%s, by %s: %v, want %v", c.What, c.Who, err, want)
		}
	}
	if seen < 20 {
		t.Errorf("%d calls were tried", seen)
	}
}

// answer gives the recorded answer.
func (c recordedCall) answer(w http.ResponseWriter, r *http.Request) {
	a := c.HTTP[len(c.HTTP)-1]
	for k, v := range a.Headers {
		if k != "Content-Length" {
			w.Header().Set(k, v)
		}
	}
	w.WriteHeader(a.Status)
	n, _ := strconv.Atoi(a.Headers["Content-Length"])
	switch {
	case a.Body != "":
		_, _ = io.WriteString(w, a.Body)
	case r.URL.Query().Has("list-type"):
		_, _ = io.WriteString(w, `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>docs-a</Name></ListBucketResult>`)
	case r.URL.Query().Has("notification"):
		_, _ = io.WriteString(w, `<NotificationConfiguration></NotificationConfiguration>`)
	case a.Status == http.StatusOK && r.Method == http.MethodGet:
		_, _ = io.WriteString(w, strings.Repeat("x", n))
	}
}

// ask asks as the recorded client did, by the port.
func (c recordedCall) ask(t *testing.T, s *Store) (err error, known bool) {
	verb, at, _ := strings.Cut(c.What, " ")
	bucket, key, _ := strings.Cut(at, "/")
	ctx := t.Context()
	switch verb {
	case "GET":
		_, _, err = blob.ReadAll(ctx, s, bucket, key, blob.GetOptions{}, 1<<20)
	case "HEAD":
		_, err = s.Head(ctx, bucket, key)
	case "PUT":
		_, err = s.Put(ctx, bucket, key, strings.NewReader("x"), 1, blob.PutOptions{})
	case "DELETE":
		err = s.Delete(ctx, bucket, key)
	case "GetBucketNotification":
		_, err = s.Rules(ctx, bucket)
	case "LIST":
		if bucket == "buckets" {
			return nil, false
		}
		for _, e := range s.List(ctx, bucket, "", "") {
			err = e
		}
	default:
		return nil, false
	}
	return err, true
}

// TestSealed holds that an object whose key only its writer has is told apart from an outage and from one that is gone.
func TestSealed(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		if r.Method != http.MethodHead {
			_, _ = io.WriteString(w, xmlError("InvalidRequest", "The object was stored using a form of Server Side Encryption. The correct parameters must be provided to retrieve the object."))
		}
	})
	if info, err := s.Head(t.Context(), "docs", "k"); !info.Sealed || err != nil {
		t.Errorf("%+v, %v", info, err)
	}
	if _, _, err := s.Get(t.Context(), "docs", "k", blob.GetOptions{}); err == nil || sentinelOf(err) != nil {
		t.Errorf("its bytes: %v", err)
	}
}

// TestEncryption holds that each upload asks for the encryption that is configured, a part of a large one's beginning too.
func TestEncryption(t *testing.T) {
	for setting, want := range map[string][2]string{"": {}, "AES256": {"AES256", ""}, "aws:kms": {"aws:kms", ""}, "aws:kms:key/1": {"aws:kms", "key/1"}} {
		var got [][2]string
		srv := server(t, func(w http.ResponseWriter, r *http.Request) {
			asked := [2]string{r.Header.Get("X-Amz-Server-Side-Encryption"), r.Header.Get("X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id")}
			w.Header().Set("ETag", `"e"`)
			switch {
			case r.URL.Query().Has("uploads"):
				_, _ = io.WriteString(w, `<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>`)
			case r.Method == http.MethodPost:
				_, _ = io.WriteString(w, `<CompleteMultipartUploadResult><Bucket>docs</Bucket><Key>k</Key><ETag>"e-2"</ETag></CompleteMultipartUploadResult>`)
				return
			case r.URL.Query().Has("partNumber"):
				_, _ = io.Copy(io.Discard, r.Body)
				return // S3 takes the encryption from the beginning
			}
			_, _ = io.Copy(io.Discard, r.Body)
			got = append(got, asked)
		})
		s, err := New(Config{Endpoint: srv.core.EndpointURL().String(), AccessKey: "a", SecretKey: "b", Encryption: setting})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		sizes := []int64{4}
		if strings.HasSuffix(setting, "key/1") { // one is enough: its 16 MiB are signed
			sizes = append(sizes, partSize+5)
		}
		for _, size := range sizes {
			if _, err := s.Put(t.Context(), "docs", "k", strings.NewReader(strings.Repeat("x", int(size))), size, blob.PutOptions{}); err != nil {
				t.Errorf("%q, %d bytes: %v", setting, size, err)
			}
		}
		if len(got) != len(sizes) || got[0] != want || got[len(got)-1] != want {
			t.Errorf("%q: asked for %q, want %q each time", setting, got, want)
		}
	}
	if _, err := New(Config{Endpoint: "host", Encryption: "rot13"}); err == nil {
		t.Error("an encryption that nobody knows was taken")
	}
}
