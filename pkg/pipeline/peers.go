package pipeline

import "github.com/fingerpost/fingerpost/pkg/wire"

// Peer is a build that a job is done for, beside the one it names: they share the artefacts.
type Peer struct {
	Build uint32
	Whole bool // it is not live yet: a document comes there in one step, with all its vectors
}

// Peers names the builds that a job is done for, its own included; nil is its own alone.
type Peers func(wire.Job) []Peer

// Of is Peers of a job.
func (f Peers) Of(j wire.Job) []Peer {
	if f == nil {
		return []Peer{{Build: j.Build}}
	}
	return f(j)
}

// Job is the same job for the peer's build.
func (p Peer) Job(j wire.Job) wire.Job {
	j.Build = p.Build
	return j
}
