package tree

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// File keeps summaries in a file that is only appended to, a JSON line each, so that a run that is stopped goes on where it
// was. One model has one file.
type File struct {
	path string
	have map[string]string
}

// record is one line.
type record struct {
	Hash    string `json:"hash"`
	Summary string `json:"summary"`
}

// OpenFile reads the file at path, if it is there; half a line at its end is left out.
func OpenFile(path string) (*File, error) {
	f := &File{path: path, have: map[string]string{}}
	r, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err != nil {
		return nil, fmt.Errorf("summaries: %w", err)
	}
	defer r.Close()
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var x record
		if json.Unmarshal(sc.Bytes(), &x) == nil {
			f.have[x.Hash] = x.Summary
		}
	}
	return f, sc.Err()
}

// Get is a summary that is kept.
func (f *File) Get(hash string) (string, bool) {
	s, ok := f.have[hash]
	return s, ok
}

// Put keeps one.
func (f *File) Put(hash, summary string) error {
	f.have[hash] = summary
	line, err := json.Marshal(record{hash, summary})
	if err != nil {
		return fmt.Errorf("summaries: %w", err)
	}
	w, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("summaries: %w", err)
	}
	_, err = w.Write(append(append([]byte{'\n'}, line...), '\n')) // a torn line before it stays alone
	return errors.Join(err, w.Close())
}
