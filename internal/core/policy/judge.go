package policy

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
)

// Judge returns the policy's verdict on a subject at a given time. It is deterministic.
func (s *Set) Judge(now time.Time, sub Subject) Verdict {
	if s == nil {
		return Verdict{}
	}
	return s.judge(now, &sub, nil)
}

// judge evaluates the rules in order. If trace is set, it is called with the result of each.
func (s *Set) judge(now time.Time, sub *Subject, trace func(*rule, *view, saying)) Verdict {
	v := view{sub: sub, roots: s.roots, paths: s.paths, budget: expr.Budget, now: now}
	var back, held *rule // the first that would approve except for an unknown field; the first that would ask even then
	for _, r := range s.rules {
		says := r.says(now, &v)
		if trace != nil {
			trace(r, &v, says)
		}
		switch says {
		case speaks:
			// Omitting a field does not get around a rollout.
			if held != nil && r.effect == Approves {
				return s.doubt(held, &v)
			}
			if out := s.verdict(now, r, &v); out.Effect != None {
				return out
			}
		case doubts:
			return s.doubt(r, &v)
		case stepsBack:
			if back == nil {
				back = r
			}
			if held == nil && !r.rolledOut(now, sub) {
				held = r
			}
		}
	}
	if back != nil {
		return s.ask(back, sub, "would approve, but "+back.when.unknowns(&v))
	}
	return Verdict{}
}

// saying is the result of a rule on a subject.
type saying uint8

const (
	idle      saying = iota // does not apply to such subjects, or is not in force
	silent                  // its condition is false
	speaks                  // its condition is true
	doubts                  // its condition is unknown: it asks
	stepsBack               // would approve except for an unknown field: other rules decide, or people
)

func (r *rule) says(now time.Time, v *view) saying {
	if !r.applies(now, v.sub) {
		return idle
	}
	truth, mistyped := r.when.match(v)
	switch {
	case truth == expr.True:
		return speaks
	case truth == expr.False, r.ignore && !mistyped:
		return silent
	case r.effect != Approves:
		return doubts
	case r.when.undeclared(v.sub), r.passes(v.sub):
		return silent
	}
	return stepsBack
}

// undeclared reports whether a subject lacks the words that a trigger requires. A rule that approves lists
// what it approves, and a subject without a declaration is not on the list.
func (t *trigger) undeclared(sub *Subject) bool {
	return len(t.risks) > 0 && sub.Risk == "" || len(t.words[0]) > 0 && sub.Operation == ""
}

// passes reports whether a rule that would approve has no opinion on a subject it cannot approve: a result is
// not put up for approval just because a rule could not approve it.
func (r *rule) passes(sub *Subject) bool {
	return r.effect == Approves && sub.Result && r.when.at == ""
}

// doubt is the verdict of a rule whose condition is unknown.
func (s *Set) doubt(r *rule, v *view) Verdict {
	return s.ask(r, v.sub, "may apply, so it requires approval: "+r.when.unknowns(v))
}

// tellsSums describes the totals, in sentences.
func (t *trigger) tellsSums(v *view) string {
	var out []string
	for _, f := range t.fields {
		if f.sum == nil {
			continue
		}
		if sum := v.sumOf(f.sum); sum.raw != nil {
			out = append(out, f.sum.tells(sum)+".")
		}
	}
	return strings.Join(out, " ")
}

// applies checks everything but the subject's content: whether the rule is in force, and whether it covers
// this kind of subject.
func (r *rule) applies(now time.Time, sub *Subject) bool {
	switch {
	case !r.enabled:
		return false
	case !r.expires.IsZero() && !now.Before(r.expires):
		return false
	case r.uses > 0 && sub.Uses != nil && r.name != sub.Granted && sub.Uses(r.name) >= r.uses &&
		!mutant.Is(mutant.UsesIgnored):
		return false
	case !sub.Result:
		return r.when.acts()
	case r.when.results() == given:
		return sub.sure()
	}
	return r.when.results() == always
}

// verdict is the verdict of a rule that matches. It has no effect if the rule may not approve a result and
// should not ask about it.
func (s *Set) verdict(now time.Time, r *rule, v *view) Verdict {
	why := r.when.because(v)
	switch r.effect {
	case Denies:
		out := s.say(Denies, r, fmt.Sprintf("refuses: %s (%s)", r.act.Deny, why))
		out.Deny = r.act.Deny
		return out
	case Asks:
		out := s.ask(r, v.sub, fmt.Sprintf("requires %s: %s", approvals(r.ask.Count), why))
		out.Sum, out.Limits = r.when.tellsSums(v), r.when.exceeded(v)
		return out
	}
	if no := s.withholds(now, r, v.sub); no != "" {
		if r.passes(v.sub) {
			return Verdict{}
		}
		return s.ask(r, v.sub, fmt.Sprintf("would approve (%s), but %s", why, no))
	}
	out := s.say(Approves, r, "approves: "+why)
	out.MaxUses = r.uses
	out.Sample = bucket("sample", r.name, v.sub.key()) < r.sample
	out.Channels = r.act.NotificationChannels
	out.NotifyAfter = len(out.Channels) > 0
	if r.act.Notify != nil {
		out.NotifyAfter = *r.act.Notify
	}
	return out
}

func (s *Set) ask(r *rule, sub *Subject, reason string) Verdict {
	out := s.say(Asks, r, reason)
	out.Ask = r.ask
	// Approval by timeout is automatic as well.
	if (s.stopped || r.spares(sub)) && out.Ask.Then.Proceeds() {
		out.Ask.Then = gate.ThenPause
	}
	return out
}

func (s *Set) say(e Effect, r *rule, reason string) Verdict {
	return Verdict{
		Effect: e, Rule: r.name, Title: r.title, Policy: s.hash, Reason: fmt.Sprintf("Rule %q %s.", r.name, reason),
		Log: r.act.LogDecision == nil || *r.act.LogDecision,
	}
}

// withholds returns the reason a rule may not approve a subject now, or "".
func (s *Set) withholds(now time.Time, r *rule, sub *Subject) string {
	if no := s.forbids(now); no != "" {
		return no
	}
	if !r.rolledOut(now, sub) {
		return r.notAmong(now)
	}
	if r.spares(sub) {
		return "the action cannot be undone and the rule does not set irreversible: true"
	}
	return ""
}

// spares reports whether a subject is irreversible and the rule does not include such subjects.
func (r *rule) spares(sub *Subject) bool {
	return sub.Irreversible && !sub.Result && !r.act.Irreversible && !mutant.Is(mutant.RuleSparesNothing)
}

// forbids returns the reason nothing may be approved automatically now, or "".
func (s *Set) forbids(now time.Time) string {
	switch {
	case s.stopped && !mutant.Is(mutant.StopIgnored):
		return "auto-approval is stopped"
	case s.off:
		return "auto-approval is disabled"
	case s.hours != nil && !s.hours.open(now) && !mutant.Is(mutant.HoursIgnored):
		return now.In(s.hours.zone).Format("Monday 15:04 MST") + " is outside business hours"
	}
	return ""
}

func approvals(n int) string {
	if n == 1 {
		return "approval"
	}
	return fmt.Sprintf("%d approvals", n)
}

// key identifies the subject for its whole lifetime.
func (s *Subject) key() string {
	if s.Key != "" {
		return s.Key
	}
	return strings.Join([]string{s.Run, s.Step, s.Tool, s.Operation}, "\x00")
}

// bucket hashes a key into one of 10,000 equal buckets. The bucket never changes, so raising a percentage
// only ever adds cases.
func bucket(purpose, rule, key string) int {
	h := sha256.New()
	for _, s := range []string{purpose, rule, key} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return int(binary.BigEndian.Uint64(h.Sum(nil)) % 10_000)
}
