// Command kube decodes the Kubernetes objects on its standard input strictly, each into the type that the cluster has for
// it: a field that is misspelt, stands twice or has another type is an error. It is a module of its own, so that these
// types are no part of the program.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"
)

// types is what each kind is decoded into.
var types = map[string]func() any{
	"apps/v1 Deployment":                      func() any { return new(apps.Deployment) },
	"batch/v1 CronJob":                        func() any { return new(batch.CronJob) },
	"batch/v1 Job":                            func() any { return new(batch.Job) },
	"v1 ConfigMap":                            func() any { return new(core.ConfigMap) },
	"v1 Service":                              func() any { return new(core.Service) },
	"policy/v1 PodDisruptionBudget":           func() any { return new(policy.PodDisruptionBudget) },
	"networking.k8s.io/v1 NetworkPolicy":      func() any { return new(networking.NetworkPolicy) },
	"monitoring.coreos.com/v1 ServiceMonitor": func() any { return new(monitoring.ServiceMonitor) },
	"monitoring.coreos.com/v1 PodMonitor":     func() any { return new(monitoring.PodMonitor) },
	"monitoring.coreos.com/v1 PrometheusRule": func() any { return new(monitoring.PrometheusRule) },
	"keda.sh/v1alpha1 ScaledObject":           func() any { return new(ScaledObject) },
}

func main() {
	if err := check(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// check decodes every document of a stream.
func check(in io.Reader) error {
	var errs []error
	for r := yaml.NewYAMLReader(bufio.NewReader(in)); ; {
		doc, err := r.Read()
		if errors.Is(err, io.EOF) {
			return errors.Join(errs...)
		}
		if err != nil {
			return err
		}
		if err := decode(doc); err != nil {
			errs = append(errs, err)
		}
	}
}

func decode(doc []byte) error {
	var head struct {
		meta.TypeMeta `json:",inline"`
		Metadata      meta.ObjectMeta `json:"metadata"`
	}
	if err := strict.Unmarshal(doc, &head); err != nil {
		return fmt.Errorf("%w in\n%s", err, doc)
	}
	if head.Kind == "" && strings.TrimSpace(strings.ReplaceAll(string(doc), "---", "")) == "" {
		return nil
	}
	make, ok := types[head.APIVersion+" "+head.Kind]
	if !ok {
		return fmt.Errorf("%s %s is no kind that the chart makes", head.APIVersion, head.Kind)
	}
	raw, err := strict.YAMLToJSONStrict(doc) // without the type: a number stays one, as for the cluster
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		err = d.Decode(make())
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", head.Kind, head.Metadata.Name, err)
	}
	fmt.Println(head.Kind, head.Metadata.Name)
	return nil
}
