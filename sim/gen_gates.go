package sim

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/risk"
)

// gateSomewhere adds a gate at one of a workflow's spots.
func (g *generator) gateSomewhere(n int, wf *plan.Workflow) plan.Gate {
	k := g.rnd.IntN(len(wf.Steps))
	step := wf.Steps[k]
	place := pick(g.rnd, "start", "before", "before", "after", "after", "call", "call", "end")
	out := g.gate(fmt.Sprintf("g%d", n), place, step.ID)
	switch place {
	case "start", "end":
		out.At = place
	case "call":
		out.At = "call " + pick(g.rnd, "mail", "pay", "look", "*", "n*")
	default:
		out.At = place + " " + step.ID
	}
	if out.Kind == gate.KindInput && place == "before" && step.Each != "" {
		out.Kind, out.InputSchema, out.Acts = gate.KindApproval, nil, nil // a list cannot be submitted
	}
	if t := out.Timeout; t != nil && t.Then == gate.ThenDefault && out.Kind != gate.KindChoice && place == "before" &&
		step.Each != "" {
		t.Then, t.Default = gate.ThenApprove, nil // nor be a default
	}
	if out.OnReject == gate.RejectRevises && place == "before" {
		var before []plan.Step
		if k > 0 {
			before = wf.Steps[:k]
		}
		needs := needed(step, before)
		if len(needs) == 0 {
			out.OnReject = gate.RejectFails
		} else if len(needs) > 1 {
			out.Revise = needs[0]
		}
	}
	return *out
}

// gate generates one that suits its spot.
func (g *generator) gate(id, place, step string) *plan.Gate {
	out := &plan.Gate{ID: id, Title: "Check " + place + " " + step}
	if g.coin(40) && place != "human" {
		out.When = fmt.Sprintf("n %s %d", pick(g.rnd, ">", "<", ">=", "<="), g.rnd.IntN(11))
	}
	out.Kind = pick(g.rnd, gate.KindApproval, gate.KindApproval, gate.KindApproval, gate.KindChoice,
		gate.KindInput, gate.KindEscalation)
	switch out.Kind {
	case gate.KindChoice:
		out.Options = []gate.Option{{Value: "left", Label: "Left"}, {Value: "right", Label: "Right"}}
	case gate.KindInput:
		out.InputSchema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}`)
	}
	g.voters(out)
	g.deadlines(out)
	out.OnReject = g.onReject(place)
	out.AutoApprovable = g.coin(30)
	if g.coin(25) && place != "start" && place != "before" && place != "human" {
		out.Acts = []gate.Act{gate.Approve, gate.Reject, gate.RequestRevision}
		switch out.Kind {
		case gate.KindChoice:
			out.Acts[0] = gate.Choose
		case gate.KindInput:
			out.Acts = append(out.Acts, gate.Submit)
		}
	}
	return out
}

func (g *generator) onReject(place string) gate.OnReject {
	switch place {
	case "start":
		return pick(g.rnd, "", gate.RejectFails, gate.RejectCancels, gate.RejectTells)
	case "human":
		return pick(g.rnd, "", gate.RejectFails, gate.RejectCancels, gate.RejectTells)
	}
	return pick(g.rnd, "", gate.RejectFails, gate.RejectCancels, gate.RejectTells, gate.RejectRevises, gate.RejectRevises)
}

func (g *generator) voters(out *plan.Gate) {
	switch g.rnd.IntN(6) {
	case 0:
		out.Role = pick(g.rnd, "approver", "finance", "legal")
	case 1:
		out.Roles = map[string]int{"finance": 1, "legal": 1}
		if g.coin(30) {
			out.Roles = map[string]int{"approver": 2, "finance": 1}
		}
	case 2:
		out.Assignees = []string{"bob", "role:finance"}
	}
	if g.coin(40) {
		out.Quorum = 2 + g.rnd.IntN(2)
	}
	if out.Kind == gate.KindInput {
		out.Quorum, out.Roles = 0, nil
	}
	if g.coin(40) {
		out.Requester = pick(g.rnd, plan.RequesterAllowed, plan.RequesterExcluded)
	}
}

func (g *generator) deadlines(out *plan.Gate) {
	if g.coin(30) {
		out.Escalate = []plan.Escalation{{After: quantity.Duration(5 * time.Minute), To: "role:manager"}}
		if g.coin(50) {
			out.Escalate = append(out.Escalate, plan.Escalation{After: quantity.Duration(time.Hour), To: "ida"})
		}
	}
	if g.coin(35) {
		out.Timeout = &plan.GateTimeout{After: quantity.Duration(pick(g.rnd, 30*time.Second, 10*time.Minute, 2*time.Hour)),
			Then: pick(g.rnd, gate.Thens...)}
		if out.Timeout.Then == gate.ThenEscalate && len(out.Escalate) == 0 {
			out.Timeout.Then = gate.ThenPause
		}
		if out.Timeout.Then == gate.ThenDefault {
			out.Timeout.Default = json.RawMessage(`{"n":1}`)
			if out.Kind == gate.KindChoice {
				out.Timeout.Default = json.RawMessage(`"left"`)
			}
		}
	}
	if g.coin(30) {
		out.Remind = quantity.Of(pick(g.rnd, 0, 20*time.Minute))
	}
	if g.coin(30) {
		out.PauseAfter = quantity.Of(pick(g.rnd, 0, 3*time.Hour))
	}
}

// policy generates a few rules with simple thresholds.
func (g *generator) policy() *policy.Document {
	if g.coin(35) || g.opts.off(Policies) {
		return nil
	}
	return g.policyOf(1 + g.rnd.IntN(4))
}

func (g *generator) policyOf(rules int) *policy.Document {
	doc := &policy.Document{Name: "default"}
	for n := range rules {
		doc.Rules = append(doc.Rules, policy.Rule{Name: fmt.Sprintf("rule %d", n), Priority: n,
			Trigger: g.trigger(), Action: g.action()})
	}
	switch k := g.rnd.IntN(100); {
	case k < 15:
		no := false
		doc.AutoApproval = &policy.AutoApproval{Enabled: &no}
	case k < 40 && !g.opts.off(NewRules): // a rule's result depends on the time of day
		doc.AutoApproval = &policy.AutoApproval{Settings: policy.Settings{BusinessHoursOnly: true,
			BusinessHours: &policy.Hours{
				Timezone: "UTC", MondayFriday: "09:00-17:00", SaturdaySunday: "disabled",
			}}}
	}
	return doc
}

func (g *generator) trigger() (t policy.Trigger) {
	switch g.rnd.IntN(6) {
	case 0:
		t.OperationType = policy.List[string]{pick(g.rnd, "refund", "send_email", "read")}
	case 1:
		t.Tool = policy.List[string]{pick(g.rnd, "mail", "pay", "look")}
	case 2:
		t.RiskLevel = policy.List[risk.Level]{pick(g.rnd, risk.Levels...), risk.High}
	case 3:
		t.At = "result"
	case 4:
		v := pick(g.rnd, 0.5, 0.8, 0.9)
		t.At = "result" // the scenarios cover the confidence of acts
		t.AgentConfidence = &policy.Confidence{Operator: pick(g.rnd, "<", ">="), Value: &v}
	}
	if g.coin(60) || t.At != "" {
		t.DataThreshold = policy.Fields{{Field: "n", Operator: pick(g.rnd, ">", "<", ">=", "<="),
			Value: mustJSON(g.rnd.IntN(11))}}
	}
	return t
}

func (g *generator) action() (a policy.Action) {
	switch g.rnd.IntN(5) {
	case 0:
		return policy.Action{Deny: "not allowed here"}
	case 1, 2:
		a.AutoApprove = true
		if g.coin(25) {
			share := pick(g.rnd, 0.0, 50, 50, 100)
			a.RolloutPercentage = &share
			if !g.opts.off(NewRules) && g.coin(50) { // a share that grows while runs are in progress
				a.RolloutPercentage, a.Rollout = nil,
					&policy.Rollout{To: &share, Over: policy.Scalar(pick(g.rnd, "1h", "1d", "14d")), From: began.Format(time.RFC3339)}
			}
		}
		if g.coin(25) {
			most := 1 + g.rnd.IntN(3)
			a.MaxUses = &most
		}
	}
	if n := g.rnd.IntN(3); n > 0 {
		a.RequireApprovalCount = &n
	}
	switch g.rnd.IntN(4) {
	case 0:
		a.Role = pick(g.rnd, "approver", "finance")
	case 1:
		a.Roles, a.RequireApprovalCount = map[string]int{"finance": 1, "legal": 1}, nil
	}
	if g.coin(40) {
		a.TimeoutSeconds = pick(g.rnd, 30.0, 600, 7200)
		a.OnTimeout = pick(g.rnd, "", "approve", "reject", "cancel", "pause", "default", "escalate")
	}
	if a.OnTimeout == "escalate" || g.coin(25) {
		a.Escalation = &policy.Chain{AfterSeconds: 300, EscalateTo: policy.List[string]{"role:manager"}}
	}
	return a
}
