package minilm

import (
	"encoding/binary"
	"runtime"
	"strings"
	"testing"
)

// header is the beginning of a file of weights with these sizes.
func header(words, dim, layers, heads, ffn, positions, vocab uint32) []byte {
	b := []byte("MLM1")
	for _, n := range []uint32{words, dim, layers, heads, ffn, positions, vocab} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}

func TestLoadRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		data []byte
		says string
	}{
		{"nothing", nil, "not a file"},
		{"a short mark", []byte("MLM"), "not a file"},
		{"another mark", []byte("GGUFxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"), "not a file"},
		{"a mark alone", []byte("MLM1"), "size of 0"},
		{"a header alone", header(30522, 384, 6, 12, 1536, 512, 231508), "cut short"},
		{"no layers", header(30522, 384, 0, 12, 1536, 512, 231508), "size of 0"},
		{"too many words", header(1<<31, 384, 6, 12, 1536, 512, 231508), "size of"},
		{"a size that overflows", header(30522, 384, 6, 12, 1536, 512, 0xffffffff), "cut short"},
		{"sizes the kernels cannot take", header(30522, 385, 6, 12, 1536, 512, 231508), "385 numbers"},
		{"too few positions", header(30522, 384, 6, 12, 1536, 128, 231508), "128 positions"},
		{"half of the real file", weights[:len(weights)/2], "cut short"},
		{"all but one byte", weights[:len(weights)-1], "cut short"},
		{"one byte more", append(append([]byte(nil), weights...), 0), "1 bytes after"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := load(c.data); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want one that says %q", err, c.says)
			}
		})
	}
}

func TestVocabularyRefused(t *testing.T) {
	for _, vocab := range []string{"", "[CLS]\n[SEP]\n", "a\nb\nc\n", "[CLS]\n[SEP]\n[UNK]"} {
		if _, err := newTokenizer(vocab, 3); err == nil {
			t.Errorf("%q was taken as a vocabulary", vocab)
		}
	}
}

// The weights are used where they lie: 27 MB of file become a few MB of tables.
func TestLoadCopiesLittle(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := load(weights); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 8 {
		t.Errorf("loading took %d MB", mb)
	}
}
