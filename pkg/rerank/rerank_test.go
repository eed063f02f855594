package rerank

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/llm/scripted"
)

// told answers what it is told.
type told struct {
	order []int
	err   error
}

func (x told) Order(context.Context, string, []string) ([]int, error) { return x.order, x.err }

func TestApply(t *testing.T) {
	for _, c := range []struct {
		name string
		r    Reranker
		n    int
		want []int
		err  bool
	}{
		{"none", nil, 3, []int{0, 1, 2}, false},
		{"an order", told{order: []int{2, 0, 1}}, 3, []int{2, 0, 1}, false},
		{"a part", told{order: []int{2}}, 4, []int{2, 0, 1, 3}, false},
		{"nonsense", told{order: []int{9, -1, 1, 1}}, 3, []int{1, 0, 2}, false},
		{"a fault", told{err: errors.New("away")}, 3, []int{0, 1, 2}, true},
		{"one place", told{err: errors.New("never asked")}, 1, []int{0}, false},
	} {
		got, err := Apply(t.Context(), c.r, "q", c.n, func(i int) string { return fmt.Sprint(i) })
		if !slices.Equal(got, c.want) || (err != nil) != c.err {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
	got, _ := Apply(t.Context(), told{order: []int{19, 25}}, "q", 30, func(int) string { return "" })
	if got[0] != 19 || got[1] != 0 || got[29] != 29 || len(got) != 30 {
		t.Errorf("beyond the first %d nothing moves: %v", Top, got)
	}
}

func TestModel(t *testing.T) {
	m := scripted.New(scripted.Turn{Text: `{"numbers":[2,1]}`}, scripted.Turn{Text: `two, I think`}, scripted.Turn{Err: errors.New("away")})
	r := Model{llm.Bound(m, llm.Limits{})}
	if got, err := r.Order(t.Context(), "where?", []string{"A > B", "C"}); err != nil || !slices.Equal(got, []int{1, 0}) {
		t.Errorf("%v, %v", got, err)
	}
	for range 2 {
		if got, err := r.Order(t.Context(), "where?", []string{"A", "C"}); err == nil {
			t.Errorf("a fault gives %v", got)
		}
	}
	if text := m.Requests()[0].Messages[0].Text; !strings.Contains(text, "1. A > B\n2. C") {
		t.Errorf("asked %q", text)
	}
}

func TestCrossEncoder(t *testing.T) {
	reply := `[{"index":0,"score":0.1},{"index":1,"score":0.9}]`
	status := http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Query string
			Texts []string
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || req.Query != "where?" || len(req.Texts) != 2 {
			t.Errorf("%+v, %v", req, err)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, reply)
	}))
	defer s.Close()
	ask := func() ([]int, error) {
		return CrossEncoder{URL: s.URL}.Order(t.Context(), "where?", []string{"A", "B"})
	}
	if got, err := ask(); err != nil || !slices.Equal(got, []int{1, 0}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{`{"error":"too long"}`, `[]`, `<html>`} {
		reply = bad
		if got, err := ask(); err == nil {
			t.Errorf("%s gives %v", bad, got)
		}
	}
	status = http.StatusServiceUnavailable
	if _, err := ask(); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("%v", err)
	}
	hang := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server feel that the client left
		<-r.Context().Done()
	}))
	defer hang.Close()
	if _, err := (CrossEncoder{URL: hang.URL, Within: 50 * time.Millisecond}).Order(t.Context(), "q", []string{"A"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a server that hangs: %v", err)
	}
}
