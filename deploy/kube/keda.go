package main

import meta "k8s.io/apimachinery/pkg/apis/meta/v1"

// ScaledObject is keda.sh/v1alpha1 as KEDA documents it, as far as a chart may use it: KEDA's own module would bring its
// whole operator along.
type ScaledObject struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            ScaledObjectSpec `json:"spec"`
}

// ScaledObjectSpec is how a workload is scaled.
type ScaledObjectSpec struct {
	ScaleTargetRef        ScaleTarget    `json:"scaleTargetRef"`
	PollingInterval       *int32         `json:"pollingInterval,omitempty"`
	InitialCooldownPeriod *int32         `json:"initialCooldownPeriod,omitempty"`
	CooldownPeriod        *int32         `json:"cooldownPeriod,omitempty"`
	IdleReplicaCount      *int32         `json:"idleReplicaCount,omitempty"`
	MinReplicaCount       *int32         `json:"minReplicaCount,omitempty"`
	MaxReplicaCount       *int32         `json:"maxReplicaCount,omitempty"`
	Advanced              map[string]any `json:"advanced,omitempty"`
	Triggers              []Trigger      `json:"triggers"`
	Fallback              *Fallback      `json:"fallback,omitempty"`
}

// ScaleTarget names the workload.
type ScaleTarget struct {
	Name                   string `json:"name"`
	APIVersion             string `json:"apiVersion,omitempty"`
	Kind                   string `json:"kind,omitempty"`
	EnvSourceContainerName string `json:"envSourceContainerName,omitempty"`
}

// Fallback is what is done when a trigger cannot be asked.
type Fallback struct {
	FailureThreshold int32  `json:"failureThreshold"`
	Replicas         int32  `json:"replicas"`
	Behavior         string `json:"behavior,omitempty"`
}

// Trigger is what is watched; every value of its metadata is a string.
type Trigger struct {
	Type              string            `json:"type"`
	Name              string            `json:"name,omitempty"`
	UseCachedMetrics  bool              `json:"useCachedMetrics,omitempty"`
	Metadata          map[string]string `json:"metadata"`
	AuthenticationRef *struct {
		Name string `json:"name"`
		Kind string `json:"kind,omitempty"`
	} `json:"authenticationRef,omitempty"`
	MetricType string `json:"metricType,omitempty"`
}
