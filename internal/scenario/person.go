package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
)

func riskClass(word string) risk.Class { return risk.Class(word) }

// who reads NAME [(roles)] [for NAME [(roles)]]. Roles are remembered; the
// roles agent and service make it the token of one.
func (w *World) who(t *tokens) gate.Person {
	p := gate.Person{Name: t.word()}
	p.Roles = w.rolesOf(p.Name, t)
	for _, kind := range []run.ActorKind{run.Agent, run.Service} {
		if slices.Contains(p.Roles, string(kind)) {
			p.Kind = string(kind)
		}
	}
	if t.is("for") {
		p.For = t.word()
		p.ForRoles = w.rolesOf(p.For, t)
	}
	return p
}

func (w *World) rolesOf(name string, t *tokens) []string {
	if roles, ok := t.roles(); ok {
		w.roles[name] = roles
	}
	return w.roles[name]
}

// person plays the actions of a person:
//
//	ann (finance) approves REF [with {changes}] [comment "…"] [version n]
//	… rejects REF because "…" | chooses X at REF | submits {data} at REF | escalates REF [to X]
//	… delegates REF to X | requests a revision of REF because "…" | expires REF
//	… cancels | aborts | pauses | resumes [with {limits}] | says "…" [to X] | skips STEP | skips layer N
//	… marks NAME STATUS [version n] [was STATUS]
//	… changes STEP {patch} | changes call ID {patch} | injects | replans "…" | consults
//
// REF is a gate, a title, a call, a step or #n.
func (w *World) person(t *tokens, lines []string) error {
	p := w.who(t)
	ans := gate.Answer{By: p}
	ref := ""
	switch verb := t.word(); verb {
	case "approves":
		ans.Act, ref = gate.Approve, t.word()
	case "rejects":
		ans.Act, ref = gate.Reject, t.word()
	case "escalates":
		ans.Act, ref = gate.Escalate, t.word()
	case "delegates":
		ans.Act, ref = gate.Delegate, t.word()
	case "chooses":
		ans.Act, ans.Option = gate.Choose, t.word()
		t.skip("at")
		ref = t.word()
	case "submits":
		ans.Act, ans.Data = gate.Submit, t.json()
		t.skip("at")
		ref = t.word()
	case "requests":
		for _, word := range []string{"a", "revision", "of"} {
			t.skip(word)
		}
		ans.Act, ref = gate.RequestRevision, t.word()
	default:
		return w.act(p, verb, t, lines)
	}
	a := w.find(ref)
	if a == nil {
		return w.do(w.command(p.Name, run.Decide{Approval: ref, Answer: ans}))
	}
	ans.Version = a.Version
	w.answer(t, &ans)
	if t.err != nil {
		return t.err
	}
	return w.do(w.commandBy(p, run.Decide{Approval: a.ID, Answer: ans}))
}

// answer parses the options of a decision.
func (w *World) answer(t *tokens, ans *gate.Answer) {
	for t.more() {
		switch word := t.word(); word {
		case "with":
			ans.Act, ans.Changes = gate.Modify, t.json()
		case "comment", "because":
			ans.Comment = t.word()
		case "to":
			ans.To = t.word()
		case "version":
			ans.Version = int(t.number())
		default:
			t.unknown(word)
		}
	}
}

// find returns the approval that REF refers to: a pending one if there is one, else the newest.
func (w *World) find(ref string) *gate.Approval {
	var found *gate.Approval
	for _, a := range w.s.Approvals {
		named := slices.Contains([]string{a.Gate, a.Title, a.Call, a.Step, number(a.ID)}, ref) && ref != ""
		if named && (found == nil || found.Status != gate.Pending) {
			found = a
		}
	}
	return found
}

func number(id string) string { return "#" + id[strings.LastIndexByte(id, '_')+1:] }

// act parses commands to a run rather than to an approval.
func (w *World) act(p gate.Person, verb string, t *tokens, lines []string) error {
	var do run.Operation
	switch verb {
	case "cancels":
		do = run.Cancel{Reason: t.because()}
	case "aborts":
		do = run.Abort{Reason: t.because()}
	case "pauses":
		do = run.Pause{Reason: t.because()}
	case "resumes":
		resume := run.Resume{}
		if t.is("with") {
			if err := json.Unmarshal(t.json(), &resume.Limits); err != nil {
				return err
			}
		}
		do = resume
	case "forgets":
		do = run.Forget{Reason: t.because()}
	case "consults":
		do = run.Consult{}
	case "expires":
		ref := t.word()
		if a := w.find(ref); a != nil {
			ref = a.ID
		}
		do = run.Expire{Approval: ref, Comment: t.because()}
	case "comments":
		text := t.word()
		t.skip("on")
		ref := t.word()
		if a := w.find(ref); a != nil {
			ref = a.ID
		}
		do = run.Comment{Approval: ref, Text: text}
	case "marks":
		do = w.marking(t)
	case "says":
		m := run.SendMessage{Text: t.word()}
		if t.is("to") {
			m.To = t.word()
		}
		do = m
	case "skips":
		s := run.SkipStep{Step: t.word()}
		if s.Step == "layer" {
			layer := int(t.number())
			s = run.SkipStep{Layer: &layer}
		}
		do = s
	case "changes":
		m := run.ModifyArgs{}
		if t.is("call") {
			m.Call = t.word()
		} else {
			m.Step = t.word()
		}
		m.Changes = t.json()
		do = m
	case "replans":
		do = run.Replan{Requirement: t.word()}
	case "injects":
		steps, agents, err := readSteps(lines)
		if err != nil {
			return err
		}
		do = run.InjectSteps{Steps: steps, Agents: agents}
	default:
		return fmt.Errorf("do not know how %s %s", p.Name, verb)
	}
	if err := t.end(); err != nil {
		return err
	}
	return w.do(w.commandBy(p, do))
}

// commandBy is a command by a principal of any kind.
func (w *World) commandBy(p gate.Person, do run.Operation) run.Command {
	c := w.command(p.Name, do)
	c.May = func(string, *gate.Approval) (gate.Person, error) { return p, nil }
	if p.Kind != "" {
		c.By.Kind = run.ActorKind(p.Kind)
	}
	return c
}

// because parses an optional reason.
func (t *tokens) because() string {
	if t.is("because") || t.is("comment") {
		return t.word()
	}
	return ""
}

// marking parses NAME STATUS [version n] [was STATUS]; the default version is the newest.
func (w *World) marking(t *tokens) run.Operation {
	name := t.word()
	do := run.MarkDeliverable{Status: t.word()}
	places := w.s.Versions(name)
	do.Version = len(places)
	for t.more() {
		switch word := t.word(); word {
		case "version":
			do.Version = int(t.number())
		case "was":
			do.Was = t.word()
		default:
			t.unknown(word)
		}
	}
	if do.Version > 0 && do.Version <= len(places) {
		do.Deliverable = fmt.Sprintf("dlv_%s_%d", strings.TrimPrefix(w.s.ID, "run_"), places[do.Version-1]+1)
	}
	return do
}
