package testenv

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
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
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		return "", err
	}
	log, err := os.Create(data + ".log")
	if err != nil {
		return "", err
	}
	defer log.Close()
	cmd := exec.Command(binary, "--config.file="+config, "--storage.tsdb.path="+data, "--web.listen-address="+addr)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = log, log, endWithParent()
	if err := cmd.Start(); err != nil {
		return "", err
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-over
	})
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if r, err := http.Get("http://" + addr + "/-/ready"); err == nil {
			_ = r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return "http://" + addr, nil
			}
		}
		select {
		case err := <-over:
			over <- err
			said, _ := os.ReadFile(data + ".log")
			return "", fmt.Errorf("prometheus ended: %v\n%s", err, said)
		default:
		}
	}
	return "", fmt.Errorf("prometheus is not ready after a minute")
}
