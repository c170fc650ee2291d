package app_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/port"
)

const payments = `
workflow: pay
steps:
  - { id: check, agent: checker, with: { amount: input.amount } }
  - { id: pay, agent: payer, operation: refund, risk: high, with: { amount: input.amount, to: input.to } }
---
agent: checker
kind: scripted
answers: [{ output: { ok: true }, confidence: 0.95 }]
---
agent: payer
kind: scripted
answers: [{ output: { paid: true } }]
---
policy: house
rules:
  - { name: Small, priority: 1, trigger: { operation_type: [refund], data_threshold: { field: amount, operator: "<", value: 20 } }, action: { auto_approve: true } }
  - { name: Rest, priority: 2, trigger: { operation_type: [refund] }, action: { role: approver } }
`

// judge compiles rules.
func judge(t *testing.T, rules string) *policy.Set {
	t.Helper()
	doc, problems := definition.ParseDocument(definition.YAML, []byte("policy: candidate\nrules:\n"+rules))
	if doc == nil {
		t.Fatal(problems)
	}
	set, bad := policy.Compile(doc.(*definition.Policy).Document, time.LoadLocation)
	if set == nil {
		t.Fatal(bad)
	}
	return set
}

// past makes a history: amounts from 0 to 99, some for special customers.
func (h *home) past(n int) {
	h.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for range n {
		amount := random.IntN(100)
		id := h.begin(ann, "pay", fmt.Sprintf(`{"amount":%d,"to":"c%d","vip":%v}`, amount, amount%7, amount%3 == 0)).ID
		if amount < 20 {
			h.waits(id, run.Completed)
			continue
		}
		d := app.Decision{Act: gate.Approve, Version: 1}
		switch {
		case amount > 80:
			d.Act, d.Comment = gate.Reject, "too much"
		case amount > 70:
			d.Act, d.Changes, d.Comment = gate.Modify, json.RawMessage(`{"amount":70}`), "at most 70"
		}
		if _, err := h.Decide(h.Context(), bob, h.asked(id).ID, d, "", nil); err != nil {
			h.Fatal(err)
		}
	}
}

// A backtest gives exactly what asking about every event of every log gives.
func TestBacktestEqualsBruteForce(t *testing.T) {
	h := open(t, payments)
	h.past(120)
	since, until := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	for name, rules := range map[string]string{
		"as it is": "  - { name: Small, priority: 1, trigger: { operation_type: [refund], data_threshold: { field: " +
			"amount, operator: \"<\", value: 20 } }, action: { auto_approve: true } }\n  - { name: Rest, priority: 2, " +
			"trigger: { operation_type: [refund] }, action: { role: approver } }\n",
		"bolder": "  - { name: More, priority: 1, trigger: { data_threshold: { field: amount, operator: \"<\", value: " +
			"75 } }, action: { auto_approve: true } }\n  - { name: Rest, priority: 2, trigger: { operation_type: " +
			"[refund] }, action: {} }\n",
		"stricter": "  - { name: All, priority: 1, trigger: {}, action: { require_approval_count: 2 } }\n",
		"no rules": "  - { name: Never, priority: 1, trigger: { operation_type: [other] }, action: {} }\n",
		"denies": "  - { name: No, priority: 1, trigger: { data_threshold: { field: amount, operator: \">\", value: 50 " +
			"} }, action: { deny: no } }\n",
		"by input": "  - { name: Special, priority: 1, trigger: { expr: 'input.vip == true and check.ok' }, action: { " +
			"auto_approve: true } }\n  - { name: Rest, priority: 2, trigger: {}, action: {} }\n",
		"in part": "  - { name: Half, priority: 1, trigger: {}, action: { auto_approve: true, rollout_percentage: 50 } }\n",
		"a few": "  - { name: Five, priority: 1, trigger: {}, action: { auto_approve: true, max_uses: 5 } }\n  - { " +
			"name: Rest, priority: 2, trigger: {}, action: {} }\n",
		"confident": "  - { name: Sure, priority: 1, trigger: { agent_confidence: { operator: \">\", value: 0.9 } }, " +
			"action: { auto_approve: true } }\n",
	} {
		t.Run(name, func(t *testing.T) {
			set := judge(t, rules)
			got, err := h.Hindsight.Backtest(t.Context(), ann, set, since, until)
			if err != nil {
				t.Fatal(err)
			}
			want := h.oracle(set)
			rejected, modified := ids(got.WouldPassRejected), ids(got.WouldPassModified)
			if have := fmt.Sprint(got.Subjects, got.AskedToAuto, got.AutoToAsked, got.Denied, rejected, modified); have != want {
				t.Errorf("got  %s\nwant %s", have, want)
			}
			total := 0
			for _, r := range got.ByRule {
				total += r.Subjects
			}
			if total != got.Subjects {
				t.Errorf("the rules have %d subjects, not %d", total, got.Subjects)
			}
		})
	}
	// What lies outside the time does not count.
	if v, err := h.Hindsight.Backtest(t.Context(), ann,
		judge(t, "  - { name: A, priority: 1, trigger: {}, action: {} }\n"),
		until,
		until); err != nil || v.Subjects != 0 {
		t.Errorf("%+v, %v", v, err)
	}
}

func ids(passed []insight.Passed) []string {
	out := []string{}
	for _, p := range passed {
		out = append(out, p.Approval)
	}
	slices.Sort(out)
	return out
}

// oracle goes through every log, event by event, and asks about what was asked
// then, with the state as it was.
func (h *home) oracle(set *policy.Set) string {
	h.Helper()
	type asked struct {
		at  time.Time
		req gate.Request
		run string
		seq int64
		end string // how it ended
		was bool   // answered by a rule
	}
	all, ends := []*asked{}, map[string]*asked{}
	page, err := h.server.Store.Runs(h.Context(), port.RunQuery{Limit: 1000})
	if err != nil {
		h.Fatal(err)
	}
	for _, r := range page.Items {
		events, err := h.server.Store.Events(h.Context(), r.ID, 0, 1000)
		if err != nil {
			h.Fatal(err)
		}
		for _, e := range events {
			switch f := e.Fact.(type) {
			case *run.ApprovalNeeded:
				one := &asked{at: e.At, req: f.Request, run: r.ID, seq: e.Seq}
				all, ends[f.Request.ID] = append(all, one), one
			case *run.ApprovalAutoApproved:
				all = append(all, &asked{at: e.At, req: f.Request, run: r.ID, seq: e.Seq, was: true})
			case *run.ApprovalResolved:
				ends[f.ID].end = string(f.Outcome.Status)
			}
		}
	}
	slices.SortFunc(all, func(x, y *asked) int { return x.at.Compare(y.at) })
	subjects, toAuto, toAsked, denied, used := 0, 0, 0, 0, map[string]int{}
	rejected, modified := []string{}, []string{}
	for _, a := range all {
		if a.req.Subject == nil {
			continue
		}
		subjects++
		s, err := h.server.App.StateAt(h.Context(), a.run, a.seq)
		if err != nil {
			h.Fatal(err)
		}
		ap := gate.Open(a.req, a.at)
		v := set.Judge(a.at, policy.Subject{
			Run: a.run, Workflow: "pay", Step: a.req.Step, Agent: a.req.Agent, Operation: a.req.Action.Operation,
			Risk: a.req.Risk.Level, Confidence: a.req.Confidence,
			Data: a.req.Proposed, Look: expr.Lookup(s.Look(ap)), Key: a.req.Subject.Key,
			Uses: func(rule string) int { return used[rule] },
		})
		auto := v.Effect == policy.Approves || v.Effect == policy.None // only rules ask here
		if v.Effect == policy.Approves {
			used[v.Rule]++
		}
		switch {
		case v.Effect == policy.Denies:
			denied++
		case !a.was && auto:
			toAuto++
			if a.end == "rejected" {
				rejected = append(rejected, a.req.ID)
			}
			if a.end == "modified" {
				modified = append(modified, a.req.ID)
			}
		case a.was && !auto:
			toAsked++
		}
	}
	slices.Sort(rejected)
	slices.Sort(modified)
	return fmt.Sprint(subjects, toAuto, toAsked, denied, rejected, modified)
}

func TestLessonsReachTheAgent(t *testing.T) {
	h := open(t, payments)
	h.past(40)
	list, err := h.Hindsight.Lessons(t.Context(), ann, insight.LessonQuery{Agent: "payer", Limit: 100})
	if err != nil || len(list.Items) == 0 {
		t.Fatalf("%+v, %v", list, err)
	}
	for i, l := range list.Items {
		if l.Operation != "refund" || l.Comment == "" || (l.Act == gate.Modify) != (len(l.Diff) > 0) ||
			i > 0 && l.At.After(list.Items[i-1].At) {
			t.Errorf("%+v", l)
		}
	}
	var lines bytes.Buffer
	if err := h.Hindsight.ExportLessons(t.Context(), ann, insight.LessonQuery{}, &lines); err != nil ||
		strings.Count(lines.String(), "\n") != len(list.Items) {
		t.Errorf("%s, %v", &lines, err)
	}
	// The most similar first, of the same operation only, and not too many.
	given := h.Supply.Teach(t.Context(), "payer", "refund",
		json.RawMessage(`{"amount":90,"to":"`+toOf(list.Items[len(list.Items)-1].Proposed)+`"}`))
	if len(given) == 0 || len(given) > 5 || toOf(given[0].Proposed) != toOf(list.Items[len(list.Items)-1].Proposed) {
		t.Errorf("%+v", given)
	}
	if given := h.Supply.Teach(t.Context(), "payer", "delete", json.RawMessage(`{}`)); len(given) != 0 {
		t.Errorf("%+v", given)
	}
	h.save(definition.KindAgent, "payer", "agent: payer\nkind: scripted\nlessons: false\nanswers: [{ output: "+
		"{ paid: true } }]\n", true)
	if given := h.Supply.Teach(t.Context(), "payer", "refund", json.RawMessage(`{}`)); len(given) != 0 {
		t.Errorf("%+v", given)
	}
}

func toOf(v json.RawMessage) string {
	var p struct{ To string }
	_ = json.Unmarshal(v, &p)
	return p.To
}

func TestSuggestionsCoverNothingRefused(t *testing.T) {
	h := open(t, payments)
	h.past(80)
	list, err := h.Hindsight.Suggest(t.Context(), ann, time.Now().Add(-time.Hour))
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	s := list.Items[0]
	var rule policy.Rule
	if err := json.Unmarshal(s.Rule, &rule); err != nil {
		t.Fatal(err)
	}
	if s.Covered < 10 || s.Left == 0 || rule.Priority >= 1 || len(rule.Trigger.DataThreshold) != 1 ||
		rule.Action.ExpiresAt == "" || rule.Action.MaxUses == nil {
		t.Errorf("%+v", s)
	}
	draft, err := h.Hindsight.Adopt(t.Context(), admin, s.ID, time.Now().Add(-time.Hour))
	if err != nil || draft.Published || !strings.Contains(draft.YAML, "Suggested") ||
		!strings.Contains(draft.YAML, "Rest") {
		t.Fatalf("%+v, %v", draft, err)
	}
	if v, err := h.Documents.Policy(t.Context(), ann); err != nil || v.Version != 1 {
		t.Errorf("a draft is in force: %+v, %v", v, err)
	}
	_, err = h.Hindsight.Adopt(t.Context(), admin, "sug_none", time.Now().Add(-time.Hour))
	wantFault(t, err, fault.NotFound, "sug_none")
}

func TestEmergencyStop(t *testing.T) {
	h := open(t, payments)
	h.waits(h.begin(ann, "pay", `{"amount":1}`).ID, run.Completed)
	_, err := h.Documents.EmergencyStop(t.Context(), bob, true, "odd refunds")
	wantFault(t, err, fault.Forbidden, "administrator")
	_, err = h.Documents.EmergencyStop(t.Context(), admin, true, "")
	wantFault(t, err, fault.Invalid, "reason")

	h.save(definition.KindWorkflow, "quiet",
		"workflow: quiet\nsteps: [{ id: a, human: { title: Anybody?, timeout: { after: 1500ms, then: approve } } }]\n", true)
	quiet := h.begin(ann, "quiet", `{}`)

	// While runs go on: none is approved automatically behind the stop.
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 25 {
				h.begin(ann, "pay", `{"amount":1}`)
			}
		})
	}
	stop, err := h.Documents.EmergencyStop(t.Context(), admin, true, "odd refunds")
	if err != nil || !stop.On || stop.By != "admin" {
		t.Fatalf("%+v, %v", stop, err)
	}
	head, err := h.server.Store.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all.Wait()
	h.stop()
	h.start()
	r := h.begin(ann, "pay", `{"amount":1}`)
	if a := h.asked(r.ID); !strings.Contains(a.Rule.Reason, "stopped") {
		t.Errorf("%+v", a.Rule)
	}
	late, _, err := h.server.Store.Feed(t.Context(), head, 10_000,
		port.FeedFilter{Types: []string{"approval.auto_approved"}})
	if err != nil || len(late) != 0 {
		t.Errorf("%d approvals behind the stop, %v", len(late), err)
	}
	if v, err := h.Documents.Policy(t.Context(), ann); err != nil || !v.Stop.On || v.Stop.Reason != "odd refunds" {
		t.Errorf("%+v, %v", v.Stop, err)
	}
	// Silence approves nothing either, also where the question is older than the stop.
	if v := h.waits(quiet.ID, run.Paused); v.Pause == nil || !strings.Contains(v.Pause.Reason, "no answer") {
		t.Errorf("%+v", v)
	}
	if _, err := h.Documents.EmergencyStop(t.Context(), admin, false, ""); err != nil {
		t.Fatal(err)
	}
	h.waits(h.begin(ann, "pay", `{"amount":1}`).ID, run.Completed)
}

// A policy can set the stop itself. It then holds for gates as well, whether silence would approve or use a default.
func TestAPolicyStopsGates(t *testing.T) {
	const quiet = "workflow: w%d\nsteps: [{ id: a, human: { title: Anybody?, %s, timeout: { after: 10ms, then: %s } } }]\n"
	h := open(t, payments)
	h.save(definition.KindPolicy, "house",
		"policy: house\nrules: []\nauto_approval: { global_settings: { emergency_stop: true } }\n", true)
	for n, then := range []string{"approve", "default, default: { n: 1 }"} {
		name := fmt.Sprintf("w%d", n)
		kinds := []string{"kind: approval", "kind: input, input_schema: { type: object }"}
		h.save(definition.KindWorkflow, name, fmt.Sprintf(quiet, n, kinds[n], then), true)
		if v := h.waits(h.begin(ann, name, `{}`).ID, run.Paused); v.Pause == nil || v.Pause.Approval == "" {
			t.Errorf("%s: %+v", then, v)
		}
	}
}

func TestGrantsAreUsedUp(t *testing.T) {
	h := open(t, strings.Replace(payments, "action: { auto_approve: true }",
		"action: { auto_approve: true, max_uses: 10 }", 1))
	var all sync.WaitGroup
	ids := make([]string, 30)
	for i := range ids {
		all.Go(func() { ids[i] = h.begin(ann, "pay", `{"amount":1}`).ID })
	}
	all.Wait()
	done := 0
	for _, id := range ids {
		for {
			v, err := h.App.Run(t.Context(), ann, id, false)
			if err != nil {
				t.Fatal(err)
			}
			if v.Status == run.Completed {
				done++
			}
			if v.Status != run.Running {
				break
			}
		}
	}
	if done != 10 {
		t.Errorf("%d of 30 were approved by a grant of 10", done)
	}
	h.stop()
	h.start()
	h.asked(h.begin(ann, "pay", `{"amount":1}`).ID)
}

// Reviewers have to know what happens if they do not answer.
func TestDefaultAnswerIsShown(t *testing.T) {
	h := open(t, "")
	h.save(definition.KindWorkflow, "ask", "workflow: ask\nsteps:\n"+
		"  - { id: d, human: { kind: choice, title: Which?, options: [{ value: x }, { value: y, label: By post }], "+
		"timeout: { after: 1h, then: default, default: y } } }\n", true)
	if a := h.asked(h.begin(ann, "ask", `{}`).ID); a.OnTimeout != gate.ThenDefault || string(a.Default) != `"y"` {
		t.Errorf("at the deadline %s %s", a.OnTimeout, a.Default)
	}
	h.save(definition.KindWorkflow, "quiet",
		"workflow: quiet\nsteps: [{ id: a, human: { title: Anybody?, timeout: { after: 1h, then: reject } } }]\n", true)
	if a := h.asked(h.begin(ann, "quiet", `{}`).ID); a.Default != nil {
		t.Errorf("a default without one: %s", a.Default)
	}
}

// A word that nothing could match is a mistake of the one who asks, not an
// answer that no rule matches.
func TestPolicyTestRefusesUnknownWords(t *testing.T) {
	h := open(t, payments)
	over := 1.5
	_, err := h.server.App.Hindsight.TestPolicy(t.Context(), ann, definition.JSON, nil,
		insight.Subject{Operation: "refund", Risk: "hihg", Confidence: &over})
	var e *fault.Error
	if !errors.As(err, &e) || e.Code != fault.Invalid || len(e.Problems) != 2 || e.Problems[0].Path != "/subject/risk" ||
		!strings.Contains(e.Problems[0].Message, "low, medium, high or critical") {
		t.Errorf("%+v", err)
	}
	if _, err := h.server.App.Hindsight.TestPolicy(t.Context(), ann, definition.JSON, nil,
		insight.Subject{Operation: "refund", Risk: "high"}); err != nil {
		t.Error(err)
	}
}
