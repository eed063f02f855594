package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/notification"

	"github.com/fingerpost/fingerpost/pkg/blob"
)

var _ blob.Ruler = (*Store)(nil)

// wanted are the events of our rule. Reads are left out: our own HEAD would answer each with the next one.
var wanted = []notification.EventType{notification.ObjectCreatedAll, notification.ObjectRemovedAll}

// Rules is the bucket's notification rules, those of other programs too.
func (s *Store) Rules(ctx context.Context, bucket string) ([]blob.Rule, error) {
	conf, err := s.core.GetBucketNotification(ctx, bucket)
	if err != nil {
		return nil, wrapRule(ctx, err, "rules of bucket "+bucket)
	}
	var rules []blob.Rule
	for _, c := range conf.QueueConfigs {
		rules = append(rules, rule(c.Queue, c.Config))
	}
	for _, c := range conf.TopicConfigs {
		rules = append(rules, rule(c.Topic, c.Config))
	}
	for _, c := range conf.LambdaConfigs {
		rules = append(rules, rule(c.Lambda, c.Config))
	}
	return rules, nil
}

func rule(target string, c notification.Config) blob.Rule {
	r := blob.Rule{Target: target}
	for _, e := range c.Events {
		r.Events = append(r.Events, string(e))
	}
	if c.Filter != nil {
		for _, f := range c.Filter.S3Key.FilterRules {
			switch strings.ToLower(f.Name) {
			case "prefix":
				r.Prefix = f.Value
			case "suffix":
				r.Suffix = f.Value
			}
		}
	}
	return r
}

// AddRule implements blob.Ruler. It reads the rule back: some stores take what they do not keep.
func (s *Store) AddRule(ctx context.Context, bucket, target string) (bool, error) {
	what := fmt.Sprintf("rule of bucket %s for %s", bucket, target)
	arn, err := notification.NewArnFromString(target)
	if err != nil {
		return false, fmt.Errorf("%s: %w", what, err)
	}
	if arn.Partition == "aws" || strings.HasSuffix(s.core.EndpointURL().Hostname(), ".amazonaws.com") { // the client library would drop the bucket's EventBridge setting
		return false, fmt.Errorf("%s: rules of AWS are set by its own tools: %w", what, blob.ErrUnsupported)
	}
	conf, err := s.core.GetBucketNotification(ctx, bucket)
	if err != nil {
		return false, wrapRule(ctx, err, what)
	}
	if slices.ContainsFunc(conf.QueueConfigs, func(q notification.QueueConfig) bool { return tellsAll(q, target) }) {
		return false, nil
	}
	// A rule of ours that tells of less, as an older one may, gives way to the whole one.
	conf.QueueConfigs = slices.DeleteFunc(conf.QueueConfigs, func(q notification.QueueConfig) bool {
		return sameTarget(q.Queue, target) && unfiltered(q)
	})
	c := notification.NewConfig(arn)
	c.AddEvents(wanted...)
	conf.QueueConfigs = append(conf.QueueConfigs, notification.QueueConfig{Config: c, Queue: target})
	if err := s.core.SetBucketNotification(ctx, bucket, conf); err != nil {
		return false, wrapRule(ctx, err, what+others(conf, target))
	}
	back, err := s.core.GetBucketNotification(ctx, bucket)
	if err != nil {
		return true, wrapRule(ctx, err, what)
	}
	if !slices.ContainsFunc(back.QueueConfigs, func(q notification.QueueConfig) bool { return tellsAll(q, target) }) {
		return false, fmt.Errorf("%s: the store took it and does not show it: %w", what, blob.ErrUnsupported)
	}
	return true, nil
}

// others names the other targets of a bucket: a store refuses a whole configuration for one target that it no longer knows.
func others(c notification.Configuration, target string) string {
	var names []string
	for _, q := range c.QueueConfigs {
		if !sameTarget(q.Queue, target) {
			names = append(names, q.Queue)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " beside those for " + strings.Join(names, ", ")
}

// RemoveRules implements blob.Ruler.
func (s *Store) RemoveRules(ctx context.Context, bucket, target string) (int, error) {
	what := fmt.Sprintf("rule of bucket %s for %s", bucket, target)
	conf, err := s.core.GetBucketNotification(ctx, bucket)
	if err != nil {
		return 0, wrapRule(ctx, err, what)
	}
	before := len(conf.QueueConfigs)
	conf.QueueConfigs = slices.DeleteFunc(conf.QueueConfigs, func(q notification.QueueConfig) bool { return sameTarget(q.Queue, target) })
	n := before - len(conf.QueueConfigs)
	if n == 0 {
		return 0, nil
	}
	return n, wrapRule(ctx, s.core.SetBucketNotification(ctx, bucket, conf), what+others(conf, target))
}

// sameTarget reports whether two ARNs name one target: a store may add its region to what was asked for.
func sameTarget(a, b string) bool {
	x, err1 := notification.NewArnFromString(a)
	y, err2 := notification.NewArnFromString(b)
	if err1 != nil || err2 != nil {
		return a == b
	}
	if x.Region == "" || y.Region == "" {
		x.Region, y.Region = "", ""
	}
	return x == y
}

// tellsAll reports whether the rule tells the target of every object that is made or removed.
func tellsAll(q notification.QueueConfig, target string) bool {
	if !sameTarget(q.Queue, target) || !unfiltered(q) {
		return false
	}
	for _, e := range wanted {
		if !slices.Contains(q.Events, e) {
			return false
		}
	}
	return true
}

func unfiltered(q notification.QueueConfig) bool {
	r := rule(q.Queue, q.Config)
	return r.Prefix == "" && r.Suffix == ""
}

// wrapRule words what stores say about rules: a 405 is no delete marker here, and MinIO's 400 names no code of its own.
func wrapRule(ctx context.Context, err error, what string) error {
	r, ok := errors.AsType[minio.ErrorResponse](err)
	switch {
	case !ok || ctx.Err() != nil:
	case r.StatusCode == http.StatusMethodNotAllowed:
		return fmt.Errorf("%s: %w: %w", what, blob.ErrUnsupported, err)
	case r.StatusCode == http.StatusBadRequest && strings.Contains(r.Message, "destination ARN"):
		return fmt.Errorf("%s: %w: %w", what, blob.ErrNoTarget, err)
	}
	return wrap(ctx, err, what)
}
