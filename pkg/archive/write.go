package archive

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/fingerpost/fingerpost/pkg/artefact"
)

// Writer writes an archive. Memory: one document.
type Writer struct {
	out     io.Writer
	file    hash.Hash
	zip     *zstd.Encoder
	tar     *tar.Writer
	parcels hash.Hash
	head    Head
	end     End
	written int64
}

// NewWriter writes the head; Format is filled in.
func NewWriter(w io.Writer, h Head) (*Writer, error) {
	h.Format = Format
	x := &Writer{out: w, file: sha256.New(), parcels: sha256.New(), head: h}
	var err error
	if x.zip, err = zstd.NewWriter(x.count(), zstd.WithEncoderConcurrency(1)); err != nil {
		return nil, err
	}
	x.tar = tar.NewWriter(x.zip)
	return x, x.json(headName, h, nil)
}

// count passes on to the file what is hashed and counted.
func (w *Writer) count() io.Writer {
	return writerFunc(func(p []byte) (int, error) {
		n, err := w.out.Write(p)
		w.file.Write(p[:n])
		w.written += int64(n)
		return n, err
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Add writes one document; the bodies stand in the order of p.Parts.
func (w *Writer) Add(p artefact.Parcel, bodies [][]byte) error {
	if err := p.Check(); err != nil {
		return err
	}
	if err := w.json(folder(p)+parcelName, p, w.parcels); err != nil {
		return err
	}
	for i, x := range p.Parts {
		if err := w.entry(folder(p)+"/"+x.Name, bodies[i]); err != nil {
			return err
		}
		w.end.Bytes += x.Size
	}
	w.end.Documents++
	w.end.Parts += len(p.Parts)
	return nil
}

// Close writes the end; without it no reader takes the file.
func (w *Writer) Close() (End, error) {
	w.end.SHA256 = hex.EncodeToString(w.parcels.Sum(nil))
	err := w.json(endName, w.end, nil)
	return w.end, errors.Join(err, w.tar.Close(), w.zip.Close())
}

// Sum is the SHA-256 of the file's bytes so far, lower-case hex, and their number.
func (w *Writer) Sum() (sum string, bytes int64) {
	return hex.EncodeToString(w.file.Sum(nil)), w.written
}

func (w *Writer) json(name string, v any, sum io.Writer) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if sum != nil {
		_, _ = sum.Write(b) // a hash never fails
	}
	return w.entry(name, b)
}

func (w *Writer) entry(name string, b []byte) error {
	err := w.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(b)), ModTime: w.head.Made, Format: tar.FormatUSTAR})
	if err == nil {
		_, err = w.tar.Write(b)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
