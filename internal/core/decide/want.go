package decide

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/core/asking"
	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// Which approvals each spot requires, and what they show.

// wantsAt recomputes what a spot requires, for the current proposal.
func (d *draft) wantsAt(spot run.Spot) (wants []want, denied *run.Failure) {
	i, _ := d.Plan().Step(spot.Step)
	k := spot.Element()
	switch spot.At {
	case run.AtStart:
		return d.wantsAtStart(), nil
	case run.AtEnd:
		return d.wantsAtEnd(d.ProposalAt(spot)), nil
	case run.AtBefore:
		if k >= 0 {
			return d.wantsBeforeElement(i, k, d.ProposalAt(spot))
		}
		return d.wantsBefore(i, nil)
	case run.AtAfter:
		return d.wantsAfter(i, k, d.ResultOf(i, k))
	case run.AtCall:
		if c := d.CallAt(spot); c != nil {
			return d.wantsForCall(i, max(k, 0), c)
		}
	}
	return nil, nil
}

func (d *draft) wantsAtStart() []want {
	if len(d.Plan().Start) == 0 {
		return nil
	}
	spot := run.Spot{At: run.AtStart}
	sc := d.ScopeAt(-1, -1, d.Input)
	return d.gateWants(nil, d.Plan().Start, spot, sc, policy.Verdict{})
}

func (d *draft) wantsAtEnd(out json.RawMessage) []want {
	if len(d.Plan().End) == 0 {
		return nil
	}
	sc := d.ScopeAt(-1, -1, out)
	return d.gateWants(nil, d.Plan().End, run.Spot{At: run.AtEnd}, sc, policy.Verdict{})
}

// wantsBefore lists the approvals required before step i; denied reports that the policy denies it.
func (d *draft) wantsBefore(i int, unsure error) (wants []want, denied *run.Failure) {
	n := &d.Plan().Nodes[i]
	judged := d.env.Judge != nil && !d.IsMap(i) && declares(n)
	if len(n.Before) == 0 && n.Human < 0 && !judged && unsure == nil || n.CallsTool() && mutant.Is(mutant.ToolStepEarly) {
		return nil, nil
	}
	spot := d.spot(run.AtBefore, i, -1)
	in := d.ProposalAt(spot)
	sure, source := d.ConfidenceBefore(i, -1)
	sc := d.StepScope(i, -1, in)
	sc.SetConfidence(sure)
	var v policy.Verdict
	if judged {
		if v = d.judgeStep(i, -1, in, sc, sure); v.Effect == policy.Denies {
			return nil, &run.Failure{Code: codeDenied, Message: v.Deny}
		}
	}
	wants = d.gateWants(wants, n.Before, spot, sc, v)
	if n.Human >= 0 {
		wants = d.gateWants(wants, []int{n.Human}, spot, sc, policy.Verdict{})
	}
	wants = d.ruleWants(wants, spot, v, in)
	if unsure != nil {
		q := d.newRequest(spot, gate.ReasonGate)
		q.Proposed = in
		q.Title = phrase.Sentence("Should step %s run?", d.id(i))
		q.Description = "Its condition could not be evaluated: " + unsure.Error()
		q.Terms = d.termsFor(plan.Gate{Acts: []gate.Act{gate.Approve, gate.Reject, gate.Delegate},
			OnReject: gate.RejectTells}, spot)
		wants = append(wants, want{id: "if", request: q, firm: true})
	}
	wants = sureOf(wants, sure, source)
	if !declares(n) {
		return wants, nil // no policy covers such a step
	}
	return about(wants, d.KeyOf(i, -1), false), nil
}

// declares reports whether policies look at a step before it runs. A step that calls a tool is judged as that
// call.
func declares(n *plan.Node) bool {
	return !n.CallsTool() && (n.Step.Operation != "" || n.Step.Risk != "")
}

func (d *draft) wantsBeforeElement(i, k int, in json.RawMessage) (wants []want, denied *run.Failure) {
	n := &d.Plan().Nodes[i]
	if d.env.Judge == nil || !declares(n) {
		return nil, nil
	}
	sure, source := d.ConfidenceBefore(i, k)
	sc := d.StepScope(i, k, in)
	sc.SetConfidence(sure)
	v := d.judgeStep(i, k, in, sc, sure)
	if v.Effect == policy.Denies {
		return nil, &run.Failure{Code: codeDenied, Message: v.Deny}
	}
	wants = sureOf(d.ruleWants(nil, d.spot(run.AtBefore, i, k), v, in), sure, source)
	return about(wants, d.KeyOf(i, k), false), nil
}

// wantsAfter lists the approvals required for the result of step i, or of one of its elements. For a map as a
// whole (r is nil) that is the list of results, each of which may have been approved before. Denied reports
// that the policy forbids continuing with the result.
func (d *draft) wantsAfter(i, k int, r *run.Result) (wants []want, denied *run.Failure) {
	var gates []int
	if k < 0 {
		gates = d.Plan().Nodes[i].After
	}
	if len(gates) == 0 && (r == nil || r.DryRun || r.Confidence == nil && d.env.Judge == nil) {
		return nil, nil
	}
	spot := d.spot(run.AtAfter, i, k)
	if r == nil {
		return d.gateWants(nil, gates, spot, d.ResultScope(i, k, d.MapOutput(d.Steps[i])), policy.Verdict{}), nil
	}
	sc := d.ResultScope(i, k, r.Output)
	sc.SetConfidence(r.Confidence)
	v := d.judgeResult(i, k, r, sc)
	if v.Effect == policy.Denies {
		return nil, &run.Failure{Code: codeDenied, Message: v.Deny}
	}
	wants = d.gateWants(nil, gates, spot, sc, v)
	return about(d.resultWants(wants, spot, i, r, v), d.KeyOf(i, k), true), nil
}

// resultWants adds approvals required by a rule or by low confidence. If the result needs approval anyway,
// low confidence is shown there and does not raise a second question.
func (d *draft) resultWants(wants []want, spot run.Spot, i int, r *run.Result, v policy.Verdict) []want {
	if v.Effect == policy.Asks {
		wants = d.ruleWants(wants, spot, v, r.Output)
	}
	source := &gate.ConfidenceSource{Step: d.id(i), Agent: d.Acting(i, spot.Element()).Name,
		Confidence: r.Confidence}
	for n := range sureOf(wants, r.Confidence, source) {
		wants[n].request.Reasoning = r.Reasoning
	}
	if r.Confidence == nil || *r.Confidence >= d.threshold(i) {
		return wants
	}
	for _, w := range wants {
		if w.request.Kind == gate.KindApproval && w.auto == nil {
			return wants
		}
	}
	q := d.newRequest(spot, gate.ReasonLowConfidence)
	q.Proposed = r.Output
	q.Confidence, q.Source, q.Reasoning = r.Confidence, source, r.Reasoning
	q.Title = phrase.Sentence("%s is unsure about %s", d.Acting(i, spot.Element()).Name, d.id(i))
	q.Description = "Agent needs your input on this decision"
	q.Terms = d.termsFor(plan.Gate{OnReject: gate.RejectRevises}, spot)
	return append(wants, want{id: "confidence", request: q, firm: true})
}

// gateWants adds the gates whose condition is true. A condition that cannot be evaluated asks: a person
// decides what the machine cannot.
func (d *draft) gateWants(wants []want, gates []int, spot run.Spot, sc *machine.Scope, v policy.Verdict) []want {
	for _, g := range gates {
		cg := &d.Plan().Gates[g]
		asks, note := d.conditionAt(cg, sc)
		if !asks {
			continue
		}
		q := d.newRequest(spot, gate.ReasonGate)
		q.Proposed = sc.Subject
		d.describe(&q, cg, sc, note)
		w := want{id: cg.Gate.ID, request: q, firm: !cg.Gate.AutoApprovable || note != ""}
		if cg.Gate.AutoApprovable && v.Effect == policy.Approves && note == "" {
			w.auto = &v
			w.request.Rule = ruleOf(v)
		}
		wants = append(wants, w)
	}
	return wants
}

// conditionAt reports whether a gate asks, with a note for people if its condition could not be evaluated. If
// a field is missing, the condition is read literally, with a warning on the run, unless the gate is set to
// ask.
func (d *draft) conditionAt(cg *plan.CompiledGate, sc *machine.Scope) (asks bool, note string) {
	if cg.When == nil {
		return true, ""
	}
	holds, err := cg.When.Test(sc.Look())
	if err != nil {
		return true, "The gate's condition could not be evaluated: " + err.Error()
	}
	if holds {
		return true, ""
	}
	budget := expr.Budget
	lacking := cg.When.Weigh(&budget, sc.Look()).Missing
	if len(lacking) == 0 {
		return false, ""
	}
	names := make([]string, len(lacking))
	for n, p := range lacking {
		names[n] = p.String()
	}
	if d.Plan().Definition.AsksIfMissing(cg.Gate) {
		return true, fmt.Sprintf("The gate's condition (%s) could not be evaluated: %s is missing.", cg.Gate.When,
			strings.Join(names, ", "))
	}
	w := run.Warning{Code: "gate_field_missing", Path: "gates." + cg.Gate.ID,
		Message: fmt.Sprintf("gate %s was skipped: its condition (%s) needs %s, which is missing", cg.Gate.ID, cg.Gate.When,
			strings.Join(names, ", "))}
	if d.Seq == 0 {
		d.early = append(d.early, w) // the run's first event comes first
		return false, ""
	}
	d.warn(w.Code, w.Path, w.Message)
	return false, ""
}

func (d *draft) describe(q *gate.Request, cg *plan.CompiledGate, sc *machine.Scope, note string) {
	g := cg.Gate
	q.Gate, q.Kind, q.Description = g.ID, g.Kind, g.Description
	if g.Title != "" {
		q.Title = machine.Filled(g.Title, sc)
	}
	if note != "" {
		q.Description = strings.TrimSpace(q.Description + "\n\n" + note)
	}
	q.Options, q.InputSchema = g.Options, g.InputSchema
	q.Terms = d.terms(g, run.Spot{At: asking.SpotAt(cg.Spot.Kind), Step: q.Step})
	if step, ok := d.Plan().Revises(cg.Index); ok {
		q.Terms.Revise = d.id(step)
	}
	var show []value.Member
	for n, p := range cg.Show {
		if v, ok := sc.Path(p); ok {
			show = append(show, value.Member{Key: g.Show[n], Value: v})
		}
	}
	if show != nil {
		q.Show = value.Object(show...)
	}
}

// ruleWants adds a policy rule's approval, or records that the rule decided.
func (d *draft) ruleWants(wants []want, spot run.Spot, v policy.Verdict, proposal json.RawMessage) []want {
	if v.Effect != policy.Asks && v.Effect != policy.Approves {
		return wants
	}
	q := d.newRequest(spot, gate.ReasonRule)
	q.Proposed = proposal
	if title := d.Titled(spot, v.Title, q.Action.Operation, proposal); title != "" {
		q.Title = title
	} else {
		q.Title = fmt.Sprintf("%s: %s", v.Rule, q.Title)
	}
	q.Rule, q.Description, q.Risk.Reasons = ruleOf(v), v.Sum, v.Limits
	w := want{id: "rule:" + v.Rule, request: q}
	if v.Effect == policy.Approves {
		w.auto = &v
	}
	w.request.Terms = d.ruleTerms(v, spot)
	return append(wants, w)
}

func (d *draft) ruleTerms(v policy.Verdict, spot run.Spot) gate.Terms {
	g := plan.Gate{Role: v.Ask.Role, Roles: v.Ask.Roles, Quorum: v.Ask.Count, Notify: v.Ask.Notify}
	if v.Ask.Timeout > 0 && v.Ask.Then != "" {
		// The policy has seen whether it is reversible.
		g.Timeout = &plan.GateTimeout{After: quantity.Duration(v.Ask.Timeout), Then: v.Ask.Then, Irreversible: true}
	}
	for _, e := range v.Ask.Escalate {
		g.Escalate = append(g.Escalate, plan.Escalation{After: quantity.Duration(e.After), To: e.To})
	}
	t := d.termsFor(g, spot)
	if g.Role != "" || len(g.Roles) > 0 || g.Quorum > 1 {
		t.OnlyOwner = "" // the policy's approvers decide, even if the workflow leaves the rest to its owner
	}
	return t
}

func ruleOf(v policy.Verdict) *gate.Rule {
	return &gate.Rule{Name: v.Rule, Policy: v.Policy, Reason: v.Reason, MaxUses: v.MaxUses}
}

// newRequest fills in what every request states about its origin.
func (d *draft) newRequest(spot run.Spot, reason gate.Reason) gate.Request {
	q := gate.Request{
		Kind: gate.KindApproval, Reason: reason, Step: spot.Step, Index: spot.Index, SoFar: d.soFar(spot),
		About: d.Subject(), TestMode: d.Started.TestMode,
		Action: gate.Action{Type: actionType[spot.At], ArgsSchema: d.SchemaAt(spot)},
	}
	def := d.Plan().Definition
	q.Title = phrase.Sentence(titles[spot.At], orWorkflow(spot.Step, d.Started.Workflow, def.Workflow.Name))
	if i, ok := d.Plan().Step(spot.Step); ok {
		n := &d.Plan().Nodes[i]
		q.Agent = n.Step.Performer()
		if q.Agent != "" && (spot.At == run.AtAfter || spot.At == run.AtLimit) {
			q.Agent = d.Acting(i, spot.Element()).Name
		}
		q.Action.Operation = n.Step.Operation
		q.Risk = gate.Risk{Level: n.Step.Risk}
	}
	q.Action.ReversibleBy = asking.ReversibleBy(&d.State, spot)
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

// terms turns a gate's settings into who, how many, by when.
func (d *draft) terms(g *plan.Gate, spot run.Spot) gate.Terms {
	return asking.Terms(&d.State, d.requester(), d.env.Now, g, spot)
}

func (d *draft) requester() string {
	if start, ok := d.cmd.Do.(run.Start); ok && d.Seq == 0 && d.Started.Owner == "" {
		return start.Owner
	}
	return d.Started.Owner
}

// judgeStep asks the policy about a step that is about to run.
func (d *draft) judgeStep(i, k int, in json.RawMessage, sc *machine.Scope, sure *float64) policy.Verdict {
	sub := d.stepSubject(i, k, in, sc)
	sub.Confidence = sure
	return d.judge(sub)
}

// judgeResult asks the policy about a step's result.
func (d *draft) judgeResult(i, k int, r *run.Result, sc *machine.Scope) policy.Verdict {
	n := &d.Plan().Nodes[i]
	return d.judge(policy.Subject{
		Step: n.Step.ID, Agent: n.Step.Agent, Operation: n.Step.Operation, Risk: n.Step.Risk,
		Data: r.Output, Look: sc.Judged(),
		Confidence: r.Confidence, Result: true, Key: d.KeyOf(i, k).Work(),
	})
}

func (d *draft) judge(sub policy.Subject) policy.Verdict {
	if d.env.Judge == nil {
		return policy.Verdict{}
	}
	sub.Run, sub.Workflow, sub.Granted = d.ID, d.Plan().Definition.Workflow.Name, d.granted
	sub.Uses = func(rule string) int { return machine.UsedIn(d.events, rule) } // the store has not counted them yet
	sub.Total, sub.Test = d.ledger().Totals(sub.Key), d.Started.TestMode
	return d.env.Judge.Judge(d.env.Now, sub)
}

// sureOf adds the confidence and its source to a request.
func sureOf(wants []want, c *float64, src *gate.ConfidenceSource) []want {
	for n := range wants {
		wants[n].request.Confidence, wants[n].request.Source = c, src
	}
	return wants
}
