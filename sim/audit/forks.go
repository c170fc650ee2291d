package audit

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// edit is a value that a fork changes, and the first event after which others could have depended on the old one.
type edit struct {
	what  string
	since int64
}

// checkEdits: what people, rules and deadlines answered is bound to what they were shown. If a fork changes a value,
// none of the answers given after it was known is in force, and nothing counts as done that would have asked.
func (r *replay) checkEdits() {
	f := &r.f
	if r.e.Actor.Kind != "person" && f.Owner != "" && f.Owner != r.owner {
		r.fail(authority, "%s %s forked the run and made %s its requester", r.e.Actor.Kind, r.e.Actor.Name, f.Owner)
	}
	for _, d := range r.edits() {
		if n, what := r.answeredSince(d.since); n > 0 {
			r.fail(kept, "the fork changes %s, and event %d, %s, came after it was known (event %d)", d.what, n, what, d.since)
		}
	}
	for _, id := range sorted(f.Edits.Outputs) {
		if s := r.steps[id]; !r.isOutput(s, f.Edits.Outputs[id]) {
			r.checkSet(s, f.Edits.Outputs[id])
		}
	}
	for _, id := range sorted(r.steps) {
		if s := r.steps[id]; f.Edits.Outputs[id] == nil {
			r.checkPassedBy(s)
		}
	}
}

// edits are the values that the fork really changes.
func (r *replay) edits() (out []edit) {
	e := &r.f.Edits
	if e.Input != nil && !equal(e.Input, r.input) {
		out = append(out, edit{"the input", 0})
	}
	for _, key := range sorted(fields(e.Context)) {
		if !r.inContext(key, fields(e.Context)[key]) {
			out = append(out, edit{"context." + key, 0})
		}
	}
	for _, id := range sorted(e.Outputs) {
		if at := r.knownAt(id); at > 0 && !r.isOutput(r.steps[id], e.Outputs[id]) {
			out = append(out, edit{"the output of " + id, at})
		}
	}
	return out
}

// inContext reports whether all steps find a value in the context already: a fork has set it, or the input has it and
// no step put out another.
func (r *replay) inContext(key string, v json.RawMessage) bool {
	if was, ok := fields(r.context)[key]; ok {
		return equal(was, v)
	}
	if was, ok := fields(r.input)[key]; !ok || !equal(was, v) {
		return false
	}
	for _, s := range r.steps {
		out, _ := r.outputOf(s)
		if was, ok := fields(out)[key]; ok && !equal(was, v) {
			return false
		}
	}
	return true
}

// fields are the members of an object, none if it is not one.
func fields(raw json.RawMessage) (out map[string]json.RawMessage) {
	_ = json.Unmarshal(raw, &out)
	return out
}

// past are the events before this one.
func (r *replay) past() (out []event) {
	for _, line := range r.a.logs[r.id].Lines[:r.e.Seq-1] {
		var e event
		_ = json.Unmarshal(line, &e) // it has been read before
		out = append(out, e)
	}
	return out
}

// knownAt is the first event that shows a step's result, or that there is none.
func (r *replay) knownAt(step string) int64 {
	for _, e := range r.past() {
		var f fact
		_ = json.Unmarshal(e.Data, &f)
		switch e.Type {
		case "step.returned", "step.completed", "element.completed", "step.failed", "step.skipped", "speculation.returned":
			if f.Step == step {
				return e.Seq
			}
		case "run.forked":
			if f.Edits.Outputs[step] != nil {
				return e.Seq
			}
		}
	}
	return 0
}

// answeredSince is the first answer after an event.
func (r *replay) answeredSince(seq int64) (n int64, what string) {
	for _, e := range r.past()[seq:] {
		var f fact
		_ = json.Unmarshal(e.Data, &f)
		switch e.Type {
		case "approval.decided":
			if f.Decision.Act != "delegate" && f.Decision.Act != "escalate" {
				return e.Seq, fmt.Sprintf("%s's %s of %s", f.Decision.By, f.Decision.Act, f.ID)
			}
		case "approval.resolved":
			if f.Outcome.Status != "cancelled" {
				return e.Seq, fmt.Sprintf("which made %s %s", f.ID, f.Outcome.Status)
			}
		case "approval.auto_approved":
			return e.Seq, "the approval of " + f.Request.ID + " by a rule"
		case "step.skipped":
			if s := r.steps[f.Step]; f.Why == "command" && s.def.Human != nil {
				return e.Seq, "where step " + f.Step + " was skipped, which asks people"
			}
		}
	}
	return 0, ""
}

// isOutput reports whether a step is done with an output.
func (r *replay) isOutput(s *step, out json.RawMessage) bool {
	had, ok := r.outputOf(s)
	return ok && equal(had, out)
}

func (r *replay) outputOf(s *step) (json.RawMessage, bool) {
	switch {
	case s.status != "done":
		return nil, false
	case s.set != nil:
		return s.set, true
	case s.def.Each != "":
		return r.mapOutput(s), true
	case s.task(-1).result == nil:
		return nil, false
	}
	return s.task(-1).result.Output, true
}

// checkSet: a fork sets no result that people have to see, and none of a step that they do, or have to allow.
func (r *replay) checkSet(s *step, out json.RawMessage) {
	id := s.def.ID
	if s.def.Human != nil {
		r.fail(kept, "the fork answers in step %s, which people do", id)
	}
	for _, g := range r.gatesAt("after", id) {
		if test(g.When, out) != no {
			r.fail(kept, "the fork sets the output of step %s to %s, and gate %s asks about it", id, out, g.ID)
		}
	}
	for _, g := range r.gatesAt("before", id) {
		if s.status != "done" && g.When == "" {
			r.fail(kept, "the fork completes step %s, and gate %s asks whether it may run", id, g.ID)
		}
	}
	if s.def.Each != "" {
		return // rules look at its elements
	}
	sub := subject{workflow: r.def.Workflow.Name, agent: s.def.Agent, operation: s.def.Operation, risk: s.def.Risk,
		data: out, result: true}
	if v := r.law.judge(sub); (v.effect == "ask" || v.effect == "deny") && !r.looksAtConfidence() {
		r.fail(kept, "the fork sets the output of step %s to %s, and rule %q says %s", id, out, v.rule, v.effect)
	}
}

// looksAtConfidence: the log does not show how sure the writer of a fork is.
func (r *replay) looksAtConfidence() bool {
	for i := range r.law.Rules {
		if r.law.Rules[i].Trigger.Confidence != nil {
			return true
		}
	}
	return false
}

// checkPassedBy: what is done, or was left out, would not have asked with the values of the fork.
func (r *replay) checkPassedBy(s *step) {
	id := s.def.ID
	if s.status == "skipped" && s.skipped == "if" {
		words := strings.Fields(s.def.If)
		if in, ok := r.edited(words[0]); ok && test("n "+words[1]+" "+words[2], in) == yes {
			r.fail(kept, "step %s was left out, and its condition %s holds for %s", id, s.def.If, in)
		}
		return
	}
	was, now, ok := r.contents(s)
	if s.status != "done" || s.def.Each != "" || !ok || equal(was, now) {
		return
	}
	where := placeOf("before", id, -1, 0)
	for _, g := range r.gatesAt("before", id) {
		if test(g.When, was) == no && test(g.When, now) != no && !r.answered(where, g.ID) {
			r.fail(kept, "step %s is done, and gate %s would have asked about %s instead of %s", id, g.ID, now, was)
		}
	}
	if s.def.Operation == "" && s.def.Risk == "" || s.def.Tool != "" {
		return
	}
	judge := func(data json.RawMessage) verdict {
		return r.law.judge(subject{workflow: r.def.Workflow.Name, agent: s.def.Agent, operation: s.def.Operation,
			risk: s.def.Risk, data: data, key: r.work("step", id, -1, s.rev, 0)})
	}
	before, after := judge(was), judge(now)
	if (after.effect == "ask" || after.effect == "deny") && (before.effect != after.effect || before.rule != after.rule) {
		r.fail(kept, "step %s is done, and rule %q says %s about %s instead of %s", id, after.rule, after.effect, now, was)
	}
}

// edited is the value that a fork gives a source such as "input.n" or "a.n".
func (r *replay) edited(source string) (json.RawMessage, bool) {
	from, _, _ := strings.Cut(source, ".")
	e := &r.f.Edits
	switch {
	case from == "input" && e.Input != nil && !equal(e.Input, r.input):
		return e.Input, true
	case e.Outputs[from] != nil && !r.isOutput(r.steps[from], e.Outputs[from]):
		return e.Outputs[from], true
	}
	return nil, false
}

// contents are the input of a step as the log has it and as the edits make it, where the mapping says it all.
func (r *replay) contents(s *step) (was, now json.RawMessage, ok bool) {
	if s.changed || len(s.def.With) == 0 {
		return nil, nil, false
	}
	old, fresh := map[string]any{}, map[string]any{}
	for target, source := range s.def.With {
		from, field, path := strings.Cut(source, ".")
		switch {
		case strings.HasPrefix(source, `"`):
			word, err := strconv.Unquote(source)
			if err != nil {
				return nil, nil, false
			}
			old[target], fresh[target] = word, word
			continue
		case !path:
			n, err := strconv.ParseFloat(source, 64)
			if err != nil {
				return nil, nil, false
			}
			old[target], fresh[target] = n, n
			continue
		}
		before := r.input
		if from != "input" {
			by, known := r.steps[from]
			if !known {
				return nil, nil, false
			}
			if before, known = r.outputOf(by); !known {
				return nil, nil, false
			}
		}
		after, changed := r.edited(source)
		if !changed {
			after = before
		}
		if !put(old, target, before, field) || !put(fresh, target, after, field) {
			return nil, nil, false
		}
	}
	return write(old), write(fresh), true
}

// put sets a target to a field of a value.
func put(out map[string]any, target string, from json.RawMessage, field string) bool {
	v, ok := fields(from)[field]
	if ok {
		out[target] = v
	}
	return ok
}
