package embedded_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/embedded"
)

const victimDir = "FINGERPOST_TEST_VICTIM_DIR"

// TestMain runs the test binary as the process that is killed when the variable is set.
func TestMain(m *testing.M) {
	if dir := os.Getenv(victimDir); dir != "" {
		fmt.Println(victim(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// victim publishes without end and says the number of each message that the server has acknowledged.
func victim(dir string) error {
	s, err := embedded.Start(embedded.Options{Dir: dir, Port: -1})
	if err != nil {
		return err
	}
	ctx := context.Background()
	b, err := nats.Connect(ctx, s.Client())
	if err != nil {
		return err
	}
	kv, err := b.KV(ctx, "K")
	if err != nil {
		return err
	}
	if err := b.Declare(ctx, []bus.Stream{{Name: "FP_PARSE", Subjects: []string{"fp.>"}, MaxBytes: 64 << 20}}, nil); err != nil {
		return err
	}
	rev := uint64(0)
	if _, rev, err = kv.Get(ctx, "n"); err != nil {
		rev = 0
	}
	n, _, err := b.Backlog(ctx, "FP_PARSE")
	if err != nil {
		return err
	}
	for i := int(n); ; i++ {
		if err := b.Publish(ctx, bus.Message{Subject: "fp.x", ID: strconv.Itoa(i), Data: []byte(strconv.Itoa(i))}); err != nil {
			return err
		}
		if rev, err = kv.Put(ctx, "n", []byte(strconv.Itoa(i)), rev); err != nil {
			return err
		}
		fmt.Println("acknowledged", i)
	}
}

// Killed in the middle of work, several times on one folder: what was acknowledged is there, the lock is
// free, the keys and streams are ours.
func TestKillLosesNothing(t *testing.T) {
	dir := t.TempDir()
	last := -1
	for round := range 4 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), victimDir+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for seen := 0; seen < 50+37*round && lines.Scan(); seen++ {
			number, ok := strings.CutPrefix(lines.Text(), "acknowledged ")
			if !ok {
				t.Fatalf("round %d: %s", round, lines.Text())
			}
			if last, err = strconv.Atoi(number); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		wantKept(t, dir, last)
	}
}

// wantKept opens the folder here: messages 0 to last at least, and the state that was acknowledged with the last.
func wantKept(t *testing.T, dir string, last int) {
	t.Helper()
	s := start(t, embedded.Options{Dir: dir, Port: -1})
	b := connect(t, s.Client())
	n, _, err := b.Backlog(t.Context(), "FP_PARSE")
	if err != nil || int(n) < last+1 {
		t.Fatalf("%d messages, %v; %d were acknowledged", n, err, last+1)
	}
	kv, err := b.KV(t.Context(), "K")
	if err != nil {
		t.Fatal(err)
	}
	value, _, err := kv.Get(t.Context(), "n")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := strconv.Atoi(string(value)); err != nil || got < last {
		t.Fatalf("the state is %d, %v; %d was acknowledged", got, err, last)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
}
