package bench

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/fingerpost/fingerpost/pkg/embedding"
)

// Cache holds vectors by text hash in a file: a line {"model","digest","dimensions","normaliser"}, then for
// each vector the 32-byte embedding.TextHash and its numbers as little-endian float32. It is only ever
// appended to, a batch at a time, so a run that is stopped goes on where it was.
type Cache struct {
	e    embedding.Embedder
	path string
	dim  int
	have map[[32]byte][]float32
}

// CachePath is the default file of truth runs, below the user's cache folder.
func CachePath() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("vector cache: %w", err)
	}
	return filepath.Join(dir, "fingerpost", "truth-vectors"), nil
}

// OpenCache reads the file at path, if it is there; one of another model, or a broken one, is begun anew.
func OpenCache(path string, e embedding.Embedder) (*Cache, error) {
	c := &Cache{e: e, path: path, dim: e.Fingerprint().Dimensions, have: map[[32]byte][]float32{}}
	head, err := json.Marshal(e.Fingerprint())
	if err != nil {
		return nil, fmt.Errorf("vector cache: %w", err)
	}
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("vector cache: %w", err)
	}
	line, rest, ok := bytes.Cut(b, []byte("\n"))
	if ok && bytes.Equal(line, head) {
		whole := c.read(rest)
		return c, wrapCache(os.Truncate(path, int64(len(line)+1+whole)))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, wrapCache(err)
	}
	return c, wrapCache(os.WriteFile(path, append(head, '\n'), 0o644))
}

func wrapCache(err error) error {
	if err != nil {
		return fmt.Errorf("vector cache: %w", err)
	}
	return nil
}

// read takes the records and returns the bytes of the whole ones: a stopped run may leave half of one.
func (c *Cache) read(b []byte) (whole int) {
	size := 32 + 4*c.dim
	for ; len(b)-whole >= size; whole += size {
		r := b[whole : whole+size]
		v := make([]float32, c.dim)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(r[32+4*i:]))
		}
		c.have[[32]byte(r)] = v
	}
	return whole
}

// batch is how many texts go to the embedder, and then to the file, at a time.
const batch = 256

// Embed gives the vectors of texts, in order; those not in the file are made and appended. progress, which
// may be nil, is told how many of the missing ones are made.
func (c *Cache) Embed(ctx context.Context, texts []string, progress func(made, missing int)) ([][]float32, error) {
	var todo []string
	asked := map[[32]byte]bool{}
	for _, t := range texts {
		h := embedding.TextHash(t)
		if c.have[h] == nil && !asked[h] {
			asked[h] = true
			todo = append(todo, t)
		}
	}
	for at := 0; at < len(todo); at += batch {
		if err := c.make(ctx, todo[at:min(at+batch, len(todo))]); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(min(at+batch, len(todo)), len(todo))
		}
	}
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = c.have[embedding.TextHash(t)]
	}
	return out, nil
}

// make embeds texts and appends them to the file.
func (c *Cache) make(ctx context.Context, texts []string) error {
	vectors, err := c.e.Embed(ctx, texts)
	if err != nil {
		return fmt.Errorf("embed: %w", err)
	}
	var b bytes.Buffer
	for i, v := range vectors {
		h := embedding.TextHash(texts[i])
		c.have[h] = v
		b.Write(h[:])
		for _, f := range v {
			b.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(f)))
		}
	}
	f, err := os.OpenFile(c.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return wrapCache(err)
	}
	_, err = io.Copy(f, &b)
	return wrapCache(errors.Join(err, f.Close()))
}

// Question is the vector of one question; it is not kept in the file.
func (c *Cache) Question(ctx context.Context, text string) ([]float32, error) {
	v, err := c.e.Embed(ctx, []string{text})
	if err != nil {
		return nil, fmt.Errorf("embed question: %w", err)
	}
	return v[0], nil
}
