package notice

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/blob/miniotest"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// recorded calls f for each recorded operation.
func recorded(t *testing.T, f func(t *testing.T, store string, o miniotest.Operation)) {
	for _, store := range []string{"minio", "versitygw"} {
		for _, o := range miniotest.Recorded(t, store) {
			t.Run(store+"/"+o.File, func(t *testing.T) { f(t, store, o) })
		}
	}
}

// exceptions are the operations whose notices name something else than the key that the client
// used, by store and operation.
var exceptions = map[string][]string{
	"minio/key-leading-slash":                            {"lead.md"}, // stored so, too
	"versitygw/key-leading-slash":                        {"lead.md"}, // named as the list names it, not as it was asked for
	"versitygw/key-dotdot-inside":                        {"y.md"},
	"versitygw/key-dot-inside":                           {"x/y.md"},
	"minio/multi-delete-3-and-1-missing":                 {"multi/1.md", "multi/3.md", "multi/4.md", "multi/2.md"},
	"minio/v-multi-delete-3":                             {"multi/1.md", "multi/3.md", "multi/2.md"},
	"minio/snowball-extract-3":                           {"snow/3.md", "snow/1.md", "snow/2.md"},
	"minio/compose-2-parts":                              {"part1.bin", "composed.bin"},
	"minio/all-put":                                      {"x.md"}, // the record of the client's key is missing here
	"minio/all-head":                                     {},       // reads: no notice
	"minio/all-get":                                      {},
	"minio/all-get-range":                                {},
	"minio/all-get-attributes":                           {},
	"minio/ilm-expiry-by-scanner":                        {"old.md", "old2.md"},
	"versitygw/gateway-start-test-event-and-make-bucket": {},
	"versitygw/post-policy-upload":                       {""}, // an empty key: list
	"versitygw/multi-delete-3-and-1-missing":             {"multi/2.md", "multi/1.md", "multi/3.md", "multi/4.md"},
	"versitygw/v-multi-delete-3":                         {"multi/1.md", "multi/2.md", "multi/3.md"},
}

func TestRecordedKeys(t *testing.T) {
	seen := 0
	recorded(t, func(t *testing.T, store string, o miniotest.Operation) {
		want, ok := exceptions[store+"/"+o.Name]
		if !ok && o.Messages > 0 {
			want = []string{o.KeyUsed}
		}
		for _, src := range []Source{Auto, Source(store)} {
			var got []string
			for _, body := range o.Bodies() {
				seen++
				notices, err := Decode(body, src)
				if err != nil {
					t.Fatal(err)
				}
				for _, n := range notices {
					got = append(got, n.Key)
					if n.Bucket != o.Bucket || n.At.IsZero() || n.Name == "" || n.List != (n.Key == "") {
						t.Errorf("source %q: %+v, want bucket %s", src, n, o.Bucket)
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("source %q: keys %q, want %q", src, got, want)
			}
		}
	})
	if seen < 250 {
		t.Errorf("%d messages were decoded, want all", seen)
	}
}

// etags is a store or an index in the small: what it holds by key.
type etags map[string]string

// truth is what the store held after o, as HEAD by the key used tells. Keys that nobody used exist
// as the list says.
func truth(o miniotest.Operation) etags {
	held := etags{}
	for _, e := range o.After.List {
		if e.Key != "" {
			held[e.Key] = e.ETag
		}
	}
	if o.After.Head.Status == 200 {
		held[o.Stored()] = strings.Trim(o.After.Head.Headers["Etag"], `"`)
	}
	return held
}

// handle is the one handler: decode, HEAD, upsert or remove; or list and do so for all.
func handle(index, store etags, bodies []json.RawMessage) error {
	look := func(key string) {
		if tag, ok := store[key]; ok {
			index[key] = tag
		} else {
			delete(index, key)
		}
	}
	for _, body := range bodies {
		notices, err := Decode(body, Auto)
		if err != nil {
			return err
		}
		for _, n := range notices {
			if !n.List {
				look(n.Key)
				continue
			}
			for key := range store {
				look(key)
			}
			for key := range index {
				look(key)
			}
		}
	}
	return nil
}

// silent are keys whose change a message of the operation need not tell: they were there before.
func silent(o miniotest.Operation) etags {
	before := truth(o)
	for _, body := range o.Bodies() {
		notices, _ := Decode(body, Auto)
		for _, n := range notices {
			delete(before, n.Key)
			if n.List {
				return etags{}
			}
		}
	}
	return before
}

// TestRecordedOutcome holds that decode, HEAD, upsert or remove ends at the recorded truth: from an
// index that knew nothing of the keys and from one that held an old version of them; in any order; twice.
func TestRecordedOutcome(t *testing.T) {
	recorded(t, func(t *testing.T, _ string, o miniotest.Operation) {
		if o.Messages == 0 {
			return
		}
		held, bodies := truth(o), o.Bodies()
		if o.Name == "compose-2-parts" {
			held["part1.bin"] = "not recorded, the part stays"
		}
		reversed := slices.Clone(bodies)
		slices.Reverse(reversed)
		for order, bs := range map[string][]json.RawMessage{
			"as sent": bodies, "reversed": reversed, "twice": slices.Concat(bodies, bodies), "late double": slices.Concat(reversed, bodies[:1]),
		} {
			for from, old := range map[string]string{"nothing": "", "an old version": "old"} {
				index := silent(o)
				if old != "" {
					for _, b := range bodies {
						notices, _ := Decode(b, Auto)
						for _, n := range notices {
							index[n.Key] = old
						}
					}
				}
				if err := handle(index, held, bs); err != nil {
					t.Fatal(err)
				}
				if !maps.Equal(index, held) {
					t.Errorf("%s, from %s: index %v, the store holds %v", order, from, index, held)
				}
			}
		}
	})
}

func TestListenStream(t *testing.T) {
	b, err := os.ReadFile(testenv.Shared(t, "cases", "events", "minio", "listen-bucket-notification.json"))
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Lines []json.RawMessage
		NATS  []json.RawMessage `json:"nats_messages_of_the_same_operations"`
		All   []json.RawMessage `json:"listen_on_all_buckets_bucket_made_put_bucket_removed"`
	}
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		lines []json.RawMessage
		src   Source
		want  string
	}{
		{"listen", f.Lines, Auto, "[docs-a/a b+c%25.txt docs-a/a b+c%25.txt]"},
		{"listen, told", f.Lines, MinIOListen, "[docs-a/a b+c%25.txt docs-a/a b+c%25.txt]"},
		{"NATS", f.NATS, Auto, "[docs-a/a b+c%25.txt docs-a/a b+c%25.txt]"},
		{"bucket made, put, bucket removed", f.All, Auto, "[list docs-new docs-new/x.md list docs-new]"},
	} {
		var got []string
		for _, l := range c.lines {
			notices, err := Decode(l, c.src)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			for _, n := range notices {
				if n.List {
					got = append(got, "list "+n.Bucket)
				} else {
					got = append(got, n.Bucket+"/"+n.Key)
				}
			}
		}
		if s := fmt.Sprint(got); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}
