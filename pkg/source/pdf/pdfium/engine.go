// Package pdfium reads characters, links and the outline of PDF files with PDFium, compiled to
// WebAssembly: no C library, no access to files or network, memory bounded by the sandbox.
//
// It calls the module's own functions: the wrapper's methods cost five to ten calls and as many
// allocations a character where two are needed.
package pdfium

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"time"

	wrapper "github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Errors of opening a file. ErrMemory says that the sandbox's memory did not suffice, or that
// PDFium gave up in the middle.
var (
	ErrFormat   = errors.New("no PDF, or a damaged one")
	ErrPassword = errors.New("a password is needed to open it")
	ErrSecurity = errors.New("its kind of encryption is not known")
	ErrMemory   = errors.New("it needs more memory than is given")
)

// Engine is a PDFium in its sandbox. It serves one caller at a time.
type Engine struct {
	ctx   context.Context
	pool  wrapper.Pool
	inst  wrapper.Pdfium
	fn    map[string]function
	mem   memory
	limit int64
	stack [8]uint64
	buf   uint64 // scratch of bufSize bytes in the sandbox
}

const bufSize = 4096

type function interface {
	CallWithStack(ctx context.Context, stack []uint64) error
}

type memory interface {
	Size() uint32
	Read(offset, n uint32) ([]byte, bool)
	ReadFloat64Le(offset uint32) (float64, bool)
	ReadFloat32Le(offset uint32) (float32, bool)
	ReadUint32Le(offset uint32) (uint32, bool)
}

// Start loads PDFium with at most memory bytes. The compiled module is kept in cacheDir ("" for
// none): the first start takes seconds, later ones a fraction of one.
func Start(ctx context.Context, cacheDir string, memory int64) (*Engine, error) {
	rc := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling)
	if cacheDir != "" {
		if c, err := wazero.NewCompilationCacheWithDir(cacheDir); err == nil {
			rc = rc.WithCompilationCache(c)
		}
	}
	ctx = withMemory(ctx, uint64(memory))
	pool, err := webassembly.Init(webassembly.Config{Context: ctx, MinIdle: 0, MaxIdle: 1, MaxTotal: 1,
		RuntimeConfig: rc, FSConfig: wazero.NewFSConfig(), Stdout: io.Discard, Stderr: io.Discard})
	if err != nil {
		return nil, fmt.Errorf("pdfium: %w", err)
	}
	inst, err := pool.GetInstance(time.Minute)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("pdfium: %w", err), pool.Close())
	}
	e := &Engine{ctx: ctx, pool: pool, inst: inst, limit: memory, fn: map[string]function{}}
	if err := e.bind(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// CacheDir is where the compiled module is kept: the user's cache folder.
func CacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "fingerpost", "pdfium")
}

// Close gives everything back.
func (e *Engine) Close() error { return e.pool.Close() }

// bind looks the module's functions up. The wrapper's types cannot be named outside of it, so
// they are reached by the names of its exported methods.
func (e *Engine) bind() error {
	impl := reflect.ValueOf(e.inst.GetImplementation())
	lookup := impl.MethodByName("Fn")
	module := impl.Elem().FieldByName("Module")
	if !lookup.IsValid() || !module.IsValid() {
		return errors.New("pdfium: the wrapper has changed")
	}
	mem, ok := module.Elem().MethodByName("Memory").Call(nil)[0].Interface().(memory)
	if !ok {
		return errors.New("pdfium: the wrapper's memory has changed")
	}
	e.mem = mem
	for _, name := range functions {
		f, ok := lookup.Call([]reflect.Value{reflect.ValueOf(name)})[0].Interface().(function)
		if !ok {
			return fmt.Errorf("pdfium: the module has no function %s", name)
		}
		e.fn[name] = f
	}
	var err error
	e.buf, err = e.call("malloc", bufSize)
	return err
}

// call runs a function of the module. A trap (out of memory, a wild pointer) ends the engine's use.
func (e *Engine) call(name string, args ...uint64) (uint64, error) {
	return e.do(e.fn[name], args...)
}

func (e *Engine) do(f function, args ...uint64) (uint64, error) {
	copy(e.stack[:], args)
	if err := f.CallWithStack(e.ctx, e.stack[:]); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrMemory, err)
	}
	return e.stack[0], nil
}

// try is call for what may fail without harm: 0 then.
func (e *Engine) try(name string, args ...uint64) uint64 {
	n, err := e.call(name, args...)
	if err != nil {
		panic(trap{err})
	}
	return n
}

// trap carries an error of the module out of deep calls; Read catches it.
type trap struct{ error }

func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case trap:
		*err = r.error
	default:
		panic(r)
	}
}

func (e *Engine) float64At(n int) float32 {
	v, _ := e.mem.ReadFloat64Le(uint32(e.buf) + uint32(8*n))
	return float32(v)
}

func (e *Engine) float32At(n int) float32 {
	v, _ := e.mem.ReadFloat32Le(uint32(e.buf) + uint32(4*n))
	return v
}

func (e *Engine) intAt(n int) int {
	v, _ := e.mem.ReadUint32Le(uint32(e.buf) + uint32(4*n))
	return int(int32(v))
}

func asFloat64(v uint64) float32 { return float32(math.Float64frombits(v)) }
func asInt(v uint64) int         { return int(int32(v)) }

// functions are those of the module that are used.
var functions = []string{
	"malloc", "free", "FPDF_LoadMemDocument", "FPDF_GetLastError", "FPDF_CloseDocument", "FPDF_GetPageCount", "FPDFCatalog_IsTagged",
	"FPDF_LoadPage", "FPDF_ClosePage", "FPDFPage_GetRotation", "FPDF_GetPageBoundingBox", "FPDFPage_CountObjects", "FPDF_GetPageLabel",
	"FPDFText_LoadPage", "FPDFText_ClosePage", "FPDFText_CountChars", "FPDFText_GetUnicode", "FPDFText_GetCharBox", "FPDFText_GetCharOrigin",
	"FPDFText_GetTextObject", "FPDFText_GetFontInfo", "FPDFText_GetFontSize", "FPDFText_GetFontWeight", "FPDFText_GetMatrix", "FPDFTextObj_GetTextRenderMode",
	"FPDFLink_Enumerate", "FPDFLink_GetDest", "FPDFLink_GetAction", "FPDFLink_GetAnnotRect", "FPDFAction_GetDest",
	"FPDFDest_GetDestPageIndex", "FPDFDest_GetLocationInPage",
	"FPDFBookmark_GetFirstChild", "FPDFBookmark_GetNextSibling", "FPDFBookmark_GetTitle", "FPDFBookmark_GetDest", "FPDFBookmark_GetAction",
	"FPDFBitmap_Create", "FPDFBitmap_Destroy", "FPDFBitmap_FillRect", "FPDFBitmap_GetBuffer", "FPDFBitmap_GetStride", "FPDF_RenderPageBitmap",
	"FPDFPage_GetObject", "FPDFPageObj_GetType", "FPDFPageObj_GetBounds", "FPDFPageObj_GetMarkedContentID",
	"FPDF_StructTree_GetForPage", "FPDF_StructTree_Close", "FPDF_StructTree_CountChildren", "FPDF_StructTree_GetChildAtIndex",
	"FPDF_StructElement_GetType", "FPDF_StructElement_CountChildren", "FPDF_StructElement_GetChildAtIndex", "FPDF_StructElement_GetChildMarkedContentID",
}

// Full reports whether the sandbox has taken nearly all the memory it may have.
func (e *Engine) Full() bool { return int64(e.mem.Size())+(8<<20) > e.limit }
