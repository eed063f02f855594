package deploy_test

import (
	"bytes"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/fingerpost/fingerpost/pkg/blob/miniotest"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/natstest"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/workers"
)

// service is a service of the compose file, as far as it is checked here; compose itself checks the rest.
type service struct {
	Image       string
	Command     []string
	Environment map[string]string
	EnvFile     []string `yaml:"env_file"`
	Restart     string
	Ports       []string
	Volumes     []string
	NetworkMode string `yaml:"network_mode"`
	Profiles    []string
	Healthcheck *struct {
		Test []string
	}
	DependsOn map[string]struct{ Condition string } `yaml:"depends_on"`
	Deploy    struct {
		Resources struct {
			Limits struct{ CPUs, Memory string }
		}
	}
}

type file struct {
	Services map[string]service
	Networks map[string]struct{ Internal bool }
}

func compose(t *testing.T) file {
	t.Helper()
	var f file
	if err := yaml.Unmarshal([]byte(read(t, testenv.Root(), "docker-compose.yml")), &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Services) < 10 {
		t.Fatalf("%d services", len(f.Services))
	}
	return f
}

// role is the role that a service runs; "" when it runs none.
func (s service) role() string {
	if len(s.Command) > 1 && s.Command[0] == "worker" {
		return s.Command[1]
	}
	return ""
}

func TestComposeConfig(t *testing.T) {
	cmd := testenv.Compose(t, filepath.Join(testenv.Root(), "docker-compose.yml"))
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, problems.String())
	}
	if problems.Len() > 0 {
		t.Errorf("%v says: %s", cmd.Args, problems.String())
	}
	for name := range compose(t).Services {
		if !strings.Contains(out.String(), "\n    "+name+":\n") && !strings.Contains(out.String(), "\n  "+name+":\n") {
			t.Errorf("service %s is not in the result", name)
		}
	}
}

// versions are the servers that the tests of this repository run against; MinIO's is the community's last image.
var versions = []string{"nats:2.15.3-alpine", "semitechnologies/weaviate:1.35.2", "ollama/ollama:0.17.4", "minio/minio:RELEASE.2025-09-07T16-13-09Z"}

func TestImagesArePinned(t *testing.T) {
	pinned := regexp.MustCompile(`^[a-z/-]+:(v?[0-9]+\.[0-9]+\.[0-9]+[a-z0-9.-]*|RELEASE\.[0-9TZ-]+)$`)
	used := map[string]bool{}
	for name, s := range compose(t).Services {
		image := strings.Replace(s.Image, "${FINGERPOST_VERSION:-"+workers.Version+"}", workers.Version, 1)
		if used[image] = true; !pinned.MatchString(image) {
			t.Errorf("%s: image %q is not pinned", name, s.Image)
		}
	}
	for _, v := range versions {
		if !used[v] {
			t.Errorf("image %s is not used", v)
		}
	}
	for _, line := range strings.Split(read(t, testenv.Root(), "deploy", "Dockerfile"), "\n") {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "FROM" && !pinned.MatchString(f[1]) {
			t.Errorf("Dockerfile: image %q is not pinned", f[1])
		}
	}
}

// settings are the names that the program reads from the environment, without FINGERPOST_.
func settings(t *testing.T) map[string]bool {
	t.Helper()
	sources, err := filepath.Glob(filepath.Join(testenv.Root(), "workers", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	inMap, literal := regexp.MustCompile(`"([A-Z][A-Z0-9_]*)":\s*&`), regexp.MustCompile(`"FINGERPOST_([A-Z][A-Z0-9_]*)"`)
	secrets := regexp.MustCompile(`(?s)\) secrets\(\).*?\n}`)
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text := read(t, name)
		for _, re := range []*regexp.Regexp{inMap, literal} {
			for _, m := range re.FindAllStringSubmatch(text, -1) {
				out[m[1]] = true
			}
		}
		for _, m := range inMap.FindAllStringSubmatch(secrets.FindString(text), -1) {
			out[m[1]+"_FILE"] = true
		}
	}
	if !out["NATS_URL"] || !out["S3_SECRET_KEY_FILE"] || out["NATS_URL_FILE"] {
		t.Fatalf("settings of the program: %v", out)
	}
	return out
}

func TestSettingsAndRolesExist(t *testing.T) {
	known := settings(t)
	var roles []string
	for name, s := range compose(t).Services {
		for key := range s.Environment {
			if short, ours := strings.CutPrefix(key, "FINGERPOST_"); ours && !known[short] {
				t.Errorf("%s: the program does not read %s", name, key)
			}
		}
		if r := s.role(); r != "" {
			roles = append(roles, r)
			if r != name {
				t.Errorf("service %s runs role %s", name, r)
			}
		}
	}
	var want []string
	for _, r := range workers.Roles {
		want = append(want, string(r))
	}
	slices.Sort(roles)
	slices.Sort(want)
	if !slices.Equal(roles, want) {
		t.Errorf("containers for roles %v, the program has %v", roles, want)
	}
}

// The core carries no profile; what is by profile is what people look for under that name, and nothing of the core needs it.
func TestProfiles(t *testing.T) {
	by := map[string][]string{}
	all := compose(t).Services
	for name, s := range all {
		for _, p := range s.Profiles {
			by[p] = append(by[p], name)
		}
		for on := range s.DependsOn {
			if len(s.Profiles) == 0 && len(all[on].Profiles) > 0 {
				t.Errorf("%s waits for %s, which starts by a profile only", name, on)
			}
		}
	}
	slices.Sort(by["obs"])
	want := map[string][]string{"demo": {"demo"}, "gpu": {"ollama-gpu"}, "obs": {"grafana", "prometheus"}}
	if !maps.EqualFunc(by, want, slices.Equal) {
		t.Errorf("profiles %v, want %v", by, want)
	}
	var conf struct {
		Scrape []struct {
			DNS []struct{ Names []string } `yaml:"dns_sd_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal([]byte(read(t, testenv.Root(), "deploy", "compose", "prometheus.yml")), &conf); err != nil {
		t.Fatal(err)
	}
	var scraped []workers.Role
	for _, name := range conf.Scrape[0].DNS[0].Names {
		scraped = append(scraped, workers.Role(name))
	}
	if !slices.Equal(scraped, workers.Roles) {
		t.Errorf("Prometheus scrapes %v, the roles are %v", scraped, workers.Roles)
	}
}

// What runs on has a health check and starts again; everything has limits, is ordered after what it needs, and is
// published on loopback only.
func TestServices(t *testing.T) {
	f := compose(t)
	for name, s := range f.Services {
		l := s.Deploy.Resources.Limits
		if l.CPUs == "" || l.Memory == "" {
			t.Errorf("%s has no limits", name)
		}
		if s.Restart == "unless-stopped" && s.Healthcheck == nil {
			t.Errorf("%s has no health check", name)
		}
		for _, p := range s.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:") {
				t.Errorf("%s publishes %s beyond loopback", name, p)
			}
		}
		for on, d := range s.DependsOn {
			if d.Condition == "service_healthy" && f.Services[on].Healthcheck == nil {
				t.Errorf("%s waits for the health of %s, which has no check", name, on)
			}
			if d.Condition == "service_completed_successfully" && f.Services[on].Restart == "unless-stopped" {
				t.Errorf("%s waits for the end of %s, which does not end", name, on)
			}
		}
		for _, v := range append(s.Volumes, s.EnvFile...) {
			host, _, _ := strings.Cut(v, ":")
			if !strings.Contains(host, "/") {
				continue
			}
			if _, err := os.Stat(filepath.Join(testenv.Root(), host)); err != nil {
				t.Errorf("%s mounts %s: %v", name, host, err)
			}
		}
	}
	if !f.Networks["back"].Internal {
		t.Error("network back has a way out")
	}
}

// checkers are the commands of health checks that an image has, as far as its makers publish it (no image was started here):
// those on Alpine or busybox have busybox's wget; MinIO's brings mc, whose alias `local` is its own server; of Ollama's only
// its own program is counted on.
var checkers = map[string][]string{
	"fingerpost":                {"wget"}, // deploy/Dockerfile: busybox
	"nats":                      {"wget"}, // the tag -alpine; the plain tag is made from scratch
	"minio/minio":               {"mc"},
	"semitechnologies/weaviate": {"wget"},
	"ollama/ollama":             {"ollama"},
	"prom/prometheus":           {"wget"},
	"grafana/grafana":           {"wget"}, // Alpine
}

// A health check runs a command, without a shell, that its image has.
func TestHealthCommandsAreInTheirImages(t *testing.T) {
	for name, s := range compose(t).Services {
		if s.Healthcheck == nil || len(s.Healthcheck.Test) == 0 {
			continue
		}
		image, tag, _ := strings.Cut(s.Image, ":")
		if test := s.Healthcheck.Test; len(test) < 2 || test[0] != "CMD" || !slices.Contains(checkers[image], test[1]) {
			t.Errorf("%s: %s is not known to have the command of %q", name, s.Image, test)
		}
		if image == "nats" && !strings.HasSuffix(tag, "-alpine") {
			t.Errorf("%s: %s has no wget", name, s.Image)
		}
	}
}

// No secret stands in a file: it comes from one that make-secrets has made.
func TestNoSecretInFiles(t *testing.T) {
	secret := regexp.MustCompile(`(?i)(password|secret|token|access_key|api_key)`)
	role := secrets(t, t.TempDir())
	for name, s := range compose(t).Services {
		for key, v := range s.Environment {
			if !secret.MatchString(key) {
				continue
			}
			made, found := strings.CutPrefix(v, "/secrets/")
			if !strings.HasSuffix(key, "_FILE") || !found {
				t.Errorf("%s: %s is %q", name, key, v)
			} else if _, err := os.Stat(filepath.Join(role, "role", made)); err != nil {
				t.Errorf("%s: %s: %v", name, key, err)
			}
		}
	}
	for key := range environment(read(t, testenv.Root(), "deploy", "minio", "minio.env")) {
		if secret.MatchString(key) {
			t.Errorf("minio.env holds %s", key)
		}
	}
}

// environment reads an env file.
func environment(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(k, "#") {
			out[k] = v
		}
	}
	return out
}

// minioEnv is the setting of one of MinIO's targets.
func minioEnv(t *testing.T, key, target string) string {
	t.Helper()
	return environment(read(t, testenv.Root(), "deploy", "minio", "minio.env"))["MINIO_NOTIFY_NATS_"+key+"_"+target]
}

// MinIO reports to two targets, one with a queue on a volume and one without: it refuses one whose queue it cannot write.
func TestKnown9TheQueueIsOnAWritableVolume(t *testing.T) {
	queue, fast := minioEnv(t, "QUEUE_DIR", "SAFE"), minioEnv(t, "QUEUE_DIR", "FAST")
	if queue == "" || fast != "" {
		t.Fatal("SAFE must have a queue, FAST must not")
	}
	if !slices.ContainsFunc(compose(t).Services["minio"].Volumes, func(v string) bool {
		return strings.HasSuffix(v, ":/"+strings.Split(queue, "/")[1])
	}) {
		t.Errorf("queue %s is on no writable volume", queue)
	}
}

// Without JetStream MinIO forgets an event before anybody has it.
func TestKnown12TargetsUseJetStream(t *testing.T) {
	for _, target := range []string{"SAFE", "FAST"} {
		for key, want := range map[string]string{"ENABLE": "on", "ADDRESS": "nats:4222", "SUBJECT": "fp.events.minio", "JETSTREAM": "on", "USERNAME": "minio"} {
			if got := minioEnv(t, key, target); got != want {
				t.Errorf("%s of %s is %q, want %q", key, target, got, want)
			}
		}
	}
}

// A MinIO of before this release gives up on a NATS that is away for five minutes.
func TestKnown3TheOldestMinIO(t *testing.T) {
	const oldest = "RELEASE.2022-12-02T19-19-22Z"
	if !strings.Contains(read(t, testenv.Root(), "deploy", "README.md"), oldest) {
		t.Errorf("README does not name %s", oldest)
	}
	_, ours, _ := strings.Cut(compose(t).Services["minio"].Image, ":")
	if ours < oldest {
		t.Errorf("compose runs MinIO %s", ours)
	}
}

// The service setup makes the buckets of the compose file's sources with a rule for each target of minio.env.
func TestRulesAreSet(t *testing.T) {
	s := compose(t).Services["setup"]
	if len(s.Command) == 0 || s.Command[0] != "setup" || s.Restart != "on-failure:20" {
		t.Fatalf("service setup runs %q, restart %s", s.Command, s.Restart)
	}
	var targets []string
	for _, id := range []string{"SAFE", "FAST"} {
		if minioEnv(t, "ENABLE", id) == "on" {
			targets = append(targets, "arn:minio:sqs::"+id+":nats")
		}
	}
	c := workers.Defaults()
	if err := c.Load(filepath.Join(testenv.Root(), "deploy", "compose", "fingerpost.yaml"), true); err != nil {
		t.Fatal(err)
	}
	minio := miniotest.Start(t, "", targets...)
	c.Data, c.Embedder = t.TempDir(), "none"
	c.Servers = workers.Servers{NATS: workers.NATS{URLs: []string{natstest.Start(t).URL()}}, S3: workers.S3{Endpoint: minio.URL, AccessKey: "a", SecretKey: "b"}}
	if err := workers.Setup(t.Context(), c, workers.SetupOptions{Versions: true, Say: func(workers.Step) {}}, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	for _, target := range targets {
		if !strings.Contains(minio.Rules(c.Sources[0].Bucket), target) {
			t.Errorf("no rule for %s", target)
		}
	}
}

func TestConfigurationIsRead(t *testing.T) {
	c := workers.Defaults()
	if err := c.Load(filepath.Join(testenv.Root(), "deploy", "compose", "fingerpost.yaml"), true); err != nil {
		t.Fatal(err)
	}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	conf := read(t, testenv.Root(), "deploy", "nats", "accounts.conf")
	for _, tenant := range c.Tenants() {
		if !strings.Contains(conf, `publish: ["fingerpost.`+string(tenant)+`.>"]`) {
			t.Errorf("tenant %s has no user in NATS", tenant)
		}
	}
}
