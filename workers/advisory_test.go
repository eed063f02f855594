package workers

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	busnats "github.com/fingerpost/fingerpost/pkg/bus/nats"
)

// What the server tells reaches the log, as loud as it is serious.
func TestKnown16AdvisoriesAreLogged(t *testing.T) {
	for kind, level := range map[string]string{"max_deliver": "ERROR", "stream_quorum_lost": "WARN", "consumer_action": "DEBUG", "terminated": "DEBUG"} {
		var out bytes.Buffer
		heard(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})), busnats.Advisory{Kind: kind, Stream: "FP_PARSE", Consumer: "parse", Sequence: 7, Attempts: 3, Reason: "torn"})
		for _, part := range []string{"level=" + level, "kind=" + kind, "stream=FP_PARSE", "consumer=parse", "sequence=7"} {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%s: no %s in %s", kind, part, out.String())
			}
		}
	}
}
