package deploy_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers"
)

// valueSets are ways in which people install the chart.
var valueSets = []struct{ name, values string }{
	{"as it is", ``},
	{"external services", `
nats: {url: "tls://nats.example.org:4222", user: "", auth: token, replicas: 3}
s3: {endpoint: "https://s3.example.org", region: eu-1}
weaviate: {url: "https://weaviate.example.org", grpc: "", apiKey: true}
ollama: {url: "http://gpu.example.org:11434", model: nomic-embed-text}
extraEnv: {FINGERPOST_WORKERS: "2"}
setup: {enabled: true}
reindex: {cronJob: {enabled: true, promoteIf: "audit ok, any@5 drop <= .01", questions: asked, tenant: default, timeout: 12h}}
`},
	{"three replicas and KEDA", `
roles: {query: {replicaCount: 3, resources: {}}, parse: {replicaCount: 3, resources: {}}}
autoscaling: {keda: {enabled: true, maxReplicas: 8}}
serviceMonitor: {enabled: true, labels: {release: prometheus}}
`},
	{"air-gapped registry", `
image: {repository: registry.example.org/search/fingerpost, tag: 0.1.0-rc.1, pullSecrets: [registry]}
`},
	{"tenants in a closed network", `
sources:
  - {bucket: legal, tenant: legal, language: de, exclude: ["drafts/", ".tmp"]}
  - {bucket: shared, prefix: finance/, tenant: finance, events: minio}
networkPolicy:
  enabled: true
  ingressFrom: [{namespaceSelector: {matchLabels: {name: front}}}]
  metricsFrom: [{namespaceSelector: {matchLabels: {name: monitoring}}}]
otlp: "http://collector:4318"
nats: {url: "nats://nats:4222", auth: none}
reindex: {schedule: "@weekly", cronJob: {enabled: true}}
`},
}

// object is a Kubernetes object, as far as it is checked here.
type object struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Replicas     *int
		PolicyTypes  []string `yaml:"policyTypes"`
		MinAvailable int      `yaml:"minAvailable"`
		Egress       []struct{ Ports []struct{ Port any } }
		Ingress      []struct{ From []any }
		Selector     struct {
			Match map[string]string `yaml:"matchLabels"`
		} `yaml:"podSelector"`
		Target   struct{ Name string } `yaml:"scaleTargetRef"`
		Triggers []struct{ Metadata map[string]string }
		Template struct {
			Spec struct {
				SecurityContext struct {
					NonRoot bool `yaml:"runAsNonRoot"`
				} `yaml:"securityContext"`
				Containers []container
			}
		}
	}
}

type container struct {
	Name, Image string
	Args        []string
	Env         []struct{ Name, Value string }
	Startup     probe `yaml:"startupProbe"`
	Readiness   probe `yaml:"readinessProbe"`
	Liveness    probe `yaml:"livenessProbe"`
}

type probe struct {
	HTTP struct{ Path string } `yaml:"httpGet"`
}

func chart() string { return filepath.Join(testenv.Root(), "deploy", "helm", "fingerpost") }

// helm runs a subcommand with values.
func helm(t *testing.T, verb, values string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(file, []byte(values), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{verb}
	if verb == "template" {
		args = append(args, "fp", "--kube-version", "1.33.0") // this helm, built from its module, takes itself for 1.20
	}
	cmd := exec.Command(testenv.Helm(t), append(args, chart(), "--values", file)...)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	return out.String() + problems.String(), err
}

func render(t *testing.T, values string) (all []object) {
	t.Helper()
	out, err := helm(t, "template", values)
	if err != nil {
		t.Fatalf("helm template: %v\n%s", err, out)
	}
	dec := yaml.NewDecoder(strings.NewReader(out))
	for {
		var o object
		err := dec.Decode(&o)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, out)
		}
		if o.Kind != "" {
			all = append(all, o)
		}
	}
}

// job holds that the only job is the setup, in the image and with the settings of the roles.
func job(t *testing.T, o object, known map[string]bool) {
	t.Helper()
	spec := o.Spec.Template.Spec
	if !spec.SecurityContext.NonRoot || len(spec.Containers) != 1 || len(spec.Containers[0].Args) == 0 || spec.Containers[0].Args[0] != "setup" {
		t.Fatalf("job %s: %+v", o.Metadata.Name, spec)
	}
	for _, e := range spec.Containers[0].Env {
		if short, ours := strings.CutPrefix(e.Name, "FINGERPOST_"); ours && !known[short] {
			t.Errorf("job %s: the program does not read %s", o.Metadata.Name, e.Name)
		}
	}
}

func TestChart(t *testing.T) {
	known := settings(t)
	for _, c := range valueSets {
		t.Run(c.name, func(t *testing.T) {
			if out, err := helm(t, "lint", c.values); err != nil {
				t.Errorf("helm lint: %v\n%s", err, out)
			}
			names := map[string]bool{}
			var roles []string
			for _, o := range render(t, c.values) {
				if id := o.Kind + " " + o.Metadata.Name; names[id] {
					t.Errorf("%s stands twice", id)
				} else {
					names[id] = true
				}
				switch o.Kind {
				case "Deployment":
					roles = append(roles, deployment(t, o, known))
				case "Job":
					job(t, o, known)
				case "ConfigMap":
					configMap(t, o)
				case "ScaledObject":
					if !names["Deployment "+o.Spec.Target.Name] {
						t.Errorf("%s scales %s", o.Metadata.Name, o.Spec.Target.Name)
					}
					scaled(t, o)
				}
			}
			slices.Sort(roles)
			var want []string
			for _, r := range workers.Roles {
				want = append(want, string(r))
			}
			slices.Sort(want)
			if !slices.Equal(roles, want) {
				t.Errorf("deployments for %v, the program has %v", roles, want)
			}
		})
	}
}

// deployment holds one to the program and gives its role.
func deployment(t *testing.T, o object, known map[string]bool) string {
	t.Helper()
	pod := o.Spec.Template.Spec
	if len(pod.Containers) != 1 || !pod.SecurityContext.NonRoot {
		t.Fatalf("%s: %+v", o.Metadata.Name, pod)
	}
	k := pod.Containers[0]
	if !regexp.MustCompile(`^[a-z./-]+:[0-9]+\.[0-9]+\.[0-9]+[a-z0-9.-]*$`).MatchString(k.Image) {
		t.Errorf("%s: image %q is not pinned", o.Metadata.Name, k.Image)
	}
	seen := map[string]bool{}
	for _, e := range k.Env {
		short, ours := strings.CutPrefix(e.Name, "FINGERPOST_")
		if !ours || !known[short] || seen[e.Name] {
			t.Errorf("%s: the program does not read %s, or it stands twice", o.Metadata.Name, e.Name)
		}
		seen[e.Name] = true
		if strings.HasSuffix(e.Name, "_FILE") != strings.HasPrefix(e.Value, "/secrets/") {
			t.Errorf("%s: %s is %q", o.Metadata.Name, e.Name, e.Value)
		}
	}
	served := read(t, testenv.Root(), "workers", "gateway", "gateway.go")
	for _, path := range []string{k.Startup.HTTP.Path, k.Readiness.HTTP.Path, k.Liveness.HTTP.Path} {
		if path == "" || !strings.Contains(served, `"GET `+path+`"`) {
			t.Errorf("%s: a probe asks %q, which the program does not serve", o.Metadata.Name, path)
		}
	}
	if len(k.Args) < 2 || k.Args[0] != "worker" || k.Args[1] != k.Name {
		t.Errorf("%s runs %v", o.Metadata.Name, k.Args)
	}
	return k.Name
}

// configMap expects a configuration that the program reads, without secrets.
func configMap(t *testing.T, o object) {
	t.Helper()
	text := o.Data["fingerpost.yaml"]
	if regexp.MustCompile(`(?i)password|secret|token|_key`).MatchString(text) {
		t.Errorf("a secret in the ConfigMap:\n%s", text)
	}
	file := filepath.Join(t.TempDir(), "fingerpost.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := workers.Defaults()
	if err := errors.Join(c.Load(file, true), c.Check()); err != nil {
		t.Errorf("%v in\n%s", err, text)
	}
}

// scaled expects the streams and the consumer of the role's stage.
func scaled(t *testing.T, o object) {
	t.Helper()
	for i, lane := range []wire.Lane{wire.Live, wire.Bulk} {
		m := o.Spec.Triggers[i].Metadata
		stage := wire.Stage(m["consumer"])
		if m["stream"] != wire.StreamName(lane, stage) || !strings.HasSuffix(o.Spec.Target.Name, "-"+string(stage)) {
			t.Errorf("%s watches %s of %s", o.Metadata.Name, m["consumer"], m["stream"])
		}
	}
}

func TestChartOptions(t *testing.T) {
	kinds := func(values string) map[string]int {
		out := map[string]int{}
		for _, o := range render(t, values) {
			out[o.Kind]++
		}
		return out
	}
	if k := kinds(valueSets[0].values); k["ScaledObject"] != 0 || k["NetworkPolicy"] != 0 || k["PodDisruptionBudget"] != 1 {
		t.Errorf("as it is: %v", k)
	}
	if k := kinds(valueSets[2].values); k["ScaledObject"] != 4 || k["PodDisruptionBudget"] != 2 {
		t.Errorf("with KEDA: %v", k)
	}
	policies := 0
	for _, o := range render(t, valueSets[4].values) {
		if o.Kind == "NetworkPolicy" {
			policies++
			reaches(t, o)
		}
	}
	if policies != len(workers.Roles)+1 {
		t.Errorf("%d network policies for %d roles and a job", policies, len(workers.Roles))
	}
	if k := kinds(valueSets[1].values); k["CronJob"] != 1 {
		t.Errorf("with a weekly job: %v", k)
	}
}

// reaches expects that a role may reach what it needs and nothing else: NATS, the object store, the model server, and the
// index only where the program opens it; and that only query is reached by others than the scraper.
func reaches(t *testing.T, o object) {
	t.Helper()
	role := workers.Role(o.Spec.Selector.Match["app.kubernetes.io/component"])
	if role == "reindex" { // a client: it asks over NATS
		if len(o.Spec.Egress) != 2 || len(o.Spec.Ingress) != 0 {
			t.Errorf("the weekly job reaches %v and is reached by %v", o.Spec.Egress, o.Spec.Ingress)
		}
		return
	}
	want := []string{"53", "53", "4222", "9000", "11434"}
	if role.NeedsIndex() {
		want = append(want, "8080", "50051")
	}
	var got []string
	for _, e := range o.Spec.Egress {
		for _, p := range e.Ports {
			got = append(got, fmt.Sprint(p.Port))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || len(o.Spec.PolicyTypes) != 2 {
		t.Errorf("%s reaches %v, needs %v; %v", role, got, want, o.Spec.PolicyTypes)
	}
	peers := map[bool]int{true: 2, false: 1}[role == workers.RoleQuery]
	if len(o.Spec.Ingress) != 1 || len(o.Spec.Ingress[0].From) != peers {
		t.Errorf("%s is reached by %v", role, o.Spec.Ingress)
	}
}

// The schema of the values refuses what would not work.
func TestChartRefusesBadValues(t *testing.T) {
	for name, values := range map[string]string{
		"an unknown role":        `roles: {translate: {replicaCount: 1}}`,
		"a misspelt key":         `image: {repo: x}`,
		"a time of no unit":      `reindex: {cronJob: {timeout: "12"}}`,
		"two copies of streams":  `nats: {replicas: 2}`,
		"an address of no kind":  `nats: {url: "nats:4222"}`,
		"latest":                 `image: {tag: latest}`,
		"no sources":             `sources: []`,
		"a number as a variable": `extraEnv: {FINGERPOST_WORKERS: 2}`,
	} {
		if out, err := helm(t, "template", values); err == nil || !strings.Contains(out, "schema") {
			t.Errorf("%s is not refused by the schema:\n%.300s", name, out)
		}
	}
}
