package audit

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
)

// early is a step that runs ahead of an approval.
type early struct {
	rev    int
	input  json.RawMessage
	result *result // nil: it is at work
}

// expects reports whether a result of this attempt is still awaited.
func (b *early) expects(kind string, index, rev, try int) bool {
	return kind == "step" && index < 0 && b.rev == rev && try == 1 && b.result == nil
}

// aheadEvent checks events about steps that run ahead. What they did is used right after the step has started, with
// exactly that result, or never.
func (r *replay) aheadEvent() {
	f := &r.f
	forked := r.e.Type == "run.forked" // cut in between; nothing of it is taken along
	if r.taking != "" && !forked && (r.e.Type != "speculation.used" || f.Step != r.taking) {
		r.fail(ahead, "step %s starts, and %s follows: what it did ahead is still there", r.taking, r.e.Type)
	}
	r.taking = ""
	b := r.early[f.Step]
	if _, ok := r.steps[f.Step]; !ok {
		return
	}
	switch r.e.Type {
	case "step.speculated":
		r.checkSpeculated(r.steps[f.Step])
		r.early[f.Step] = &early{rev: f.Rev, input: f.Input}
	case "speculation.returned":
		if b == nil || b.result != nil {
			r.fail(ahead, "step %s has a result ahead, which is not awaited", f.Step)
		}
		b.result = f.Result
	case "speculation.used":
		r.takeOver(b)
	case "speculation.discarded":
		s := r.steps[f.Step]
		if b == nil || f.Rev <= b.rev {
			r.fail(ahead, "step %s discards what it did ahead and continues as revision %d", f.Step, f.Rev)
		}
		if t := s.task(-1); s.status == "pending" && t.rev < f.Rev {
			t.rev, t.try = f.Rev-1, 1<<30 // whatever starts now has a higher revision
		}
		delete(r.early, f.Step)
	case "step.started":
		if b != nil && f.Index == nil {
			r.taking = f.Step
		}
	case "step.completed", "step.returned", "step.skipped", "step.failed":
		s := r.steps[f.Step]
		if s.owed != nil && f.Result != nil && !equal(s.owed.Output, f.Result.Output) {
			r.fail(ahead, "step %s did %s ahead and takes over %s", f.Step, s.owed.Output, f.Result.Output)
		}
		s.owed = nil
	case "deliverable.created":
		if r.steps[f.Step].status == "pending" {
			r.fail(ahead, "step %s delivers, and has not started", f.Step)
		}
	}
}

// takeOver: a step that has just started uses what it did ahead.
func (r *replay) takeOver(b *early) {
	id := r.f.Step
	t := r.steps[id].tasks[-1]
	if b == nil || t == nil || t.status != "running" || t.rev != b.rev || t.try != 1 {
		r.fail(ahead, "step %s uses what it did ahead, but it did not do that", id)
	}
	r.steps[id].owed = b.result
	delete(r.early, id)
}

// checkSpeculated: only harmless steps without an approval of their own run ahead, and only while people decide.
func (r *replay) checkSpeculated(s *step) {
	f := &r.f
	agent := r.def.Agents[s.def.Agent]
	why := ""
	switch {
	case !r.def.Workflow.Speculate:
		why = "the workflow does not want that"
	case r.ended() || r.paused || r.cancelling:
		why = "the run does not move"
	case r.law.stopped:
		why = "the emergency stop is on"
	case s.status != "pending" || r.early[f.Step] != nil:
		why = "it has begun"
	case agent.Kind == "llm" || agent.Kind == "mcp" || s.def.Human != nil || s.def.Workflow != "" || s.def.Each != "":
		why = "such steps never do"
	case agent.Effects != "none" && (s.def.Effects != "none" || !r.declared(f.Step)):
		why = "it may do harm"
	case s.def.Risk != "" && s.def.Risk != "low" || s.def.Operation != "" && s.def.Operation != "read":
		why = "it may do harm"
	case !slices.ContainsFunc(sorted(r.approvals), func(id string) bool { return r.approvals[id].open }):
		why = "no person is asked"
	case slices.ContainsFunc(r.gatesAt("before", f.Step), func(g *gateDef) bool { return g.When == "" }):
		why = "it needs an approval of its own"
	}
	if why != "" {
		r.fail(ahead, "step %s runs ahead: %s", f.Step, why)
	}
}

// declared reports whether a step is part of the workflow as written.
func (r *replay) declared(id string) bool {
	var def definition
	_ = json.Unmarshal(r.a.c.Definitions[r.def.Workflow.Name], &def)
	return slices.ContainsFunc(def.Workflow.Steps, func(s stepDef) bool { return s.ID == id })
}

// spend adds up what results cost. What ran ahead costs the run something once it is used: its result is then recorded
// as that of the step.
func (r *replay) spend() {
	f := &r.f
	switch r.e.Type {
	case "step.returned", "step.completed", "element.completed", "call.completed":
		if f.Result != nil {
			r.spent += f.Result.Usage.nanos()
		}
	case "step.retrying", "step.failed", "turn.retrying", "call.retrying", "consult.retrying":
		r.spent += f.Error.Usage.nanos()
	case "call.input_needed", "consult.read":
		r.spent += f.Usage.nanos()
	case "consult.answered":
		r.spent += f.Advice.Usage.nanos()
	case "turn.completed":
		var turn struct {
			Usage usage `json:"usage"`
		}
		_ = json.Unmarshal(f.Turn, &turn)
		r.spent += turn.Usage.nanos()
	}
}

// nanos is the cost in billionths of a dollar.
func (u usage) nanos() int64 {
	if strings.TrimSpace(u.CostUSD) == "" {
		return 0
	}
	n, ok := new(big.Rat).SetString(u.CostUSD)
	if !ok {
		panic("the auditor cannot read the amount " + u.CostUSD)
	}
	n.Mul(n, big.NewRat(1_000_000_000, 1))
	return new(big.Int).Div(n.Num(), n.Denom()).Int64()
}
