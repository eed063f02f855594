// Package s3 is the blob port over the S3 protocol: MinIO, AWS, versitygw, Ceph, RustFS,
// SeaweedFS and the embedded gateway. It does not retry; what could be tried again (ErrAway) comes back
// up to 0.2 s late, because the client library waits even before the retry that it then leaves out.
package s3

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/encrypt"

	"github.com/fingerpost/fingerpost/pkg/blob"
)

// Config says where the store is and who asks.
type Config struct {
	Endpoint     string // host:port, or a URL whose scheme then decides about TLS
	AccessKey    string // with SecretKey empty: the AWS environment, files and instance role are asked
	SecretKey    string
	SessionToken string      // of temporary keys, else ""
	Region       string      // "": us-east-1, and for AWS what the bucket says
	Secure       bool        // TLS; a scheme in Endpoint wins
	TLS          *tls.Config // own roots or client certificates; nil for the system's
	Style        Style
	// Encryption that uploads ask for: "", AES256, aws:kms, or aws:kms:<key>. To read, the store asks for none; objects whose
	// key the client must bring (SSE-C) cannot be read.
	Encryption string
}

// Style is how the bucket stands in the address.
type Style string

// The styles. The zero Style is Auto.
const (
	Auto    Style = ""        // virtual for AWS and its like, path elsewhere
	Path    Style = "path"    // http://host/bucket/key
	Virtual Style = "virtual" // http://bucket.host/key
)

// Store is a blob.Store over one S3 endpoint.
type Store struct {
	core      minio.Core
	transport *http.Transport
	host      string
	options   minio.Options // of a further client of the same store
	sse       encrypt.ServerSide
	conf      Config
}

var _ blob.Store = (*Store)(nil)

// New checks c and prepares a client; it does not call the store yet.
func New(c Config) (*Store, error) {
	host, secure, err := c.address()
	if err != nil {
		return nil, err
	}
	lookup, ok := map[Style]minio.BucketLookupType{
		Auto: minio.BucketLookupAuto, Path: minio.BucketLookupPath, Virtual: minio.BucketLookupDNS,
	}[c.Style]
	if !ok {
		return nil, fmt.Errorf("s3 style %q is neither %q nor %q", c.Style, Path, Virtual)
	}
	sse, err := c.encryption()
	if err != nil {
		return nil, err
	}
	region := c.Region
	if region == "" && !strings.Contains(host, ".amazonaws.com") {
		region = "us-east-1" // else each bucket costs a request for its location
	}
	tr := transport(c.TLS)
	options := minio.Options{
		Creds: c.credentials(), Secure: secure, Transport: tr, Region: region, BucketLookup: lookup,
		MaxRetries: 1, // the first try counts
	}
	client, err := minio.New(host, &options)
	if err != nil {
		return nil, fmt.Errorf("s3 endpoint %s: %w", host, err)
	}
	return &Store{core: minio.Core{Client: client}, transport: tr, host: host, options: options, sse: sse, conf: c}, nil
}

// encryption is what uploads ask for; nil for nothing.
func (c Config) encryption() (encrypt.ServerSide, error) {
	key, ok := strings.CutPrefix(c.Encryption, "aws:kms")
	switch {
	case c.Encryption == "":
		return nil, nil
	case c.Encryption == "AES256":
		return encrypt.NewSSE(), nil
	case ok && (key == "" || strings.HasPrefix(key, ":")):
		return encrypt.NewSSEKMS(strings.TrimPrefix(key, ":"), nil)
	}
	return nil, fmt.Errorf("s3 encryption %q is none of AES256, aws:kms, aws:kms:<key>", c.Encryption)
}

// Close drops the idle connections. The Store can still be used.
func (s *Store) Close() { s.transport.CloseIdleConnections() }

// address splits the endpoint into host:port and whether it speaks TLS.
func (c Config) address() (host string, secure bool, err error) {
	if c.Endpoint == "" {
		return "", false, fmt.Errorf("s3 endpoint is empty: give host:port or a URL")
	}
	if !strings.Contains(c.Endpoint, "://") {
		return c.Endpoint, c.Secure, nil
	}
	u, err := url.Parse(c.Endpoint)
	switch {
	case err != nil:
		return "", false, fmt.Errorf("s3 endpoint: %w", err)
	case u.Scheme != "http" && u.Scheme != "https":
		return "", false, fmt.Errorf("s3 endpoint %s: the scheme is neither http nor https", c.Endpoint)
	case u.Host == "" || strings.Trim(u.Path, "/") != "":
		return "", false, fmt.Errorf("s3 endpoint %s: give scheme, host and port only", c.Endpoint)
	}
	return u.Host, u.Scheme == "https", nil
}

func (c Config) credentials() *credentials.Credentials {
	if c.AccessKey != "" || c.SecretKey != "" {
		return credentials.NewStaticV4(c.AccessKey, c.SecretKey, c.SessionToken)
	}
	return credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{},
	})
}

// transport keeps connections open: a connection a request costs more than the request on loopback.
func transport(t *tls.Config) *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSClientConfig:       t,
		TLSHandshakeTimeout:   10 * time.Second,
		MaxIdleConns:          256,
		MaxIdleConnsPerHost:   128,
		IdleConnTimeout:       60 * time.Second,
		ResponseHeaderTimeout: 2 * time.Minute, // completing a large multipart upload takes long
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true, // an object with Content-Encoding: gzip is read as it is stored
		WriteBufferSize:       64 << 10,
		ReadBufferSize:        64 << 10,
	}
}

// MakeBucket makes the bucket in the configured region.
func (s *Store) MakeBucket(ctx context.Context, bucket string) error {
	err := s.core.MakeBucket(ctx, bucket, minio.MakeBucketOptions{})
	switch minio.ToErrorResponse(err).Code {
	case "BucketAlreadyOwnedByYou":
		return nil
	case "BucketAlreadyExists": // ours or another's
		if ok, e := s.core.BucketExists(ctx, bucket); e == nil && ok {
			return nil
		}
		return fmt.Errorf("make bucket %s: it belongs to another account: %w", bucket, blob.ErrDenied)
	case "AccessDenied": // keys that may use a bucket need not be allowed to make one
		if ok, e := s.core.BucketExists(ctx, bucket); e == nil && ok {
			return nil
		}
	}
	return wrap(ctx, err, "make bucket "+bucket)
}
