package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// TestWhatIsOnRecord compares the detail of every entry, and the values left to the log, with what
// docs/audit.md promises auditors.
func TestWhatIsOnRecord(t *testing.T) {
	facts := append(slices.Clone(recorded),
		&run.RunStarted{Workflow: "w", Definition: "sha256:d", Version: 1, RetryOf: "run_00", TestMode: true},
		&run.ApprovalDecided{ID: "apr_1_1", Decision: gate.Decision{
			Act: gate.Delegate, To: "bob", OnBehalfOf: "cat", Role: "finance", Roles: []string{"finance", "x"}, Option: "b",
			Version: 4, Via: gate.ViaSlack,
		}},
		&run.ApprovalResolved{ID: "apr_1_1",
			Outcome: gate.Outcome{Status: gate.Approved, Act: gate.Approve, By: "ann", Option: "b"}},
		&run.ApprovalAutoApproved{Reason: "small", Sample: true, Request: gate.Request{ID: "apr_1_2", Step: "a"}},
		&run.RunPaused{Approval: "apr_1_1"},
		&run.LimitGranted{Step: "a", Limit: "turns", More: run.LimitAmount{Iterations: 2}},
		&run.LimitRaised{Step: "a", Agent: "x", Limit: "turns", From: 1, To: 2},
		&run.MessageAdded{Message: run.Message{Text: "hello", To: "a"}},
		&run.RunForked{From: "run_0", AtSeq: 4, Owner: "bob"},
	)
	want := strings.Split(strings.TrimSpace(`
run.started run_1 {"definition":"","owner":"ann","parent":"run_0","seq":1,"version":3,"workflow":"refund"} input*
run.forked run_1 {"at_seq":4,"from":"run_0","owner":"","seq":1} edits*
approval.decided apr_1_1 {"act":"modify","seq":1,"version":0,"workflow":"refund"} comment changes data modified*
approval.resolved apr_1_1 {"seq":1,"status":"modified","workflow":"refund"} comment data* modified* content*
approval.auto_approved apr_1_2 {"policy":"pol_1","rule":"small","seq":1,"workflow":"refund"} proposed* content*
approval.timed_out apr_1_1 {"seq":1,"then":"reject","workflow":"refund"}
approval.escalated apr_1_1 {"seq":1,"to":"role:manager","workflow":"refund"}
run.paused run_1 {"approval":"","seq":1}
run.unpaused run_1 {"seq":1}
run.reopened run_1 {"seq":1}
payloads.removed run_1 {"reason":"asked for","seq":1}
run.cancelling run_1 {"seq":1} reason
run.cancelled run_1 {"seq":1} reason
step.skipped run_1 {"seq":1,"step":"a"}
step.args_changed run_1 {"seq":1,"step":"a"} changes
call.args_changed run_1 {"call":1,"seq":1,"step":"a"} args*
plan.changed run_1 {"seq":1,"steps":["new"]}
replan.requested run_1 {"replan":1,"seq":1}
limit.granted run_1 {"limit":"","more":{},"seq":1,"step":"a"}
deliverable.marked dlv_1_1 {"seq":1,"status":"final","was":"draft"}
message.added run_1 {"seq":1,"to":""} text
consult.retrying run_1 {"seq":1}
consult.answered run_1 {"fallback":"continue","seq":1}
run.started run_1 {"definition":"sha256:d","retry_of":"run_00","seq":1,"test_mode":true,"version":1,"workflow":"w"} input*
approval.decided apr_1_1 {"act":"delegate","on_behalf_of":"cat","option":"b","role":"finance","roles":["finance","x"],"seq":1,"to":"bob","version":4,"via":"slack","workflow":"refund"} changes data modified*
approval.resolved apr_1_1 {"act":"approve","by":"ann","option":"b","seq":1,"status":"approved","workflow":"refund"} data* modified*
approval.auto_approved apr_1_2 {"reason":"small","sample":true,"seq":1,"step":"a","workflow":"refund"} proposed*
run.paused run_1 {"approval":"apr_1_1","seq":1}
limit.granted run_1 {"limit":"turns","more":{"iterations":2},"seq":1,"step":"a"}
limit.raised run_1 {"agent":"x","from":1,"limit":"turns","seq":1,"step":"a","to":2}
message.added run_1 {"seq":1,"to":"a"} text
run.forked run_1 {"at_seq":4,"from":"run_0","owner":"bob","seq":1}
`), "\n")
	for i, f := range facts {
		s := newRun(t)
		s.Started.Workflow = "refund"
		p := NewProjector(s)
		p.record(event(1, f))
		detail, err := value.Marshal(p.audit[0].Detail)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%s %s %s", p.audit[0].Action, p.audit[0].Target, value.Canonical(detail))
		for _, v := range p.audit[0].Sealed {
			if v.Name != "" {
				got += " " + v.Name + map[bool]string{true: "*"}[v.Beside]
			}
		}
		if i >= len(want) || got != want[i] {
			t.Errorf("%d:\n%s", i, got)
		}
	}
}

// driven is a run that advances by commands, as in an engine.
type driven struct {
	t *testing.T
	s *machine.State
}

func drive(t *testing.T, id string, w plan.Workflow) *driven {
	t.Helper()
	p, problems := plan.Compile(&plan.Definition{Workflow: w,
		Agents: map[string]plan.Agent{"x": {Name: "x", Kind: plan.AgentGo}}})
	if p == nil {
		t.Fatal(problems)
	}
	return &driven{t, machine.New(id, p)}
}

func (d *driven) do(at int64, by string, do run.Operation) port.Write {
	d.t.Helper()
	c := run.Command{By: run.Actor{Kind: run.Person, Name: by}, Do: do}
	events, err := decide.Handle(d.s, decide.Env{Now: time.Unix(at, 0).UTC()}, c)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.project(events)
}

func (d *driven) project(events []run.Event) port.Write {
	d.t.Helper()
	p := NewProjector(d.s)
	for _, e := range events {
		p.Apply(e)
	}
	w, err := p.Write(events)
	if err != nil {
		d.t.Fatal(err)
	}
	return w
}

func TestRowsOfARun(t *testing.T) {
	d := drive(t, "run_7", plan.Workflow{Name: "pay",
		Steps: []plan.Step{{ID: "ask", Human: &plan.Gate{Kind: gate.KindApproval}}, {ID: "do", Agent: "x"}}})
	w := d.do(10, "ann", run.Start{Input: json.RawMessage(`{}`), Owner: "ann", RetryOf: "run_1",
		Parent: &run.Parent{Run: "run_2"}, Labels: map[string]string{"a": "b"}})
	if w.Run != "run_7" || w.After != 0 || len(w.Events) == 0 || len(w.Audit) != 1 || len(w.Approvals) != 1 {
		t.Fatalf("%+v", w)
	}
	row := w.Row
	if row.Owner != "ann" || row.RetryOf != "run_1" || row.Parent != "run_2" || row.TestMode || row.Labels["a"] != "b" ||
		row.StepsTotal != 2 || row.StepsDone != 0 ||
		row.Pending != 1 || row.Status != run.Waiting || row.Busy || !row.DueAt.Equal(time.Unix(10, 0).Add(24*time.Hour)) ||
		row.Cancelling || !row.UpdatedAt.Equal(time.Unix(10, 0)) || row.Seq != int64(len(w.Events)) {
		t.Errorf("%+v", row)
	}
	a := w.Approvals[0]
	if a.ID != "apr_7_1" || a.Run != "run_7" || a.Workflow != "pay" || a.Step != "ask" ||
		a.Status != string(gate.Pending) || a.Requester != "ann" || len(a.Body) == 0 || a.Asked != nil {
		t.Errorf("%+v", a)
	}
	seq := d.s.Seq
	w = d.do(20, "bob", run.Decide{Approval: a.ID,
		Answer: gate.Answer{By: gate.Person{Name: "bob"}, Act: gate.Approve, Version: 1, Comment: "fine"}})
	if w.After != seq || len(w.Approvals) != 1 || w.Approvals[0].Status != string(gate.Approved) ||
		!w.Approvals[0].SettledAt.Equal(time.Unix(20, 0)) {
		t.Errorf("%+v", w)
	}
	// The state drops settled approvals; the row has all of it.
	var body struct {
		Decisions []struct{ By, Comment string } `json:"decisions"`
	}
	if err := json.Unmarshal(w.Approvals[0].Body, &body); err != nil || len(body.Decisions) != 1 ||
		body.Decisions[0].By != "bob" || body.Decisions[0].Comment != "fine" {
		t.Errorf("%s, %v", w.Approvals[0].Body, err)
	}
	if !w.Row.Busy || w.Row.Pending != 0 || w.Row.StepsDone != 1 || !w.Row.UpdatedAt.Equal(time.Unix(20, 0)) {
		t.Errorf("%+v", w.Row)
	}
	w = d.do(30, "ann", run.Cancel{Reason: "no"})
	if !w.Row.Cancelling || w.Row.Status != run.Running || len(w.Approvals) != 0 {
		t.Errorf("%+v", w.Row)
	}
}

func TestRowOfAFailure(t *testing.T) {
	d := drive(t, "run_7", plan.Workflow{Name: "pay", Steps: []plan.Step{{ID: "do", Agent: "x"}}})
	w := d.do(1, "ann", run.Start{Input: json.RawMessage(`{}`)})
	if !w.Row.Busy || w.Row.Error != "" || w.Row.ForkedFrom != "" || w.Row.Parent != "" {
		t.Errorf("%+v", w.Row)
	}
	owed := d.s.Effects()
	i := slices.IndexFunc(owed, func(e run.Effect) bool { _, timer := e.Do.(run.Wake); return !timer })
	w = d.do(2, "", run.Fail{Key: owed[i].Key, Failure: run.Failure{Code: "broken", Message: "it broke"}})
	if w.Row.Status != run.Failed || w.Row.Error != "it broke" || w.Row.Busy || w.Row.EndedAt.IsZero() {
		t.Errorf("%+v", w.Row)
	}
}

// TestApprovalsOfAnotherRun: a fork's log begins with another run's history.
func TestApprovalsOfAnotherRun(t *testing.T) {
	d := drive(t, "run_8", plan.Workflow{Name: "pay", Steps: []plan.Step{{ID: "do", Agent: "x"}}})
	at := time.Unix(1, 0)
	by := run.Actor{Kind: run.Person, Name: "ann"}
	p := NewProjector(d.s)
	events := []run.Event{
		{Run: "run_8", Seq: 1, At: at, Actor: by, Fact: &run.RunStarted{Workflow: "pay", Owner: "ann"}},
		{Run: "run_8", Seq: 2, At: at, Actor: by,
			Fact: &run.ApprovalAutoApproved{Reason: "small", Sample: true, Request: gate.Request{ID: "apr_7_1", Step: "do"}}},
		{Run: "run_8", Seq: 3, At: at, Actor: by,
			Fact: &run.ApprovalAutoApproved{Reason: "small", Sample: true, Request: gate.Request{ID: "apr_8_1", Step: "do"}}},
	}
	for _, e := range events {
		p.Apply(e)
	}
	w, err := p.Write(events)
	if err != nil || len(w.Approvals) != 1 || w.Approvals[0].ID != "apr_8_1" ||
		w.Approvals[0].Status != string(gate.AutoApproved) ||
		!strings.Contains(string(w.Approvals[0].Body), `"sample":true`) {
		t.Errorf("%+v, %v", w.Approvals, err)
	}
}

func TestWhoIsAsked(t *testing.T) {
	for _, c := range []struct {
		a    gate.Approval
		want string
	}{
		{gate.Approval{}, ""},
		{gate.Approval{Request: gate.Request{Terms: gate.Terms{Role: "finance"}}}, "role:finance"},
		{gate.Approval{Request: gate.Request{Terms: gate.Terms{Roles: map[string]int{"b": 1, "a": 2},
			Assignees: []string{"zoe", "ann"}}}}, "ann role:a role:b zoe"},
		{gate.Approval{Request: gate.Request{Terms: gate.Terms{OnlyOwner: "ann", Role: "finance"}}}, "ann"},
		{gate.Approval{Also: []string{"role:boss"}}, port.Anyone + " role:boss"},
		{gate.Approval{Delegations: []gate.Delegation{{To: "bob"}}}, port.Anyone + " bob"},
		{gate.Approval{Also: []string{"role:boss"}, Delegations: []gate.Delegation{{To: "bob"}}},
			port.Anyone + " bob role:boss"},
		{gate.Approval{Request: gate.Request{Terms: gate.Terms{Role: "finance"}}, Also: []string{"role:finance"},
			Delegations: []gate.Delegation{{To: "bob"}}}, "bob role:finance"},
	} {
		if got := strings.Join(asked(&c.a), " "); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestReceive(t *testing.T) {
	long := strings.Repeat("ä", 2000)
	for what, d := range map[string]run.Deliverable{"a name": {Name: long},
		"a link": {Name: "a.txt", URL: "javascript:alert(1)"}} {
		var failed *port.Failed
		if err := Receive(&d, nil); !errors.As(err, &failed) || failed.Code != "invalid" || len(failed.Message) > 300 {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i, c := range []struct {
		in      run.Deliverable
		content []byte
		want    run.Deliverable
	}{
		{run.Deliverable{Name: " a.html ", Status: "perfect"}, []byte("<html>"),
			run.Deliverable{Name: "a.html", Status: run.Draft, MIME: "text/html", Type: "document"}},
		{run.Deliverable{Name: "a.txt", Status: "final", Type: "document"}, []byte("x"),
			run.Deliverable{Name: "a.txt", Status: "final", MIME: "text/plain", Type: "document"}},
		{run.Deliverable{Name: "a", URL: "https://example.com/a.pdf", Status: "final", Update: true}, nil,
			run.Deliverable{Name: "a", URL: "https://example.com/a.pdf", Status: "final", Update: true}},
		{run.Deliverable{Name: "a.pdf", URL: "https://example.com/a", Status: "final"}, nil,
			run.Deliverable{Name: "a.pdf", URL: "https://example.com/a", Status: "final", MIME: "application/pdf",
				Type: "document"}},
		{run.Deliverable{Name: "a", Status: "final", Update: true}, nil,
			run.Deliverable{Name: "a", Status: "final", Update: true}},
	} {
		got := c.in
		if err := Receive(&got, c.content); err != nil {
			t.Errorf("%d: %v", i, err)
		}
		gotText, wantText := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", c.want)
		if gotText != wantText {
			t.Errorf("%d: %s\nwant %s", i, gotText, wantText)
		}
	}
}

func TestRowsOfDeliverables(t *testing.T) {
	d := drive(t, "run_8", plan.Workflow{Name: "pay", Steps: []plan.Step{{ID: "do", Agent: "x"}}})
	d.do(1, "ann", run.Start{Input: json.RawMessage(`{}`)})
	fact := func(seq int64, f run.Fact) run.Event {
		return run.Event{Run: "run_8", Seq: d.s.Seq + seq, At: time.Unix(seq, 0),
			Actor: run.Actor{Kind: run.Agent, Name: "x"}, Fact: f}
	}
	made := func(seq int64, id, name string) run.Event {
		return fact(seq, &run.DeliverableCreated{Step: "do", Agent: "x",
			Deliverable: run.Deliverable{ID: id, Name: name, Type: "page", Status: run.Draft, MIME: "text/html",
				Description: "d", URL: "https://example.com", Content: NewBlobRef("blob_1", 7)}})
	}
	// Made in another run's history: it is this run's result as well.
	first := d.project([]run.Event{made(1, "dlv_7_1", "a"), made(2, "dlv_8_2", "b"), made(3, "dlv_8_3", "a"),
		fact(4, &run.DeliverableMarked{ID: "dlv_8_3", Status: "final", Was: run.Draft})})
	var got []string
	for _, r := range first.Deliverables {
		got = append(got, fmt.Sprintf("%s %s v%d %s newest=%v %s %d %s %s", r.ID, r.Name, r.Version, r.Status, r.Newest,
			r.Blob, r.Size, r.Step+r.Agent+r.Workflow+r.Type+r.MIME+r.Description+r.URL, r.UpdatedAt.Sub(r.CreatedAt)))
	}
	const same = "blob_1 7 doxpaypagetext/htmldhttps://example.com "
	want := []string{
		"dlv_8_1 a v1 draft newest=false " + same + "0s",
		"dlv_8_2 b v1 draft newest=true " + same + "0s",
		"dlv_8_3 a v2 final newest=true " + same + "1s",
	}
	if !slices.Equal(got, want) || len(first.Marks) != 0 {
		t.Errorf("%s\n%+v", strings.Join(got, "\n"), first.Marks)
	}
	// A stored deliverable is marked.
	second := d.project([]run.Event{made(5, "dlv_8_4", "a"),
		fact(6, &run.DeliverableMarked{ID: "dlv_7_1", Status: "final"})})
	if len(second.Marks) != 2 || second.Marks[0].ID != "dlv_8_3" || !second.Marks[0].Outdated ||
		second.Marks[0].Status != "" ||
		second.Marks[1].ID != "dlv_8_1" || second.Marks[1].Status != "final" || second.Marks[1].Outdated ||
		!second.Marks[1].At.Equal(time.Unix(6, 0)) {
		t.Errorf("%+v", second.Marks)
	}
	if id, size := BlobRef(json.RawMessage(`"text"`)); id != "" || size != 0 {
		t.Errorf("%s, %d", id, size)
	}
}

func TestRunIDs(t *testing.T) {
	seen := map[string]bool{}
	before := ""
	for i := range 100 {
		id := NewRunID(time.UnixMilli(int64(i) * 1000))
		if !strings.HasPrefix(id, "run_") || seen[id] || id <= before {
			t.Fatalf("%s after %s", id, before)
		}
		seen[id], before = true, id
	}
	if at := time.UnixMilli(1000); NewRunID(at) == NewRunID(at) {
		t.Error("two runs of one moment have one id")
	}
}
