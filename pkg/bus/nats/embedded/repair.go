package embedded

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/minio/highwayhash"
)

// repair mends what a kill leaves between two files of a stream's settings. The server writes meta.inf, then
// its checksum meta.sum, each in one step; a stream with the first but not the second is passed over, with
// everything in it. Settings that parse and name their folder were written completely, so the sum is made
// again. A folder without settings and without messages is a creation that never ended, and goes.
func (s *Server) repair(account string) error {
	dirs, err := filepath.Glob(filepath.Join(s.opt.Dir, "jetstream", account, "streams", "*"))
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if strings.HasPrefix(filepath.Base(dir), ".") {
			continue
		}
		if err := s.repairStream(dir); err != nil {
			return fmt.Errorf("bus folder: %w", err)
		}
	}
	return nil
}

func (s *Server) repairStream(dir string) error {
	settings, err := os.ReadFile(filepath.Join(dir, "meta.inf"))
	if errors.Is(err, os.ErrNotExist) {
		if blocks, _ := filepath.Glob(filepath.Join(dir, "msgs", "*.blk")); len(blocks) > 0 {
			return nil // verify names it
		}
		s.opt.Log.Warn("a stream's creation was cut off: removed", "folder", dir)
		return os.RemoveAll(dir)
	}
	if err != nil {
		return err
	}
	var named struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(settings, &named) != nil || named.Name != filepath.Base(dir) {
		return nil // verify names it
	}
	sum, err := settingsSum(named.Name, settings)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "meta.sum")
	if have, _ := os.ReadFile(path); string(have) == sum {
		return nil
	}
	s.opt.Log.Warn("a change of a stream's settings was cut off: mended", "folder", dir)
	return writeSecret(path, []byte(sum))
}

// settingsSum is the server's checksum: HighwayHash-64 keyed by the SHA-256 of the stream's name, in hex.
func settingsSum(stream string, settings []byte) (string, error) {
	key := sha256.Sum256([]byte(stream))
	h, err := highwayhash.New64(key[:])
	if err != nil {
		return "", err
	}
	if _, err := h.Write(settings); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
