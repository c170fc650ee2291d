package audit

import (
	"encoding/json"
	"strings"
)

// proposal is what people are asked about after a search: which steps would be put in front of which others.
type proposal struct {
	Steps []stepDef `json:"steps"`
}

// replanEvent checks and records searches for steps, and what became of them. A plan grows by a search only if the
// workflow lets it, or people agreed, once per search.
func (r *replay) replanEvent() {
	f := &r.f
	r.grows, r.shown = false, false
	switch r.e.Type {
	case "replan.requested":
		r.replans[f.N] = true
	case "replan.answered":
		if !r.replans[f.N] {
			r.fail(fenced, "no steps were requested (%d)", f.N)
		}
		delete(r.replans, f.N)
		if f.Proposed != nil {
			r.proposals[f.N] = f.Proposed
			return
		}
		l := r.def.Workflow.Loops
		r.grows = f.Found > 0 && (l == nil || l.Replan != "ask")
	case "replan.settled":
		if r.proposals[f.N] == nil {
			r.fail(fenced, "no person was asked about the steps of search %d", f.N)
		}
		delete(r.proposals, f.N)
		r.grows = f.Accepted
		if f.Accepted && !r.agreed(f.N) {
			r.fail(gated, "the steps of search %d are accepted without an approval", f.N)
		}
		r.shown = f.Accepted
	}
}

// agreed reports whether people agreed to the steps of a search.
func (r *replay) agreed(n int) bool {
	for _, a := range r.places[placeOf("replan", "", -1, n)] {
		if a.positive && !a.auto {
			return true
		}
	}
	return false
}

// checkGrows: steps that a search found are added only where that is allowed. Steps that lack an argument are always
// shown to people.
func (r *replay) checkGrows() {
	if !strings.HasPrefix(r.f.Why, "replan: ") {
		return
	}
	if !r.grows {
		r.fail(gated, "steps are added by a search (%s) without an approval", r.f.Why)
	}
	var because []struct {
		Unset []string `json:"unset"`
	}
	_ = json.Unmarshal(r.f.Because, &because)
	for _, b := range because {
		if len(b.Unset) > 0 && !r.shown {
			r.fail(gated, "a step without %v is added without being shown", b.Unset)
		}
	}
	r.grows, r.shown = false, false
}

// checkNotAhead: a step does not start before people decided about steps that would come before it.
func (r *replay) checkNotAhead(id string) {
	for n, p := range r.proposals {
		for i := range p.Steps {
			if contains(p.Steps[i].NeededBy, id) {
				r.fail(gated, "step %s starts before people decided about %s of search %d", id, p.Steps[i].ID, n)
			}
		}
	}
}

// peopleDecided reports whether people agreed to continue at the current decision point.
func (r *replay) peopleDecided() bool {
	for _, list := range r.places {
		for _, a := range list {
			if a.spot.At == "layer" && a.positive {
				return true
			}
		}
	}
	return false
}
