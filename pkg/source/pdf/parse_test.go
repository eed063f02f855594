package pdf

import (
	"context"
	"os"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

func TestMain(m *testing.M) {
	ChildMain()
	os.Exit(m.Run())
}

func TestBadFilesEndInTheirClass(t *testing.T) {
	for name, want := range map[string]doc.Class{
		"empty.pdf": doc.Corrupt, "hdr.pdf": doc.Corrupt, "trunc.pdf": doc.Corrupt, "loop.pdf": doc.Corrupt, "markdown-named.pdf": doc.Corrupt,
		"enc.pdf": doc.Encrypted, "bomb50.pdf": doc.ResourceLimit, "bomb400.pdf": doc.ResourceLimit, "enc_nouser.pdf": "",
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(testenv.Shared(t, "cases", "pdf", name))
			if err != nil {
				t.Fatal(err)
			}
			r, err := Parse(context.Background(), name, raw)
			t.Logf("%v cpu %v memory %d MB: %v", r.Warnings, r.CPU, r.MaxMemory/1e6, err)
			_, class := fault.Of(err)
			if err == nil {
				class = ""
			}
			if class != want {
				t.Errorf("class %q, want %q", class, want)
			}
		})
	}
}
