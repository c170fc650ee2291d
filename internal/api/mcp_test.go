package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/api/traffic"
	"github.com/assent-run/assent/internal/core/fault"
)

// TestMCPGuests: who comes in at /mcp comes in as they do at the API, and whoever
// answers there is told who it is.
func TestMCPGuests(t *testing.T) {
	var last Guest
	public := &url.URL{Scheme: "https", Host: "assent.example.com"}
	d := office(t, Options{PublicURL: public, MCP: func(w http.ResponseWriter, r *http.Request, g Guest) {
		last = g
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Cache-Control", "no-cache, no-transform")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body) // the test reads it
	}})
	ann := d.signIn("ann", annPassword)
	a := d.send("POST", "/mcp", `{"n":1}`, ann...).want(200)
	hardened(t, "mcp", a.header, a.status)
	if string(a.body) != `{"n":1}` || last.Who.Name != "ann" || !last.Who.SignedIn || last.Base != public.String() ||
		a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s %+v %v", a.body, last, a.header)
	}
	for body, status := range map[string]int{`[{"n":1}]`: 422, `{`: 400, ``: 400, `{"n":1}x`: 400} {
		last = Guest{}
		d.send("POST", "/mcp", body, ann...).want(status)
		if last.Context != nil {
			t.Errorf("%q came through", body)
		}
	}
	d.send("POST", "/mcp", `{}`, append(ann, "Content-Type", "text/plain")...).want(415)
	d.send("POST", "/mcp?x=1", `{}`, ann...).want(422)
	d.send("POST", "/mcp", `{}`).refused(401, "unauthenticated")
	d.send("POST", "/mcp", `{}`, append(ann, "Origin", "https://evil.example")...).refused(403, "forbidden")
	if o := d.send("OPTIONS", "/mcp", "").want(204); o.header.Get("Allow") != "OPTIONS, POST" {
		t.Errorf("%v", o.header)
	}
	last = Guest{}
	d.api.Drain()
	d.send("POST", "/mcp", `{}`, ann...).refused(503, "unavailable")
	if last.Context != nil {
		t.Error("somebody came in who has to go at once")
	}
}

// TestMCPProblems: errors are told as they are at the API, and ours are logged.
func TestMCPProblems(t *testing.T) {
	d := open(t, Options{MCP: func(w http.ResponseWriter, _ *http.Request, g Guest) {
		_, _ = w.Write(g.Problem(fault.New(fault.Closed, "it has ended", "start another one").With("seq", 7)))
		_, _ = w.Write(g.Problem(errors.New("secret path")))
	}})
	a := d.send("POST", "/mcp", `{}`).want(200)
	if text := string(a.body); !strings.Contains(text,
		`"code":"conflict","detail":"it has ended","hint":"start another one"`) || !strings.Contains(text, `"seq":7`) ||
		strings.Contains(text, "secret path") {
		t.Errorf("%s", text)
	}
	if said := d.log.String(); !strings.Contains(said, "secret path") || strings.Contains(said, "it has ended") {
		t.Errorf("%s", said)
	}
}

// TestMCPTurns: what is slow waits for its turn, and so does everything of those
// who ask too much; the rest does not.
func TestMCPTurns(t *testing.T) {
	var slow atomic.Bool
	var later atomic.Int64
	asked, over := make(chan struct{}, 100), make(chan error, 100)
	d := open(t, Options{Limits: traffic.Limits{Rate: 5}, MCP: func(_ http.ResponseWriter, _ *http.Request, g Guest) {
		asked <- struct{}{}
		give, err := g.Turn(slow.Load())
		give()
		give()
		over <- err
	}})
	now := time.Now()
	d.api.limits.Now = func() time.Time { return now.Add(time.Duration(later.Load())) }
	for i := range traffic.LaneWidth() { // no room is left
		if err := d.api.lane.Enter(t.Context(), fmt.Sprint("other ", i), false); err != nil {
			t.Fatal(err)
		}
	}
	// refused sends a request, and leaves after it has asked for its turn.
	refused := func() bool {
		gone, leave := context.WithCancel(t.Context())
		defer leave()
		go func() {
			<-asked
			time.AfterFunc(50*time.Millisecond, leave)
		}()
		r, err := http.NewRequestWithContext(gone, "POST", d.http.URL+"/mcp", strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		res, err := d.http.Client().Do(r)
		if err == nil {
			if err = res.Body.Close(); res.StatusCode != 200 {
				t.Fatal(res.Status)
			}
		}
		return <-over != nil && err != nil
	}
	// answered sends a request and waits for the answer.
	answered := func() answer {
		a := d.send("POST", "/mcp", `{}`)
		if a.status == 200 {
			if <-asked; <-over != nil {
				t.Error("it had no turn, and is answered")
			}
		}
		return a
	}
	answered().want(200)
	slow.Store(true)
	if !refused() {
		t.Error("something slow has no turn, and is answered")
	}
	slow.Store(false)
	for range 20 {
		if answered().status == 429 {
			break
		}
	}
	later.Store(int64(traffic.AtWork - time.Millisecond))
	if !refused() {
		t.Error("somebody who asks too much has no turn, and is answered")
	}
	later.Store(int64(traffic.AtWork + time.Millisecond))
	answered().want(200)
}

// TestMCPBase: there are links only where a browser can follow them.
func TestMCPBase(t *testing.T) {
	d := open(t, Options{})
	r, err := http.NewRequest("POST", "http://localhost:8/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.api.baseURL(r); got != "http://localhost:8" {
		t.Error(got)
	}
	ours, theirs := net.Pipe()
	defer ours.Close()   //nolint:errcheck // nothing is on it
	defer theirs.Close() //nolint:errcheck // nothing is on it
	if got := d.api.baseURL(r.WithContext(context.WithValue(t.Context(), http.LocalAddrContextKey,
		ours.LocalAddr()))); got != "" {
		t.Error(got)
	}
}
