package asking

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// gates adds the gates whose condition is true. A condition that cannot be evaluated asks: a person decides what the
// machine cannot.
func (s Situation) gates(r *Required, gates []int, spot run.Spot, sc *machine.Scope, v policy.Verdict) {
	for _, g := range gates {
		cg := &s.Plan().Gates[g]
		asks, note := s.condition(r, cg, sc)
		if !asks {
			continue
		}
		q := s.request(spot, gate.ReasonGate)
		q.Proposed = sc.Subject
		s.describe(&q, cg, sc, note)
		w := Want{ID: cg.Gate.ID, Request: q, Firm: !cg.Gate.AutoApprovable || note != ""}
		if cg.Gate.AutoApprovable && v.Effect == policy.Approves && note == "" {
			w.Auto = &v
			w.Request.Rule = ruleOf(v)
		}
		r.add(w)
	}
}

// condition reports whether a gate asks, with a note for people if its condition could not be evaluated. If a field is
// missing, the condition is read literally, with a warning on the run, unless the gate is set to ask.
func (s Situation) condition(r *Required, cg *plan.CompiledGate, sc *machine.Scope) (asks bool, note string) {
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
	if s.Plan().Definition.AsksIfMissing(cg.Gate) {
		return true, fmt.Sprintf("The gate's condition (%s) could not be evaluated: %s is missing.", cg.Gate.When,
			strings.Join(names, ", "))
	}
	r.Warnings = append(r.Warnings, run.Warning{Code: "gate_field_missing", Path: "gates." + cg.Gate.ID,
		Message: fmt.Sprintf("gate %s was skipped: its condition (%s) needs %s, which is missing", cg.Gate.ID, cg.Gate.When,
			strings.Join(names, ", "))})
	return false, ""
}

func (s Situation) describe(q *gate.Request, cg *plan.CompiledGate, sc *machine.Scope, note string) {
	g := cg.Gate
	q.Gate, q.Kind, q.Description = g.ID, g.Kind, g.Description
	if g.Title != "" {
		q.Title = machine.Filled(g.Title, sc)
	}
	if note != "" {
		q.Description = strings.TrimSpace(q.Description + "\n\n" + note)
	}
	q.Options, q.InputSchema = g.Options, g.InputSchema
	q.Terms = s.terms(g, run.Spot{At: spotAt(cg.Spot.Kind), Step: q.Step})
	if step, ok := s.Plan().Revises(cg.Index); ok {
		q.Terms.Revise = s.id(step)
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

// rule adds the approval of a rule of the policy: by people, or by the rule itself.
func (s Situation) rule(r *Required, spot run.Spot, v policy.Verdict, proposal json.RawMessage) {
	if v.Effect != policy.Asks && v.Effect != policy.Approves {
		return
	}
	q := s.request(spot, gate.ReasonRule)
	q.Proposed = proposal
	if title := s.Titled(spot, v.Title, q.Action.Operation, proposal); title != "" {
		q.Title = title
	} else {
		q.Title = fmt.Sprintf("%s: %s", v.Rule, q.Title)
	}
	q.Rule, q.Description, q.Risk.Reasons = ruleOf(v), v.Sum, v.Limits
	w := Want{ID: "rule:" + v.Rule, Request: q}
	if v.Effect == policy.Approves {
		w.Auto = &v
	}
	w.Request.Terms = s.ruleTerms(v, spot)
	r.add(w)
}

func (s Situation) ruleTerms(v policy.Verdict, spot run.Spot) gate.Terms {
	g := plan.Gate{Role: v.Ask.Role, Roles: v.Ask.Roles, Quorum: v.Ask.Count, Notify: v.Ask.Notify}
	if v.Ask.Timeout > 0 && v.Ask.Then != "" {
		// The policy has seen whether it is reversible.
		g.Timeout = &plan.GateTimeout{After: quantity.Duration(v.Ask.Timeout), Then: v.Ask.Then, Irreversible: true}
	}
	for _, e := range v.Ask.Escalate {
		g.Escalate = append(g.Escalate, plan.Escalation{After: quantity.Duration(e.After), To: e.To})
	}
	t := s.termsFor(g, spot)
	if g.Role != "" || len(g.Roles) > 0 || g.Quorum > 1 {
		t.OnlyOwner = "" // the policy's approvers decide, even if the workflow leaves the rest to its owner
	}
	return t
}

func ruleOf(v policy.Verdict) *gate.Rule {
	return &gate.Rule{Name: v.Rule, Policy: v.Policy, Reason: v.Reason, MaxUses: v.MaxUses}
}
