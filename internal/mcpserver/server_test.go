package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/feed"
	"github.com/assent-run/assent/internal/port"
)

func (d *desk) decide(id string, act gate.Act) {
	d.Helper()
	if _, err := d.app.Decide(d.Context(), bob, id,
		app.Decision{Act: act, Comment: "so", Version: 1}, "", nil); err != nil {
		d.Fatal(err)
	}
}

// TestOneShot: what people have to decide comes with the first answer, and numbers
// come back to the last digit.
func TestOneShot(t *testing.T) {
	d := open(t)
	s := d.call("ann", "start_run", `{"workflow":"asks","input":{"n":9007199254740993,"d":0.10}}`)
	if s.Status != "needs_human" || len(s.Approvals) != 1 || s.Next == "" || s.bad {
		t.Fatalf("%s", s.raw)
	}
	a := s.Approvals[0]
	if a.Title != "May it?" || a.Run != s.Run || a.URL != "https://here/approvals/"+a.ID ||
		fmt.Sprint(a.Asked) != "[role:lead]" || a.Version != 1 || s.URL != "https://here/runs/"+s.Run {
		t.Errorf("%s", s.raw)
	}
	if s.text != s.raw {
		t.Errorf("the text says something else: %s", s.text)
	}
	if now := d.call("ann", "get_run", `{"run":"`+s.Run+`"}`); now.Status != "needs_human" {
		t.Errorf("%s", now.raw)
	}
	if no := d.call("ann", "decide_approval", `{"approval":"`+a.ID+`","act":"approve","version":1}`); !no.bad ||
		no.Code != "forbidden" {
		t.Errorf("who asked for it decides: %s", no.raw)
	}
	if no := d.call("bot", "decide_approval", `{"approval":"`+a.ID+`","act":"approve","version":1}`); !no.bad ||
		no.Code != "forbidden" || !strings.Contains(no.text, no.Detail) {
		t.Errorf("an agent decides: %s", no.raw)
	}
	d.decide(a.ID, gate.Approve)
	end := d.call("ann", "get_run", `{"run":"`+s.Run+`","wait_s":50}`)
	if end.Status != "completed" || !strings.Contains(end.raw, `"output":{"n":9007199254740993,"d":0.10}`) ||
		len(end.Approvals) != 0 {
		t.Errorf("%s", end.raw)
	}
}

func TestHowRunsEnd(t *testing.T) {
	d := open(t)
	if s := d.call("ann", "workflow_fails", `{}`); s.Status != "failed" || s.Error == nil ||
		s.Error.Message != "the printer is on fire" || s.Error.Step != "work" {
		t.Errorf("%s", s.raw)
	}
	s := d.call("ann", "workflow_asks", `{}`)
	d.decide(s.Approvals[0].ID, gate.Reject)
	if s = d.call("ann", "get_run", `{"run":"`+s.Run+`","wait_s":50}`); s.Status != "cancelled" {
		t.Errorf("%s", s.raw)
	}
	s = d.call("ann", "start_run", `{"workflow":"slow","wait_s":0}`)
	if s.Status != "running" || s.Next == "" {
		t.Errorf("%s", s.raw)
	}
	if s = d.call("ann", "cancel_run", `{"run":"`+s.Run+`","reason":"enough"}`); s.bad || s.Status != "cancelling" {
		t.Errorf("%s", s.raw)
	}
	s = d.call("ann", "workflow_asks", `{}`)
	if s = d.call("ann", "cancel_run", `{"run":"`+s.Run+`"}`); s.Status != "cancelled" || len(s.Approvals) != 0 {
		t.Errorf("%s", s.raw)
	}
}

// TestSubRuns: what a sub-run asks is what the run needs.
func TestSubRuns(t *testing.T) {
	d := open(t)
	s := d.call("ann", "workflow_outer", `{}`)
	if s.Status != "needs_human" || len(s.Approvals) != 1 || s.Approvals[0].Workflow != "asks" ||
		s.Approvals[0].Run == s.Run {
		t.Errorf("%s", s.raw)
	}
}

// TestStartOnce: a key is one run, however often and at once it is sent.
func TestStartOnce(t *testing.T) {
	d := open(t)
	args := `{"workflow":"asks","input":{"n":1},"idempotency_key":"k","wait_s":0}`
	ids := make([]string, 8)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() { ids[i] = d.call("ann", "start_run", args).Run })
	}
	all.Wait()
	for _, id := range ids {
		if id != ids[0] || id == "" {
			t.Errorf("%v", ids)
		}
	}
	if other := d.call("ann", "start_run", strings.Replace(args, `"n":1`, `"n":2`, 1)); !other.bad ||
		other.Code != "conflict" {
		t.Errorf("%s", other.raw)
	}
	if other := d.call("bob", "start_run", args); other.bad || other.Run == ids[0] {
		t.Errorf("%s", other.raw)
	}
	page, err := d.app.Lists(ann).Runs(t.Context(), port.RunQuery{Limit: 10})
	if err != nil || len(page.Items) != 2 {
		t.Errorf("%d runs, %v", len(page.Items), err)
	}
}

func TestArguments(t *testing.T) {
	d := open(t)
	for _, c := range []struct{ tool, args, code, path string }{
		{"start_run", `{}`, "invalid", "workflow"},
		{"start_run", `{"workflow":7}`, "invalid", "workflow"},
		{"start_run", `{"workflow":"asks","wait_s":51}`, "invalid", "wait_s"},
		{"start_run", `{"workflow":"asks","wait_s":-1}`, "invalid", "wait_s"},
		{"start_run", `{"workflow":"asks","wait_s":1e3}`, "invalid", "wait_s"},
		{"start_run", `{"workflow":"asks","speed":1}`, "invalid", "speed"},
		{"start_run", `{"workflow":"asks","idempotency_key":""}`, "invalid", "idempotency_key"},
		{"start_run", `{"workflow":"asks","idempotency_key":"a\nb"}`, "invalid", "idempotency_key"},
		{"start_run", `{"workflow":"asks","workflow":"asks"}`, "invalid", "workflow"},
		{"start_run", `{"workflow":"asks","input":7}`, "invalid", ""},
		{"start_run", `{"workflow":"asks","input":{"to":[{"iban":"1","iban":"2"}]}}`, "invalid", "input.to[0].iban"},
		{"start_run", `{"workflow":"asks","input":{"n":1e400}}`, "invalid", "input.n"},
		{"workflow_asks", `{"n":1,"\u006e":2}`, "invalid", "n"},
		{"workflow_asks", `{"n":"\ud800"}`, "invalid", "n"},
		{"start_run", `{"workflow":"nothing"}`, "not_found", ""},
		{"workflow_nothing", `{}`, "not_found", ""},
		{"workflow_asks", `[]`, "invalid", ""},
		{"start_run", `[]`, "invalid", ""},
		{"start_run", `"asks"`, "invalid", ""},
		{"get_run", `{}`, "invalid", "run"},
		{"get_run", `{"run":"run_none"}`, "not_found", ""},
		{"get_run", `{"run":"run_none","wait_s":50}`, "not_found", ""},
		{"cancel_run", `{}`, "invalid", "run"},
		{"cancel_run", `{"run":"run_none"}`, "not_found", ""},
		{"list_workflows", `{"all":true}`, "invalid", "all"},
		{"list_approvals", `{"limit":0}`, "invalid", "limit"},
		{"list_approvals", `{"limit":201}`, "invalid", "limit"},
		{"list_approvals", `{"cursor":"?"}`, "invalid", ""},
		{"get_approval", `{}`, "not_found", ""},
		{"decide_approval", `{"approval":"apr_none","act":"approve","version":1}`, "not_found", ""},
		{"comment_approval", `{"approval":"apr_none","text":"x"}`, "not_found", ""},
	} {
		s := d.call("ann", c.tool, c.args)
		found := c.path == ""
		for _, e := range s.Errors {
			found = found || e.Path == c.path
		}
		if !s.bad || s.Code != c.code || !found || s.text == "" {
			t.Errorf("%s %s: %s", c.tool, c.args, s.raw)
		}
	}
	held := d.call("ann", "workflow_asks", `{}`).Approvals[0].ID
	for args, path := range map[string]string{
		`{"approval":"` + held + `","act":"approve"}`:                                    "version",
		`{"approval":"` + held + `","act":"dance","version":1}`:                          "act",
		`{"approval":"` + held + `","act":"approve","version":"1"}`:                      "version",
		`{"approval":"` + held + `","act":"modify","version":1,"changes":{"n":1,"n":2}}`: "changes.n",
		`{"approval":"` + held + `","act":"approve","version":1,"Comment":"case"}`:       "Comment",
	} {
		if s := d.call("bob", "decide_approval", args); !s.bad || s.Code != "invalid" || len(s.Errors) != 1 ||
			s.Errors[0].Path != path {
			t.Errorf("%s: %s", args, s.raw)
		}
	}
	deep := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
	if status, body, err := d.send(t.Context(), "ann",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"start_run","arguments":`+deep+`}}`); err != nil ||
		strings.Contains(body, `"run"`) {
		t.Errorf("%d %.200s %v", status, body, err)
	}
	long := d.call("ann", "start_run", `{"workflow":"asks","input":{"n":"`+strings.Repeat("x", 12<<20)+`"}}`)
	if !long.bad || long.Code != "too_large" {
		t.Errorf("%.300s", long.raw)
	}
	page, err := d.app.Lists(ann).Runs(t.Context(), port.RunQuery{Limit: 10})
	if err != nil || len(page.Items) != 1 {
		t.Errorf("what was refused left %d runs, %v", len(page.Items)-1, err)
	}
}

// TestHiddenIsUnknown: a refusal does not reveal what exists.
func TestHiddenIsUnknown(t *testing.T) {
	d := open(t)
	s := d.call("ann", "workflow_asks", `{}`)
	for tool, args := range map[string]string{
		"get_run": `{"run":"RUN"}`, "cancel_run": `{"run":"RUN"}`, "get_approval": `{"approval":"APR"}`,
		"comment_approval": `{"approval":"APR","text":"x"}`,
		"decide_approval":  `{"approval":"APR","act":"approve","version":1}`, "start_run": `{"workflow":"FLOW"}`,
	} {
		real := d.call("eve", tool, strings.NewReplacer("RUN", s.Run, "APR", s.Approvals[0].ID, "FLOW", "asks").Replace(args))
		none := d.call("eve", tool, strings.NewReplacer("RUN", "run_none", "APR", "apr_none", "FLOW", "none").Replace(args))
		told := strings.NewReplacer(s.Approvals[0].ID, "apr_none", s.Run, "run_none", "asks", "none").Replace(real.raw)
		if !real.bad || real.Code != "not_found" || told != none.raw {
			t.Errorf("%s: %s, and of none %s", tool, real.raw, none.raw)
		}
	}
	if s := d.call("eve", "list_approvals", `{}`); len(s.Items) != 0 {
		t.Errorf("%s", s.raw)
	}
}

// soon is what comes before a wait of 50 s is over.
func soon[T any](t testing.TB, from chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(45 * time.Second):
		t.Fatal("somebody waits to the end")
	}
	return v
}

// waits starts a run that goes on for long, and tells when it has begun.
func (d *desk) waits(ctx context.Context) (run string, answer chan said) {
	d.Helper()
	feed, err := d.app.Follow(d.Context(), ann, feed.Filter{Types: []string{"run.started"}})
	if err != nil {
		d.Fatal(err)
	}
	defer feed.Close()
	answer = make(chan said, 1)
	go func() {
		_, body, err := d.send(ctx, "ann", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"start_run","arguments":{"workflow":"slow","wait_s":50}}}`)
		if err == nil {
			answer <- d.read(body)
		}
		close(answer)
	}()
	events, err := feed.Next(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	soon(d, d.given) // a waiting caller has no turn
	return events[0].Run, answer
}

// TestCallersLeave: the run continues, and the wait ends.
func TestCallersLeave(t *testing.T) {
	d := open(t)
	ctx, leave := context.WithCancel(t.Context())
	run, answer := d.waits(ctx)
	leave()
	soon(t, d.served)
	if s, heard := <-answer; heard {
		t.Errorf("%s", s.raw)
	}
	if s := d.call("ann", "get_run", `{"run":"`+run+`"}`); s.Status != "running" {
		t.Errorf("%s", s.raw)
	}
}

// TestWholeOrNotAtAll: a caller who disconnects while a run is being started has started it.
func TestWholeOrNotAtAll(t *testing.T) {
	d := open(t)
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan struct{})
	d.noticed = gone
	d.first.Store(func() {
		leave()
		<-gone
	})
	if _, _, err := d.send(ctx, "ann", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"workflow_asks","arguments":{}}}`); err == nil {
		t.Error("an answer came")
	}
	<-d.served
	page, err := d.app.Lists(ann).Runs(t.Context(), port.RunQuery{Limit: 10})
	if err != nil || len(page.Items) != 1 {
		t.Errorf("%d runs, %v", len(page.Items), err)
	}
}

// TestStartedIsTold: whatever fails after the start, the caller is told which run it is.
func TestStartedIsTold(t *testing.T) {
	d := open(t)
	d.first.Store(func() { d.cut.Load().(context.CancelFunc)() })
	if s := d.call("ann", "workflow_asks", `{}`); s.bad || s.Status != "running" || !strings.HasPrefix(s.Run, "run_") {
		t.Errorf("%s", s.raw)
	}
}

// TestStopping: a server that stops ends all waits.
func TestStopping(t *testing.T) {
	d := open(t)
	run, answer := d.waits(t.Context())
	d.stop()
	if s := soon(t, answer); s.Run != run || s.Status != "running" || s.bad {
		t.Errorf("%s", s.raw)
	}
}

// TestCrash: a tool that panics is an error, and the server goes on.
func TestCrash(t *testing.T) {
	d := open(t)
	d.crash.Store(true)
	if s := d.call("ann", "list_workflows", `{}`); !s.bad || s.Code != "internal" ||
		strings.Contains(s.raw, "out of order") {
		t.Errorf("%s", s.raw)
	}
	d.crash.Store(false)
	if s := d.call("ann", "list_workflows", `{}`); s.bad || d.turns.Load() != 1 {
		t.Errorf("%s", s.raw)
	}
}

func TestProtocol(t *testing.T) {
	d := open(t)
	if s := d.call("ann", "drop_tables", `{}`); s.rpc != -32602 {
		t.Errorf("an unknown tool: %d", s.rpc)
	}
	for body, want := range map[string]int{
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`:                                 202,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`:          202,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`:                                         400,
		`{"jsonrpc":"2.0","id":1,"method":"tools/fly","params":{}}`:                              400,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{}}}`: 200,
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                                                   202,
		`{}`:                                                                                     400,
		`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`:                                         400,
	} {
		if status, answer, err := d.send(t.Context(), "ann", body); status != want || err != nil {
			t.Errorf("%s gives %d, not %d: %s %v", body, status, want, answer, err)
		}
	}
}

// TestTools: they are few, said in words, and their schemas are such.
func TestTools(t *testing.T) {
	d := open(t)
	_, body, err := d.send(t.Context(), "ann", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`)
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Result struct {
			CacheScope string
			Tools      []struct {
				Name, Description string
				InputSchema       struct {
					Type       string
					Properties map[string]struct{ Description string }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil || len(m.Result.Tools) != 8+4 ||
		m.Result.CacheScope != "private" {
		t.Fatalf("%v %d %s", err, len(m.Result.Tools), body)
	}
	for _, tool := range m.Result.Tools {
		if len(tool.Description) < 40 || tool.InputSchema.Type != "object" {
			t.Errorf("%+v", tool)
		}
		for name, p := range tool.InputSchema.Properties {
			if p.Description == "" && !strings.HasPrefix(tool.Name, "workflow_") {
				t.Errorf("%s does not say what %s is", tool.Name, name)
			}
		}
	}
	if _, body, err = d.send(t.Context(), "eve",
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`); err != nil || strings.Contains(body, "start_run\"") ||
		strings.Contains(body, "workflow_") {
		t.Errorf("%s %v", body, err)
	}
}
