package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
)

// verify compares the streams on disk with those that the server opened: it passes over what it cannot
// read with a warning, and the next declaration would put an empty stream in its place.
func (s *Server) verify(account string) error {
	acc, err := s.ns.LookupAccount(account)
	if err != nil {
		return fmt.Errorf("bus account: %w", err)
	}
	if !acc.JetStreamEnabled() {
		return fmt.Errorf("bus folder %s: the server cannot use it: %s", s.opt.Dir, s.log.about("JetStream"))
	}
	dir := filepath.Join(s.opt.Dir, "jetstream", account, "streams")
	onDisk, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("bus folder: %w", err)
	}
	opened, err := s.opened(account)
	if err != nil {
		return err
	}
	for _, e := range onDisk {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if why := s.log.about("unsupported", e.Name()); why != "" {
			return fmt.Errorf("stream %s was written by a newer server (%s): use that version again, or move %s away", e.Name(), why, path)
		}
		if !opened[e.Name()] {
			return fmt.Errorf("stream %s is damaged (%s): move %s away and start again, its work is found anew from the bucket", e.Name(), s.log.about(e.Name()), path)
		}
	}
	return nil
}

func (s *Server) opened(account string) (map[string]bool, error) {
	detail, err := s.ns.JszAccount(&server.JSzOptions{Account: account, Streams: true})
	if err != nil {
		return nil, fmt.Errorf("bus account: %w", err)
	}
	names := map[string]bool{}
	for _, st := range detail.Streams {
		names[st.Name] = true
	}
	return names, nil
}

// checkTenants refuses names that would stand for something else in a subject or a file name.
func checkTenants[T ~string](tenants []T) error {
	for _, t := range tenants {
		if slices.Contains(Reserved, string(t)) {
			return fmt.Errorf("tenant %q: the name is reserved, choose another", t)
		}
	}
	return nil
}
