package workers_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/blob/s3"
	busnats "github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers"
)

// realSite is NATS, versitygw and Weaviate with a process for each part of the work, two for the long stages. The store's
// events are lost while it or NATS is away, and name other objects at times; a seed of 0 leaves the servers to themselves.
func realSite(t *testing.T, _ uint64) *site {
	nats := testenv.NATS(t)
	store, index := testenv.Versitygw(t, nats.URL, wire.EventSubject+".versitygw"), testenv.Weaviate(t)
	ways := []*cutter{cut(t, strings.TrimPrefix(nats.URL, "nats://")), cut(t, strings.TrimPrefix(store.Endpoint, "http://")), cut(t, strings.TrimPrefix(index.URL, "http://")), cut(t, index.GRPC)}
	c := stormy(testConfig(t))
	c.Servers.NATS.URLs = []string{"nats://" + ways[0].addr}
	c.Servers.S3 = workers.S3{Endpoint: "http://" + ways[1].addr, AccessKey: store.AccessKey, SecretKey: store.SecretKey}
	c.Servers.Weaviate = workers.Weaviate{URL: "http://" + ways[2].addr, GRPC: ways[3].addr}
	x := &site{t: t}
	for _, roles := range [][]workers.Role{{"intake"}, {"parse", "chunk", "embed"}, {"parse", "chunk", "embed"}, {"index"}, {"query"}, {"reconcile"}} {
		h := &system{t: t, alone: true, conf: systemConfig{Config: c, Scripted: true, Roles: roles}}
		h.up()
		x.hands = append(x.hands, h)
	}
	x.halt = func() { end(x.hands...) }
	x.dump = func(build uint32) map[string]int { return dumpWeaviate(t, index.URL, build) }
	t.Cleanup(func() {
		x.halt()
		for _, h := range x.hands {
			if t.Failed() {
				t.Logf("%v said:\n%s", h.conf.Roles, tail(h.log.String(), 2000))
			}
		}
	})
	x.blows = realBlows(x, c.Lease, ways, nats, store, index)
	x.tenant = x.connect(busnats.Options{URLs: []string{nats.URL}})
	x.operator, x.inside = x.tenant, x.tenant
	var err error
	if x.blobs, err = s3.New(s3.Config{Endpoint: store.Endpoint, AccessKey: store.AccessKey, SecretKey: store.SecretKey}); err != nil {
		t.Fatal(err)
	}
	return x
}

// struck is one that a storm kills and pauses.
type struck interface {
	Kill()
	Start() error
	PID() int
}

// realBlows are those against the workers and, a third of them, against the servers.
func realBlows(x *site, lease time.Duration, ways []*cutter, servers ...struck) []blow {
	all := []blow{
		{weight: 40, strike: func(r *rand.Rand) { again(x.any(r)) }},
		{weight: 18, pause: 1, strike: func(r *rand.Rand) { pause(x.t, x.any(r), lease*3/2) }},
		// A process that starts while its index is away ends with a sentence, for its supervisor to start it again: a cut is over first.
		{weight: 12, cut: 1, strike: func(r *rand.Rand) { cutOne(r, ways...); _ = sleepFor(x.t.Context(), mostCut) }},
	}
	for _, s := range servers {
		all = append(all, blow{weight: 6, strike: func(*rand.Rand) {
			s.Kill()
			if err := s.Start(); err != nil {
				x.t.Fatal(err)
			}
		}}, blow{weight: 4, pause: 1, strike: func(*rand.Rand) { halted(x.t, s.PID(), lease) }})
	}
	return all
}

// halted stops a process for a while.
func halted(t *testing.T, pid int, d time.Duration) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	timer := time.NewTimer(d) // the pause itself is what is tested
	<-timer.C
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

// dumpWeaviate is dumpBuild of an index in Weaviate, read with plain requests and not through our own code; the reserved
// entries are left out.
func dumpWeaviate(t *testing.T, url string, build uint32) map[string]int {
	t.Helper()
	all := map[string]int{}
	for _, kind := range doc.Kinds {
		class := fmt.Sprintf("Fingerpost_%d_%s%s", build, strings.ToUpper(string(kind[:1])), kind[1:])
		for after := ""; ; {
			var page struct{ Objects []weaviateObject }
			fetch(t, fmt.Sprintf("%s/v1/objects?class=%s&tenant=default&limit=500&include=vector&after=%s", url, class, after), &page)
			for _, o := range page.Objects {
				if o.Properties.Doc != "reserved" {
					all[o.line(t, kind)]++
				}
				after = o.ID
			}
			if len(page.Objects) == 0 {
				break
			}
		}
	}
	return all
}

type weaviateObject struct {
	ID         string
	Vector     []float32
	Properties struct{ Doc, Terms, Crumb string }
}

func (o weaviateObject) line(t *testing.T, kind doc.Kind) string {
	t.Helper()
	raw, err := hex.DecodeString(strings.ReplaceAll(o.ID, "-", ""))
	if err != nil || len(raw) != 16 {
		t.Fatalf("id %q: %v", o.ID, err)
	}
	p := doc.EntryID(raw).Place()
	sum := sha256.Sum256(fmt.Appendf(nil, "%s|%s|%x", o.Properties.Terms, o.Properties.Crumb, o.Vector))
	return fmt.Sprintf("0 %s %x node %d piece %d flags %d %x", kind, p.Prefix, p.Node, p.Ordinal, p.Flags, sum[:8])
}

// fetch reads JSON; a class or tenant that is not there has nothing.
func fetch(t *testing.T, url string, into any) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode == http.StatusNotFound || r.StatusCode == http.StatusUnprocessableEntity {
		t.Logf("%s: %s", url, r.Status)
		return
	}
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		t.Fatalf("%s: %s: %v", url, r.Status, err)
	}
}
