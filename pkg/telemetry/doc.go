// Package telemetry is what the program tells about itself while it runs: metrics for Prometheus and spans for an
// OpenTelemetry collector. Only this package knows those two libraries; others are given its narrow methods as hooks.
//
// Metrics keep to Prometheus's conventions: base units (seconds, bytes), counters end in _total, and every label has a
// small fixed set of values. No document, key or tenant is a label. Spans may name documents; texts and questions are
// never in them.
package telemetry
