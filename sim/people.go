package sim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/sim/audit"
)

// person is someone who may be asked.
type person struct {
	name   string
	roles  []string
	kind   run.ActorKind // a person unless given
	stands string        // may act for this person
}

// cast lists the people. The last three act sensibly: they answer what is left once the faults have
// stopped.
var cast = []person{
	{name: "ann", roles: []string{"approver", "finance"}},
	{name: "bob", roles: []string{"approver"}},
	{name: "cid", roles: []string{"finance"}},
	{name: "dan", roles: []string{"legal"}},
	{name: "eli", roles: []string{"manager"}},
	{name: "hal", roles: []string{"approver", "legal"}},
	{name: "ida", roles: []string{"finance", "manager"}},
	{name: "jon", roles: []string{"admin"}},
	{name: "sue", roles: nil, stands: "dan"},
	{name: "robot", roles: []string{"approver", "admin"}, kind: run.Agent},
	{name: "deploy", roles: []string{"approver", "finance", "legal", "admin"}, kind: run.Service},
	{name: "eve", roles: []string{"admin"}},
	{name: "fay", roles: []string{"admin"}},
	{name: "gil", roles: []string{"admin"}},
}

const lively = 11 // the first ones act at random

var owners = []string{"ann", "bob"}

func personNamed(name string) person {
	for _, p := range cast {
		if p.name == name {
			return p
		}
	}
	panic("no person is called " + name)
}

func directory() (out []audit.Person) {
	for _, p := range cast {
		out = append(out, audit.Person{Name: p.name, Roles: p.roles, Kind: string(p.actor().Kind), StandsInFor: p.stands})
	}
	return out
}

func (p person) actor() run.Actor {
	return run.Actor{Kind: cmp.Or(p.kind, run.Person), Name: p.name}
}

// may claims every role a person has: the run decides whether they count.
func (p person) may(string, *gate.Approval) (gate.Person, error) { return p.sign(true), nil }

func (p person) sign(forPrincipal bool) gate.Person {
	g := gate.Person{Name: p.name, Roles: p.roles, Kind: string(p.actor().Kind)}
	if forPrincipal && p.stands != "" {
		g.For, g.ForRoles = p.stands, personNamed(p.stands).roles
	}
	return g
}

// nextPerson makes a random person act, and schedules the next one.
func (w *world) nextPerson() {
	if w.quiet {
		return
	}
	if w.acts++; w.opts.People > 0 && w.acts > w.opts.People {
		return
	}
	w.after([]time.Duration{200 * time.Millisecond, time.Second, 5 * time.Second, time.Minute, 30 * time.Minute,
		5 * time.Hour}[w.crowd.IntN(6)]/w.hurry, w.nextPerson)
	r := w.someRun()
	if r == nil {
		return
	}
	switch k := w.crowd.IntN(100); {
	case k < 65:
		w.decideSomething(r)
	case k < 70:
		w.forkSomething(r)
	default:
		w.commandSomething(r)
	}
}

func (w *world) someRun() *record {
	var out []*record
	for _, r := range w.store.order {
		if len(r.lines) > 0 {
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		return nil
	}
	// Runs with open approvals are chosen more often.
	for range 3 {
		if r := out[w.crowd.IntN(len(out))]; len(r.truth.Pending()) > 0 {
			return r
		}
	}
	return out[w.crowd.IntN(len(out))]
}

// command sends a command under a new id; possibly twice, possibly late.
func (w *world) command(r *record, p person, do run.Operation) {
	w.commands++
	c := run.Command{ID: fmt.Sprintf("cmd-%d", w.commands), By: p.actor(), Do: do, May: p.may}
	w.commandAt(r, c, w.now.Add(w.delay()))
}

func (w *world) commandAt(r *record, c run.Command, at time.Time) {
	w.at(at, func() { w.deliver(r.id, c, 5) })
	if w.strikes(Duplicate, 0.15) {
		w.at(at.Add(w.delay()), func() { w.deliver(r.id, c, 5) })
	}
}

// decideSomething decides an approval, or tries to.
func (w *world) decideSomething(r *record) {
	open := r.truth.Pending()
	if late := w.crowd.IntN(20) == 0; late {
		open = r.truth.Approvals // too late
	}
	if len(open) == 0 {
		w.commandSomething(r)
		return
	}
	a := open[w.crowd.IntN(len(open))]
	at := w.now.Add(w.delay())
	if !a.DeadlineAt.IsZero() && w.crowd.IntN(4) == 0 {
		at = a.DeadlineAt // exactly at the deadline
	}
	for range 1 + w.crowd.IntN(2) { // two people at once
		p := cast[w.crowd.IntN(lively)]
		do := run.Decide{Approval: a.ID, Answer: w.answerTo(a, p)}
		w.commands++
		w.commandAt(r, run.Command{ID: fmt.Sprintf("cmd-%d", w.commands), By: p.actor(), Do: do, May: p.may}, at)
	}
}

// answerTo generates an answer; most of them are valid.
func (w *world) answerTo(a *gate.Approval, p person) gate.Answer {
	ans := gate.Answer{By: p.sign(w.crowd.IntN(2) == 0), Version: a.Version, Comment: "so be it"}
	if n := w.crowd.IntN(12); n == 0 && a.Version > 1 {
		ans.Version--
	}
	acts := a.Terms.Acts
	if len(acts) == 0 || w.crowd.IntN(15) == 0 {
		acts = gate.Acts
	}
	ans.Act = acts[w.crowd.IntN(len(acts))]
	no := ans.Act == gate.Reject || ans.Act == gate.RequestRevision
	if no && w.opts.off(Refusals) || ans.Act == gate.Modify && w.opts.off(Edits) || no && w.crowd.IntN(3) > 0 {
		ans.Act = acts[0]
	}
	switch ans.Act {
	case gate.Modify:
		ans.Changes = w.changes(a)
	case gate.Choose:
		ans.Option = "left"
		if len(a.Options) > 0 {
			ans.Option = a.Options[w.crowd.IntN(len(a.Options))].Value
		}
	case gate.Submit:
		ans.Data = w.submission(a)
	case gate.Delegate:
		ans.To = []string{cast[w.crowd.IntN(lively)].name, "role:manager", "role:legal"}[w.crowd.IntN(3)]
	case gate.Escalate:
		ans.To = []string{"", "role:manager", "eli"}[w.crowd.IntN(3)]
	}
	return ans
}

// changes is a random merge patch.
func (w *world) changes(a *gate.Approval) json.RawMessage {
	if len(a.Current) > 0 && a.Current[0] == '[' {
		return json.RawMessage(`[{"n":2},{"n":8}]`)
	}
	switch {
	case a.Reason == gate.ReasonLimit:
		return json.RawMessage(`{"iterations":2}`)
	case a.Reason == gate.ReasonLoop:
		w.commands++
		return json.RawMessage(fmt.Sprintf(`{"inject_steps":[{"id":"y%d","agent":"worker"}]}`, w.commands))
	}
	switch w.crowd.IntN(8) {
	case 0:
		return json.RawMessage(`{}`)
	case 1:
		return json.RawMessage(`{"n":null}`)
	case 2:
		return json.RawMessage(`{"n":"many"}`)
	case 3:
		return json.RawMessage(`{"k":"changed"}`)
	}
	return json.RawMessage(fmt.Sprintf(`{"n":%d}`, w.crowd.IntN(11)))
}

func (w *world) submission(a *gate.Approval) json.RawMessage {
	if a.Reason == gate.ReasonLimit {
		return json.RawMessage(`{"iterations":1}`)
	}
	if w.crowd.IntN(10) == 0 {
		return json.RawMessage(`{"wrong":true}`)
	}
	return json.RawMessage(fmt.Sprintf(`{"n":%d,"answer":"yes"}`, w.crowd.IntN(11)))
}
