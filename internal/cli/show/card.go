package show

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/view"
	"github.com/charmbracelet/x/ansi"
)

// CardOptions define how to draw an approval.
type CardOptions struct {
	Theme Theme
	Width int
	Now   time.Time
}

// card collects the lines of an approval.
type card struct {
	CardOptions
	v     view.Approval
	lines []string
}

// labelWidth is the width of the names before values.
const labelWidth = 11

// Card shows an approval with everything a decision needs. Nothing is truncated: long values take as many
// lines as they need.
func Card(v view.Approval, o CardOptions) []string {
	c := &card{CardOptions: o, v: v}
	c.heading()
	if v.Description != v.Title {
		c.paragraph(v.Description)
	}
	c.facts()
	c.people()
	c.choices()
	c.block("asked for", Fields(v.InputSchema))
	c.block("proposed", Value(v.Proposed))
	if len(v.Original) > 0 {
		c.block("originally", Value(v.Original))
	}
	if !Empty(v.Show) {
		c.block("supporting data", Value(v.Show))
	}
	c.block("so far", Clean(v.SoFar))
	return c.lines
}

func (c *card) heading() {
	t := c.Theme
	for _, line := range Wrap(Line(c.v.Title), c.Width) {
		c.lines = append(c.lines, t.Bold(line))
	}
	at := Line(c.v.Workflow)
	if c.v.Step != "" {
		at += " › " + Line(c.v.Step)
	}
	if c.v.Index != nil {
		at += fmt.Sprintf(" [%d]", *c.v.Index)
	}
	sub := t.Dim(at + "  " + c.v.ID)
	if c.v.Status != gate.Pending {
		sub = c.Theme.ApprovalStatus(c.v.Status) + "  " + sub
	}
	c.lines = append(c.lines, Cut(sub, c.Width))
}

func (c *card) paragraph(text string) {
	if lines := Wrap(text, c.Width); len(lines) > 0 {
		c.lines = append(append(c.lines, ""), lines...)
	}
}

// fact is a short value after its name.
func (c *card) fact(label, value string) {
	if value == "" {
		return
	}
	for i, line := range Wrap(value, c.Width-labelWidth) {
		name := label
		if i > 0 {
			name = ""
		}
		c.lines = append(c.lines, c.Theme.Dim(Pad(name, labelWidth))+line)
	}
}

// painted is a fact that is already clean and coloured.
func (c *card) painted(label, value string) {
	for line := range strings.SplitSeq(ansi.Wrap(value, max(c.Width-labelWidth, 10), " "), "\n") {
		c.lines = append(c.lines, c.Theme.Dim(Pad(label, labelWidth))+line)
		label = ""
	}
}

func (c *card) facts() {
	t, v := c.Theme, c.v
	c.lines = append(c.lines, "")
	switch v.Action.Reversible {
	case "no":
		c.painted("undo", t.Bad("cannot be undone"))
	case "yes":
		c.painted("undo", "by "+Line(v.Action.ReversibleBy))
	}
	if v.Risk.Level != "" {
		c.painted("risk", t.Risk(v.Risk.Level)+t.Dim(prefixed("  ", Line(strings.Join(v.Risk.Reasons, "; ")))))
	}
	if v.Confidence != nil {
		percent := int(*v.Confidence*100 + 0.5)
		c.painted("confidence", fmt.Sprintf("%s %d %%", t.Bar(percent, 20, c.sure(percent)), percent)+
			t.Dim(prefixed("  ", source(v.Source))))
	} else if v.Source != nil {
		c.painted("confidence", t.Dim("not reported by "+Line(v.Source.Step)))
	}
	c.fact("reasoning", v.Reasoning)
	c.fact("trigger", c.asker())
	c.fact("operation", Line(cmp.Or(v.Action.Operation, "")))
	c.fact("tool", Line(v.Action.Tool))
	if v.CostUSD != nil {
		c.fact("cost", "$"+*v.CostUSD)
	}
	c.fact("on reject", v.IfDenied)
}

// source names whose confidence is shown.
func source(s *gate.ConfidenceSource) string {
	switch {
	case s == nil:
		return ""
	case s.Step == gate.SourceInput:
		return "from the run's input"
	}
	return "from " + Line(s.Step)
}

// sure colours a confidence.
func (c *card) sure(percent int) Paint {
	switch {
	case percent >= 90:
		return c.Theme.Good
	case percent >= 70:
		return c.Theme.Warn
	}
	return c.Theme.Bad
}

// asker explains why approval is required.
func (c *card) asker() string {
	switch v := c.v; v.Reason {
	case gate.ReasonRule:
		if v.Rule != nil {
			return fmt.Sprintf("the rule %q%s", v.Rule.Name, prefixed(": ", v.Rule.Reason))
		}
		return "a rule of the policy"
	case gate.ReasonLowConfidence:
		return Or(v.Agent, "the agent") + " is unsure"
	case gate.ReasonCall:
		return Or(v.Agent, "the agent") + " wants to use a tool"
	case gate.ReasonMilestone:
		return "a milestone of " + v.Agent
	case gate.ReasonLimit:
		return "a limit of " + Or(v.Agent, "the agent")
	case gate.ReasonLoop:
		return "the pause between two layers"
	}
	return ""
}

func (c *card) block(title, text string) {
	if text == "" {
		return
	}
	c.lines = append(c.lines, "", c.Theme.Dim(title))
	for line := range strings.SplitSeq(text, "\n") {
		c.lines = append(c.lines, hang(line, c.Width)...)
	}
}

// hang indents a line and its continuation.
func hang(line string, width int) []string {
	rest := strings.TrimLeft(line, " ")
	indent := "  " + line[:len(line)-len(rest)]
	parts := Wrap(rest, width-len(indent))
	if len(parts) == 0 {
		return []string{""}
	}
	for i := range parts {
		parts[i] = indent + parts[i]
	}
	return parts
}

func (c *card) choices() {
	if len(c.v.Options) == 0 {
		return
	}
	c.lines = append(c.lines, "", c.Theme.Dim("options"))
	for _, o := range c.v.Options {
		c.lines = append(c.lines, "  "+c.Theme.Bold(Line(o.Value)))
		c.lines = append(c.lines, hang("  "+Line(o.Label)+prefixed(": ", Line(o.Description)), c.Width)...)
	}
}

// people lists the assignees, decisions and the deadline.
func (c *card) people() {
	t, v := c.Theme, c.v
	c.fact("approvers", Asked(v))
	if v.For != "" {
		c.fact("you decide", "for "+Line(v.For))
	}
	c.fact("started by", Line(v.Requester))
	if v.Quorum.Needed > 1 {
		missing := make([]string, 0, len(v.Quorum.ByRole))
		for role, n := range v.Quorum.ByRole {
			missing = append(missing, fmt.Sprintf("%d × %s", n, role))
		}
		slices.Sort(missing)
		c.fact("quorum", fmt.Sprintf("%d of %d%s", v.Quorum.Given, v.Quorum.Needed,
			prefixed(", still missing: ", strings.Join(missing, ", "))))
	}
	for _, d := range v.Decisions {
		c.fact("decision", Line(decided(d))+"  ("+Clock(d.At)+")")
	}
	if v.Outcome != nil {
		c.fact("outcome", OutcomeLine(*v.Outcome))
		return
	}
	c.fact("waiting", Duration(c.Now.Sub(v.RequestedAt)))
	if v.DeadlineAt != nil {
		c.painted("deadline", Deadline(t, v, c.Now))
	} else if v.PauseAt != nil {
		c.fact("pauses", "in "+Duration(v.PauseAt.Sub(c.Now))+" on timeout")
	}
}

// Asked describes who may decide.
func Asked(v view.Approval) string {
	who := slices.Clone(v.Assignees)
	if v.Role != "" {
		who = append(who, v.Role)
	}
	for role := range v.Quorum.ByRole {
		if !slices.Contains(who, role) {
			who = append(who, role)
		}
	}
	slices.Sort(who)
	for _, to := range v.EscalatedTo {
		who = append(who, strings.TrimPrefix(to, "role:"))
	}
	who = slices.Compact(who)
	for i, name := range who {
		for _, away := range v.Away {
			if away.Name == name {
				who[i] += " (away, " + away.To + " decides)"
			}
		}
	}
	return Line(Or(strings.Join(who, ", "), "anyone"))
}

// Deadline counts down and describes what happens then.
func Deadline(t Theme, v view.Approval, now time.Time) string {
	if v.DeadlineAt == nil {
		return t.Dim("none")
	}
	left := v.DeadlineAt.Sub(now)
	then := map[gate.Then]string{
		gate.ThenApprove: "approved", gate.ThenReject: "rejected", gate.ThenCancel: "cancelled",
		gate.ThenDefault: defaultAnswer(v),
		gate.ThenPause:   "paused", gate.ThenEscalate: "escalated",
	}[v.OnTimeout]
	text := "in " + Duration(left) + prefixed(", then ", then)
	switch {
	case left < 0:
		return t.Bad("passed" + prefixed(", ", then))
	case left < 10*time.Minute:
		return t.Bad(text)
	case left < time.Hour:
		return t.Warn(text)
	}
	return text
}

// defaultAnswer is the default on timeout.
func defaultAnswer(v view.Approval) string {
	if picked, ok := value.Text(v.Default); ok && v.Kind == gate.KindChoice {
		for _, o := range v.Options {
			if o.Value == picked {
				return "“" + Line(Or(o.Label, o.Value)) + "” is chosen"
			}
		}
	}
	return "the default" + prefixed(" ", ansi.Truncate(Line(string(v.Default)), 40, "…"))
}

// OutcomeLine describes how an approval ended.
func OutcomeLine(o view.Outcome) string {
	line := words(string(o.Status))
	if o.Act != "" && o.Status == gate.TimedOut {
		line += ", then " + words(string(o.Act))
	}
	return Line(line + prefixed(" ", o.Option) + prefixed(" by ", o.By) + prefixed(": ", o.Comment))
}

// prefixed is a text after a prefix, or empty.
func prefixed(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}
