package decide_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
)

// aheadRun is a run whose step "look" has a result ahead of an open approval.
func aheadRun(t *testing.T) (s *machine.State, do func(decide.Env, run.Operation)) {
	t.Helper()
	p := compile(t, `{"workflow":"w","speculate":true,"steps":[{"id":"a","agent":"x"},
		{"id":"look","agent":"safe","operation":"read","with":{"n":"a.n"}}],
		"gates":[{"id":"g","at":"after a"}]}`,
		plan.Agent{Name: "x", Kind: plan.AgentScripted},
		plan.Agent{Name: "safe", Kind: plan.AgentHTTP, Effects: plan.EffectsNone})
	s = machine.New("run_1", p)
	do = func(env decide.Env, op run.Operation) {
		t.Helper()
		env.Now = t0
		events, err := decide.Handle(s, env, run.Command{By: run.Actor{Kind: run.Person, Name: "ann"}, Do: op})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			s.Apply(e)
		}
	}
	complete := func(step, output string) {
		t.Helper()
		do(decide.Env{}, run.Complete{Key: run.Key{Run: "run_1", Kind: run.KeyStep, Step: step, Index: -1, Try: 1},
			Result: run.Result{Output: json.RawMessage(output)}})
	}
	do(decide.Env{}, run.Start{Owner: "ann"})
	complete("a", `{"n":1}`)
	complete("look", `{"seen":true}`)
	if len(s.Ahead) != 1 || s.Ahead[0].Result == nil || s.Steps[1].Status != run.PendingStep {
		t.Fatalf("%+v", s.Ahead)
	}
	return s, do
}

// approve approves the only open approval.
func approve(s *machine.State) run.Operation {
	return run.Decide{Approval: s.Pending()[0].ID,
		Answer: gate.Answer{By: gate.Person{Name: "ann", Roles: []string{"approver"}}, Act: gate.Approve, Version: 1}}
}

// TestStopEndsRunningAhead: with the emergency stop on, nothing runs ahead, and nothing that did is used.
func TestStopEndsRunningAhead(t *testing.T) {
	s, do := aheadRun(t)
	do(decide.Env{Stopped: true}, run.Tick{})
	if len(s.Ahead) != 0 || s.Steps[1].AheadEnd != run.AheadStopped {
		t.Errorf("%+v, %s", s.Ahead, s.Steps[1].AheadEnd)
	}
	s, do = aheadRun(t)
	do(decide.Env{Stopped: true}, approve(s))
	if st := s.Steps[1]; st.Status != run.RunningStep || st.AheadEnd == run.AheadUsed || st.Tasks[0].Rev != 1 {
		t.Errorf("%+v", st)
	}
}

// asksAboutLook is a policy that asks about the step "look".
type asksAboutLook struct{}

func (asksAboutLook) Judge(_ time.Time, s policy.Subject) policy.Verdict {
	if s.Step != "look" {
		return policy.Verdict{}
	}
	return policy.Verdict{Effect: policy.Asks, Rule: "ask", Policy: "pol_1", Ask: policy.Ask{Count: 1, Role: "approver"}}
}

// TestNewRuleEndsRunningAhead: a rule that now asks about a step keeps it from using what it did ahead. People
// are asked about another piece of work.
func TestNewRuleEndsRunningAhead(t *testing.T) {
	s, do := aheadRun(t)
	do(decide.Env{}, approve(s))
	if s.Steps[1].Status != run.DoneStep || s.Steps[1].AheadEnd != run.AheadUsed {
		t.Fatalf("%+v", s.Steps[1])
	}
	s, do = aheadRun(t)
	do(decide.Env{Judge: asksAboutLook{}}, approve(s))
	st := s.Steps[1]
	if len(s.Ahead) != 0 || st.Status != run.WaitingStep || st.AheadEnd != run.AheadChanged || st.Output != nil {
		t.Fatalf("%+v", st)
	}
	if a := s.Pending()[0]; a.Subject == nil || a.Subject.Key != "run_1/step/look#1" {
		t.Errorf("%+v", a.Subject)
	}
}
