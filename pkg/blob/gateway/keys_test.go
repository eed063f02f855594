package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7/pkg/s3utils"
	"github.com/minio/minio-go/v7/pkg/signer"
)

// TestKeys states what becomes of each odd key: the status of a PUT of "body", the key that is
// listed and told, and the status of a GET by the key as asked. The requests are made by hand, so
// that no client library cleans the path.
func TestKeys(t *testing.T) {
	part := func(n int) string { return strings.Repeat("k", n) }
	var n told
	g := open(t, Config{Notify: n.notify})
	s := store(t, g)
	for i, k := range []struct {
		key, listed string // "": nothing is stored
		put, get    int
	}{
		{"a b+c%25.txt", "a b+c%25.txt", 200, 200},
		{"100%.pdf", "100%.pdf", 200, 200},
		{"p%2Fq.md", "p%2Fq.md", 200, 200},
		{"1+1=2.md", "1+1=2.md", 200, 200},
		{"q?x=1#frag&y=2.md", "q?x=1#frag&y=2.md", 200, 200},
		{`quotes'"backslash\.md`, `quotes'"backslash\.md`, 200, 200},
		{"Отчёт 2024 № 1.md", "Отчёт 2024 № 1.md", 200, 200},
		{"日本語/資料.pdf", "日本語/資料.pdf", 200, 200},
		{"\u00e9.md", "\u00e9.md", 200, 200},
		{"e\u0301.md", "e\u0301.md", 200, 200},
		{"name. ", "name. ", 200, 200},
		{"line\nbreak.md", "line\nbreak.md", 200, 200},
		{part(255), part(255), 200, 200},
		{part(200) + "/" + part(250) + "/" + part(250) + "/" + part(197), part(200) + "/" + part(250) + "/" + part(250) + "/" + part(197), 200, 200},
		{"/lead.md", "lead.md", 200, 200},
		{"//lead.md", "lead.md", 200, 200},
		{"...", "...", 200, 200},
		{part(256), "", 400, 400},
		{part(900), "", 400, 400},
		{strings.Repeat("d/", 515), "", 400, 400},
		{"..", "", 400, 400},
		{"../other/k", "", 400, 400},
		{"x/../y.md", "", 400, 400},
		{"x/./y.md", "", 400, 400},
		{"x/..", "", 400, 400},
		{"a//b", "", 400, 400},
		{"trailing/", "", 400, 404},
		{".sgwtmp/x", "", 400, 400}, // the library's own folder, which its lists hide
		{"a/.sgwtmp/x", "", 400, 400},
		{"trailing//", "", 400, 400},
		{"nul\x00.md", "", 400, 400},
	} {
		bucket := fmt.Sprintf("keys-%d", i)
		if err := s.MakeBucket(t.Context(), bucket); err != nil {
			t.Fatal(err)
		}
		put := request(t, g, http.MethodPut, bucket, k.key)
		get := request(t, g, http.MethodGet, bucket, k.key)
		keys, err := keysOf(t, s, bucket)
		var want, toldOf []string
		if k.listed != "" {
			want, toldOf = []string{k.listed}, []string{"ObjectCreated:Put " + bucket + "/" + k.listed}
		}
		if put != k.put || get != k.get || err != nil || !slices.Equal(keys, want) {
			t.Errorf("%.40q: PUT %d, GET %d, listed %.40q, %v; want %d, %d, %.40q", k.key, put, get, keys, err, k.put, k.get, want)
		}
		if got := n.take(); !slices.Equal(got, toldOf) {
			t.Errorf("%.40q: told %.60q, want %.60q", k.key, got, toldOf)
		}
	}
}

// request is the status of a signed request for exactly this key.
func request(t *testing.T, g *Server, method, bucket, key string) int {
	t.Helper()
	body := map[string]string{http.MethodPut: "body"}[method]
	path := "/" + bucket + "/" + key
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+g.Addr(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.URL.Path, r.URL.RawPath = path, s3utils.EncodePath(path)
	sum := sha256.Sum256([]byte(body))
	r.Header.Set("X-Amz-Content-Sha256", hex.EncodeToString(sum[:]))
	resp, err := http.DefaultClient.Do(signer.SignV4(*r, access, secret, "", "us-east-1"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

func TestStoredRefusesWhatIsNoText(t *testing.T) {
	for _, k := range []string{"", "/", "bad\xff.md", "nul\x00.md"} {
		if got, err := stored(&k); err == nil {
			t.Errorf("%q is stored as %q", k, got)
		}
	}
	if _, err := stored(nil); err == nil {
		t.Error("no key is stored")
	}
}
