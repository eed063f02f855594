package workers

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// What one release leaves for the next. Each thing that is stored has a number of its own, raised only by a change that
// the release before could not read or would spoil; a field that is added raises none, for unknown ones are passed over.
//
//	data folder       its file `version`, see layout
//	records in KV     stateFormat, key `format` of FP_REINDEX
//	rows in SQLite    PRAGMA user_version, see pkg/vector/sqlite
//	Weaviate classes  "format N" in their description
//	what is indexed   the build's record: rules of parsing and cutting, analysis of words, embedder; see stock.serves
//	jobs in flight    none: additive only, see pkg/wire
//
// Older than the program: it is read as it is, or migrated at the start, jobs in flight included; a build of older rules is
// served and `reindex` makes the new one. Newer: refused with a sentence, before anything is written to it. Without a
// number in KV the records are of the first format.
const stateFormat = 1

const formatKey = "format"

// checkState refuses records that a newer program has written, and marks new ones as ours.
func checkState(ctx context.Context, kv bus.KV) error {
	v, _, err := kv.Get(ctx, formatKey)
	if errors.Is(err, bus.ErrNoKey) {
		if _, err = kv.Put(ctx, formatKey, strconv.AppendInt(nil, stateFormat, 10), 0); errors.Is(err, bus.ErrConflict) {
			return checkState(ctx, kv) // another process was faster, perhaps a newer one
		}
		return err
	}
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(string(v))
	switch {
	case err != nil || n < 1:
		return fmt.Errorf("the records in NATS are of format %.20q, which is none of ours: is another program using these buckets?", v)
	case n > stateFormat:
		return fmt.Errorf("the records in NATS were written by a newer version of the program (format %d, this one knows %d); use that version", n, stateFormat)
	}
	return nil
}
