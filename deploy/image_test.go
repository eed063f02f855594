package deploy_test

import (
	"debug/elf"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/workers"
)

// step is an instruction of the Dockerfile, its continued lines joined.
type step struct {
	stage     int // 0: build, 1: the image
	verb, arg string
}

func steps(t *testing.T) (out []step) {
	t.Helper()
	text := strings.ReplaceAll(read(t, testenv.Root(), "deploy", "Dockerfile"), "\\\n", " ")
	stage := -1
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		verb, arg, _ := strings.Cut(line, " ")
		if verb == "" || strings.HasPrefix(verb, "#") {
			continue
		}
		if verb == "FROM" {
			stage++
		}
		out = append(out, step{stage, verb, strings.TrimSpace(arg)})
	}
	return out
}

// copyContext copies what Dockerfile.dockerignore lets through.
func copyContext(t *testing.T, to string) {
	t.Helper()
	for line := range strings.Lines(read(t, testenv.Root(), "deploy", "Dockerfile.dockerignore")) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "!")
		if !ok {
			continue
		}
		err := filepath.WalkDir(filepath.Join(testenv.Root(), name), func(path string, d fs.DirEntry, err error) error {
			if err != nil || strings.HasSuffix(path, "_test.go") {
				return err
			}
			rel, err := filepath.Rel(testenv.Root(), path)
			if err != nil {
				return err
			}
			if d.IsDir() {
				if d.Name() == "testdata" {
					return fs.SkipDir
				}
				return os.MkdirAll(filepath.Join(to, rel), 0o755)
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(to, rel), b, 0o644)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// No image is built here, for there is no engine: the steps run as plain commands in a folder that holds what the
// image's build would see.
func TestStepsOfImage(t *testing.T) {
	if testing.Short() {
		t.Log("not built in short mode")
		return
	}
	src, root := t.TempDir(), t.TempDir()
	copyContext(t, src)
	mounts := regexp.MustCompile(`--mount=\S+\s+`)
	for _, s := range steps(t) {
		if s.stage != 0 || s.verb != "RUN" {
			continue
		}
		script := strings.ReplaceAll(mounts.ReplaceAllString(s.arg, ""), "/out/", root+"/out/")
		if err := os.MkdirAll(filepath.Join(root, "out"), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir = src
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("RUN %s: %v\n%s", s.arg, err, out)
		}
	}
	binary := filepath.Join(root, "out", "fingerpost")
	static(t, binary)
	out, err := exec.Command(binary, "version").CombinedOutput()
	if err != nil || !strings.Contains(string(out), workers.Version) {
		t.Errorf("version: %v, %s", err, out)
	}
	for _, s := range steps(t) {
		if from, ok := strings.CutPrefix(s.arg, "--from=build "); s.stage == 1 && s.verb == "COPY" && ok {
			if _, err := os.Stat(filepath.Join(root, strings.Fields(from)[0])); err != nil {
				t.Errorf("COPY %s: %v", s.arg, err)
			}
		}
	}
}

// static expects a program that needs no loader and no library of the image, and is not stuffed.
func static(t *testing.T, binary string) {
	t.Helper()
	f, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the program is not static: it names a loader")
		}
	}
	info, err := os.Stat(binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MB", info.Size()>>20)
	if info.Size() > 200<<20 {
		t.Errorf("the program has %d MB", info.Size()>>20)
	}
}

// The image runs as a user with a number (so that Kubernetes can see that it is not root), and starts what was copied.
func TestImage(t *testing.T) {
	user, entry, copied := "", "", ""
	for _, s := range steps(t) {
		if s.stage != 1 {
			continue
		}
		switch s.verb {
		case "USER":
			user = s.arg
		case "ENTRYPOINT":
			entry = s.arg
		case "COPY":
			copied += s.arg + "\n"
		case "RUN":
			t.Errorf("the image has a step of its own: %s", s.arg)
		}
	}
	if !regexp.MustCompile(`^[1-9][0-9]*:[1-9][0-9]*$`).MatchString(user) {
		t.Errorf("the image runs as %q", user)
	}
	if path := strings.Trim(entry, `[]"`); !strings.Contains(copied, " "+path+"\n") {
		t.Errorf("%s is not copied into the image", path)
	}
}
