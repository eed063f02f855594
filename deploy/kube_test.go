package deploy_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// decoder builds deploy/kube, which is a module of its own: the types of Kubernetes are no part of the program.
func decoder(t *testing.T) func(objects string) (string, error) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "kube")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = filepath.Join(testenv.Root(), "deploy", "kube")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return func(objects string) (string, error) {
		cmd := exec.Command(binary)
		cmd.Stdin = strings.NewReader(objects)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

// What the chart makes of each set of values fits the types of Kubernetes, KEDA and the Prometheus operator: no field is
// misspelt, stands twice, or has another type.
func TestChartIsStrict(t *testing.T) {
	testenv.Slow(t, "compiles the types of Kubernetes")
	decode := decoder(t)
	for _, c := range valueSets {
		out, err := helm(t, "template", c.values)
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, out)
		}
		said, err := decode(out)
		if err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, said)
		}
		if n := strings.Count(said, "Deployment "); n != 7 {
			t.Errorf("%s: %d deployments", c.name, n)
		}
	}
	for name, object := range map[string]string{
		"a misspelt field":          "apiVersion: v1\nkind: Service\nmetadata: {name: x}\nspec: {selectors: {a: b}}",
		"a field that stands twice": "apiVersion: v1\nkind: Service\nmetadata: {name: x}\nspec: {clusterIP: None}\nspec: {}",
		"a number for a text":       "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: x}\nspec: {scaleTargetRef: {name: x}, triggers: [{type: cron, metadata: {a: 1}}]}",
		"another kind":              "apiVersion: batch/v1\nkind: Gadget\nmetadata: {name: x}",
	} {
		if out, err := decode(object); err == nil {
			t.Errorf("%s passes: %s", name, out)
		}
	}
}
