package asking

import (
	"encoding/json"
	"slices"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// levelOf is the risk level of a call under the rules of the agents it is made for.
func (s Situation) levelOf(i int, c *loop.Call) risk.Level {
	rules, _ := s.rulesFor(i, c)
	asks, level, reasons := risk.Strictest(c.Tool(), rules...)
	_, level, _ = machine.RaiseTo(&s.Plan().Nodes[i], asks, level, reasons)
	return level
}

// Call lists the approvals a call needs: by gates at the tool, by policy rules, and by the agent's autonomy.
func (s Situation) Call(i, k int, c *loop.Call) (r Required) {
	spot, agent := s.CallSpot(i, k, c), s.AgentOfCall(i, c)
	rules, firm := s.rulesFor(i, c)
	asks, level, reasons := risk.Strictest(c.Tool(), rules...)
	asks, level, reasons = machine.RaiseTo(&s.Plan().Nodes[i], asks, level, reasons)
	firm = firm || level == risk.Critical
	sc := s.CallScope(i, c.Call.Args, c.Call.Tool, agent.Name, c.Call.Spec.Operation, level)
	sc.SetConfidence(c.Call.Confidence)
	v := s.judge(policy.Subject{
		Step: spot.Step, Agent: agent.Name, Tool: c.Call.Tool, Operation: c.Operation(), Risk: level,
		Data: c.Call.Args, Look: sc.Judged(), Key: s.CallKey(i, k, c).Work(), Confidence: c.Call.Confidence,
		Irreversible: c.Call.Spec.ReversibleBy == plan.ReversibleNone,
	})
	if v.Effect == policy.Denies {
		return denied(v)
	}
	if c.Input != nil || s.OnlyCallAt(spot) && mutant.Is(mutant.ToolStepUnasked) { // it was allowed to start
		return r
	}
	if v.Effect == policy.Approves && firm {
		v = policy.Verdict{} // review-every-call means every call, and critical calls always need people
	}
	repeats := s.repeats(i, k, c)
	if !repeats {
		s.gates(&r, s.Plan().CallGates(c.Call.Tool), spot, sc, v)
	}
	s.rule(&r, spot, v, c.Call.Args)
	switch {
	case repeats:
		r.Wants = slices.DeleteFunc(r.Wants, func(w Want) bool { return w.Auto != nil || s.saidTo(spot, w) })
	case c.Call.Tool == run.ToolAskHuman:
		r.add(s.question(spot, c))
	case asks && len(r.Wants) == 0:
		q := s.request(spot, gate.ReasonCall)
		if c.Call.Tool == run.ToolMilestone {
			q.Reason = gate.ReasonMilestone
		}
		q.Proposed = c.Call.Args
		q.Terms = s.termsFor(plan.Gate{}, spot)
		r.add(Want{ID: "autonomy", Request: q, Firm: firm})
	}
	source := &gate.ConfidenceSource{Step: spot.Step, Agent: agent.Name, Confidence: c.Call.Confidence}
	if s.Plan().Nodes[i].CallsTool() {
		_, source = s.ConfidenceBefore(i, s.Element(i, k))
	}
	r.sure(c.Call.Confidence, source)
	for n := range r.Wants {
		q := &r.Wants[n].Request
		c.Describe(q, agent.Name, level, reasons)
		if s.OnlyCallAt(spot) && c.Call.Spec.IfDenied == "" {
			q.IfDenied = machine.IfStepDenied(q.Terms.OnReject)
		}
		if q.Rule != nil && q.Gate == "" && (v.Title != "" || c.Call.Spec.Description == "") {
			if title := s.Titled(spot, v.Title, c.Operation(), c.Call.Args); title != "" {
				q.Title = title
			}
		}
	}
	r.about(s.CallKey(i, k, c), false)
	return r
}

// saidTo reports whether a rule's question about a call was already answered for an equal one: by the same
// question, or by enough people for this one. Neither an answer to the tool nor one at a gate is an approval.
func (s Situation) saidTo(spot run.Spot, w Want) bool {
	content := []byte(s.ContentAt(spot))
	return slices.ContainsFunc(s.Approvals, func(a *gate.Approval) bool {
		other := a.Step != spot.Step || (run.Spot{Index: a.Index}).Element() != spot.Element()
		if a.Outcome == nil || !a.Outcome.Positive() || a.Call == "" || IsQuestion(a) || other {
			return false
		}
		rule := ""
		if a.Rule != nil {
			rule = a.Rule.Policy
		}
		if a.Action.Digest != value.Digest(content, []byte(rule)) {
			return false
		}
		return a.Rule != nil && w.ID == "rule:"+a.Rule.Name && s.stands(a, w) || a.Gate == "" && a.Meets(w.Request.Terms)
	})
}

// repeats reports whether people approved exactly this call before and it failed.
func (s Situation) repeats(i, k int, c *loop.Call) bool {
	l := s.Steps[i].Tasks[k].Loop
	if l == nil { // the step is done
		return false
	}
	if mutant.Is(mutant.ChangedArgsPass) {
		return len(l.Repeatable) > 0
	}
	if mutant.Is(mutant.OldRevisionCounts) && c.Place == nil && s.ApprovedEarlier(s.CallKey(i, k, c), c.Call.ID) {
		return true
	}
	return c.Repeats || slices.Contains(l.Repeatable, s.ContentAt(s.CallSpot(i, k, c)))
}

var answerSchema = json.RawMessage(`{"type":"object",` +
	`"properties":{"answer":{"type":"string","minLength":1}},"required":["answer"]}`)

// question is an agent's own question to people.
func (s Situation) question(spot run.Spot, c *loop.Call) Want {
	q := s.request(spot, gate.ReasonCall)
	q.Proposed = json.RawMessage("{}")
	if raw, ok := value.Get(c.Call.Args, "question"); ok {
		q.Title, _ = value.Text(raw)
	}
	g := plan.Gate{Kind: gate.KindInput}
	if raw, ok := value.Get(c.Call.Args, "options"); ok && len(value.Elements(raw)) > 0 {
		g.Kind = gate.KindChoice
		for _, e := range value.Elements(raw) {
			text, _ := value.Text(e)
			q.Options = append(q.Options, gate.Option{Value: text, Label: text})
		}
	} else {
		q.InputSchema = answerSchema
	}
	q.Kind = g.Kind
	q.Terms = s.termsFor(g, spot)
	q.Action.ArgsSchema = nil
	return Want{ID: "question", Request: q, Firm: true}
}

// IsQuestion reports whether an approval is a question by an agent or a tool: its answer is passed on and
// does not change a proposal.
func IsQuestion(a *gate.Approval) bool {
	asks := a.Action.Tool == run.ToolAskHuman || a.Reason == gate.ReasonCall && a.Kind == gate.KindInput
	return asks && a.Gate == "" && a.Rule == nil
}

// AgentOfCall is the definition of the agent that requested a call.
func (s Situation) AgentOfCall(i int, c *loop.Call) *plan.Agent { return s.agentNamed(i, c.Agent) }

func (s Situation) agentNamed(i int, name string) *plan.Agent {
	if a, ok := s.Plan().Definition.Agents[name]; ok {
		return &a
	}
	return s.Plan().Nodes[i].Agent
}

// rulesFor returns the rules of the agent that requested a call, and of all that handed off to it: a hand-off
// never relaxes an agent's restrictions.
func (s Situation) rulesFor(i int, c *loop.Call) (rules []risk.Rules, seesAll bool) {
	for _, name := range append([]string{c.Agent}, c.Under...) {
		a := s.agentNamed(i, name)
		rules = append(rules, risk.Rules{Autonomy: a.Autonomy, Overrides: a.ToolRisk})
		seesAll = seesAll || a.Autonomy.OrDefault() == risk.ApproveAll
		if mutant.Is(mutant.HandOffLoosens) {
			break
		}
	}
	return rules, seesAll
}

// ToolInput puts a tool's question to people. Only they can answer it: neither a rule nor a timeout can supply the
// input.
func (s Situation) ToolInput(i, k int, c *loop.Call) (r Required) {
	spot := s.CallSpot(i, k, c)
	from := c.Input.From
	if from == "" {
		from = c.Call.Tool
	}
	q := s.request(spot, gate.ReasonCall)
	q.Kind, q.InputSchema, q.Proposed = gate.KindInput, c.Input.Schema, json.RawMessage("{}")
	if len(q.InputSchema) == 0 {
		q.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	q.Title = from + " needs your input"
	q.Description = c.Input.Message
	q.Call, q.Agent = c.Call.ID, c.Agent
	q.Show = value.Object(value.Member{Key: "arguments", Value: c.Call.Args})
	q.Action.Tool, q.Action.Operation, q.Action.ArgsSchema = c.Call.Tool, c.Call.Spec.Operation, nil
	q.Risk = gate.Risk{Level: s.levelOf(i, c), Reasons: []string{"the tool needs input to continue"}}
	q.IfDenied = "The call is cancelled, and the agent gets your comment."
	q.Terms = s.termsFor(plan.Gate{Kind: gate.KindInput}, spot)
	r.add(Want{ID: c.Want(), Request: q, Firm: true})
	r.about(s.CallKey(i, k, c), false)
	return r
}
