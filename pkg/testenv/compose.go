package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Compose is a command that reads a compose file, named as the last argument, and prints what it means:
// `docker compose config`, or the reference reader that scripts/servers-compose installs.
func Compose(t testing.TB, file string) *exec.Cmd {
	t.Helper()
	if exec.Command("docker", "compose", "version").Run() == nil {
		return exec.Command("docker", "compose", "--profile", "*", "-f", file, "config")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(cache, "fingerpost", "bin", "compose-go-*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		Missing(t, "docker compose, or the reader of scripts/servers-compose,")
	}
	return exec.Command(found[len(found)-1], file)
}
