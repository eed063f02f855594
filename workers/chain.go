package workers

import (
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/trail"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/intake"
)

// chain is the way of a document, top to bottom. Each row takes what the row above it leaves.
func chain(parse, chunk, embed, index do, cores, embedders int, lease time.Duration) []pipeline.Stage {
	return []pipeline.Stage{
		{Name: wire.Parse, Slots: cores, Lease: lease, Do: parse},     // dropped  -> parsed     object -> source.md, tree.json
		{Name: wire.Chunk, Slots: cores, Lease: lease, Do: chunk},     // parsed   -> chunked    tree -> chunks.jsonl
		{Name: wire.Embed, Slots: embedders, Lease: lease, Do: embed}, // chunked  -> sectioned, embedded   text -> vectors
		{Name: wire.Index, Slots: cores, Lease: lease, Do: index},     // chunked, sectioned, embedded -> entries; removed -> purge
	}
}

// streams declares everything that is stored in JetStream beside the KV buckets. Fresh: leases of an earlier process
// are void (the embedded server's folder is locked).
func streams(stages []pipeline.Stage, stageBytes int64, fresh bool) (ss []bus.Stream, cs []bus.Consumer) {
	ss = []bus.Stream{
		{Name: wire.EventStream, Subjects: []string{wire.EventSubject + ".>"}, MaxBytes: stageBytes},
		{Name: wire.DeadStream, Subjects: []string{wire.DeadSubject + ".>"}, MaxBytes: stageBytes},
		trailStream(stageBytes),
	}
	in := intake.Consumer
	in.Fresh = fresh
	cs = []bus.Consumer{in}
	for _, s := range stages {
		for _, l := range []wire.Lane{wire.Live, wire.Bulk} {
			subject := "fp." + string(l) + "." + string(s.Name) + ".>"
			ss = append(ss, bus.Stream{Name: wire.StreamName(l, s.Name), Subjects: []string{subject}, MaxBytes: stageBytes})
			c := pipeline.Consumer(l, s.Name, s.Lease)
			c.Fresh = fresh
			cs = append(cs, c)
		}
	}
	return ss, cs
}

func trailStream(bytes int64) bus.Stream {
	s := trail.Stream
	s.MaxBytes = min(s.MaxBytes, bytes)
	return s
}
