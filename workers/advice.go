package workers

import (
	"crypto/x509"
	"errors"
	"fmt"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/embedding/remote"
	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// advice is what to do about an error of a server, most special first. Doctor, setup and every worker that cannot start say
// the same.
var advice = []struct {
	is   error
	does string
}{
	{bus.ErrDenied, "check servers.nats (creds, nkey, user and password, or token) and what that user may do: publish to fp.>, fingerpost.>, $JS.API.> and $KV.>, subscribe to those and _INBOX.>"},
	{bus.ErrAway, "is NATS with JetStream running at servers.nats.urls?"},
	{blob.ErrSkew, "set both clocks by NTP"},
	{blob.ErrKeys, "check servers.s3.access_key, secret_key and session_token"},
	{blob.ErrDenied, "the keys are good but lack a right on this bucket: to list it, and to read, write and delete its objects"},
	{blob.ErrNoBucket, "make the bucket, or take it out of sources"},
	{blob.ErrAway, "is the object store running at servers.s3.endpoint?"},
	{blob.ErrFull, "free space in the object store; work waits and goes on by itself"},
	{vector.ErrNewer, "run the version of the program that made it, or name another Weaviate in servers.weaviate.url"},
	{vector.ErrDenied, "check servers.weaviate.api_key"},
	{vector.ErrReadOnly, "Weaviate closes itself to writes when its disk or memory is nearly full: free some, then set its shards READY or restart it; work waits and goes on by itself"},
	{vector.ErrNoRoom, "free disk or memory of Weaviate; work waits and goes on by itself"},
	{vector.ErrAway, "is Weaviate running at servers.weaviate.url?"},
	{remote.ErrModel, "or name a model that the server has; documents are found by words until then"},
	{remote.ErrAway, "is the embedding server running at its URL in servers?"},
	{remote.ErrBusy, "the embedding server has too much to do; give it fewer clients"},
	{llm.ErrModel, "or name a model that the server has; until then answers are built by code"},
	{llm.ErrAway, "is the model's server running at its URL in servers, and is its key right? Until then answers are built by code"},
}

// advised is err with what to do about it, where that is known. A nil err stays nil.
func advised(err error) error {
	if err == nil {
		return nil
	}
	if what := certificate(err); what != "" {
		return fmt.Errorf("%w; %s", err, what)
	}
	for _, a := range advice {
		if errors.Is(err, a.is) {
			return fmt.Errorf("%w; %s", err, a.does)
		}
	}
	return err
}

// certificate is what to do about a server's certificate; "" when nothing is wrong with one.
func certificate(err error) string {
	text := err.Error()
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, name := errors.AsType[x509.HostnameError](err)
	switch {
	case strings.Contains(text, "x509: certificate has expired or is not yet valid"):
		return "renew the server's certificate; if it is good, set this machine's clock"
	case authority || strings.Contains(text, "x509: certificate signed by unknown authority"):
		return "the server's certificate is of an authority that this machine does not know: add it to the system's roots, for NATS to servers.nats.ca"
	case name || strings.Contains(text, "x509: certificate is valid for"):
		return "use a name that stands in the server's certificate"
	}
	return ""
}
