package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/bus"
)

// says is a bus on which status is answered so.
type says struct {
	bus.Bus
	reply api.StatusReply
	err   error
}

func (s says) Request(context.Context, string, []byte) ([]byte, error) {
	b, err := json.Marshal(s.reply)
	return b, errors.Join(err, s.err)
}

// A key that no source maps would wait for ever: it is refused before anything is put, with what the tenant reads.
func TestPutRefusesWhatNoSourceMaps(t *testing.T) {
	places := []api.Place{{Bucket: "documents", Prefix: "10k/"}, {Bucket: "contracts"}}
	for name, c := range map[string]struct {
		bucket, key string
		says        says
		want        string
	}{
		"mapped":                     {"documents", "10k/a.md", says{reply: api.StatusReply{Sources: places}}, ""},
		"another bucket":             {"contracts", "any/a.md", says{reply: api.StatusReply{Sources: places}}, ""},
		"no such prefix":             {"documents", "10q/a.md", says{reply: api.StatusReply{Sources: places}}, "tenant default reads documents/10k/, contracts/"},
		"no such bucket":             {"other", "a.md", says{reply: api.StatusReply{Sources: places}}, "put other/a.md: no source maps it"},
		"a system that does not say": {"documents", "a.md", says{}, ""},
		"nobody answers":             {"documents", "a.md", says{err: bus.ErrAway}, ""},
	} {
		p := putter{client: client{tenant: "default", bus: c.says}, bucket: c.bucket}
		err := p.mapped(t.Context(), []upload{{key: c.key}})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
