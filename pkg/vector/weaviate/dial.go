package weaviate

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"github.com/weaviate/weaviate-go-client/v4/weaviate"
	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
)

// Config says where the server is.
type Config struct {
	URL    string // http://host:8080 or https://host
	GRPC   string // host:50051, with TLS when URL is https; "": REST and GraphQL only
	APIKey string // "": anonymous
	// Prefix begins the names of our classes: a capital letter, then letters and digits; "" is Fingerpost.
	Prefix   string
	Replicas int           // of each class, when it is made; 0: the server's default
	Timeout  time.Duration // of one request; 0: 90 s, above the server's own 60 s
	TLS      *tls.Config   // nil: the system's roots
}

// The bounds of a connection.
const (
	defaultPrefix  = "Fingerpost"
	defaultTimeout = 90 * time.Second
	maxMessage     = 64 << 20 // bytes; the server's own limit is 100 MB
)

// minimum is the oldest server that knows the requests we send.
var minimum = [2]int{1, 27}

var prefixes = regexp.MustCompile(`^[A-Z][A-Za-z0-9]{0,63}$`)

// dial makes the clients; nothing is sent.
func (x *Index) dial() error {
	c := &x.conf
	if c.Prefix == "" {
		c.Prefix = defaultPrefix
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("address %q is not http://host:port or https://host:port", c.URL)
	}
	if !prefixes.MatchString(c.Prefix) {
		return fmt.Errorf("prefix %q of class names is not a capital letter with letters and digits", c.Prefix)
	}
	x.http = http.DefaultTransport.(*http.Transport).Clone()
	x.http.TLSClientConfig, x.http.MaxIdleConnsPerHost = c.TLS, 32
	conf := weaviate.Config{Host: u.Host, Scheme: u.Scheme, ConnectionClient: &http.Client{Transport: x.http, Timeout: c.Timeout}}
	if c.APIKey != "" {
		conf.Headers = map[string]string{"Authorization": "Bearer " + c.APIKey}
	}
	if x.rest, err = weaviate.NewClient(conf); err != nil {
		return err
	}
	if c.GRPC == "" {
		x.wire = &restWire{x.rest}
		return nil
	}
	return x.dialGRPC(u.Scheme == "https")
}

// dialGRPC makes our own gRPC connection, because the client's does not verify certificates and sends no searches.
func (x *Index) dialGRPC(secure bool) error {
	creds := insecure.NewCredentials()
	if secure {
		creds = credentials.NewTLS(x.conf.TLS)
	}
	conn, err := grpc.NewClient(x.conf.GRPC, grpc.WithTransportCredentials(creds), grpc.WithUnaryInterceptor(x.call),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: .2, MaxDelay: 2 * time.Second}, MinConnectTimeout: 5 * time.Second}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: time.Minute, Timeout: 20 * time.Second}))
	if err != nil {
		return err
	}
	x.wire, x.closed = &grpcWire{pb.NewWeaviateClient(conn)}, conn.Close
	return nil
}

// call gives every gRPC call its key and its time.
func (x *Index) call(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	ctx, cancel := context.WithTimeout(ctx, x.conf.Timeout)
	defer cancel()
	if x.conf.APIKey != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+x.conf.APIKey)
	}
	return invoke(ctx, method, req, reply, conn, opts...)
}

// greet checks that a server of the right age answers.
func (x *Index) greet(ctx context.Context) error {
	m, err := x.rest.Misc().MetaGetter().Do(ctx)
	if err != nil {
		return explain(ctx, err)
	}
	if v := version(m.Version); v[0] < minimum[0] || v[0] == minimum[0] && v[1] < minimum[1] {
		return fmt.Errorf("it is Weaviate %q; %d.%d is the oldest that works", m.Version, minimum[0], minimum[1])
	}
	x.server = m.Version
	return nil
}

var numbers = regexp.MustCompile(`^v?(\d{1,6})\.(\d{1,6})`)

// version is major and minor of "1.35.2"; zeros when s is none.
func version(s string) (v [2]int) {
	m := numbers.FindStringSubmatch(s)
	for i := range min(len(v), max(0, len(m)-1)) {
		v[i], _ = strconv.Atoi(m[i+1])
	}
	return v
}
