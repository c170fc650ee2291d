package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/agent/scripted"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

// claims is the file that the four printed examples belong to: what the
// registry says about the workflow, with the agents that the printed execution
// flows speak of.
const claims = `{
  "workflow_id": "claims_triage",
  "name": "Claims Triage Workflow",
  "mode": "advisory",
  "agents": ["intake_agent", "fraud_agent", "severity_agent"],
  "hitl_checkpoints": []
}`

// importClaims imports the printed examples into one workflow.
func importClaims(t *testing.T) *definition.Set {
	t.Helper()
	_, set := mustImport(t, Source{"registry/claims_triage.json", []byte(claims)}, printed(t, "example_1.json"),
		printed(t, "example_2.json"),
		printed(t, "example_3.json"), printed(t, "example_4.json"), printed(t, "governance_policies.json"))
	return set
}

// office is an engine with an imported workflow, and people who decide.
type office struct {
	*testing.T
	set    *definition.Set
	engine *local.Engine
	store  store.Store
}

// openOffice puts scripted agents in the place of the stand-ins.
func openOffice(t *testing.T, set *definition.Set, answers map[string]string) *office {
	t.Helper()
	agents := map[string]port.Agent{}
	for name, a := range set.Agents {
		script := *a.Scripted
		if text := answers[name]; text != "" {
			script = definition.Scripted{}
			if err := json.Unmarshal([]byte(`{"answers": [`+text+`]}`), &script); err != nil {
				t.Fatal(err)
			}
		}
		agent, err := scripted.New(script)
		if err != nil {
			t.Fatal(err)
		}
		agents[name] = agent
	}
	store, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	o := &office{T: t, set: set, store: store}
	o.engine = local.New(local.Config{
		Store: store,
		Agent: func(name string) (port.Agent, bool) { a, ok := agents[name]; return a, ok },
		Log:   slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	o.engine.Start()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		if err := o.engine.Stop(ctx); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return o
}

// says is the answer given at a gate.
type says struct {
	gate, role string
	by         string // asked by name, once it is escalated to them
	gate.Answer
	refused fault.Code
}

// course is how a run went.
type course struct {
	asked     []string
	approvals map[string]gate.Approval // the last of each gate
	status    run.Status
	output    json.RawMessage
	outputs   map[string]json.RawMessage
	open      map[string]gate.Approval // the same while it was open
	err       *run.Failure
}

var commands int

func (o *office) command(by string, do run.Operation) run.Command {
	commands++
	return run.Command{ID: fmt.Sprint("c", commands), By: run.Actor{Kind: run.Person, Name: by}, Do: do}
}

// play runs the workflow to its end. The timeouts of the gates in soon are short.
func (o *office) play(workflow, input string, soon []string, answers ...says) course {
	o.Helper()
	ctx, cancel := context.WithTimeout(o.Context(), 2*time.Minute)
	defer cancel()
	id := engine.NewRunID(time.Now())
	start := run.Start{Input: json.RawMessage(input), Owner: "claimant"}
	if _, err := o.engine.Begin(ctx, id, o.define(workflow, soon), o.command("claimant", start), nil); err != nil {
		o.Fatal(err)
	}
	changed := o.store.Watch(ctx)
	open := map[string]gate.Approval{}
	for {
		c, pending := o.look(ctx, id)
		c.open = open
		for _, a := range pending {
			open[a.Gate] = *a
		}
		if c.status.Ended() {
			if len(answers) > 0 {
				o.Errorf("%s was never asked: %v", answers[0].gate, c.asked)
			}
			return c
		}
		if i := slices.IndexFunc(pending, func(a *gate.Approval) bool {
			return len(answers) > 0 && a.Gate == answers[0].gate &&
				(answers[0].by == "" || slices.Contains(a.Also, answers[0].by))
		}); i >= 0 {
			next := answers[0]
			answers = answers[1:]
			o.decide(ctx, id, pending[i], next)
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			o.Fatalf("the run is %s after a long time: %v", c.status, c.asked)
		}
	}
}

func (o *office) decide(ctx context.Context, id string, a *gate.Approval, next says) {
	o.Helper()
	ans := next.Answer
	ans.By = gate.Person{Name: next.role + " 1", Roles: []string{next.role}}
	if next.by != "" {
		ans.By = gate.Person{Name: next.by}
	}
	ans.Version = a.Version
	_, err := o.engine.Do(ctx, id, o.command(ans.By.Name, run.Decide{Approval: a.ID, Answer: ans}), nil)
	if code := fault.Code(""); err != nil {
		if code = fault.CodeOf(err); code != next.refused {
			o.Fatalf("%s at %s: %v", next.role, next.gate, err)
		}
	} else if next.refused != "" {
		o.Fatalf("%s at %s was not refused", next.role, next.gate)
	}
}

func (o *office) define(workflow string, soon []string) *plan.Definition {
	w := o.set.Workflows[workflow].Workflow
	w.Gates = slices.Clone(w.Gates)
	for i, g := range w.Gates {
		if slices.Contains(soon, g.ID) {
			short := *g.Timeout
			short.After = quantity.Duration(30 * time.Millisecond)
			w.Gates[i].Timeout = &short
		}
	}
	agents := map[string]plan.Agent{}
	for name, a := range o.set.Agents {
		agents[name] = a.Agent
	}
	return &plan.Definition{Workflow: w, Version: 1, Agents: agents}
}

func (o *office) look(ctx context.Context, id string) (c course, pending []*gate.Approval) {
	err := o.engine.View(ctx, id, func(s *machine.State) error {
		c = course{approvals: map[string]gate.Approval{}, outputs: map[string]json.RawMessage{}, status: s.Status,
			output: s.Output, err: s.Error}
		for _, a := range s.Approvals {
			c.asked = append(c.asked, a.Gate+" by "+a.Terms.Role)
			c.approvals[a.Gate] = *a.Clone()
			if a.Status == gate.Pending {
				pending = append(pending, a.Clone())
			}
		}
		for i, st := range s.Steps {
			c.outputs[s.Plan().Nodes[i].Step.ID] = st.Output
		}
		return nil
	})
	if err != nil {
		o.Fatal(err)
	}
	return c, pending
}

// The agents of the printed flows. The severity agent looks again when it is
// sent back; what it says shows what it was given.
func claimsAgents(score string) map[string]string {
	return map[string]string{
		"intake_agent": `{"match": "incident_date == null", "output": {"claim_id": "CLM-1", "claim_amount": 1850, "incident_date": null, "validation_warnings": ["missing_incident_date"]}},
			{"output": {"claim_id": "CLM-1", "claim_amount": 1850, "validation_warnings": []}}`,
		"fraud_agent": `{"output": {"fraud_score": ` + score +
			`, "fraud_signals": ["multiple_claims"], "similar_claims": []}}`,
		"severity_agent": `{"match": "fraud_review.option == \"confirm_fraud\"", "output": {"recommendation": "decline"}},
			{"match": "incident_date == \"2025-12-15\"", "output": {"recommendation": "pay, with the date"}},
			{"match": "incident_date == \"2025-12-15\"", "output": {"recommendation": "pay, after another look"}},
			{"output": {"recommendation": "pay"}}`,
	}
}

const (
	complete   = `{"claim_id": "CLM-1", "claim_amount": 1850, "incident_date": "2025-12-01"}`
	incomplete = `{"claim_id": "CLM-1", "claim_amount": 1850}`
)

func approves(id, role string) says {
	return says{gate: id, role: role, Answer: gate.Answer{Act: gate.Approve, Comment: "checked"}}
}

func expect(t *testing.T, c course, status run.Status, recommendation string, asked ...string) {
	t.Helper()
	if c.status != status || !slices.Equal(c.asked, asked) {
		t.Fatalf("the run is %s (%v), asked %s", c.status, c.err, strings.Join(c.asked, "; "))
	}
	if got, _ := value.Get(c.output, "recommendation"); recommendation != "" &&
		string(got) != string(value.Quote(recommendation)) {
		t.Errorf("the run says %s", c.output)
	}
}

func TestHighFraudScoreAsksTheInvestigator(t *testing.T) {
	o := openOffice(t, importClaims(t), claimsAgents("0.85"))
	c := o.play("claims_triage", complete, nil,
		approves("pre_review", "reviewer"),
		says{gate: "fraud_review", role: "reviewer", Answer: gate.Answer{Act: gate.Choose, Option: "confirm_fraud"},
			refused: fault.Forbidden},
		says{gate: "fraud_review", role: "fraud_investigator", Answer: gate.Answer{Act: gate.Choose, Option: "nonsense"},
			refused: fault.Invalid},
		says{gate: "fraud_review", role: "fraud_investigator",
			Answer: gate.Answer{Act: gate.Choose, Option: "confirm_fraud", Comment: "similar pattern to case #1234"}},
		approves("final_approval", "approver"),
	)
	expect(t, c, run.Completed, "decline", "pre_review by reviewer", "fraud_review by fraud_investigator",
		"final_approval by approver")
	a := c.open["fraud_review"]
	if v, _ := value.Get(a.Show, "fraud_score"); string(v) != "0.85" {
		t.Errorf("the investigator is shown %s", a.Show)
	}
	if len(a.Options) != 3 || a.Title != "High Fraud Score Review" {
		t.Errorf("the investigator is asked %+v", a.Request)
	}
}

func TestLowFraudScoreAsksNobody(t *testing.T) {
	o := openOffice(t, importClaims(t), claimsAgents("0.3"))
	c := o.play("claims_triage", complete, nil, approves("pre_review", "reviewer"), approves("final_approval", "approver"))
	expect(t, c, run.Completed, "pay", "pre_review by reviewer", "final_approval by approver")
}

func TestSubmittedDataReachesLaterSteps(t *testing.T) {
	o := openOffice(t, importClaims(t), claimsAgents("0.3"))
	submit := func(data string) gate.Answer {
		return gate.Answer{Act: gate.Submit, Data: json.RawMessage(data),
			Comment: "Verified date with policyholder via phone"}
	}
	c := o.play("claims_triage", incomplete, nil,
		approves("pre_review", "reviewer"),
		says{gate: "data_correction", role: "claims_adjuster", Answer: submit(`{"claim_id": "CLM-2"}`),
			refused: fault.Invalid},
		says{gate: "data_correction", role: "claims_adjuster", Answer: submit(`{"incident_date": "2025-12-15"}`)},
		says{gate: "final_approval", role: "approver",
			Answer: gate.Answer{Act: gate.RequestRevision, Comment: "Need additional severity analysis"}},
		approves("final_approval", "approver"),
	)
	expect(t, c, run.Completed, "pay, after another look",
		"pre_review by reviewer", "data_correction by claims_adjuster", "final_approval by approver",
		"final_approval by approver")
	if v, _ := value.Get(c.outputs["intake_agent"], "incident_date"); string(v) != `"2025-12-15"` {
		t.Errorf("the intake says %s", c.outputs["intake_agent"])
	}
}

func TestRejections(t *testing.T) {
	reject := gate.Answer{Act: gate.Reject, Comment: "no"}
	o := openOffice(t, importClaims(t), claimsAgents("0.85"))
	c := o.play("claims_triage", complete, nil, says{gate: "pre_review", role: "reviewer", Answer: reject})
	expect(t, c, run.Cancelled, "", "pre_review by reviewer")

	c = o.play("claims_triage", complete, nil, approves("pre_review", "reviewer"),
		says{gate: "fraud_review", role: "fraud_investigator", Answer: reject})
	expect(t, c, run.Cancelled, "", "pre_review by reviewer", "fraud_review by fraud_investigator")

	// At the end the work is done again, until it is approved.
	o = openOffice(t, importClaims(t), claimsAgents("0.3"))
	c = o.play("claims_triage", complete, nil, approves("pre_review", "reviewer"),
		says{gate: "final_approval", role: "reviewer", Answer: reject, refused: fault.Forbidden},
		says{gate: "final_approval", role: "approver", Answer: reject}, approves("final_approval", "approver"))
	expect(t, c, run.Completed, "pay", "pre_review by reviewer", "final_approval by approver",
		"final_approval by approver")
}

func TestTimeoutsAct(t *testing.T) {
	o := openOffice(t, importClaims(t), claimsAgents("0.85"))
	c := o.play("claims_triage", complete, []string{"pre_review", "fraud_review"}, approves("final_approval", "approver"))
	expect(t, c, run.Completed, "decline", "pre_review by reviewer", "fraud_review by fraud_investigator",
		"final_approval by approver")
	for id, act := range map[string]gate.Act{"pre_review": gate.Approve, "fraud_review": gate.Choose} {
		if a := c.approvals[id]; a.Status != gate.TimedOut || a.Outcome.Act != act {
			t.Errorf("%s: %s %+v", id, a.Status, a.Outcome)
		}
	}
	if a := c.approvals["final_approval"]; !a.DeadlineAt.IsZero() || !a.Terms.PauseAt.IsZero() {
		t.Errorf("final_approval does not wait for ever: %v %v", a.DeadlineAt, a.Terms.PauseAt)
	}
}

func TestTimeoutsCancelRejectAndEscalate(t *testing.T) {
	body := `{"workflow_id": "slow", "hitl_checkpoints": [{
	  "checkpoint_id": "ask", "checkpoint_type": "approval", "trigger_point": "after_agent", "agent_id": "a", "required_role": "reviewer",
	  "timeout_config": {"enabled": true, "timeout_seconds": 600, "on_timeout": %q, "escalate_to": ["boss@example.com"]},
	  "ui_schema": {"actions": ["approve", "reject", "escalate"]}}]}`
	boss := says{gate: "ask", by: "boss@example.com", Answer: gate.Answer{Act: gate.Approve}}
	for _, c := range []struct {
		action  string
		status  run.Status
		answers []says
	}{
		{"cancel_workflow", run.Cancelled, nil},
		{"auto_reject", run.Cancelled, nil},
		{"auto_approve", run.Completed, nil},
		{"escalate", run.Completed, []says{boss}},
	} {
		_, set := mustImport(t, Source{"slow.json", fmt.Appendf(nil, body, c.action)})
		o := openOffice(t, set, map[string]string{"a": `{"output": {"ok": true}}`})
		expect(t, o.play("slow", `{}`, []string{"ask"}, c.answers...), c.status, "", "ask by reviewer")
	}
}

// TestStandInsFailClearly: without agents the run says what to do.
func TestStandInsFailClearly(t *testing.T) {
	_, set := mustImport(t, printed(t, "registry.json"))
	c := openOffice(t, set, nil).play("claims_triage", complete, nil)
	if c.status != run.Failed || c.err == nil ||
		!strings.Contains(c.err.Message, "replace this agent: the imported file claims_triage.json does not "+
			"specify how to reach it") {
		t.Errorf("%s %+v", c.status, c.err)
	}
}
