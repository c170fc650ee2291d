package asking

import (
	"encoding/json"
	"fmt"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// request fills in what every request states about its origin.
func (s Situation) request(spot run.Spot, reason gate.Reason) gate.Request {
	q := gate.Request{
		Kind: gate.KindApproval, Reason: reason, Step: spot.Step, Index: spot.Index, SoFar: s.soFar(spot),
		About: s.Subject(), TestMode: s.Started.TestMode,
		Action: gate.Action{Type: actionType[spot.At], ArgsSchema: s.SchemaAt(spot)},
	}
	def := s.Plan().Definition
	q.Title = phrase.Sentence(titles[spot.At], orWorkflow(spot.Step, s.Started.Workflow, def.Workflow.Name))
	if i, ok := s.Plan().Step(spot.Step); ok {
		n := &s.Plan().Nodes[i]
		q.Agent = n.Step.Performer()
		if q.Agent != "" && (spot.At == run.AtAfter || spot.At == run.AtLimit) {
			q.Agent = s.Acting(i, spot.Element()).Name
		}
		q.Action.Operation = n.Step.Operation
		q.Risk = gate.Risk{Level: n.Step.Risk}
	}
	q.Action.ReversibleBy = s.reversibleBy(spot)
	return q
}

var actionType = map[run.SpotAt]string{
	run.AtStart: "run", run.AtBefore: "step", run.AtAfter: "result", run.AtCall: "tool_call", run.AtEnd: "output",
	run.AtLayer: "layer", run.AtLimit: "limit", run.AtReplan: "replan",
}

var titles = map[run.SpotAt]string{
	run.AtStart: "Start %s", run.AtBefore: "Run %s", run.AtAfter: "Accept the result of %s", run.AtCall: "Tool call by %s",
	run.AtEnd:   "Accept the result of %s",
	run.AtLayer: "Continue with %s", run.AtLimit: "%s has reached a limit", run.AtReplan: "Add steps to %s",
}

func orWorkflow(step, started, name string) string {
	switch {
	case step != "":
		return step
	case started != "":
		return started
	}
	return name
}

// soFar is the summary sent with every request.
func (s Situation) soFar(spot run.Spot) string {
	if l := s.LoopAt(spot); l != nil {
		return l.SoFar()
	}
	if len(s.Steps) == s.Unsettled {
		return ""
	}
	return s.SummaryIn(1_000)
}

// Limit asks whether the agent of step i may use the same amount again.
func (s Situation) Limit(spot run.Spot, i int, kind run.LimitKind) Want {
	a := s.Plan().Nodes[i].Agent
	var more run.LimitAmount
	switch kind {
	case run.LimitDuration:
		more.Duration = a.Limits.Duration
	case run.LimitCost:
		more.CostUSD = a.Limits.CostUSD
	case run.LimitIterations:
		more.Iterations = max(a.Limits.Iterations, 1)
	}
	q := s.request(spot, gate.ReasonLimit)
	q.Kind = gate.KindInput
	q.Proposed, _ = value.Marshal(more)
	q.InputSchema = json.RawMessage(`{"type":"object","minProperties":1}`)
	q.Title = phrase.Sentence("%s has used up its %s", a.Name, kind.Words())
	q.Description = "Approve to grant the same amount again, modify the amount, or reject to stop here."
	q.IfDenied = "The run stops here. Results so far are kept."
	q.Terms = s.termsFor(plan.Gate{Acts: []gate.Act{gate.Approve, gate.Modify, gate.Submit, gate.Reject, gate.Delegate}},
		spot)
	return Want{ID: "limit:" + string(kind), Request: q}
}

// Point asks whether to continue with some steps.
func (s Situation) Point(spot run.Spot, id string, next []int) Want {
	q := s.request(spot, gate.ReasonLoop)
	names, irreversible := make([]string, len(next)), false
	for k, i := range next {
		n := &s.Plan().Nodes[i]
		names[k] = n.Step.ID
		irreversible = irreversible || n.Step.ReversibleBy == plan.ReversibleNone
	}
	q.Risk = s.Riskiest(next)
	q.Title, q.Description = s.PointTitle(names)
	q.SoFar = s.SummaryFor(next)
	q.Show = s.PointView(next)
	q.Proposed = json.RawMessage(plan.NoChange)
	h := s.Loops().Human
	g := plan.Gate{Role: h.Role, Assignees: h.People, Quorum: h.Quorum, Timeout: h.Timeout}
	q.Terms = s.termsFor(g, spot)
	if t := &q.Terms; irreversible && t.Then == gate.ThenApprove && (h.Timeout == nil || !h.Timeout.Irreversible) {
		t.Then = gate.ThenPause // a timeout does not approve irreversible actions
	}
	return Want{ID: id, Request: q}
}

// Replan asks whether to add the steps that were found for a requirement. Show is the plan before and after.
func (s Situation) Replan(spot run.Spot, r machine.OpenReplan, show json.RawMessage) Want {
	q := s.request(spot, gate.ReasonLoop)
	q.Title = r.Found.Question()
	q.Description = r.Found.Reasons(r.Requirement, r.Failed)
	q.SoFar = s.Summary()
	q.Proposed = s.ProposalAt(spot)
	q.Show = show
	q.IfDenied = "The run continues without these steps."
	q.Risk = r.Found.Risk(s.Plan())
	q.Terms = s.termsFor(plan.Gate{Acts: []gate.Act{gate.Approve, gate.Modify, gate.Reject, gate.Delegate}}, spot)
	return Want{ID: fmt.Sprintf("replan:%d", r.N), Request: q, Firm: true}
}
