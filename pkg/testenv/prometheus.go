package testenv

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Promtool is the path of the checker of rules that scripts/servers-prometheus installs.
func Promtool(t testing.TB) string { return filepath.Join(prometheus(t), "promtool") }

// prometheus is the folder that scripts/servers-prometheus fills.
func prometheus(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(cache, "fingerpost", "prometheus-*", ".ok"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		Missing(t, "Prometheus (scripts/servers-prometheus)")
	}
	return filepath.Dir(found[len(found)-1])
}

// Prometheus starts a server with that configuration, waits until it is ready, and gives its URL; it ends with the test.
func Prometheus(t testing.TB, config string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "prometheus.yaml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(prometheus(t), "prometheus")
	for try := 0; ; try++ { // another process may take the port between the look and the start
		url, err := startPrometheus(t, binary, file, filepath.Join(dir, fmt.Sprint(try)))
		if err == nil {
			return url
		}
		if try == 4 {
			t.Fatal(err)
		}
	}
}

func startPrometheus(t testing.TB, binary, config, data string) (string, error) {
	addr := freeAddress(t)
	p := &Process{Name: "prometheus", Ready: "http://" + addr + "/-/ready",
		Command: []string{binary, "--config.file=" + config, "--storage.tsdb.path=" + data, "--web.listen-address=" + addr}}
	t.Cleanup(p.Kill)
	return "http://" + addr, p.Start()
}
