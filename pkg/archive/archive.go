// Package archive is the file that carries the artefacts of documents from one site to another: a tar of USTAR entries,
// compressed by zstd, in this order:
//
//	fingerpost-export.json              Head: format, pipeline, model, tenant
//	<tenant>/<doc_id>/parcel.json       of each document, in the order of tenant and doc_id:
//	<tenant>/<doc_id>/<part>            its parts, as parcel.json names them with size and SHA-256
//	end.json                            End: counts, and a SHA-256 over all parcels
//
// A Reader is for files that anybody may have written: it hands out a document only when every byte of it is what its
// parcel says, and ends well only behind the end that the file itself promises.
package archive

import (
	"errors"
	"fmt"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding"
)

// Format is the version of the file's form; a reader refuses every other one.
const Format = 1

// ErrRefused is wrapped by each error about the file itself, as against its being read.
var ErrRefused = errors.New("the export is refused")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrRefused, fmt.Errorf(format, args...))
}

// Head says what the file is.
type Head struct {
	Format   int                   `json:"format"`
	Program  string                `json:"program"` // version of the program that wrote it
	Made     time.Time             `json:"made"`
	Build    uint32                `json:"build"`    // that was live at the site
	Pipeline string                `json:"pipeline"` // of the build
	Vectors  embedding.Fingerprint `json:"vectors"`  // of the build's model
	Tenant   doc.Tenant            `json:"tenant"`   // whose documents it holds; "" for all of the site
}

// End says what the file held.
type End struct {
	Documents int    `json:"documents"`
	Parts     int    `json:"parts"`
	Bytes     int64  `json:"bytes"`  // of all parts
	SHA256    string `json:"sha256"` // lower-case hex, over all parcel.json in order
}

// Entries beside the parts.
const (
	headName   = "fingerpost-export.json"
	parcelName = "/parcel.json"
	endName    = "end.json"
)

func folder(p artefact.Parcel) string { return string(p.Tenant) + "/" + string(p.DocID) }
