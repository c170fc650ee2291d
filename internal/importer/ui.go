package importer

import (
	"slices"
	"strconv"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition/tree"
)

func itoa(n int) string { return strconv.Itoa(n) }

// readUI reads the display and the available actions.
func (c *checkpoint) readUI() {
	c.displayFields()
	for _, d := range []struct{ key, shown string }{
		{"display_evidence_map", "the proposal"}, {"display_agent_chain", "the run so far"},
		{"display_prior_output", "the proposal"},
	} {
		if on, e, ok := c.ui.flag(d.key); ok && on {
			c.notes.mapped(e.at, target{}, "always shown: %s", d.shown)
		} else if ok {
			c.notes.dropped(e.at, "%s is always shown", d.shown)
		}
	}
	c.options()
	c.actions()
	c.fields()
}

// displayFields become show. Names with another meaning at a gate are written in full.
func (c *checkpoint) displayFields() {
	fields, whole, ok := c.ui.texts("display_fields")
	if !ok {
		return
	}
	c.mapped(whole, "show", "")
	for _, e := range fields {
		path := e.node.Text
		p, err := value.ParsePath(path)
		if err != nil || len(p) == 0 || len(path) > plan.ExpressionMax {
			path = "[" + string(value.Quote(e.node.Text)) + "]"
			if p, err = value.ParsePath(path); err != nil || len(path) > plan.ExpressionMax || p[0] == "" {
				c.notes.dropped(e.at, "%q is not the name of a field", clip(e.node.Text))
				continue
			}
		}
		if slices.Contains(aside, p[0]) {
			about := map[bool]string{true: "input", false: c.step}[c.At == "start"]
			if about == "" {
				c.notes.warn(e.at, "%s does not mean a field of the result here", p[0])
			} else {
				path = about + "." + path
				c.notes.mapped(e.at, c.to.in("show"), "%s", clip(path))
			}
		}
		if slices.Contains(c.Show, path) {
			c.notes.dropped(e.at, "it is listed twice")
			continue
		}
		if len(c.Show) == plan.ShowMax {
			c.notes.bad(e.at, "%d fields are too many: at most %d", len(fields), plan.ShowMax)
			return
		}
		c.Show = append(c.Show, path)
	}
}

// options are the options of a decision.
func (c *checkpoint) options() {
	items, whole, ok := c.ui.list("decision_options")
	if c.Kind != gate.KindChoice {
		if ok {
			c.notes.dropped(whole.at, "only a decision has options")
		}
		return
	}
	for i, e := range items {
		to := c.to.in("options[" + itoa(i) + "]")
		switch e.node.Kind {
		case tree.Text:
			c.Options = append(c.Options, gate.Option{Value: e.node.Text})
			c.notes.mapped(e.at, to, "")
		case tree.Map:
			o := c.within(e)
			var option gate.Option
			var v entry
			if option.Value, v, ok = o.need("value", "the option needs a value"); ok {
				c.notes.mapped(v.at, to.in("value"), "")
			}
			for _, k := range []struct {
				key  string
				into *string
			}{{"label", &option.Label}, {"description", &option.Description}} {
				if text, e, ok := o.text(k.key); ok {
					*k.into = text
					c.notes.mapped(e.at, to.in(k.key), "")
				}
			}
			o.rest()
			c.Options = append(c.Options, option)
		default:
			c.notes.bad(e.at, "expected an option, got %s", kindWord(e.node))
		}
	}
	if ok {
		c.mapped(whole, "options", "")
	} else {
		whole.at = c.at
	}
	if len(items) < 2 {
		c.notes.bad(whole.at, "a decision needs at least 2 decision_options, not %d", len(items))
	}
}

// actOf translates actions.
var actOf = map[string]gate.Act{
	"approve": gate.Approve, "reject": gate.Reject, "escalate": gate.Escalate,
	"request_revision": gate.RequestRevision, "modify": gate.Modify,
	"delegate": gate.Delegate, "choose": gate.Choose, "decide": gate.Choose, "submit": gate.Submit,
	"submit_corrections": gate.Submit,
	"edit_data":          gate.Modify, "request_more_info": gate.RequestRevision,
}

// yes is the positive act of a kind.
var yes = map[gate.Kind]gate.Act{gate.KindApproval: gate.Approve, gate.KindEscalation: gate.Approve,
	gate.KindChoice: gate.Choose, gate.KindInput: gate.Submit}

// suits reports whether an act is valid for a kind.
func suits(act gate.Act, kind gate.Kind) bool {
	switch act {
	case gate.Approve:
		return kind != gate.KindChoice
	case gate.Modify:
		return kind == gate.KindApproval || kind == gate.KindEscalation
	case gate.Choose, gate.Submit:
		return yes[kind] == act
	}
	return true
}

// actions become acts; people can then take only these.
func (c *checkpoint) actions() {
	words, whole, ok := c.ui.texts("actions")
	if !ok || len(words) == 0 {
		if c.Kind == gate.KindApproval {
			c.defaulted(c.ui.at, "acts", "no actions: approve, modify, reject and delegate")
		}
		return
	}
	c.mapped(whole, "acts", "")
	for _, w := range words {
		act, known := actOf[w.node.Text]
		switch {
		case w.node.Text == "cancel_workflow":
			c.notes.dropped(w.at, "use the command cancel on the run")
		case w.node.Text == "view" || w.node.Text == "comment" || w.node.Text == "add_comments":
			c.notes.dropped(w.at, "that is always possible")
		case !known:
			c.notes.dropped(w.at, "%q is not an action here", clip(w.node.Text))
		case c.Kind != "" && !suits(act, c.Kind):
			c.notes.dropped(w.at, "%s does not suit the kind %s", w.node.Text, c.Kind)
		case slices.Contains(c.Acts, act):
			c.notes.dropped(w.at, "it is listed twice")
		default:
			c.Acts = append(c.Acts, act)
			note := ""
			if string(act) != w.node.Text {
				note = w.node.Text + " is called " + string(act)
			} else if act == gate.Escalate && c.node.Get("escalation") == nil {
				note = "the person who escalates names the recipient: the file names none"
			}
			c.notes.mapped(w.at, c.to.in("acts"), "%s", note)
		}
	}
	if act := yes[c.Kind]; (c.Kind == gate.KindChoice || c.Kind == gate.KindInput) && !slices.Contains(c.Acts, act) {
		c.Acts = append([]gate.Act{act}, c.Acts...)
		c.defaulted(whole.at, "acts", "%s is the act of the kind %s", act, c.Kind)
	} else if len(c.Acts) == 0 {
		c.notes.bad(whole.at, "none of these actions is one that people can take: use approve, reject, "+
			"escalate or request_revision")
	}
}
