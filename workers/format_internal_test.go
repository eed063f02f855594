package workers

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// oneKey is a bucket that holds one value; before it is put, rival may put another one.
type oneKey struct {
	bus.KV
	value, rival string
}

func (k *oneKey) Get(context.Context, string) ([]byte, uint64, error) {
	if k.value == "" {
		return nil, 0, bus.ErrNoKey
	}
	return []byte(k.value), 1, nil
}

func (k *oneKey) Put(_ context.Context, _ string, v []byte, _ uint64) (uint64, error) {
	if k.rival != "" {
		k.value = k.rival
		return 0, bus.ErrConflict
	}
	k.value = string(v)
	return 1, nil
}

func TestRecordsOfANewerProgramAreRefused(t *testing.T) {
	for _, c := range []struct{ stored, rival, after, wrong string }{
		{"", "", "1", ""}, // of the release before the number, or new
		{"1", "", "1", ""},
		{"", "1", "1", ""},
		{"", "2", "2", "newer version"},
		{"99", "", "99", "format 99, this one knows 1"},
		{"0", "", "0", "none of ours"},
		{"one", "", "one", "none of ours"},
		{"99999999999999999999999", "", "99999999999999999999999", "none of ours"},
	} {
		k := &oneKey{value: c.stored, rival: c.rival}
		err := checkState(t.Context(), k)
		if (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) || k.value != c.after {
			t.Errorf("%q, %q: %v, then %q", c.stored, c.rival, err, k.value)
		}
	}
}

// away is a bucket whose server does not answer.
type away struct{ bus.KV }

func (away) Get(context.Context, string) ([]byte, uint64, error) { return nil, 0, bus.ErrAway }

func TestRecordsThatCannotBeReadAreTriedAgain(t *testing.T) {
	if err := checkState(t.Context(), away{}); !errors.Is(err, bus.ErrAway) {
		t.Error(err)
	}
}
