package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

func job() Job {
	return Job{Tenant: "acme", DocID: doc.NewID("acme", "documents", "a.md"), Bucket: "documents", Key: "a.md", Generation: 3,
		Version: doc.VersionOf(nil), ETag: "e", Build: 2, Kind: Chunked, Epoch: 1, Dropped: time.Unix(0, 0).UTC()}
}

func TestNames(t *testing.T) {
	j := job()
	id := string(j.DocID)
	for got, want := range map[string]string{
		j.Subject(Live, Embed):    "fp.live.embed.acme." + id,
		j.Subject(Bulk, Parse):    "fp.bulk.parse.acme." + id,
		j.ID(Index):               id + ".index.chunked.2.3.1",
		StreamName(Live, Parse):   "FP_PARSE",
		StreamName(Bulk, Index):   "FP_INDEX_BULK",
		string(Stages[0]) + "...": "parse...",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Two messages share an id only when one is the other again: anything that makes other work makes another id.
func TestKnown20AReplayHasAnotherID(t *testing.T) {
	ids := map[string]bool{job().ID(Index): true}
	for name, change := range map[string]func(*Job){
		"epoch": func(j *Job) { j.Epoch++ }, "generation": func(j *Job) { j.Generation++ }, "build": func(j *Job) { j.Build++ },
		"kind": func(j *Job) { j.Kind = Embedded }, "document": func(j *Job) { j.DocID = doc.NewID("acme", "documents", "b.md") },
	} {
		j := job()
		change(&j)
		if ids[j.ID(Index)] {
			t.Errorf("another %s has the same id", name)
		}
		ids[j.ID(Index)] = true
	}
	if again := job(); !ids[again.ID(Index)] || ids[again.ID(Embed)] {
		t.Error("the id is not that of job and stage")
	}
}

func TestCheck(t *testing.T) {
	if err := job().Check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Job){
		"tenant": func(j *Job) { j.Tenant = "a.b" }, "doc_id": func(j *Job) { j.DocID = "x" }, "generation": func(j *Job) { j.Generation = 0 },
		"kind": func(j *Job) { j.Kind = "stolen" }, "outside": func(j *Job) { j.Generation = doc.MaxGeneration + 1 },
	} {
		j := job()
		change(&j)
		if err := j.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Additive only: fields of a newer version are passed over, the old ones keep their names.
func TestJobJSON(t *testing.T) {
	b, err := json.Marshal(job())
	if err != nil {
		t.Fatal(err)
	}
	newer := strings.Replace(string(b), "{", `{"colour":"blue",`, 1)
	var got Job
	if err := json.Unmarshal([]byte(newer), &got); err != nil || !reflect.DeepEqual(got, job()) {
		t.Errorf("%s came back as %+v, %v", newer, got, err)
	}
}
