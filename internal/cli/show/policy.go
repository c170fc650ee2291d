package show

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/registry"
)

// Effect is a rule's effect, in one word.
func (t Theme) Effect(e policy.Effect) string {
	switch e {
	case policy.Asks:
		return t.Warn("asks")
	case policy.Approves:
		return t.Good("approves")
	case policy.Denies:
		return t.Bad("refuses")
	}
	return t.Dim("nothing")
}

// Priority is a rule's priority; those under auto_approval have none and come last.
func Priority(n *int) string {
	if n == nil {
		return "auto"
	}
	return fmt.Sprint(*n)
}

// Named is a policy's own name.
func Named(definition json.RawMessage) string {
	v, _ := value.Get(definition, "policy") // a name is optional
	name, _ := value.Text(v)
	return Or(Line(name), "policy")
}

// Stop describes the status of automatic approvals. Off is why the policy itself turns them off, or empty.
func Stop(v registry.Stop, off string, t Theme) []string {
	switch {
	case v.On:
		return []string{
			t.Bold(t.Bad("EMERGENCY STOP")) + t.Bold(" since "+Moment(v.At)+", by "+Line(v.By)+": "+Line(v.Reason)),
			t.Bold("No rule approves anything. Where one would, people are asked.") + " To end it: assent policy go",
		}
	case off != "":
		return []string{t.Bold(t.Warn("Automatic approvals are off:")) + " " + off +
			". Where a rule would approve, people are asked."}
	}
	return nil
}

// Off returns why a policy, as written, approves nothing automatically, or "".
func Off(definition json.RawMessage) string {
	if v, ok := value.Get(definition, "auto_approval", "global_settings", "emergency_stop"); ok && string(v) == "true" {
		return "the policy sets emergency_stop: true"
	}
	if v, ok := value.Get(definition, "auto_approval", "enabled"); ok && string(v) == "false" {
		return "the policy sets auto_approval: enabled: false"
	}
	return ""
}

// Backtest describes what a policy would have changed.
func Backtest(v insight.Backtest, t Theme) []string {
	span := fmt.Sprintf("from %s to %s", Moment(v.Since), Moment(v.Until))
	if v.Subjects == 0 {
		return []string{t.Warn("No decisions " + span + " to compare with.")}
	}
	out := []string{
		t.Bold(Count(int64(v.Subjects), "decision")) + " " + span,
		fmt.Sprintf("  %5d were decided by people and would be approved automatically", v.AskedToAuto),
		fmt.Sprintf("  %5d continued without people and would need a decision", v.AutoToAsked),
		fmt.Sprintf("  %5d would be refused", v.Denied),
	}
	switch {
	case v.MinutesSaved > 0:
		out = append(out, "  This would save people "+work(v.MinutesSaved)+".")
	case v.MinutesSaved < 0:
		out = append(out, "  This would cost people "+work(-v.MinutesSaved)+".")
	}
	return out
}

// work is time that people spend.
func work(minutes float64) string {
	if minutes < 1 {
		return "less than a minute of work"
	}
	return "about " + Duration(time.Duration(math.Round(minutes))*time.Minute) + " of work"
}

// Passed lists rejected or changed cases that a policy would have approved. All of them: they have to be
// reviewed.
func Passed(v insight.Backtest, t Theme) []string {
	var out []string
	add := func(mark, title, did string, cases []insight.Passed) {
		if len(cases) == 0 {
			return
		}
		out = append(out, "", mark+" "+t.Bold(title))
		for _, p := range cases {
			out = append(out, "  "+p.Approval+"  "+Line(p.Title))
			out = append(out, "    "+Line(Or(p.By, "someone"))+" "+did+prefixed(": ", Line(p.Comment)))
			out = append(out, Changes(p.Diff, "      ")...)
			if p.Rule == "" {
				out = append(out, "    "+t.Dim("no rule would require approval"))
			} else {
				out = append(out, "    "+t.Dim(fmt.Sprintf("the rule %q would approve it", Line(p.Rule))))
			}
		}
	}
	add(t.Bad("✗"), passedTitle(len(v.WouldPassRejected), "rejected"), "rejected it", v.WouldPassRejected)
	add(t.Warn("!"), passedTitle(len(v.WouldPassModified), "changed"), "changed it", v.WouldPassModified)
	return out
}

func passedTitle(n int, did string) string {
	return Count(int64(n), "action") + " that people " + did + " would be approved"
}

// changesShown is how many differences a list shows per case.
const changesShown = 8

// Changes lists differences, one per line.
func Changes(diff []value.Change, indent string) []string {
	var out []string
	for i, c := range diff {
		if i == changesShown {
			return append(out, indent+fmt.Sprintf("and %d more", len(diff)-i))
		}
		out = append(out, indent+Cut(Line(strings.ReplaceAll(strings.TrimPrefix(c.Path, "/"), "/", ".")), 40)+": "+
			brief(c.From)+" → "+brief(c.To))
	}
	return out
}

// brief is a value on a part of a line.
func brief(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "nothing"
	}
	return Cut(Line(string(raw)), 60)
}

// casesShown is how many of a rule's supporting cases are listed.
const casesShown = 3

// Suggestion shows a suggested rule, and its evidence.
func Suggestion(s insight.Suggestion, t Theme, width int) []string {
	var rule policy.Rule
	_ = json.Unmarshal(s.Rule, &rule) // the server wrote it
	c := &card{CardOptions: CardOptions{Theme: t, Width: width}}
	c.lines = append(c.lines, t.Bold(Line(rule.Name))+"  "+t.Dim(s.ID))
	c.fact("why", s.Why)
	c.fact("covers", Count(int64(s.Covered), "request")+" that people approved unchanged, "+work(s.Minutes))
	c.cases(s.Covers, casesShown, s.Covered)
	if s.Left == 0 {
		c.fact("leaves", "none: no request was rejected or changed")
	} else {
		c.fact("leaves", Count(int64(s.Left), "request")+" that people rejected or changed; it approves none of them")
		c.cases(s.Leaves, len(s.Leaves), s.Left)
	}
	c.fact("ends", ends(rule.Action))
	for line := range strings.Lines(Clean(s.YAML)) {
		c.lines = append(c.lines, "    "+strings.TrimRight(line, "\n"))
	}
	return c.lines
}

// cases lists some of the cases.
func (c *card) cases(cases []insight.Case, most, all int) {
	n := min(most, len(cases))
	for _, one := range cases[:n] {
		line := one.Approval + "  " + Line(one.Title) + "  " + words(string(one.Status)) + prefixed(" by ", Line(one.By)) +
			prefixed(": ", Line(one.Comment))
		c.lines = append(c.lines, strings.Repeat(" ", labelWidth)+c.Theme.Dim(Cut(line, max(c.Width-labelWidth, 10))))
	}
	if all > n {
		c.lines = append(c.lines, strings.Repeat(" ", labelWidth)+c.Theme.Dim(fmt.Sprintf("and %d more", all-n)))
	}
}

// ends describes when a rule expires.
func ends(a policy.Action) string {
	var parts []string
	if at, err := time.Parse(time.RFC3339, a.ExpiresAt); err == nil {
		parts = append(parts, "on "+Moment(at))
	}
	if a.MaxUses != nil {
		parts = append(parts, "after "+Count(int64(*a.MaxUses), "use"))
	}
	return Or(strings.Join(parts, ", or "), "never")
}
