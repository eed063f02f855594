package gateway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/s3"
)

// dirVar makes this test binary a gateway over the folder that it names.
const dirVar = "FINGERPOST_TEST_GATEWAY_DIR"

func TestMain(m *testing.M) {
	dir := os.Getenv(dirVar)
	if dir == "" {
		os.Exit(m.Run())
	}
	g, err := Start(context.Background(), Config{Addr: "127.0.0.1:0", Dir: dir, AccessKey: access, SecretKey: secret})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(g.Addr())
	if err := g.Wait(); err != nil {
		os.Exit(1)
	}
}

// spawn runs a gateway as a process and returns a store over it and the way to kill it.
func spawn(t *testing.T, dir string) (*s3.Store, func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), dirVar+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	s, err := s3.New(s3.Config{Endpoint: strings.TrimSpace(addr), AccessKey: access, SecretKey: secret})
	if err != nil {
		t.Fatal(err)
	}
	return s, func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		cmd.Wait() // says that it was killed
		s.Close()
	}
}

// TestKill holds that a killed gateway keeps every answered PUT whole, and of an unanswered one the
// old object, the new one or nothing.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	body := func(round, i int) string { return strings.Repeat(fmt.Sprintf("%d/%d\n", round, i), 40_000) }
	answered := map[string]int{} // key to round
	for round := range 4 {
		s, kill := spawn(t, dir)
		if err := s.MakeBucket(t.Context(), "docs"); err != nil {
			t.Fatal(err)
		}
		check(t, s, answered, body)
		killed := make(chan struct{})
		for i := range 40 {
			key := fmt.Sprintf("dir%d/%d.md", i%3, i)
			var r io.Reader = strings.NewReader(body(round, i))
			if i == 25+round { // in the middle of an upload
				r = &trigger{r: r, at: 100_000, do: func() { go func() { kill(); close(killed) }() }}
			}
			size := int64(len(body(round, i)))
			if _, err := s.Put(t.Context(), "docs", key, r, size, blob.PutOptions{}); err != nil {
				if i < 25+round {
					t.Fatalf("put %s before the kill: %v", key, err)
				}
				break // it is gone
			}
			answered[key] = round
		}
		<-killed
	}
	s, kill := spawn(t, dir)
	defer kill()
	check(t, s, answered, body)
}

// check reads every key that is listed or was answered. A later round may have stored a newer object
// without its answer.
func check(t *testing.T, s *s3.Store, answered map[string]int, body func(round, i int) string) {
	t.Helper()
	for i := range 40 {
		key := fmt.Sprintf("dir%d/%d.md", i%3, i)
		got, _, err := blob.ReadAll(t.Context(), s, "docs", key, blob.GetOptions{}, 1<<20)
		round, known := answered[key]
		if errors.Is(err, blob.ErrNotFound) && !known {
			continue
		}
		whole := false
		for r := round; r < 4 && err == nil; r++ {
			whole = whole || string(got) == body(r, i)
		}
		if !whole {
			t.Errorf("%s, answered %v in round %d: %d bytes, %v", key, known, round, len(got), err)
		}
	}
}

// trigger calls do once when at bytes have been read.
type trigger struct {
	r  io.Reader
	at int
	do func()
}

func (g *trigger) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	if g.at > 0 && g.at <= n {
		g.do()
	}
	g.at -= n
	return n, err
}
