package embedded

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
)

// serverLog passes the server's lines to slog, keeps its first fatal one (the server calls exit otherwise)
// and those that tell of damage while it recovers its store.
type serverLog struct {
	out   *slog.Logger
	fatal chan string

	mu      sync.Mutex
	damages []string
}

func (l *serverLog) Noticef(format string, v ...any) { l.out.Debug(line(format, v)) }
func (l *serverLog) Debugf(string, ...any)           {}
func (l *serverLog) Tracef(string, ...any)           {}
func (l *serverLog) Errorf(format string, v ...any)  { l.out.Error(l.keep(format, v)) }
func (l *serverLog) Warnf(format string, v ...any)   { l.out.Warn(l.keep(format, v)) }

func (l *serverLog) Fatalf(format string, v ...any) {
	select {
	case l.fatal <- line(format, v):
	default:
	}
}

func (l *serverLog) keep(format string, v []any) string {
	text := line(format, v)
	low := strings.ToLower(text)
	if strings.Contains(low, "stream") || strings.Contains(low, "consumer") {
		l.mu.Lock()
		defer l.mu.Unlock()
		if len(l.damages) < 100 {
			l.damages = append(l.damages, text)
		}
	}
	return text
}

// about is the kept lines that hold every word.
func (l *serverLog) about(words ...string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []string
	for _, d := range l.damages {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(d, w) }) {
			found = append(found, d)
		}
	}
	return strings.Join(found, "; ")
}

func line(format string, v []any) string {
	return "nats: " + strings.TrimSpace(fmt.Sprintf(format, v...))
}
