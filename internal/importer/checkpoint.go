package importer

import (
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition/tree"
)

// checkpoint is a gate being built.
type checkpoint struct {
	*object
	flow *flow
	plan.Gate
	to       target
	step     string // the step before it
	defaults entry  // the default answer, until it is used
	ui       *object
	wait     *object // its timeout; nil if there is none
}

// checkpoint reads one checkpoint into a gate of the workflow. One without an id, or with a duplicate, has already been
// reported.
func (f *flow) checkpoint(o *object) {
	c := &checkpoint{object: o, flow: f, to: f.to.in(fmt.Sprintf("gates[%d]", len(f.Gates)))}
	id, e, _ := o.text("checkpoint_id")
	if at, claimed := f.gateAt[id]; !claimed || at != e.at {
		return
	}
	c.ID = f.gateNames.of[id]
	f.im.notes.mapped(o.at, c.to, "")
	c.mapped(e, "id", "")
	c.readKind()
	c.readSpot()
	c.readWho()
	c.copyText("checkpoint_name", "title", &c.Title)
	c.copyText("description", "description", &c.Description)
	c.condition()
	c.ui, _ = o.object("ui_schema")
	if c.ui == nil {
		c.ui = &object{notes: o.notes, at: o.at, node: &tree.Node{Kind: tree.Map}}
	}
	c.readUI()
	c.wait, _ = o.object("timeout_config")
	c.readDefault()
	c.timeout()
	if c.defaults.node != nil {
		c.notes.dropped(c.defaults.at, "without on_timeout: proceed_with_default no default is taken")
	}
	c.notification()
	c.ui.rest()
	o.rest()
	f.Gates = append(f.Gates, c.Gate)
}

// mapped reports that an entry became a key of this gate.
func (c *checkpoint) mapped(e entry, key, format string, args ...any) {
	c.notes.mapped(e.at, c.to.in(key), format, args...)
}

func (c *checkpoint) defaulted(at place, key, format string, args ...any) {
	c.notes.defaulted(at, c.to.in(key), format, args...)
}

func (c *checkpoint) copyText(key, ours string, into *string) {
	if text, e, ok := c.text(key); ok {
		*into = text
		c.mapped(e, ours, "")
	}
}

func (c *checkpoint) readKind() {
	word, e, ok := c.need("checkpoint_type", "use "+phrase.Or(checkpointTypes))
	if !ok {
		return
	}
	kind, known := kindOf[word]
	if !known {
		c.notes.bad(e.at, "%q is not a checkpoint type: use %s", clip(word), phrase.Or(checkpointTypes))
		return
	}
	c.Kind = kind
	note := ""
	if string(kind) != word {
		note = word + " is called " + string(kind)
	}
	c.mapped(e, "kind", "%s", note)
}

var triggerPoints = []string{"pre_workflow", "after_agent", "before_completion"}

// readSpot finds the location of the gate. The effect of a rejection is written explicitly, because our defaults
// differ.
func (c *checkpoint) readSpot() {
	point, e, ok := c.need("trigger_point", "use "+phrase.Or(triggerPoints))
	agent, a, named := c.text("agent_id")
	if !ok {
		return
	}
	if named && point != "after_agent" {
		c.notes.warn(a.at, "agent_id has no effect at %s; the agent still gets a step", clip(point))
	}
	c.OnReject = gate.RejectCancels
	note := "a rejection cancels the run, as in the source"
	switch point {
	case "pre_workflow":
		c.At = "start"
	case "before_completion":
		c.At = "end"
		c.OnReject, note = gate.RejectRevises, "a rejection repeats the work, as in the source"
		c.Revise = c.flow.Steps[len(c.flow.Steps)-1].ID
		c.defaulted(e.at, "revise", "the step to repeat is not given: the last step, %s", c.Revise)
	case "after_agent":
		if !named || agent == "" {
			c.notes.bad(e.at, "agent_id is missing: name the agent it follows")
			return
		}
		c.step = c.flow.stepOf[c.flow.im.agentNames.of[agent]]
		c.At = "after " + c.step
		c.mapped(a, "at", "")
	default:
		c.notes.bad(e.at, "%q is not a trigger point: use %s", clip(point), phrase.Or(triggerPoints))
		return
	}
	c.mapped(e, "at", "")
	c.defaulted(e.at, "on_reject", "%s", note)
}

// readWho reads who decides, which is never guessed.
func (c *checkpoint) readWho() {
	role, e, ok := c.need("required_role", "who may decide?")
	if !ok {
		return
	}
	c.Role = c.flow.im.roleNames.name(c.notes, e, role)
	c.mapped(e, "role", "")
	if why := c.flow.im.covers(c.Role, c.flow.Name, c.Kind); why != "" && c.Kind != "" {
		c.notes.warn(e.at, "%s", why)
	}
}

// notification keeps recipients and channels.
func (c *checkpoint) notification() {
	o, ok := c.object.object("notification_config")
	if !ok {
		return
	}
	defer o.rest()
	on, e, said := o.flag("enabled")
	if said && !on {
		c.notes.mapped(e.at, target{}, "no notify")
		for _, key := range []string{"channels", "urgency", "recipients"} {
			if e, there := o.take(key); there {
				c.notes.dropped(e.at, "notifications are not enabled")
			}
		}
		return
	}
	if said {
		c.mapped(e, "notify", "")
	}
	var members []value.Member
	for _, key := range []string{"channels", "recipients"} {
		words, e, ok := o.texts(key)
		if !ok {
			continue
		}
		var texts []string
		for _, w := range words {
			texts = append(texts, w.node.Text)
		}
		raw, _ := value.Marshal(slices.Concat([]string{}, texts))
		members = append(members, value.Member{Key: key, Value: raw})
		c.mapped(e, "notify."+key, "")
	}
	if word, e, ok := o.text("urgency"); ok {
		members = append(members, value.Member{Key: "urgency", Value: value.Quote(word)})
		c.mapped(e, "notify.urgency", "")
	}
	if len(members) > 0 {
		c.Notify = value.Object(members...)
	}
}
