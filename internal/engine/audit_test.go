package engine

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

func event(seq int64, f run.Fact) run.Event {
	return run.Event{Run: "run_1", Seq: seq, At: time.Unix(seq, 0),
		Actor: run.Actor{Kind: run.Person, Name: "ann"}, Fact: f}
}

// newRun is a run of one step that has not begun.
func newRun(t *testing.T) *machine.State {
	t.Helper()
	p, problems := plan.Compile(&plan.Definition{Workflow: plan.Workflow{Name: "refund",
		Steps: []plan.Step{{ID: "a", Agent: "x"}}}, Agents: map[string]plan.Agent{"x": {Name: "x", Kind: plan.AgentGo}}})
	if p == nil {
		t.Fatal(problems)
	}
	return machine.New("run_1", p)
}

// recorded is every fact that gets an audit entry, with all values set.
var recorded = []run.Fact{
	&run.RunStarted{Workflow: "refund", Version: 3, Input: json.RawMessage(`{"amount":1.0}`), Owner: "ann",
		Parent: &run.Parent{Run: "run_0"}},
	&run.RunForked{From: "run_0", AtSeq: 4, Edits: run.Edits{Input: json.RawMessage(`{"a":1}`)}},
	&run.ApprovalDecided{ID: "apr_1_1", Decision: gate.Decision{
		By: "ann", Act: gate.Modify, Changes: json.RawMessage(`{"amount":2}`), Data: json.RawMessage(`{"n":1}`),
		Comment: "ä", Proposed: json.RawMessage(`{"amount":2}`),
	}},
	&run.ApprovalResolved{ID: "apr_1_1", Content: "sha256:x",
		Outcome: gate.Outcome{Status: gate.Modified, Comment: "c", Data: json.RawMessage(`1`),
			Proposed: json.RawMessage(`{"amount":2}`)}},
	&run.ApprovalAutoApproved{Content: "sha256:x",
		Request: gate.Request{ID: "apr_1_2", Proposed: json.RawMessage(`{"amount":2}`),
			Rule: &gate.Rule{Name: "small", Policy: "pol_1"}}},
	&run.ApprovalTimedOut{ID: "apr_1_1", Then: gate.ThenReject},
	&run.ApprovalEscalated{ID: "apr_1_1", To: "role:manager"},
	&run.RunPaused{}, &run.RunUnpaused{}, &run.RunReopened{}, &run.PayloadsRemoved{Reason: "asked for"},
	&run.RunCancelling{Reason: "why"}, &run.RunCancelled{Reason: "why"},
	&run.StepSkipped{Step: "a", Why: run.SkipCommand},
	&run.StepArgsChanged{Step: "a", Changes: json.RawMessage(`{"x":1}`)},
	&run.CallArgsChanged{Step: "a", No: 1, Args: json.RawMessage(`{"x":1}`)},
	&run.PlanChanged{Steps: []plan.Step{{ID: "new"}}},
	&run.ReplanRequested{N: 1}, &run.LimitGranted{Step: "a"},
	&run.DeliverableMarked{ID: "dlv_1_1", Status: "final", Was: "draft"},
	&run.MessageAdded{Message: run.Message{Text: "hello"}},
	&run.ConsultRetrying{N: 1, Error: run.Failure{Code: run.CodeInvalidAnswer}},
	&run.ConsultAnswered{N: 1, Advice: run.AdviceRaw{Action: run.AdviceContinue}, Fallback: true},
}

// TestRecorded: every sealed value is where port.SealedPaths says, byte for byte in its canonical form.
func TestRecorded(t *testing.T) {
	for i, f := range recorded {
		t.Run(f.Type(), func(t *testing.T) {
			p := NewProjector(newRun(t))
			p.record(event(int64(i)+1, f))
			if len(p.audit) != 1 {
				t.Fatalf("%d entries", len(p.audit))
			}
			d := p.audit[0]
			if d.Action != f.Type() || d.Run != "run_1" || d.Actor.Name != "ann" || d.Target == "" {
				t.Fatalf("%+v", d)
			}
			detail, err := value.Marshal(d.Detail)
			if err != nil {
				t.Fatal(err)
			}
			if seq, _ := value.Get(detail, "seq"); string(seq) == "" {
				t.Errorf("the detail does not say which event: %s", detail)
			}
			data, err := run.EncodeFact(f)
			if err != nil {
				t.Fatal(err)
			}
			sealed := map[string]bool{}
			for _, s := range d.Sealed {
				if s.Name == "" {
					continue
				}
				sealed[s.Name] = true
				got, ok := value.Get(data, port.SealedPaths[f.Type()][s.Name]...)
				if !ok || !value.Equal(got, s.Value) {
					t.Errorf("%s is %s, and the event says %s", s.Name, s.Value, got)
				}
			}
			for name := range port.SealedPaths[f.Type()] {
				if !sealed[name] {
					t.Errorf("%s is not sealed", name)
				}
			}
			if _, err := d.Form(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNotRecorded(t *testing.T) {
	said := &run.MessageAdded{Message: run.Message{Text: "hello"}}
	p := NewProjector(newRun(t))
	for i, f := range []run.Fact{
		&run.StepStarted{Step: "a"}, &run.StepCompleted{Step: "a"}, &run.RunCompleted{}, &run.RunWaiting{},
		&run.ApprovalNeeded{}, &run.ApprovalReminder{},
		&run.StepSkipped{Step: "a", Why: run.SkipIf}, &run.TurnCompleted{},
		&run.ConsultRetrying{N: 1, Error: run.Failure{Code: "timeout"}},
		&run.ConsultAnswered{N: 1, Advice: run.AdviceRaw{Action: run.AdviceContinue}},
		&run.ConsultAnswered{N: 1, Fallback: true},
	} {
		p.record(event(int64(i)+1, f))
	}
	agent := event(1, said)
	agent.Actor = run.Actor{Kind: run.Agent, Name: "writer"}
	p.record(agent)
	if len(p.audit) != 0 {
		t.Fatalf("%+v", p.audit)
	}
}

// TestStartDetail: the manually built JSON is canonical, whatever the names.
func TestStartDetail(t *testing.T) {
	for _, f := range []*run.RunStarted{
		{}, {Workflow: `a"b\`, Owner: "ä\n", Definition: "d", Version: 7, TestMode: true, RetryOf: "run_0",
			Parent: &run.Parent{Run: "run_00"}},
	} {
		got := startDetail(f, 3)
		if !json.Valid(got) || string(value.Canonical(got)) != string(got) {
			t.Errorf("%s", got)
		}
	}
}

// TestForkRecordsNoPast: another run's history is recorded there.
func TestForkRecordsNoPast(t *testing.T) {
	p := NewProjector(newRun(t))
	p.record(event(1, recorded[0]))
	p.record(event(2, recorded[2]))
	p.record(event(3, recorded[1]))
	p.record(event(4, recorded[7]))
	if len(p.audit) != 2 || p.audit[0].Action != "run.forked" || p.audit[1].Action != "run.paused" {
		t.Fatalf("%+v", p.audit)
	}
}

// TestOriginal: a decision seals its subject.
func TestOriginal(t *testing.T) {
	s := newRun(t)
	p := NewProjector(s)
	s.Approvals = append(s.Approvals, gate.Open(gate.Request{ID: "apr_1_1", Step: "send", Gate: "review",
		Proposed: json.RawMessage(`{"amount":1}`)}, time.Unix(1, 0)))
	p.record(event(2, recorded[2]))
	p.record(event(3, &run.ApprovalDecided{ID: "apr_1_1", Decision: gate.Decision{Act: gate.Approve}}))
	for i, beside := range []bool{false, true} { // the original proposal is stored nowhere else
		d := p.audit[i]
		if detail := d.Detail.(decisionDetail); detail.Gate != "review" || detail.Step != "send" {
			t.Errorf("%+v", detail)
		}
		want := port.Sealed{Name: "original", Value: json.RawMessage(`{"amount":1}`), Beside: beside}
		if !slices.ContainsFunc(d.Sealed, func(s port.Sealed) bool { return reflect.DeepEqual(s, want) }) {
			t.Errorf("%+v", d.Sealed)
		}
	}
}

// TestAlwaysAudited: a check of the log expects an entry for exactly the events that always get one.
func TestAlwaysAudited(t *testing.T) {
	sometimes := []string{(*run.StepSkipped)(nil).Type(), (*run.MessageAdded)(nil).Type(),
		(*run.ConsultRetrying)(nil).Type(), (*run.ConsultAnswered)(nil).Type()}
	types := []string{(*run.LimitRaised)(nil).Type()}
	for _, f := range recorded {
		if !slices.Contains(sometimes, f.Type()) {
			types = append(types, f.Type())
		}
	}
	slices.Sort(types)
	if want := slices.Sorted(slices.Values(port.AlwaysAudited)); !slices.Equal(types, want) {
		t.Errorf("recorded are %v, expected are %v", types, want)
	}
}
