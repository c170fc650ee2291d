package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/cli/host"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	docs "github.com/assent-run/assent/internal/documents"
	"github.com/assent-run/assent/internal/mcpserver"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

const documents = `
agent: clerk
kind: scripted
answers: [{ output: { done: true } }]
---
agent: sleeper
kind: scripted
answers: [{ delay: 10m, output: 1 }]
---
workflow: asks
description: Asks first
input: { type: object, properties: { n: {}, d: {} } }
steps: [{ id: work, agent: clerk }]
gates: [{ id: look, at: start, title: May it?, role: lead, requester: excluded }]
output: { n: input.n, d: input.d }
---
workflow: outer
steps: [{ id: inner, workflow: asks }]
---
workflow: slow
steps: [{ id: sleep, agent: sleeper }]
---
workflow: fails
steps: [{ id: work, agent: nobody_home }]
---
agent: nobody_home
kind: scripted
answers: [{ fail: the printer is on fire }]
`

var (
	ann = app.Who{Name: "ann", Kind: run.Person, Roles: []string{gate.RoleAdmin}, SignedIn: true}
	bob = app.Who{Name: "bob", Kind: run.Person, Roles: []string{gate.RoleAdmin}, SignedIn: true}
	eve = app.Who{Name: "eve", Kind: run.Person, SignedIn: true}
	bot = app.Who{Name: "bot", Kind: run.Agent, Roles: []string{gate.RoleAdmin}, SignedIn: true}
)

// desk is a server whose door is the test's.
type desk struct {
	testing.TB
	app     *app.App
	handler http.HandlerFunc
	url     string
	served  chan struct{} // a request is over
	given   chan struct{} // a turn is
	noticed chan struct{} // closed when the server knows that the caller left
	first   atomic.Value  // a func() that is called when a turn begins
	cut     atomic.Value  // a context.CancelFunc that lets everything fail for the newest caller
	turns   atomic.Int64  // that were slow
	crash   atomic.Bool   // instead of a turn
	whos    map[string]app.Who
	stop    context.CancelFunc // the server is about to
}

func open(t testing.TB) *desk {
	t.Helper()
	h, err := host.Open(t.Context(), host.Options{Config: assembly.Config{Data: sqlitetest.Dir(t)}})
	if err != nil {
		t.Fatal(err)
	}
	h.Start()
	t.Cleanup(func() {
		over, cancel := context.WithCancel(context.Background())
		cancel() // no test waits for the sleeper
		if _, err := h.Close(over); err != nil {
			t.Error(err)
		}
	})
	set, problems := definition.Parse("test.yaml", []byte(documents))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, kind := range []definition.Kind{definition.KindAgent, definition.KindWorkflow} {
		for _, doc := range set.Documents() {
			if k, name := doc.Ident(); k == kind {
				if _, _, err := h.App.Documents.Save(t.Context(), ann, k, name, definition.YAML, doc.YAML(),
					docs.Saving{Publish: true}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	d := &desk{TB: t, app: h.App, served: make(chan struct{}, 100), given: make(chan struct{}, 100),
		whos: map[string]app.Who{}}
	for _, w := range []app.Who{ann, bob, eve, bot} {
		d.whos[w.Name] = w
	}
	stopping, stop := context.WithCancel(t.Context())
	d.stop = stop
	m := mcpserver.New(h.App, mcpserver.Options{Version: "1"})
	d.handler = func(w http.ResponseWriter, r *http.Request) {
		if d.noticed != nil {
			context.AfterFunc(r.Context(), func() { close(d.noticed) })
		}
		ctx, cut := context.WithCancel(r.Context())
		defer cut()
		d.cut.Store(cut)
		m.Serve(w, r, mcpserver.Caller{Context: ctx, Who: d.whos[r.Header.Get("Who")], Stopping: stopping,
			Base: "https://here", Turn: d.turn, Problem: problem})
		select {
		case d.served <- struct{}{}:
		default:
		}
	}
	srv := httptest.NewServer(d.handler)
	t.Cleanup(srv.Close)
	d.url = srv.URL
	return d
}

func (d *desk) turn(slow bool) (func(), error) {
	if d.crash.Load() {
		panic("out of order")
	}
	if f, ok := d.first.Load().(func()); ok {
		f()
	}
	if slow {
		d.turns.Add(1)
	}
	return func() {
		select {
		case d.given <- struct{}{}:
		default:
		}
	}, nil
}

func problem(err error) json.RawMessage {
	var f *fault.Error
	if !errors.As(err, &f) {
		f = fault.New("internal", err.Error(), "")
	}
	raw, err := value.Marshal(map[string]any{"code": f.Code, "detail": f.Message, "hint": f.Hint,
		"errors": fault.Errors(f.Problems)})
	if err != nil {
		panic(err)
	}
	return raw
}

// send sends a message as it is.
func (d *desk) send(ctx context.Context, who, body string) (status int, answer string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Who", who)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	raw, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw), err
}

// said is what a tool answered.
type said struct {
	raw  string // structured, as it came
	text string
	bad  bool
	rpc  int // the code of an error of the protocol
	mcpserver.Outcome
	Code, Detail string
	Errors       []fault.Problem
	Items        []mcpserver.Asked
}

func (d *desk) call(who, tool, args string) said {
	d.Helper()
	_, body, err := d.send(d.Context(), who,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+args+`}}`)
	if err != nil {
		d.Fatal(err)
	}
	return d.read(body)
}

func (d *desk) read(body string) (s said) {
	d.Helper()
	var m struct {
		Result struct {
			StructuredContent json.RawMessage
			Content           []struct{ Text string }
			IsError           bool
		}
		Error struct{ Code int }
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		d.Fatalf("%v: %s", err, body)
	}
	if s.rpc = m.Error.Code; s.rpc != 0 {
		return s
	}
	if err := json.Unmarshal(m.Result.StructuredContent, &s); err != nil || len(m.Result.Content) != 1 {
		d.Fatalf("%v: %s", err, body)
	}
	s.raw, s.text, s.bad = string(m.Result.StructuredContent), m.Result.Content[0].Text, m.Result.IsError
	return s
}
