package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nats-io/nkeys"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// format is the version of the folder; a higher one was written by a newer Fingerpost.
const format = 1

const keysFile = "keys.json"

// keys are the seeds (private keys) of all accounts. They never change, so that creds files stay valid and
// the streams, which lie below the main account's public key, stay ours.
type keys struct {
	Format  int                   `json:"format"`
	Root    string                `json:"root"`   // signs accounts
	System  string                `json:"system"` // account of the server itself, without users
	Main    string                `json:"main"`   // account of the streams and services
	Admin   *seeds                `json:"admin"`  // account of operator.creds
	Tenants map[doc.Tenant]*seeds `json:"tenants"`
}

// seeds are those of an account whose users may only ask.
type seeds struct {
	Account string `json:"account"`
	Users   string `json:"users"` // signs its users
}

// openKeys reads the folder's keys and makes those that are missing.
func openKeys(dir string, tenants []doc.Tenant) (*keys, error) {
	path := filepath.Join(dir, keysFile)
	k, err := readKeys(dir, path)
	if err != nil {
		return nil, err
	}
	made, err := k.complete(tenants)
	if err != nil {
		return nil, err
	}
	if !made {
		return k, nil
	}
	data, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return nil, err
	}
	return k, writeSecret(path, data)
}

func readKeys(dir, path string) (*keys, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		if old, _ := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", "*")); len(old) > 0 {
			return nil, fmt.Errorf("bus keys %s are missing, and without them the streams beside them cannot be opened: put the file back, or move %s away", path, filepath.Join(dir, "jetstream"))
		}
		return &keys{Format: format}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("bus keys: %w", err)
	}
	k := &keys{}
	if err := json.Unmarshal(data, k); err != nil {
		return nil, fmt.Errorf("bus keys %s are damaged: put a copy back, or move the whole folder away (%w)", path, err)
	}
	if k.Format > format {
		return nil, fmt.Errorf("bus folder %s was written by a newer version (format %d, this one knows %d): update this program", dir, k.Format, format)
	}
	return k, nil
}

// complete makes the seeds that are missing and reports whether there were any.
func (k *keys) complete(tenants []doc.Tenant) (bool, error) {
	made := false
	seed := func(at *string, create func() (nkeys.KeyPair, error)) error {
		if *at != "" {
			return nil
		}
		pair, err := create()
		if err != nil {
			return err
		}
		s, err := pair.Seed()
		*at, made = string(s), true
		return err
	}
	if k.Admin == nil {
		k.Admin = &seeds{}
	}
	if k.Tenants == nil {
		k.Tenants = map[doc.Tenant]*seeds{}
	}
	err := errors.Join(seed(&k.Root, nkeys.CreateOperator), seed(&k.System, nkeys.CreateAccount), seed(&k.Main, nkeys.CreateAccount),
		seed(&k.Admin.Account, nkeys.CreateAccount), seed(&k.Admin.Users, nkeys.CreateAccount))
	for _, t := range tenants {
		if !t.Valid() {
			return false, fmt.Errorf("tenant %q: a name has 1 to 32 of a-z, 0-9, '-' and '_'", t)
		}
		if k.Tenants[t] == nil {
			k.Tenants[t] = &seeds{}
		}
		err = errors.Join(err, seed(&k.Tenants[t].Account, nkeys.CreateAccount), seed(&k.Tenants[t].Users, nkeys.CreateAccount))
	}
	return made, err
}

// pair is the key pair of a seed and its public key.
func pair(seed string) (nkeys.KeyPair, string, error) {
	p, err := nkeys.FromSeed([]byte(seed))
	if err != nil {
		return nil, "", fmt.Errorf("bus keys: a seed in %s is damaged: %w", keysFile, err)
	}
	public, err := p.PublicKey()
	return p, public, err
}

// writeSecret replaces the file in one step, readable by its owner only.
func writeSecret(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-*") // made with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.Rename(tmp.Name(), path)
}
