// Command rate measures the embedded model on one core for scripts/bench-embed. Its argument names
// the kernels; without one the machine's best are used.
//
// Each line read is a number of tokens and a number of seconds; each line written is
// "texts wall-seconds CPU-seconds" for texts of so many tokens embedded one after another for about
// so long. The first line written, before any is read, is
// "load-milliseconds first-milliseconds kernels": opening the model, then its first question.
// "memory" is answered with the resident set in MB: the whole, and the part that is not the file's.
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/fingerpost/fingerpost/pkg/embedding/minilm"
)

func main() {
	start := time.Now()
	e := open()
	load := time.Since(start)
	embed(e, 20)
	fmt.Printf("%.2f %.2f %s\n", ms(load), ms(time.Since(start)-load), e.Kernels())
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		if in.Text() == "memory" {
			fmt.Println(memory())
			continue
		}
		var tokens int
		var seconds float64
		if _, err := fmt.Sscan(in.Text(), &tokens, &seconds); err != nil {
			log.Fatalf("read %q: %v", in.Text(), err)
		}
		fmt.Println(measure(e, tokens, time.Duration(seconds*float64(time.Second))))
	}
}

func open() *minilm.Embedder {
	if len(os.Args) < 2 {
		return minilm.New()
	}
	e, err := minilm.NewWith(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	return e
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

func measure(e *minilm.Embedder, tokens int, length time.Duration) string {
	start, used, n := time.Now(), cpu(), 0
	for ; time.Since(start) < length; n++ {
		embed(e, tokens)
	}
	return fmt.Sprintf("%d %.6f %.6f", n, time.Since(start).Seconds(), cpu()-used)
}

// embed makes the vector of one text of so many tokens, two of them special.
func embed(e *minilm.Embedder, tokens int) {
	words := strings.Fields(strings.Repeat("cash report year board ", tokens/4+1))[:tokens-2]
	if _, err := e.Embed(context.Background(), []string{strings.Join(words, " ")}); err != nil {
		log.Fatal(err)
	}
}

// cpu is the seconds of processor time this process used.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

// memory reads the kernel's count of this process: "resident-MB anonymous-MB".
func memory() string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		log.Fatal(err)
	}
	var all, anonymous float64
	for line := range strings.Lines(string(status)) {
		if _, err := fmt.Sscanf(line, "VmRSS: %f", &all); err == nil {
			continue
		}
		if _, err := fmt.Sscanf(line, "RssAnon: %f", &anonymous); err == nil {
			break
		}
	}
	return fmt.Sprintf("%.1f %.1f", all/1024, anonymous/1024)
}
