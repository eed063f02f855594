// Package pkg_test holds the map of the tree: which package may import which, and who may know a vendor.
package pkg_test

import (
	"bytes"
	"os/exec"
	"path"
	"strings"
	"testing"
)

const module = "github.com/fingerpost/fingerpost/"

// arrows is policy, low to high: the packages of a line may import those of the lines above, never one
// another. A pattern ending in /... is a folder and everything below it, whose own order is told by its depth:
// vendors hang below their noun.
const arrows = `
pkg/doc pkg/cost pkg/value pkg/source/pdf/content
pkg/source/pdf/pdfium pkg/source/pdf/layout pkg/fault pkg/plain/inline pkg/words pkg/wire pkg/reference pkg/telemetry schemas schemas/weaviate pkg/origin
pkg/retry pkg/blob pkg/bus pkg/embedding pkg/vector pkg/notice pkg/table pkg/source/markdown pkg/source/pdf pkg/api
pkg/llm
pkg/source pkg/facts pkg/plain pkg/cell pkg/artefact pkg/build pkg/ledger pkg/embedding/none pkg/embedding/minilm pkg/blob/mem pkg/blob/s3 pkg/blob/faulty pkg/blob/gateway pkg/bus/nats pkg/vector/mem
pkg/outline pkg/archive pkg/embedding/scripted pkg/embedding/remote pkg/bus/nats/embedded pkg/vector/sqlite pkg/vector/weaviate pkg/rank pkg/route pkg/section pkg/eval pkg/proof pkg/rerank
pkg/spot pkg/formula pkg/embedding/ollama pkg/embedding/openai pkg/chunker pkg/pipeline pkg/trail pkg/eval/flat pkg/plan
pkg/llm/scripted pkg/llm/ollama pkg/llm/openai pkg/eval/tree pkg/prompt
workers/intake workers/parse workers/chunk workers/embed workers/index workers/query workers/gateway workers/demo workers/reconcile workers/audit
workers/reindex workers/transfer
workers/admin
workers
workers/fingerpost
`

// tests are packages that only tests import; they stand beside the map.
const tests = `deploy pkg/testenv pkg/blob/blobtest pkg/blob/miniotest pkg/bus/bustest pkg/embedding/embeddingtest pkg/llm/llmtest pkg/vector/vectortest pkg/eval/bench pkg/bus/nats/natstest pkg/source/pdf/pdftest workers/workertest workers/realtest`

// vendors says below which folder a library may be imported (tests apart).
var vendors = map[string]string{
	"github.com/nats-io/":                 "pkg/bus/",
	"github.com/minio/minio-go/":          "pkg/blob/",
	"github.com/versity/":                 "pkg/blob/gateway",
	"github.com/weaviate/":                "pkg/vector/weaviate",
	"github.com/ollama/":                  "pkg/",
	"github.com/cenkalti/backoff/":        "pkg/retry",
	"modernc.org/sqlite":                  "pkg/vector/sqlite",
	"github.com/klauspost/compress":       "pkg/archive",
	"github.com/spf13/cobra":              "workers/fingerpost",
	"github.com/adhocore/gronx":           "workers/reindex",
	"github.com/blevesearch/snowballstem": "pkg/words",
	"github.com/klippa-app/go-pdfium":     "pkg/source/pdf/pdfium",
	"github.com/prometheus/":              "pkg/telemetry",
	"go.opentelemetry.io/":                "pkg/telemetry",
	"github.com/tetratelabs/wazero":       "pkg/source/pdf/pdfium",
}

func TestArrows(t *testing.T) {
	level := map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(arrows), "\n") {
		for _, p := range strings.Fields(line) {
			level[p] = i + 1
		}
	}
	apart := map[string]bool{"pkg": true}
	for _, p := range strings.Fields(tests) {
		apart[p] = true
	}
	for from, imports := range list(t) {
		if apart[from] || strings.HasPrefix(from, "scripts/") {
			continue
		}
		if level[from] == 0 {
			t.Errorf("%s stands on no line of the map (pkg/arrows_test.go)", from)
		}
		for _, to := range imports {
			if own, ok := strings.CutPrefix(to, module); ok {
				if apart[own] || level[own] >= level[from] {
					t.Errorf("%s must not import %s", from, own)
				}
				continue
			}
			for lib, below := range vendors {
				if strings.HasPrefix(to, lib) && !strings.HasPrefix(from, below) {
					t.Errorf("%s must not know %s: only packages below %s do", from, to, below)
				}
			}
		}
	}
}

// list is every package of the module with what it imports, tests apart.
func list(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		all[strings.TrimPrefix(f[0], module)] = f[1:]
	}
	return all
}

// TestEveryPackageHasADoc: a package says what it is for before it says how.
func TestEveryPackageHasADoc(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}|{{.Name}}|{{.Doc}}`, module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(out) {
		f := strings.SplitN(strings.TrimSpace(string(line)), "|", 3)
		if len(f) == 3 && f[2] == "" && !strings.HasSuffix(f[1], "_test") && path.Base(f[0]) != "pkg" {
			t.Errorf("package %s has no package comment", f[0])
		}
	}
}
