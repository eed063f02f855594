package s3

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/blob"
)

// Queue is one notification target of a MinIO, by its metrics.
type Queue struct {
	Target  string // "SAFE:nats", as in its ARN
	Length  int    // events that wait in its queue folder
	Failed  int    // events that it could not send, since the server started
	Skipped int    // events that the server dropped because too many were on their way; of all targets
}

// mostMetrics is the bytes of metrics that are read.
const mostMetrics = 8 << 20

// Queues reads the metrics of a MinIO about its notification targets; none when it has no targets. blob.ErrUnsupported: the
// store has no such metrics, or does not show them to these keys.
func (s *Store) Queues(ctx context.Context) ([]Queue, error) {
	for _, page := range []string{"cluster", "node"} { // versions differ in where they stand
		text, err := s.metrics(ctx, page)
		if err != nil {
			return nil, err
		}
		if q := readQueues(text); len(q) > 0 {
			return q, nil
		}
	}
	return nil, nil
}

func (s *Store) metrics(ctx context.Context, page string) (string, error) {
	u := s.core.EndpointURL().JoinPath("minio", "v2", "metrics", page)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", err
	}
	if s.conf.AccessKey != "" {
		r.Header.Set("Authorization", "Bearer "+bearer(s.conf.AccessKey, s.conf.SecretKey, time.Now()))
	}
	resp, err := s.transport.RoundTrip(r)
	if err != nil {
		return "", fmt.Errorf("metrics of the store: %w: %w", blob.ErrAway, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("metrics of the store: status %d: %w", resp.StatusCode, blob.ErrUnsupported)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, mostMetrics))
	if err != nil {
		return "", fmt.Errorf("metrics of the store: %w: %w", blob.ErrAway, err)
	}
	return string(b), nil
}

// bearer is the token by which MinIO lets the owner of keys read its metrics, as `mc admin prometheus generate` makes it:
// a JSON Web Token, HMAC-SHA-512 by the secret key; good for a minute.
func bearer(access, secret string, now time.Time) string {
	part := func(v any) string {
		b, _ := json.Marshal(v) // maps of strings and numbers are always written
		return base64.RawURLEncoding.EncodeToString(b)
	}
	text := part(map[string]any{"alg": "HS512", "typ": "JWT"}) + "." +
		part(map[string]any{"exp": now.Add(time.Minute).Unix(), "iss": "prometheus", "sub": access})
	mac := hmac.New(sha512.New, []byte(secret))
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

var (
	sample = regexp.MustCompile(`^(minio_notify_[a-z_]+)(?:\{(.*)\})? ([0-9.eE+-]+)$`)
	label  = regexp.MustCompile(`(target_id|target_name)="([^"]*)"`)
)

// readQueues reads the lines of Prometheus' text format that are about targets; of several servers the sums.
func readQueues(text string) (out []Queue) {
	at := map[string]int{}
	skipped := 0
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		m := sample.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		f, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			continue
		}
		if m[1] == "minio_notify_events_skipped_total" {
			skipped += int(f)
			continue
		}
		name := targetOf(m[2])
		if name == "" || m[1] != "minio_notify_target_queue_length" && m[1] != "minio_notify_target_failed_events" {
			continue
		}
		if _, ok := at[name]; !ok {
			at[name] = len(out)
			out = append(out, Queue{Target: name})
		}
		if q := &out[at[name]]; m[1] == "minio_notify_target_queue_length" {
			q.Length += int(f)
		} else {
			q.Failed += int(f)
		}
	}
	for i := range out {
		out[i].Skipped = skipped
	}
	return out
}

// targetOf is "id:name" of a line's labels.
func targetOf(labels string) string {
	parts := map[string]string{}
	for _, m := range label.FindAllStringSubmatch(labels, -1) {
		parts[m[1]] = m[2]
	}
	return strings.Trim(parts["target_id"]+":"+parts["target_name"], ":")
}
