package asking

import (
	"encoding/json"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
)

// Before lists the approvals required before step i. Unsure is why its condition could not be evaluated, if so.
func (s Situation) Before(i int, unsure error) (r Required) {
	n := &s.Plan().Nodes[i]
	judged := s.Judge != nil && !s.IsMap(i) && n.Declares()
	if len(n.Before) == 0 && n.Human < 0 && !judged && unsure == nil || n.CallsTool() && mutant.Is(mutant.ToolStepEarly) {
		return r
	}
	spot := s.SpotOf(run.AtBefore, i, -1)
	in := s.ProposalAt(spot)
	sure, source := s.ConfidenceBefore(i, -1)
	sc := s.StepScope(i, -1, in)
	sc.SetConfidence(sure)
	var v policy.Verdict
	if judged {
		if v = s.judgeStep(i, -1, in, sc, sure); v.Effect == policy.Denies {
			return denied(v)
		}
	}
	s.gates(&r, n.Before, spot, sc, v)
	if n.Human >= 0 {
		s.gates(&r, []int{n.Human}, spot, sc, policy.Verdict{})
	}
	s.rule(&r, spot, v, in)
	if unsure != nil {
		q := s.request(spot, gate.ReasonGate)
		q.Proposed = in
		q.Title = phrase.Sentence("Should step %s run?", s.id(i))
		q.Description = "Its condition could not be evaluated: " + unsure.Error()
		q.Terms = s.termsFor(plan.Gate{Acts: []gate.Act{gate.Approve, gate.Reject, gate.Delegate},
			OnReject: gate.RejectTells}, spot)
		r.add(Want{ID: "if", Request: q, Firm: true})
	}
	r.sure(sure, source)
	if n.Declares() { // no policy covers any other step
		r.about(s.KeyOf(i, -1), false)
	}
	return r
}

// BeforeElement lists the approvals required before element k of step i, a map: gates ask about the map as a whole.
func (s Situation) BeforeElement(i, k int, in json.RawMessage) (r Required) {
	n := &s.Plan().Nodes[i]
	if s.Judge == nil || !n.Declares() {
		return r
	}
	sure, source := s.ConfidenceBefore(i, k)
	sc := s.StepScope(i, k, in)
	sc.SetConfidence(sure)
	v := s.judgeStep(i, k, in, sc, sure)
	if v.Effect == policy.Denies {
		return denied(v)
	}
	s.rule(&r, s.SpotOf(run.AtBefore, i, k), v, in)
	r.sure(sure, source)
	r.about(s.KeyOf(i, k), false)
	return r
}

// After lists the approvals required for the result of step i, or of one of its elements. For a map as a whole (the
// result is nil) that is the list of results, each of which may have been approved before.
func (s Situation) After(i, k int, result *run.Result) (r Required) {
	var gates []int
	if k < 0 {
		gates = s.Plan().Nodes[i].After
	}
	if len(gates) == 0 && (result == nil || result.DryRun || result.Confidence == nil && s.Judge == nil) {
		return r
	}
	spot := s.SpotOf(run.AtAfter, i, k)
	if result == nil {
		s.gates(&r, gates, spot, s.ResultScope(i, k, s.MapOutput(s.Steps[i])), policy.Verdict{})
		return r
	}
	sc := s.ResultScope(i, k, result.Output)
	sc.SetConfidence(result.Confidence)
	v := s.judgeResult(i, k, result, sc)
	if v.Effect == policy.Denies {
		return denied(v)
	}
	s.gates(&r, gates, spot, sc, v)
	s.result(&r, spot, i, result, v)
	r.about(s.KeyOf(i, k), true)
	return r
}

// result adds approvals required by a rule or by low confidence. If the result needs approval anyway, low confidence
// is shown there and does not raise a second question.
func (s Situation) result(r *Required, spot run.Spot, i int, result *run.Result, v policy.Verdict) {
	if v.Effect == policy.Asks {
		s.rule(r, spot, v, result.Output)
	}
	source := &gate.ConfidenceSource{Step: s.id(i), Agent: s.Acting(i, spot.Element()).Name,
		Confidence: result.Confidence}
	r.sure(result.Confidence, source)
	for n := range r.Wants {
		r.Wants[n].Request.Reasoning = result.Reasoning
	}
	if result.Confidence == nil || *result.Confidence >= s.Plan().ConfidenceThreshold(i) {
		return
	}
	for _, w := range r.Wants {
		if w.Request.Kind == gate.KindApproval && w.Auto == nil {
			return
		}
	}
	q := s.request(spot, gate.ReasonLowConfidence)
	q.Proposed = result.Output
	q.Confidence, q.Source, q.Reasoning = result.Confidence, source, result.Reasoning
	q.Title = phrase.Sentence("%s is unsure about %s", s.Acting(i, spot.Element()).Name, s.id(i))
	q.Description = "Agent needs your input on this decision"
	q.Terms = s.termsFor(plan.Gate{OnReject: gate.RejectRevises}, spot)
	r.add(Want{ID: "confidence", Request: q, Firm: true})
}
