package pdf

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// used reads /proc: proc(5), stat (fields 14 and 15, in ticks of 10 ms) and statm (field 2, in pages).
func used(pid int) usage {
	u := usage{at: time.Now()}
	if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		if i := bytes.LastIndexByte(b, ')'); i >= 0 {
			f := bytes.Fields(b[i+1:])
			u.cpu = time.Duration(number(f, 11)+number(f, 12)) * 10 * time.Millisecond
		}
	}
	if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)); err == nil {
		u.memory = number(bytes.Fields(b), 1) * int64(os.Getpagesize())
	}
	return u
}

func number(f [][]byte, i int) int64 {
	if i >= len(f) {
		return 0
	}
	n, _ := strconv.ParseInt(string(f[i]), 10, 64)
	return n
}
