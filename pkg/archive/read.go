package archive

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/fingerpost/fingerpost/pkg/artefact"
)

const (
	window  = 32 << 20 // of the decompressor, in bytes
	metaMax = 1 << 20  // bytes of one JSON entry
	// A file may expand to so many times its size, beside a first piece: text and vectors never do.
	expandMost = 200
	expandFree = 64 << 20
)

// Reader reads an archive. Memory: one document, and the window of the decompressor.
type Reader struct {
	Head    Head
	in, out int64 // bytes read of the file, and what they expanded to
	file    io.Reader
	zip     *zstd.Decoder
	tar     *tar.Reader
	parcels hash.Hash
	last    string // folder of the document before
	end     End
	done    bool
}

// NewReader reads the head and refuses what is no export, or one of another form. The caller closes the Reader.
func NewReader(r io.Reader) (*Reader, error) {
	x := &Reader{file: r, parcels: sha256.New()}
	var err error
	x.zip, err = zstd.NewReader(readerFunc(x.compressed), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, refuse("this is no export of Fingerpost: %w", err)
	}
	x.tar = tar.NewReader(readerFunc(x.expanded))
	b, err := x.entry(headName, metaMax)
	if err == nil {
		if json.Unmarshal(b, &x.Head) != nil || x.Head.Format == 0 {
			err = refuse("its head says no format")
		}
	} else if !errors.Is(err, errExpands) {
		err = refuse("this is no export of Fingerpost, or one that is cut off or damaged at its beginning")
	}
	if err == nil && x.Head.Format != Format {
		err = refuse("it has format %d, made by Fingerpost %.40s; this program reads format %d", x.Head.Format, x.Head.Program, Format)
	}
	if err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// Close frees what the Reader holds; the file stays open.
func (r *Reader) Close() { r.zip.Close() }

// Read is how many bytes of the file were read.
func (r *Reader) Read() int64 { return r.in }

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func (r *Reader) compressed(p []byte) (int, error) {
	n, err := r.file.Read(p)
	r.in += int64(n)
	return n, err
}

var errExpands = fmt.Errorf("%w: it expands to more than %d times its size, which no export of ours does", ErrRefused, expandMost)

func (r *Reader) expanded(p []byte) (int, error) {
	n, err := r.zip.Read(p)
	if r.out += int64(n); r.out > expandFree+expandMost*r.in {
		return 0, errExpands
	}
	return n, err
}

// Next is the next document: its parcel, and its parts in that order, each of the size and SHA-256 that are named. io.EOF
// behind the last one, when the file is whole.
func (r *Reader) Next() (p artefact.Parcel, bodies [][]byte, err error) {
	if r.done {
		return p, nil, io.EOF
	}
	h, err := r.header()
	if err != nil {
		return p, nil, err
	}
	if h.Name == endName {
		return p, nil, r.close(h)
	}
	b, err := r.body(h, metaMax)
	if err != nil {
		return p, nil, err
	}
	if !strings.HasSuffix(h.Name, parcelName) || json.Unmarshal(b, &p) != nil {
		return p, nil, refuse("%.200q stands where a document should begin", h.Name)
	}
	if err := p.Check(); err != nil {
		return p, nil, refuse("%w", err)
	}
	if err := r.belongs(h.Name, p); err != nil {
		return p, nil, err
	}
	r.parcels.Write(b)
	for _, x := range p.Parts {
		b, err := r.entry(folder(p)+"/"+x.Name, x.Size)
		if err != nil {
			return p, nil, err
		}
		if !x.Is(b) {
			return p, nil, refuse("%s of %.200s is not of the size and SHA-256 that its parcel names: the file is damaged", x.Name, p.Key)
		}
		bodies = append(bodies, b)
		r.end.Bytes += x.Size
	}
	r.end.Documents++
	r.end.Parts += len(p.Parts)
	return p, bodies, nil
}

// belongs refuses a document in the folder of another one, one out of order, and one of another tenant or pipeline than
// the head names.
func (r *Reader) belongs(name string, p artefact.Parcel) error {
	f := folder(p)
	switch {
	case name != f+parcelName:
		return refuse("%.200q holds the parcel of %s", name, f)
	case f <= r.last:
		return refuse("document %s stands there twice, or out of order", f)
	case r.Head.Tenant != "" && p.Tenant != r.Head.Tenant:
		return refuse("%.200s is a document of tenant %s, in an export of tenant %s", p.Key, p.Tenant, r.Head.Tenant)
	case p.Pipeline != r.Head.Pipeline:
		return refuse("%.200s is of pipeline %.20q, in an export of %.20q", p.Key, p.Pipeline, r.Head.Pipeline)
	}
	r.last = f
	return nil
}

// close holds the end against what was read, and nothing may follow.
func (r *Reader) close(h *tar.Header) error {
	b, err := r.body(h, metaMax)
	if err != nil {
		return err
	}
	r.end.SHA256 = hex.EncodeToString(r.parcels.Sum(nil))
	var said End
	if json.Unmarshal(b, &said) != nil || said != r.end {
		return refuse("it says that it holds %d documents with %d parts, and other ones are there: the file is damaged", said.Documents, said.Parts)
	}
	if _, err := r.tar.Next(); err != io.EOF {
		return refuse("something follows its end")
	}
	var more [1]byte
	if n, err := io.ReadFull(readerFunc(r.expanded), more[:]); n != 0 || err != io.EOF {
		return refuse("something follows its end")
	}
	r.done = true
	return io.EOF
}

// entry reads the entry that must come now.
func (r *Reader) entry(name string, size int64) ([]byte, error) {
	h, err := r.header()
	if err != nil {
		return nil, err
	}
	if h.Name != name {
		return nil, refuse("%.200q stands where %s should stand", h.Name, name)
	}
	return r.body(h, size)
}

// header is that of a plain file; links, folders, devices, long names and holes are none of ours.
func (r *Reader) header() (*tar.Header, error) {
	h, err := r.tar.Next()
	if err != nil {
		return nil, r.cut(err)
	}
	if h.Typeflag != tar.TypeReg || h.Format&tar.FormatUSTAR == 0 || len(h.PAXRecords) > 0 {
		return nil, refuse("%.200q is no plain file as ours are", h.Name)
	}
	return h, nil
}

// body reads the entry; one that says to be longer than it may be is not read at all.
func (r *Reader) body(h *tar.Header, most int64) ([]byte, error) {
	if h.Size < 0 || h.Size > most {
		return nil, refuse("%.200q has %d bytes; it may have %d", h.Name, h.Size, most)
	}
	var b bytes.Buffer // grows with what comes, not with what is said
	if _, err := io.Copy(&b, r.tar); err != nil {
		return nil, r.cut(err)
	}
	return b.Bytes(), nil
}

// cut says what an error of reading means.
func (r *Reader) cut(err error) error {
	switch {
	case errors.Is(err, errExpands):
		return errExpands
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return refuse("it is cut off after %d whole documents: its end is missing", r.end.Documents)
	}
	return refuse("it is damaged after %d whole documents: %w", r.end.Documents, err)
}
