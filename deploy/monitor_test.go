package deploy_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// rule is an alert of deploy/helm/fingerpost/alerts.yaml.
type rule struct {
	Alert, Expr string
	Annotations map[string]string
}

func rules(t *testing.T) (all []rule) {
	t.Helper()
	var f struct{ Groups []struct{ Rules []rule } }
	if err := yaml.Unmarshal([]byte(read(t, testenv.Root(), "deploy", "helm", "fingerpost", "alerts.yaml")), &f); err != nil {
		t.Fatal(err)
	}
	for _, g := range f.Groups {
		all = append(all, g.Rules...)
	}
	if len(all) < 10 {
		t.Fatalf("%d alerts", len(all))
	}
	return all
}

// query is one of the dashboard's.
type query struct{ panel, expr string }

func dashboard(t *testing.T) (all []query) {
	t.Helper()
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
			GridPos struct{ X, Y, W, H int }
		}
	}
	if err := json.Unmarshal([]byte(read(t, testenv.Root(), "deploy", "grafana", "fingerpost.json")), &d); err != nil {
		t.Fatal(err)
	}
	for i, p := range d.Panels {
		for _, q := range d.Panels[:i] {
			a, b := p.GridPos, q.GridPos
			if a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Errorf("panels %q and %q lie on each other", p.Title, q.Title)
			}
		}
		for _, x := range p.Targets {
			all = append(all, query{p.Title, x.Expr})
		}
	}
	if len(all) < 20 {
		t.Fatalf("%d queries", len(all))
	}
	return all
}

// toldMetrics are the names of metrics that the program tells, as its source has them.
func toldMetrics(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(testenv.Root(), "pkg", "telemetry", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(`"(fingerpost_[a-z_]+)"`).FindAllStringSubmatch(read(t, f), -1) {
			out[m[1]] = true
		}
	}
	return out
}

// Every metric that dashboard and alerts name is told by the program, and every one that is told is looked at by one of them.
func TestMetricsNamedExist(t *testing.T) {
	told, named := toldMetrics(t), map[string]bool{}
	check := func(where, expr string) {
		for _, n := range regexp.MustCompile(`fingerpost_[a-z_]+`).FindAllString(expr, -1) {
			n = strings.TrimSuffix(n, "_bucket")
			if named[n] = true; !told[n] {
				t.Errorf("%s names %s, which the program does not tell", where, n)
			}
		}
	}
	for _, q := range dashboard(t) {
		check(q.panel, q.expr)
	}
	for _, r := range rules(t) {
		check(r.Alert, r.Expr)
	}
	for n := range told {
		if !named[n] {
			t.Errorf("%s is told, and neither dashboard nor alerts look at it", n)
		}
	}
}

// Every alert has its section in the runbook, and every section its alert.
func TestRunbook(t *testing.T) {
	var alerts, sections []string
	for _, r := range rules(t) {
		alerts = append(alerts, r.Alert)
		if r.Annotations["summary"] == "" {
			t.Errorf("%s has no summary", r.Alert)
		}
	}
	book := read(t, testenv.Root(), "deploy", "RUNBOOK.md")
	for _, m := range regexp.MustCompile(`(?m)^## (\S+)\n(\S)`).FindAllStringSubmatch(book, -1) {
		sections = append(sections, m[1])
	}
	if !slices.Equal(alerts, sections) {
		t.Errorf("alerts %v, sections %v", alerts, sections)
	}
}

// promtool has nothing to say about the rules, and each fires by the series that mean its trouble, and by no others.
func TestRules(t *testing.T) {
	tool := testenv.Promtool(t)
	for _, args := range [][]string{{"check", "rules", "--lint-fatal", filepath.Join(testenv.Root(), "deploy", "helm", "fingerpost", "alerts.yaml")},
		{"test", "rules", filepath.Join(testenv.Root(), "deploy", "testdata", "alerts_test.yaml")}} {
		if out, err := exec.Command(tool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
	tried := read(t, testenv.Root(), "deploy", "testdata", "alerts_test.yaml")
	for _, r := range rules(t) {
		if !strings.Contains(tried, "alertname: "+r.Alert+"\n") {
			t.Errorf("%s is not tried in testdata/alerts_test.yaml", r.Alert)
		}
	}
}

// prom asks a Prometheus.
type prom string

type sample struct {
	Metric map[string]string
	Value  [2]any
}

func (p prom) query(t *testing.T, expr string) []sample {
	t.Helper()
	var rep struct {
		Status, Error string
		Data          struct{ Result []sample }
	}
	p.get(t, "/api/v1/query?query="+url.QueryEscape(expr), &rep)
	if rep.Status != "success" {
		t.Fatalf("%s: %s", expr, rep.Error)
	}
	return rep.Data.Result
}

// firing are the alerts that fire.
func (p prom) firing(t *testing.T) map[string]bool {
	t.Helper()
	var rep struct {
		Data struct {
			Alerts []struct {
				State  string
				Labels map[string]string
			}
		}
	}
	p.get(t, "/api/v1/alerts", &rep)
	out := map[string]bool{}
	for _, a := range rep.Data.Alerts {
		out[a.Labels["alertname"]] = out[a.Labels["alertname"]] || a.State == "firing"
	}
	return out
}

func (p prom) get(t *testing.T, path string, rep any) {
	t.Helper()
	r, err := http.Get(string(p) + path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(rep); err != nil {
		t.Fatal(err)
	}
}

// until waits for a fact.
func until(t *testing.T, what string, fact func() bool) {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !fact() {
		select {
		case <-deadline:
			t.Fatalf("%s did not come to pass", what)
		case <-tick.C:
		}
	}
}

// watch starts a Prometheus that scrapes addr twice a second, with our alerts. They do not wait (no `for`), and what waits
// too long is taken to be so after a second.
func watch(t *testing.T, addr string) prom {
	t.Helper()
	text := read(t, testenv.Root(), "deploy", "helm", "fingerpost", "alerts.yaml")
	text = regexp.MustCompile(`(?m)^ +for: .*\n`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`(_oldest_age_seconds\{[^}]*\}\)) > \d+`).ReplaceAllString(text, "$1 > 1")
	file := filepath.Join(t.TempDir(), "alerts.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return prom(testenv.Prometheus(t, fmt.Sprintf(`
global: {scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 500ms}
rule_files: [%q]
scrape_configs: [{job_name: fingerpost, static_configs: [{targets: [%q]}]}]
`, file, addr)))
}
