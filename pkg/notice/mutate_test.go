package notice

import (
	"math/rand/v2"
	"testing"
)

// TestDecodeMutated runs the fuzz target a fixed number of times on broken and spliced messages.
func TestDecodeMutated(t *testing.T) {
	seeds := []string{
		minio("docs/a b", "a+b%2F"), records(rec("aws:s3", arn, "%D1%8F"), rec("ceph:s3", arn, "x")),
		`{"detail-type":"Object Created","detail":{"bucket":{"name":"docs"},"object":{"key":"k"}}}`,
		`{"specversion":"1.0","data":{"Records":[{"s3":{"bucket":{"name":"b"},"object":{"key":"k"}}}]}}`,
		`{"Type":"Notification","Message":"{\"Records\":null}"}`,
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		b := []byte(seeds[r.IntN(len(seeds))])
		other := seeds[r.IntN(len(seeds))]
		for range 1 + r.IntN(4) {
			i := r.IntN(len(b))
			switch r.IntN(4) {
			case 0:
				b[i] = byte(r.IntN(256))
			case 1:
				b = append(b[:i:i], b[min(len(b), i+1+r.IntN(8)):]...)
			case 2:
				b = append(b[:i:i], append([]byte(other[r.IntN(len(other)):]), b[i:]...)...)
			case 3:
				b = append(b[:i:i], `\u0000%"{}[],:+`[r.IntN(14):]...)
			}
			if len(b) == 0 {
				b = []byte("{")
			}
		}
		check(t, b, Sources[r.IntN(len(Sources))])
	}
}
