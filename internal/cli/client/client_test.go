package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/view"
)

func serve(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c := New(s.URL, As{User: "ann", Roles: []string{"finance", "legal"}}, nil)
	t.Cleanup(c.Close)
	return c
}

// A broken stream continues after the last event: none lost, none repeated.
func TestFollowResumes(t *testing.T) {
	const events = 10
	var connections atomic.Int32
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		after, err := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
		if err != nil {
			t.Errorf("after: %v", err)
		}
		connections.Add(1)
		w.Header().Set("Content-Type", "text/event-stream")
		for n := after + 1; n <= min(after+3, events); n++ {
			fmt.Fprintf(w, ": alive\n\nid: %d\nevent: step.started\ndata: {\"feed\":%d,\n", n, n)
			fmt.Fprintf(w, "data: \"type\":\"step.started\"}\n\n")
		}
	})
	var got []int64
	lost, back := 0, 0
	enough := errors.New("enough")
	err := c.Follow(t.Context(), Follow{
		Run: "run_1", After: 0,
		Event: func(e view.Event) error {
			if got = append(got, e.Feed); e.Feed == events {
				return enough
			}
			return nil
		},
		Lost: func(error) { lost++ },
		Back: func() { back++ },
	})
	if !errors.Is(err, enough) {
		t.Errorf("it ends with %v", err)
	}
	if want := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}; !slices.Equal(got, want) {
		t.Errorf("told %v", got)
	}
	if connections.Load() != 4 || lost != 3 || back != 3 {
		t.Errorf("%d connections, %d times lost, %d times back", connections.Load(), lost, back)
	}
}

// A mark without an event still advances the position.
func TestFollowTakesMarks(t *testing.T) {
	var asked []string
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Query().Get("after"))
		if len(asked) > 1 {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		fmt.Fprint(w, ": alive\nid: 70\n\n")
	})
	err := c.Follow(t.Context(), Follow{After: -1, Event: func(view.Event) error { return nil }})
	var p *Problem
	if !errors.As(err, &p) || p.Status != http.StatusNotFound {
		t.Errorf("it ends with %v", err)
	}
	if !slices.Equal(asked, []string{"", "70"}) {
		t.Errorf("asked after %q", asked)
	}
}

func TestFollowEndsWithItsContext(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := c.Follow(ctx, Follow{Event: func(view.Event) error { return nil }}); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("it ends with %v", err)
	}
}

// A retry sends the same key, so that it happens once.
func TestRepeatsCarryTheSameKey(t *testing.T) {
	var keys []string
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		if got := r.Header.Get("X-Assent-User") + " " + r.Header.Get("X-Assent-Roles"); got != "ann finance,legal" {
			t.Errorf("it asks as %q", got)
		}
		if len(keys) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_ = json.NewEncoder(w).Encode(view.Run{ID: "run_1"})
	})
	v, err := c.Begin(t.Context(), app.NewRun{Workflow: "pay"})
	if err != nil || v.ID != "run_1" {
		t.Fatal(v, err)
	}
	if len(keys) != 3 || keys[0] == "" || keys[0] != keys[1] || keys[1] != keys[2] {
		t.Errorf("keys: %q", keys)
	}
}

func TestProblems(t *testing.T) {
	body := `{"title":"Already decided","status":409,"code":"already_decided","detail":"settled","decided_by":"bob","act":"approve","errors":[{"path":"/a","message":"bad"}]}`
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusConflict)
		fmt.Fprint(w, body)
	})
	_, err := c.Run(t.Context(), "run_1")
	var p *Problem
	if !errors.As(err, &p) || p.Code != "already_decided" || p.DecidedBy != "bob" || p.Error() != "settled: /a: bad" {
		t.Errorf("%+v", p)
	}
	body = "<html>a proxy</html>"
	if _, err := c.Run(t.Context(), "run_1"); err == nil || err.Error() != "the server responded with 409 Conflict" {
		t.Errorf("%v", err)
	}
}

func TestNobodyThere(t *testing.T) {
	c := New("127.0.0.1:1", As{}, nil)
	_, err := c.Run(t.Context(), "run_1")
	var away *Unreachable
	if !errors.As(err, &away) || away.Base != "http://127.0.0.1:1" {
		t.Errorf("%v", err)
	}
}
