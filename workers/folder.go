package workers

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// The data folder:
//
//	version     number of this layout
//	up.json     where a running system listens
//	s3.json     keys of the gateway, mode 0600
//	http/       <tenant>.token, the word that opens questions over HTTP, mode 0600
//	nats/       streams, buckets, credentials (<tenant>.creds, operator.creds)
//	objects/    the gateway's buckets, in buckets/
//	index.db    the index
//
// Which number is raised when, and what happens to what is older or newer: see stateFormat.
const layout = 1

// Addresses is where a running system listens, host:port.
type Addresses struct {
	S3   string `json:"s3"`
	NATS string `json:"nats"`
	HTTP string `json:"http"`
	PID  int    `json:"pid"`
}

// Keys open the S3 gateway.
type Keys struct {
	AccessKey string `json:"access_key"`
	SecretKey string `json:"secret_key"`
}

// CredsFile is the credentials of a tenant of the embedded server.
func CredsFile(data string, t doc.Tenant) string {
	return filepath.Join(data, "nats", string(t)+".creds")
}

// ReadAddresses is where the system of a data folder listens; the error says that none does.
func ReadAddresses(data string) (Addresses, error) {
	var a Addresses
	b, err := os.ReadFile(filepath.Join(data, "up.json"))
	if errors.Is(err, os.ErrNotExist) {
		return a, fmt.Errorf("no system runs on the data folder %s; start it with: fingerpost up --data %s", data, data)
	}
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	if err != nil {
		return a, fmt.Errorf("data folder %s: %w", data, err)
	}
	return a, nil
}

// ReadKeys reads the keys of the gateway.
func ReadKeys(data string) (k Keys, err error) {
	b, err := os.ReadFile(filepath.Join(data, "s3.json"))
	if err == nil {
		err = json.Unmarshal(b, &k)
	}
	if err != nil {
		return k, fmt.Errorf("keys of the gateway: %w", err)
	}
	return k, nil
}

// openFolder makes or checks the data folder and its keys.
func openFolder(data string) (Keys, error) {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return Keys{}, fmt.Errorf("data folder: %w", err)
	}
	if err := checkLayout(filepath.Join(data, "version")); err != nil {
		return Keys{}, fmt.Errorf("data folder %s: %w", data, err)
	}
	k, err := ReadKeys(data)
	if !errors.Is(err, os.ErrNotExist) {
		return k, err
	}
	k = Keys{AccessKey: "fp" + strings.ToUpper(rand.Text())[:14], SecretKey: rand.Text() + rand.Text()}
	return k, writeJSON(filepath.Join(data, "s3.json"), k)
}

func checkLayout(file string) error {
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return os.WriteFile(file, fmt.Appendln(nil, layout), 0o600)
	}
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || n < 1 {
		return fmt.Errorf("its file `version` says %q; this is no data folder of ours, or it is damaged", strings.TrimSpace(string(b)))
	}
	if n > layout {
		return fmt.Errorf("it was written by a newer version of the program (layout %d, this one knows %d); use that version", n, layout)
	}
	return nil
}

// writeJSON replaces a file in one step, readable by its owner only.
func writeJSON(file string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	tmp := file + ".new"
	if err := os.WriteFile(tmp, append(b, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, file)
}
