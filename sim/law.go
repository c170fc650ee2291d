package sim

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/sim/audit"
)

// errOutdated is the store's answer to an automatic approval by a policy that is no longer in force, or by a
// rule that has used up its approvals.
var errOutdated = errors.New("the policy in force is another one")

// edition is a policy that was in force for some time. The last one still is.
type edition struct {
	doc     *policy.Document // nil: none
	set     *policy.Set
	stopped bool // the emergency stop is on
}

// law is a policy as a host knows it: possibly not the newest edition, possibly with fewer uses of its rules
// than there were.
type law struct {
	*edition
	no   int
	uses map[string]int
}

func (l law) Judge(now time.Time, sub policy.Subject) policy.Verdict {
	here := sub.Uses
	sub.Uses = func(rule string) int { return l.uses[rule] + here(rule) }
	return l.set.Judge(now, sub)
}

// env is the environment of a run on this host.
func (h *host) env() decide.Env {
	h.readLaw(false)
	env := decide.Env{Now: h.now(), Stopped: h.law.stopped, InForce: h.w.shelf.inForce}
	if h.law.set != nil {
		env.Judge = h.law
	}
	return env
}

// readLaw updates a host's view of the policy, most of the time.
func (h *host) readLaw(surely bool) {
	w := h.w
	no := len(w.editions) - 1
	if h.law.edition != nil && !surely && (h.law.no != no || !maps.Equal(h.law.uses, w.store.uses)) &&
		w.strikes(StaleRules, 0.3) {
		return
	}
	if h.law.edition == nil || h.law.no != no || !maps.Equal(h.law.uses, w.store.uses) {
		h.law = law{edition: w.editions[no], no: no, uses: maps.Clone(w.store.uses)}
	}
}

// enact puts a policy in force.
func (w *world) enact(doc *policy.Document, stopped bool) {
	e := &edition{doc: doc, stopped: stopped}
	if doc != nil {
		set, problems := policy.Compile(*doc, time.LoadLocation)
		if set == nil {
			panic(fmt.Sprintf("the generator wrote a policy that does not compile: %v", problems))
		}
		if e.set = set; stopped {
			e.set = set.Stopped()
		}
	}
	w.editions = append(w.editions, e)
	w.store.law = len(w.editions) - 1
}

// legislate changes the policy while runs are in progress.
func (w *world) legislate() {
	if w.quiet || w.opts.off(Policies) || w.opts.off(NewRules) {
		return
	}
	g := w.lawmaker
	w.after([]time.Duration{2 * time.Second, time.Minute, 20 * time.Minute, 3 * time.Hour, 9 * time.Hour}[g.rnd.IntN(5)],
		w.legislate)
	now := w.editions[len(w.editions)-1]
	if g.coin(15) {
		w.enact(now.doc, !now.stopped)
		w.cover.add("policy", fmt.Sprintf("emergency stop %v", !now.stopped))
		w.say("the emergency stop is %v", !now.stopped)
		return
	}
	doc, what := g.amend(now.doc)
	w.enact(doc, now.stopped)
	w.cover.add("policy", what)
	w.say("policy edition %d: %s: %s", len(w.editions)-1, what, mustJSON(doc))
}

// amend makes one change to a policy.
func (g *generator) amend(old *policy.Document) (doc *policy.Document, what string) {
	if old == nil || g.coin(10) {
		return g.policyOf(1 + g.rnd.IntN(4)), "a new policy"
	}
	next := *old
	next.Rules = slices.Clone(old.Rules)
	n := g.rnd.IntN(len(next.Rules) + 1)
	last := n == len(next.Rules)
	switch k := g.rnd.IntN(10); {
	case k == 0:
		return nil, "no policy"
	case k < 3 && len(next.Rules) > 1 && !last:
		next.Rules = slices.Delete(next.Rules, n, n+1)
		return &next, "a rule is removed"
	case k < 5 && !last:
		count := 1 + g.rnd.IntN(3)
		next.Rules[n].Action.RequireApprovalCount = &count
		next.Rules[n].Action.Roles = nil
		return &next, "a rule asks other people"
	case k < 7 && !last:
		next.Rules[n].Action = policy.Action{Deny: "not any longer"}
		return &next, "a rule refuses"
	case k < 8 && !last:
		next.Rules[n].Action = g.action()
		return &next, "a rule does something else"
	}
	g.named++
	next.Rules = append([]policy.Rule{{Name: fmt.Sprintf("new rule %d", g.named), Trigger: g.trigger(),
		Action: g.action()}}, next.Rules...)
	next.Rules = next.Rules[:min(len(next.Rules), 6)]
	for i := range next.Rules {
		next.Rules[i].Priority = i
	}
	return &next, "a rule is added"
}

// granted lists what a commit approves automatically: the rules with limited uses, and whether there is
// anything at all.
func granted(events []run.Event) (limited map[string]int, limits map[string]int, any bool) {
	limited, limits = map[string]int{}, map[string]int{}
	for _, u := range machine.Uses(events) {
		if any = true; u.Max > 0 {
			limited[u.Rule]++
			limits[u.Rule] = u.Max
		}
	}
	for _, e := range events {
		if f, ok := e.Fact.(*run.ApprovalTimedOut); ok {
			any = any || f.Then.Proceeds()
		}
	}
	return limited, limits, any
}

// grant rejects what the policy in force does not approve, or no longer.
func (s *store) grant(l law, events []run.Event) error {
	limited, limits, any := granted(events)
	if any && l.no != s.law {
		return errOutdated
	}
	for rule, n := range limited {
		if s.uses[rule]+n > limits[rule] {
			return errOutdated
		}
	}
	return nil
}

// book records by which policy a commit was judged, for the auditor.
func (s *store) book(r *record, l law, after int64, events []run.Event) {
	limited, _, _ := granted(events)
	s.commits = append(s.commits, audit.Commit{Run: r.id, First: after + 1, Last: after + int64(len(events)),
		Policy: l.no, InForce: s.law, Uses: l.uses})
	for rule, n := range limited {
		s.uses[rule] += n
	}
}

// bookPast records that the first events of a fork are those of another run.
func (s *store) bookPast(r, from *record, at int64) {
	for _, c := range s.commits {
		if c.Run == from.id && c.First <= at {
			c.Run, c.Last, c.Origin = r.id, min(c.Last, at), cmp.Or(c.Origin, c.Run)
			s.commits = append(s.commits, c)
		}
	}
}

// statutes are the policies as the auditor gets them.
func (w *world) statutes() (out []audit.Policy) {
	for _, e := range w.editions {
		p := audit.Policy{Stopped: e.stopped}
		if e.doc != nil {
			p.Document, p.Hash = mustJSON(e.doc), e.set.Hash()
		}
		out = append(out, p)
	}
	return out
}
