package embedded

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
)

var errLocked = errors.New("locked")

// lock keeps a second process out of the folder: two servers would destroy each other's files.
type lock struct {
	once sync.Once
	file *os.File
}

// takeLock takes the lock and leaves our process id in the file for the other one's error.
func takeLock(path string) (*lock, error) {
	f, err := lockFile(path)
	if errors.Is(err, errLocked) {
		holder, _ := os.ReadFile(path)
		return nil, fmt.Errorf("in use by another process (id %s): stop it, or use another folder", strings.TrimSpace(string(holder)))
	}
	if err != nil {
		return nil, err
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = fmt.Fprintf(f, "%d\n", os.Getpid())
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &lock{file: f}, nil
}

func (l *lock) release() error {
	var err error
	l.once.Do(func() { err = l.file.Close() })
	return err
}
