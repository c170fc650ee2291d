package importer

import (
	"strings"
	"time"
	"unicode"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition/tree"
)

// pauseDefault is when a run pauses on its own if there is no answer.
const pauseDefault = quantity.Duration(72 * time.Hour)

// thenOf translates timeout actions.
var thenOf = map[string]gate.Then{
	"auto_approve": gate.ThenApprove, "auto_reject": gate.ThenReject, "cancel_workflow": gate.ThenCancel,
	"cancel":               gate.ThenCancel,
	"proceed_with_default": gate.ThenDefault, "escalate": gate.ThenEscalate, "pause": gate.ThenPause,
}

var timeoutActions = []string{"auto_approve", "auto_reject", "cancel_workflow",
	"proceed_with_default", "escalate", "pause"}

// timeout reads the timeout of the gate and its effect.
func (c *checkpoint) timeout() {
	o := c.wait
	c.escalation(o)
	if o == nil {
		note := ""
		if c.flow.im.limits.usual > 0 {
			note = "; the default_timeout_seconds of the governance policy does not say what happens then"
		}
		c.defaulted(c.at, "timeout", "no timeout_config: it waits, with a reminder after 24h and a pause after 72h%s", note)
		return
	}
	defer o.rest()
	on, e, said := o.flag("enabled")
	if said && !on {
		c.PauseAfter = new(quantity.Duration)
		c.mapped(e, "pause_after", "no timeout: it waits forever")
		for _, key := range []string{"timeout_seconds", "on_timeout"} {
			if e, there := o.take(key); there {
				c.notes.dropped(e.at, "the timeout is not enabled")
			}
		}
		return
	}
	if said {
		c.mapped(e, "timeout", "")
	} else {
		c.defaulted(o.at, "timeout", "enabled is not set: true")
	}
	c.Timeout = &plan.GateTimeout{After: c.after(o)}
	if c.Timeout.After >= pauseDefault {
		c.PauseAfter = new(quantity.Duration)
		c.defaulted(o.at, "pause_after", "the pause after 72h would come before the timeout")
	}
	c.onTimeout(o)
	if c.Timeout.Then == gate.ThenEscalate && len(c.Escalate) == 0 {
		at := o.at
		if e, there := o.take("on_timeout"); there {
			at = e.at
		}
		c.notes.bad(at, "the person or role to escalate to is missing: add escalate_to")
	}
}

func (c *checkpoint) after(o *object) quantity.Duration {
	if d, e, ok := o.seconds("timeout_seconds"); ok {
		c.mapped(e, "timeout.after", "")
		if why := c.flow.im.limits.over(d); why != "" {
			c.notes.warn(e.at, "%s is %s", written(d), why)
		}
		return d
	} else if e.node != nil && e.node.Kind != tree.Null {
		return 0 // already reported
	}
	usual := c.flow.im.limits.usual
	if usual > 0 {
		c.defaulted(o.at, "timeout.after", "no timeout_seconds: the %s of %s", written(usual), c.flow.im.limits.at)
	} else {
		c.notes.bad(o.at, "timeout_seconds is missing: after how long?")
	}
	return usual
}

func (c *checkpoint) onTimeout(o *object) {
	word, e, ok := o.text("on_timeout")
	if !ok {
		if e.node == nil || e.node.Kind == tree.Null {
			c.Timeout.Then = gate.ThenPause
			c.defaulted(o.at, "timeout.then", "no on_timeout: the run is paused, so that nothing continues without approval")
		}
		return
	}
	then, known := thenOf[word]
	if !known {
		c.notes.bad(e.at, "%q is not a timeout action: use %s", clip(word), phrase.Or(timeoutActions))
		return
	}
	c.Timeout.Then = then
	c.mapped(e, "timeout.then", "")
	if then == gate.ThenDefault {
		c.byDefault(e)
		c.defaults.node = nil
	}
}

// defaultKeys are where a checkpoint may define its default; no example contains one.
var defaultKeys = []string{"default_decision", "default_option", "default"}

// readDefault finds the default in the timeout, the display or the checkpoint.
func (c *checkpoint) readDefault() {
	for _, o := range []*object{c.wait, c.ui, c.object} {
		if o == nil {
			continue
		}
		for _, key := range defaultKeys {
			e, there := o.take(key)
			if !there {
				continue
			}
			if c.defaults.node != nil {
				c.notes.dropped(e.at, "the default is taken from %s", c.defaults.at)
				continue
			}
			c.defaults = e
		}
	}
}

// byDefault interprets proceed_with_default for this kind of gate.
func (c *checkpoint) byDefault(on entry) {
	t, e := c.Timeout, c.defaults
	if e.node != nil {
		t.Default = e.node.JSON()
		c.mapped(e, "timeout.default", "")
	}
	switch c.Kind {
	case gate.KindChoice:
		if e.node == nil && len(c.Options) > 0 {
			t.Default = value.Quote(c.Options[0].Value)
			c.defaulted(on.at, "timeout.default", "no default given: the first option, %s", clip(c.Options[0].Value))
		}
	case gate.KindInput:
		if e.node == nil {
			t.Then = gate.ThenApprove
			c.defaulted(on.at, "timeout.then", "no default given: the run continues with the data unchanged")
		}
	default:
		c.approveByDefault(on)
	}
}

// approveByDefault: the options of an approval are its actions.
func (c *checkpoint) approveByDefault(on entry) {
	t, e := c.Timeout, c.defaults
	t.Default = nil
	t.Then = gate.ThenApprove
	if e.node == nil {
		c.defaulted(on.at, "timeout.then", "no default given: the run proceeds as if it were approved")
		return
	}
	switch word := e.node.Text; {
	case e.node.Kind == tree.Map:
		t.Then, t.Default = gate.ThenDefault, e.node.JSON()
	case e.node.Kind == tree.Text && (word == "approve" || word == "auto_approve"):
	case e.node.Kind == tree.Text && (word == "reject" || word == "auto_reject"):
		t.Then = gate.ThenReject
	default:
		c.notes.bad(e.at, "an approval cannot be answered with this by default: use approve or reject")
	}
}

// escalation reads the recipients of an unanswered checkpoint: the block of specification 000, or escalate_to next to
// the timeout.
func (c *checkpoint) escalation(timeout *object) {
	o, ok := c.object.object("escalation")
	var after quantity.Duration
	if ok {
		defer o.rest()
		if on, e, said := o.flag("enabled"); said && !on {
			c.notes.mapped(e.at, target{}, "no escalation")
			for _, key := range []string{"after_seconds", "escalate_to"} {
				if e, there := o.take(key); there {
					c.notes.dropped(e.at, "the escalation is not enabled")
				}
			}
			return
		} else if said {
			c.mapped(e, "escalate", "")
		}
		if d, e, there := o.seconds("after_seconds"); there {
			after = d
			c.mapped(e, "escalate[0].after", "")
		}
	}
	for _, from := range []*object{o, timeout, c.object} {
		if from == nil {
			continue
		}
		people, e, ok := from.texts("escalate_to")
		if !ok {
			continue
		}
		if len(c.Escalate) > 0 {
			c.notes.dropped(e.at, "the recipient is already set")
			continue
		}
		if after == 0 && timeout != nil {
			if n := timeout.node.Get("timeout_seconds"); n != nil && n.Kind == tree.Number {
				after, _ = quantity.ParseDuration(n.Text)
			}
		}
		if after == 0 {
			c.notes.bad(e.at, "after how long is it escalated? add after_seconds")
			return
		}
		c.mapped(e, "escalate", "")
		c.chain(people, after)
	}
}

// chain escalates to one after the other, a second apart: a level has one recipient.
func (c *checkpoint) chain(people []entry, after quantity.Duration) {
	for i, p := range people {
		to := p.node.Text
		rung := after + quantity.Duration(time.Duration(i)*time.Second)
		note := "the person of that name"
		switch {
		case strings.HasPrefix(to, "role:"):
			note = "a role"
		case strings.Contains(to, "@"):
			note = "the person with that address"
		case c.flow.im.isRole(to):
			to, note = "role:"+c.flow.im.roleNames.of[to], "a role"
		}
		if strings.TrimPrefix(to, "role:") == "" ||
			strings.ContainsFunc(strings.TrimPrefix(to, "role:"),
				func(r rune) bool { return r == ':' || unicode.IsSpace(r) || unicode.IsControl(r) }) {
			c.notes.bad(p.at, "%q is not a person or role: write ann@example.com or role:manager", clip(to))
			continue
		}
		c.mapped(p, "escalate["+itoa(len(c.Escalate))+"].to", "%s", note)
		c.Escalate = append(c.Escalate, plan.Escalation{After: rung, To: to})
	}
}

func (im *imported) isRole(word string) bool {
	_, known := im.roleNames.of[word]
	return known
}
