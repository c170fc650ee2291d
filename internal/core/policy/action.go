package policy

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
)

const (
	peopleMax  = 100
	secondsMax = 100 * 365 * 24 * 3600
)

// thens maps the specifications' words for a timeout without an answer.
var thens = map[string]gate.Then{
	"auto_approve": gate.ThenApprove, "auto_reject": gate.ThenReject, "cancel_workflow": gate.ThenCancel,
	"proceed_with_default": gate.ThenDefault,
}

// action compiles a rule's action.
func (c *compiler) action(path string, r *rule, in Action) {
	r.act = in
	switch {
	case in.Deny != "" && in.AutoApprove:
		c.bad(path, "it both denies and approves")
	case in.Deny != "":
		r.effect = Denies
	case in.AutoApprove:
		r.effect = Approves
	default:
		r.effect = Asks
	}
	r.ask = c.ask(path, in)
	c.rollout(path, r, in)
	if p := in.SamplePercentage; p != nil {
		r.sample = c.percentage(path+".sample_percentage", r, *p)
	}
	c.channels(path+".notification_channels", in.NotificationChannels)
	if in.MaxUses != nil {
		if r.uses = *in.MaxUses; r.uses < 1 {
			c.bad(path+".max_uses", "it must be at least 1; write enabled: false to switch the rule off")
		}
	}
	if in.ExpiresAt != "" {
		r.expires = c.moment(path+".expires_at", in.ExpiresAt)
	}
}

func (c *compiler) moment(path, s string) time.Time {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	c.bad(path, "%q is not a valid time: write 2026-12-31T23:59:59Z or 2026-12-31", s)
	return time.Time{}
}

func (c *compiler) duration(path string, seconds float64) time.Duration {
	if !(seconds >= 0 && seconds <= secondsMax) {
		c.bad(path, "%v is not a number of seconds from 0 to %d", seconds, secondsMax)
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}

func (c *compiler) ask(path string, in Action) Ask {
	out := Ask{
		Role: in.Role, Roles: in.Roles, Notify: in.Notification,
		Timeout: c.duration(path+".timeout_seconds", in.TimeoutSeconds),
	}
	if n := in.RequireApprovalCount; n != nil {
		if out.Count = *n; *n < 1 || *n > peopleMax {
			c.bad(path+".require_approval_count", "%d is not between 1 and %d", *n, peopleMax)
		}
	}
	c.quorum(path, &out)
	if in.Escalation != nil {
		out.Escalate = c.escalation(path+".escalation", *in.Escalation)
	}
	out.Then = c.then(path+".on_timeout", in.OnTimeout, out)
	c.notification(path+".notification", in.Notification)
	return out
}

func (c *compiler) notification(path string, raw json.RawMessage) {
	for _, p := range gate.CheckNotify(path, raw) {
		c.bad(p.Path, "%s", p.Message)
	}
}

func (c *compiler) channels(path string, names []string) {
	for _, p := range gate.CheckChannels(path, names) {
		c.bad(p.Path, "%s", p.Message)
	}
}

func (c *compiler) quorum(path string, out *Ask) {
	if out.Role != "" && len(out.Roles) > 0 {
		c.bad(path+".roles", "give either role or roles")
	}
	sum := 0
	for _, role := range slices.Sorted(maps.Keys(out.Roles)) {
		n := out.Roles[role]
		if n < 1 || n > peopleMax || role == "" {
			c.bad(path+".roles."+role, "%d is not between 1 and %d", n, peopleMax)
			continue
		}
		sum += n
	}
	if out.Count > 0 && out.Count < sum {
		c.bad(path+".require_approval_count", "the roles need %d people together, more than %d", sum, out.Count)
	}
	out.Count = max(out.Count, sum, 1)
}

// then reads on_timeout. The default is to pause the run: nothing proceeds without approval, and nothing is
// lost.
func (c *compiler) then(path, word string, ask Ask) gate.Then {
	then := gate.Then(word)
	if t, ok := thens[word]; ok {
		then = t
	}
	switch {
	case word == "" && ask.Timeout > 0:
		return gate.ThenPause
	case word == "":
		return ""
	case !slices.Contains(gate.Thens, then):
		c.bad(path, "%q is unknown: write approve, reject, cancel, default, pause or escalate", word)
	case ask.Timeout == 0:
		c.warn(path, "it has no effect without timeout_seconds")
	case then == gate.ThenEscalate && len(ask.Escalate) == 0:
		c.bad(path, "escalation names no one to escalate to")
	}
	return then
}

func (c *compiler) escalation(path string, in Chain) []Escalation {
	after := c.duration(path+".after_seconds", in.AfterSeconds)
	if len(in.EscalateTo) == 0 && (in.Enabled == nil || *in.Enabled) {
		c.bad(path+".escalate_to", "it is missing: write ann, ann@example.com or role:manager")
	}
	var out []Escalation
	for i, to := range in.EscalateTo {
		if name := strings.TrimPrefix(to, "role:"); name == "" || name != strings.TrimSpace(name) {
			c.bad(fmt.Sprintf("%s.escalate_to[%d]", path, i),
				"%q is not a person or role: write ann, ann@example.com or role:manager", to)
		}
		out = append(out, Escalation{After: after, To: to})
	}
	if in.Enabled != nil && !*in.Enabled {
		return nil
	}
	return out
}
