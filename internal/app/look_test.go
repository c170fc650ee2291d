package app_test

import (
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
)

const shaky = `
workflow: shaky
steps:
  - { id: try, agent: flaky, retry: { max: 3, backoff: 1ms } }
  - { id: fall, agent: broken }
---
agent: flaky
kind: scripted
answers:
  - { fail: the line is busy, transient: true }
  - { output: { n: 9007199254740993 }, usage: { llm_calls: 1, tokens_in: 10, tokens_out: 5, cost_usd: 0.25 } }
---
agent: broken
kind: scripted
answers: [{ fail: it fell over }]
`

const thinking = `
workflow: thinking
steps: [{ id: think, agent: thinker }]
---
agent: thinker
kind: llm
provider: scripted
tools: [note_progress]
turns:
  - { calls: [{ tool: note_progress, args: { text: Half way } }], usage: { tokens_in: 100, tokens_out: 10, cost_usd: 0.01 } }
  - { answer: { done: true }, usage: { tokens_in: 200, tokens_out: 20, cost_usd: 0.02 } }
`

// The state drops the conversation when a step ends, and its usage with it.
func TestAStepThatEndedShowsWhatItsModelUsed(t *testing.T) {
	h := open(t, thinking)
	id := h.begin(ann, "thinking", `{}`).ID
	h.waits(id, run.Completed)
	v, err := h.Step(t.Context(), admin, id, "think", 0, false)
	if err != nil {
		t.Fatal(err)
	}
	if v.Usage == nil || v.Usage.TokensIn != 300 || v.Usage.TokensOut != 30 || v.Usage.CostUSD != "0.03" {
		t.Errorf("usage %+v", v.Usage)
	}
}

func TestAStepIsShownWithItsTries(t *testing.T) {
	h := open(t, shaky)
	id := h.begin(ann, "shaky", `{"a":1}`).ID
	h.waits(id, run.Failed)
	v, err := h.Step(t.Context(), admin, id, "try", 0, false)
	if err != nil {
		t.Fatal(err)
	}
	if string(v.Input) != `{"a":1}` || len(v.Tries) != 2 || v.Tries[0].Error == nil || v.Tries[0].RetryAt == nil ||
		v.Tries[1].Error != nil ||
		string(v.Tries[1].Output) != `{"n":9007199254740993}` || v.Tries[1].EndedAt == nil {
		t.Errorf("%+v", v)
	}
	if v.Usage == nil || v.Usage.CostUSD != "0.25" {
		t.Errorf("usage %+v", v.Usage)
	}
	if v, err := h.Step(t.Context(), admin, id, "fall", 0, false); err != nil || len(v.Tries) != 1 ||
		v.Tries[0].Error == nil || v.Tries[0].Error.Message != "it fell over" {
		t.Errorf("%+v %v", v.Tries, err)
	}
	// Before it started there was nothing to tell.
	if v, err := h.Step(t.Context(), admin, id, "fall", 2, false); err != nil || len(v.Tries) != 0 ||
		string(v.Input) != "null" || v.Status != run.PendingStep {
		t.Errorf("%+v %v", v, err)
	}
	for _, bad := range []struct {
		id, step string
		seq      int64
		code     fault.Code
	}{{id, "none", 0, fault.NotFound}, {"run_none", "try", 0, fault.NotFound}, {id, "try", 9999, fault.Invalid},
		{id, "try", -1, fault.Invalid}} {
		if _, err := h.Step(t.Context(), admin, bad.id, bad.step, bad.seq, false); !fault.Is(err, bad.code) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestCommentsDecideNothing(t *testing.T) {
	h := open(t, flow)
	a := h.asked(h.begin(ann, "refund", `{"amount":5}`).ID)
	v, err := h.Comment(t.Context(), bob, a.ID, "Is this the right customer?", "", nil)
	if err != nil || len(v.Comments) != 1 || v.Comments[0].By != "bob" || v.Version != a.Version ||
		v.Status != gate.Pending {
		t.Fatalf("%+v %v", v, err)
	}
	if _, err := h.Comment(t.Context(), bob, a.ID, " ", "", nil); !fault.Is(err, fault.Invalid) {
		t.Errorf("empty: %v", err)
	}
	if _, err := h.Decide(t.Context(), bob, a.ID,
		app.Decision{Act: gate.Approve, Version: a.Version}, "", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Comment(t.Context(), bob, a.ID, "Too late.", "", nil); err == nil {
		t.Error("a settled approval took a comment")
	}
	if v, err := h.Approval(t.Context(), ann, a.ID, false); err != nil || len(v.Comments) != 1 {
		t.Errorf("%+v %v", v.Comments, err)
	}
}

func TestManyRunsAreCancelledAtOnce(t *testing.T) {
	h := open(t, flow)
	ids := []string{}
	for range 3 {
		id := h.begin(ann, "refund", `{"amount":5}`).ID
		h.asked(id)
		ids = append(ids, id)
	}
	v, err := h.CancelRuns(t.Context(), admin, app.CancelRequest{Workflow: "refund", JustCount: true})
	if err != nil || v.Runs != 3 || v.Approvals != 3 || v.Cancelled != 0 || v.ByStatus["waiting"] != 3 ||
		v.ByWorkflow["refund"] != 3 {
		t.Fatalf("%+v %v", v, err)
	}
	h.waits(ids[0], run.Waiting)
	if v, err := h.CancelRuns(t.Context(), admin, app.CancelRequest{IDs: ids[:1], Reason: "over"}); err != nil ||
		v.Cancelled != 1 {
		t.Fatalf("%+v %v", v, err)
	}
	h.waits(ids[0], run.Cancelled)
	// A request that names nothing cancels nothing.
	for _, none := range []app.CancelRequest{{}, {IDs: []string{}},
		{IDs: []string{}, Workflow: "refund"}, {Reason: "over"}} {
		if _, err := h.CancelRuns(t.Context(), admin, none); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v", none, err)
		}
	}
	h.waits(ids[1], run.Waiting)
	if v, err := h.CancelRuns(t.Context(), admin,
		app.CancelRequest{Status: []run.Status{run.Waiting, run.Running}}); err != nil || v.Cancelled != 2 ||
		len(v.Failed) != 0 {
		t.Fatalf("%+v %v", v, err)
	}
	for _, id := range ids {
		h.waits(id, run.Cancelled)
	}
	if _, err := h.CancelRuns(t.Context(), admin,
		app.CancelRequest{Status: []run.Status{run.Completed}}); !fault.Is(err, fault.Invalid) {
		t.Errorf("ended runs: %v", err)
	}
	if _, err := h.CancelRuns(t.Context(), admin,
		app.CancelRequest{IDs: make([]string, app.CancelMax+1)}); !fault.Is(err, fault.Invalid) {
		t.Errorf("too many: %v", err)
	}
}

func TestInsightsCountWhatHappened(t *testing.T) {
	h := open(t, flow+"---"+shaky)
	for i := range 3 {
		a := h.asked(h.begin(ann, "refund", `{"amount":5}`).ID)
		switch i {
		case 0:
			_, err := h.Decide(t.Context(), bob, a.ID, app.Decision{Act: gate.Approve, Version: 1}, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			h.waits(a.Run, run.Completed)
		case 1:
			_, err := h.Decide(t.Context(), bob, a.ID, app.Decision{Act: gate.Reject, Comment: "no", Version: 1}, "", nil)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	h.waits(h.begin(ann, "shaky", `{}`).ID, run.Failed)
	v, err := h.Hindsight.Insights(t.Context(), admin, time.Time{}, time.Time{}, "")
	if err != nil {
		t.Fatal(err)
	}
	if v.Pending.Total != 1 || v.Pending.OldestAt == nil || v.Decided.ByPeople != 2 ||
		v.Decided.ByStatus["rejected"] != 1 || v.Runs.Total != 4 || v.Runs.CostUSD != "0.25" {
		t.Errorf("%+v", v)
	}
	if n := len(v.Days); n != 31 || v.Days[n-1].Runs["failed"] == 0 {
		t.Errorf("%d days: %+v", n, v.Days[n-1])
	}
	found := false
	for _, a := range v.Agents {
		found = found || a.Agent == "broken" && a.Failures == 1
	}
	if !found {
		t.Errorf("agents: %+v", v.Agents)
	}
	if v, err := h.Hindsight.Insights(t.Context(), admin, time.Time{}, time.Time{}, "shaky"); err != nil ||
		v.Runs.Total != 1 ||
		v.Pending.Total != 0 {
		t.Errorf("%+v %v", v, err)
	}
	now := h.Now()
	for _, bad := range [][2]time.Time{{now, now.Add(-time.Hour)}, {now.Add(-400 * 24 * time.Hour), now}} {
		if _, err := h.Hindsight.Insights(t.Context(), admin, bad[0], bad[1], ""); !fault.Is(err, fault.Invalid) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// Where people sign in, no roles are no rights, and nothing is there; being asked by
// name is enough.
func TestWithoutRolesNobodyWhoSignedInMayDoAnything(t *testing.T) {
	h := open(t, flow+`
---
workflow: named
steps: [{ id: a, human: { title: Eve?, assignees: [eve] } }]
`)
	eve := app.Who{Name: "eve", Kind: run.Person, SignedIn: true}
	if _, err := h.Begin(t.Context(), eve, app.NewRun{Workflow: "refund"}, nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("start: %v", err)
	}
	a := h.asked(h.begin(ann, "refund", `{"amount":5}`).ID)
	if _, err := h.Approval(t.Context(), eve, a.ID, false); !fault.Is(err, fault.NotFound) {
		t.Errorf("look: %v", err)
	}
	if _, err := h.Decide(t.Context(), eve, a.ID, app.Decision{Act: gate.Approve, Version: 1}, "",
		nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("decide: %v", err)
	}
	b := h.asked(h.begin(ann, "named", `{}`).ID)
	if _, err := h.Approval(t.Context(), eve, b.ID, false); err != nil {
		t.Errorf("look at her own: %v", err)
	}
	if _, err := h.Decide(t.Context(), eve, b.ID, app.Decision{Act: gate.Approve, Version: 1}, "", nil); err != nil {
		t.Errorf("decide her own: %v", err)
	}
}
