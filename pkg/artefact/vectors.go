package artefact

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Vectors is the embeddings of one generation by text hash: the artefact and the cache.
// Coded as one JSON line {"digest","dimensions","count"}, then for each a 32-byte text hash
// (embedding.TextHash) and the numbers as little-endian float32.
type Vectors struct {
	Digest     string // of the model
	Dimensions int
	ByHash     map[[32]byte][]float32
}

type vectorsHead struct {
	Digest     string `json:"digest"`
	Dimensions int    `json:"dimensions"`
	Count      int    `json:"count"`
}

// NewVectors is an empty set for a model.
func NewVectors(digest string, dimensions int) *Vectors {
	return &Vectors{Digest: digest, Dimensions: dimensions, ByHash: map[[32]byte][]float32{}}
}

// PutVectors stores the vectors in the order of the hashes given, so that the same input leaves the same bytes.
func (s Store) PutVectors(ctx context.Context, r Ref, v *Vectors, order [][32]byte) error {
	var b, body bytes.Buffer
	done := map[[32]byte]bool{}
	for _, h := range order {
		vec, ok := v.ByHash[h]
		if !ok || done[h] {
			continue
		}
		done[h] = true
		body.Write(h[:])
		_ = binary.Write(&body, binary.LittleEndian, vec)
	}
	head, _ := json.Marshal(vectorsHead{v.Digest, v.Dimensions, len(done)})
	b.Write(append(head, '\n'))
	b.Write(body.Bytes())
	return s.put(ctx, s.key(r, vectorsName), b.Bytes(), "application/octet-stream")
}

// Vectors reads the vectors of a generation; those of another model read as none. ErrDamaged is an error of a file
// that was cut or written over.
func (s Store) Vectors(ctx context.Context, r Ref, digest string) (*Vectors, error) {
	b, err := s.get(ctx, s.key(r, vectorsName))
	if err != nil {
		return nil, err
	}
	return readVectors(b, r.Doc, digest)
}

// readVectors decodes the vectors of a document.
func readVectors(b []byte, id doc.ID, digest string) (*Vectors, error) {
	h, rest, err := cutHead(b)
	if err != nil {
		return nil, fmt.Errorf("vectors of %s: %w: %w", id, ErrDamaged, err)
	}
	v := NewVectors(digest, h.Dimensions)
	if h.Digest != digest {
		return v, nil
	}
	size := 32 + 4*h.Dimensions
	if h.Dimensions < 0 || h.Dimensions > MaxSize/4 || len(rest)%size != 0 || len(rest)/size != h.Count {
		return nil, fmt.Errorf("vectors of %s: %w: %d bytes, not %d vectors of %d numbers", id, ErrDamaged, len(rest), h.Count, h.Dimensions)
	}
	for ; len(rest) > 0; rest = rest[size:] {
		v.ByHash[[32]byte(rest[:32])] = floats(rest[32:size])
	}
	return v, nil
}

func cutHead(b []byte) (h vectorsHead, rest []byte, err error) {
	line, rest, _ := bytes.Cut(b, []byte{'\n'})
	err = json.Unmarshal(line, &h)
	return h, rest, err
}

func floats(b []byte) []float32 {
	f := make([]float32, len(b)/4)
	for i := range f {
		f[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return f
}
