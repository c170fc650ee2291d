package policy

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
)

// Judge says what the policy holds of a subject at a moment. The same
// arguments always give the same verdict.
func (s *Set) Judge(now time.Time, sub Subject) Verdict {
	if s == nil {
		return Verdict{}
	}
	v := view{sub: &sub, roots: s.roots, paths: s.paths, budget: expr.Budget}
	for _, r := range s.rules {
		if !r.applies(now, &sub) {
			continue
		}
		switch m := r.when.match(&v); {
		case m.holds:
			return s.verdict(now, r, &v)
		case m.doubt != "" && r.effect != Approves:
			return s.ask(r, "cannot tell whether it applies and asks: "+m.doubt)
		}
	}
	return Verdict{}
}

// applies checks what has nothing to do with the subject's content: whether
// the rule is in force, and whether it looks at such subjects at all.
func (r *rule) applies(now time.Time, sub *Subject) bool {
	switch {
	case !r.enabled:
		return false
	case !r.expires.IsZero() && !now.Before(r.expires):
		return false
	case r.uses > 0 && sub.Uses != nil && r.name != sub.Granted && sub.Uses(r.name) >= r.uses:
		return false
	case r.when.result:
		return sub.Result
	case len(r.when.confidences) > 0:
		return sub.Result || sub.Confidence != nil
	}
	return !sub.Result
}

// verdict is for a rule that matches.
func (s *Set) verdict(now time.Time, r *rule, v *view) Verdict {
	why := r.when.because(v)
	switch r.effect {
	case Denies:
		out := s.say(Denies, r, fmt.Sprintf("refuses: %s (%s)", r.act.Deny, why))
		out.Deny = r.act.Deny
		return out
	case Asks:
		return s.ask(r, fmt.Sprintf("asks %s: %s", people(r.ask.Count), why))
	}
	if no := s.forbids(now); no != "" {
		return s.ask(r, fmt.Sprintf("would approve (%s), but %s", why, no))
	}
	key := v.sub.key()
	if bucket("rollout", r.name, key) >= r.rollout {
		share := strconv.FormatFloat(float64(r.rollout)/100, 'f', -1, 64)
		return s.ask(r, fmt.Sprintf("would approve (%s), but this case is not among the %s %% it is rolled out to", why, share))
	}
	out := s.say(Approves, r, "approves: "+why)
	out.MaxUses = r.uses
	out.Sample = bucket("sample", r.name, key) < r.sample
	out.Channels = r.act.NotificationChannels
	out.NotifyAfter = len(out.Channels) > 0
	if r.act.Notify != nil {
		out.NotifyAfter = *r.act.Notify
	}
	return out
}

func (s *Set) ask(r *rule, reason string) Verdict {
	out := s.say(Asks, r, reason)
	out.Ask = r.ask
	// An approval by silence is automatic, too.
	if s.stopped && out.Ask.Then == gate.ThenApprove {
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

// forbids says why nothing may be approved automatically now, or "".
func (s *Set) forbids(now time.Time) string {
	switch {
	case s.stopped && !mutant.Is(mutant.StopIgnored):
		return "auto-approval is stopped"
	case s.off:
		return "auto-approval is switched off"
	case s.hours != nil && !s.hours.open(now) && !mutant.Is(mutant.HoursIgnored):
		return now.In(s.hours.zone).Format("Monday 15:04 MST") + " is outside business hours"
	}
	return ""
}

func people(n int) string {
	if n == 1 {
		return "a person"
	}
	return fmt.Sprintf("%d people", n)
}

// key identifies the subject for as long as it exists.
func (s *Subject) key() string {
	if s.Key != "" {
		return s.Key
	}
	return strings.Join([]string{s.Run, s.Step, s.Tool, s.Operation}, "\x00")
}

// bucket puts a key into one of 10,000 equal parts, the same one for ever, so
// that raising a percentage only ever adds cases.
func bucket(purpose, rule, key string) int {
	h := sha256.New()
	for _, s := range []string{purpose, rule, key} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return int(binary.BigEndian.Uint64(h.Sum(nil)) % 10_000)
}
