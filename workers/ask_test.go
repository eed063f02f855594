package workers_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/workers"
)

// A question in parts, over NATS with the tenant's credential and over HTTP with its token: the answer built by code comes
// first, the last part is flagged, both say the same.
func TestAnswersInParts(t *testing.T) {
	c := testConfig(t)
	s := start(t, systemConfig{Config: c, Scripted: true})
	s.put("pumps.md", "# Pumps\n\n## Prices\n\n| | 2031 | 2030 |\n|---|---|---|\n| Net revenue | 2,412.5 | 1,931.0 |\n| Gross profit | 11.0 | 10.0 |\n")
	s.settled(1)
	const request = `{"question":"What was net revenue in 2031?"}`
	var bus []api.AskPart
	began := time.Now()
	last, err := s.buses["default"].RequestParts(t.Context(), api.Subject("default", api.AskParts), []byte(request), func(p []byte) error {
		bus = append(bus, part(t, p))
		if len(bus) == 1 {
			t.Logf("first words over NATS after %v", time.Since(began).Round(time.Millisecond))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	bus = append(bus, part(t, last))
	http := s.askHTTP(request)
	for name, parts := range map[string][]api.AskPart{"NATS": bus, "HTTP": http} {
		if len(parts) != 2 || parts[0].Last || parts[0].N != 1 || !parts[1].Last || !strings.Contains(parts[0].Reply.Answer, "2,412.5") ||
			parts[1].Reply.Answer != parts[0].Reply.Answer || len(parts[1].Reply.Citations) == 0 {
			t.Errorf("%s: %+v", name, parts)
		}
	}
	info, err := os.Stat(workers.TokenFile(c.Data, "default"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token's file: %v, %v", info, err)
	}
}

func part(t *testing.T, b []byte) (p api.AskPart) {
	t.Helper()
	if err := json.Unmarshal(b, &p); err != nil {
		t.Fatalf("%q: %v", b, err)
	}
	return p
}

// askHTTP asks over HTTP with the default tenant's token.
func (s *system) askHTTP(request string) (all []api.AskPart) {
	s.t.Helper()
	a, err := workers.ReadAddresses(s.conf.Config.Data)
	if err != nil {
		s.t.Fatal(err)
	}
	token, err := os.ReadFile(workers.TokenFile(s.conf.Config.Data, "default"))
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, "http://"+a.HTTP+"/ask", strings.NewReader(request))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	rep, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer rep.Body.Close()
	for lines := bufio.NewScanner(rep.Body); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			all = append(all, part(s.t, []byte(data)))
		}
	}
	return all
}
