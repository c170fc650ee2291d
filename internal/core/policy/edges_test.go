package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/risk"
)

// A rule approves irreversible actions only if it explicitly includes them, and a timeout does not approve
// them either. Results are not affected: the action is already done.
func TestWhatCannotBeUndone(t *testing.T) {
	const approves = `{"auto_approve": true, "timeout_seconds": 60, "on_timeout": "approve"%s}`
	plain, meant := compile(t, one(`{"tool": "x"}`, fmt.Sprintf(approves, ""))),
		compile(t, one(`{"tool": "x"}`, fmt.Sprintf(approves, `, "irreversible": true`)))
	asks := compile(t, one(`{"tool": "x"}`, `{"timeout_seconds": 60, "on_timeout": "approve"}`))
	results := compile(t, one(`{"at": "result", "tool": "x"}`, `{"auto_approve": true}`))
	for _, c := range []struct {
		name   string
		set    *policy.Set
		sub    policy.Subject
		effect policy.Effect
		then   gate.Then
	}{
		{"it can be undone", plain, policy.Subject{Tool: "x"}, policy.Approves, ""},
		{"it cannot", plain, policy.Subject{Tool: "x", Irreversible: true}, policy.Asks, gate.ThenPause},
		{"it cannot, and the rule is meant for that", meant,
			policy.Subject{Tool: "x", Irreversible: true}, policy.Approves, ""},
		{"people are asked about what can be undone", asks, policy.Subject{Tool: "x"}, policy.Asks, gate.ThenApprove},
		{"people are asked about what cannot", asks, policy.Subject{Tool: "x", Irreversible: true},
			policy.Asks, gate.ThenPause},
		{"it is a result", results, policy.Subject{Tool: "x", Irreversible: true, Result: true}, policy.Approves, ""},
	} {
		v := c.set.Judge(tuesday, c.sub)
		if v.Effect != c.effect || v.Ask.Then != c.then ||
			c.name == "it cannot" && !strings.Contains(v.Reason,
				"the action cannot be undone and the rule does not set irreversible: true") {
			t.Errorf("%s: %q, then %q: %s", c.name, v.Effect, v.Ask.Then, v.Reason)
		}
	}
}

// Without a policy there is no verdict.
func TestNoPolicy(t *testing.T) {
	var none *policy.Set
	v, steps := none.Explain(tuesday, policy.Subject{Tool: "x"})
	if v.Effect != policy.None || steps != nil || none.Stopped() != nil || none.AtTarget() != nil ||
		none.Since(nil) != nil ||
		none.Ramps() != nil || none.Hash() != "" || none.Counts(policy.Subject{Operation: "refund"}) != nil {
		t.Error("something is said")
	}
}

// A field called confidence always means the agent's, whatever the data contain; if it is unknown, so is the
// condition.
func TestConfidenceAsAField(t *testing.T) {
	set := compile(t, one(`{"custom_field": {"field": "confidence", "operator": ">=", "value": 0.8}}`, `{"deny": "no"}`))
	for _, c := range []struct {
		sub    policy.Subject
		effect policy.Effect
		why    string
	}{
		{policy.Subject{Confidence: sure(0.8)}, policy.Denies, "confidence 0.8 is at least 0.8"},
		{policy.Subject{Confidence: sure(0.7), Data: data(`{"confidence": 0.9}`)}, policy.None, ""},
		{policy.Subject{Data: data(`{"confidence": 0.9}`)}, policy.Asks, "the confidence is unknown."},
	} {
		if v := set.Judge(tuesday, c.sub); v.Effect != c.effect || !strings.Contains(v.Reason, c.why) {
			t.Errorf("%+v: %q, %s", c.sub, v.Effect, v.Reason)
		}
	}
}

// A total may also be unknown because the store could not compute it.
func TestSumsThatCannotBeAsked(t *testing.T) {
	set := compile(t, sums(`"sum": "run"`))
	v := set.Judge(tuesday, policy.Subject{Operation: "refund", Data: data(`{"amount": 1}`),
		Total: func(policy.SumQuery) (policy.Total, bool) { return policy.Total{}, false }})
	if v.Effect != policy.Asks || !strings.Contains(v.Reason,
		"the sum of amount in this run is unknown: other actions could not be counted.") {
		t.Errorf("%q, %s", v.Effect, v.Reason)
	}
}

// Unreachable rules: only those that an earlier one certainly settles.
func TestShadows(t *testing.T) {
	const (
		threshold = `"data_threshold": {"field": "amount", "operator": ">", "value": 5}`
		sum       = `"operation_type": "refund", "data_threshold": {"field": "amount", "sum": %q, %s "operator": ">", "value": 5}`
	)
	run, day, by := fmt.Sprintf(sum, "run", ""), fmt.Sprintf(sum, "24h", ""), fmt.Sprintf(sum, "24h", `"by": "to",`)
	for _, c := range []struct {
		name, more, first, act, second, then string
		shadowed                             bool
	}{
		{"the same", "", threshold, `{}`, threshold, `{}`, true},
		{"the first ignores what is missing", `"if_missing": "ignore",`, threshold, `{}`, threshold, `{}`, false},
		{"the first ignores, and nothing can be missing", `"if_missing": "ignore",`, `"tool": "x"`, `{}`,
			`"tool": "x"`, `{}`, true},
		{"the first steps back where the second asks", "", threshold, `{"auto_approve": true}`, threshold, `{}`, false},
		{"both step back", "", threshold, `{"auto_approve": true}`, threshold, `{"auto_approve": true}`, true},
		{"the first is off", `"enabled": false,`, threshold, `{}`, threshold, `{}`, false},
		{"the first ends", "", threshold, `{"auto_approve": true, "expires_at": "2030-01-01T00:00:00Z"}`, threshold,
			`{"auto_approve": true}`, false},
		{"the first may be used once", "", threshold, `{"auto_approve": true, "max_uses": 1}`, threshold,
			`{"auto_approve": true}`, false},
		{"the first is about what happens", "", `"tool": "x"`, `{"auto_approve": true}`, `"at": "result", "tool": "x"`,
			`{"auto_approve": true}`, false},
		{"the same sum", "", run, `{}`, run, `{}`, true},
		{"a sum and a number", "", run, `{}`, `"operation_type": "refund", ` + threshold, `{}`, false},
		{"a number and a sum", "", `"operation_type": "refund", ` + threshold, `{}`, run, `{}`, false},
		{"sums over other times", "", run, `{}`, day, `{}`, false},
		{"sums by something", "", day, `{}`, by, `{}`, false},
		{"the same sum by something", "", by, `{}`, by, `{}`, true},
		{"another word", "", `"tool": "x"`, `{}`, `"tool": "y"`, `{}`, false},
		{"fewer words", "", `"tool": ["x", "y"]`, `{}`, `"tool": "y"`, `{}`, true},
		{"a pattern and a word", "", `"tool": "x*"`, `{}`, `"tool": "xy"`, `{}`, true},
		{"a word and a pattern", "", `"tool": "xy"`, `{}`, `"tool": "xy*"`, `{}`, false},
		{"a wider pattern first", "", `"tool": "x*"`, `{}`, `"tool": "xy*"`, `{}`, true},
		{"a narrower pattern first", "", `"tool": "xy*"`, `{}`, `"tool": "x*"`, `{}`, false},
		{"any word", "", `"tool": "x"`, `{}`, `"agent": "x"`, `{}`, false},
		{"fewer risks", "", `"risk_level": ["low", "high"]`, `{}`, `"risk_level": "low"`, `{}`, true},
		{"other risks", "", `"risk_level": "low"`, `{}`, `"risk_level": ["low", "high"]`, `{}`, false},
		{"any risk", "", `"risk_level": "low"`, `{}`, `"tool": "x"`, `{}`, false},
		{"another condition", "", `"expr": "a > 1"`, `{}`, `"expr": "a > 2"`, `{}`, false},
		{"no condition", "", `"expr": "a > 1"`, `{}`, `"tool": "x"`, `{}`, false},
		{"the same condition", "", `"expr": "a > 1"`, `{}`, `"expr": "a > 1", "tool": "x"`, `{}`, true},
		{"another confidence", "", `"agent_confidence": "> 0.5"`, `{}`, `"agent_confidence": "> 0.6"`, `{}`, false},
		{"the same confidence", "", `"agent_confidence": "> 0.5"`, `{}`,
			`"agent_confidence": "> 0.5", "tool": "x"`, `{}`, true},
	} {
		doc := fmt.Sprintf(`{"rules": [{"name": "a", "priority": 1, %s "trigger": {%s}, "action": %s}, {"name": "b", "priority": 2, "trigger": {%s}, "action": %s}]}`,
			c.more, c.first, c.act, c.second, c.then)
		set, problems := policy.Compile(decode(t, doc), nil)
		if set == nil {
			t.Errorf("%s: %v", c.name, problems)
			continue
		}
		found := false
		for _, p := range problems {
			found = found || p.Path == "rules[1]" &&
				strings.Contains(p.Message, `it is never reached: rules[0] ("a") comes first`)
		}
		if found != c.shadowed {
			t.Errorf("%s: %v", c.name, problems)
		}
	}
}

// Limits are formatted as people read numbers.
func TestHowLimitsOfSumsAreWritten(t *testing.T) {
	for limit, want := range map[string]string{
		"5": "> 5", "500": "> 500", "5000": "> 5,000", "1234567.5": "> 1,234,567.5", "-5000": "> -5,000",
	} {
		set := compile(t, one(`{"operation_type": "refund", "data_threshold": {"field": "amount", "sum": "run", "operator": ">", "value": `+limit+`}}`, `{}`))
		if got := set.Rules(tuesday)[0].When; !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s", limit, got)
		}
	}
}

// A rule that may not approve a result does not ask about it for that reason alone; later rules are evaluated
// instead.
func TestRulesThatPassOverResults(t *testing.T) {
	set := compile(t, `{"rules": [
		{"name": "some", "priority": 1, "trigger": {"agent_confidence": ">= 0.5"}, "action": {"auto_approve": true, "rollout_percentage": 0}},
		{"name": "rest", "priority": 2, "trigger": {"at": "result"}, "action": {}}]}`)
	sub := policy.Subject{Result: true, Confidence: sure(0.9), Risk: risk.Low, Key: "k"}
	v, steps := set.Explain(tuesday, sub)
	if v.Rule != "rest" || len(steps) != 2 || steps[0].Result != "may not approve this, and does not ask about results" ||
		!steps[1].Decides ||
		steps[0].Rule != "some" {
		t.Errorf("%+v\n%+v", v, steps)
	}
	sub.Result = false
	if v := set.Judge(tuesday, sub); v.Rule != "some" || v.Effect != policy.Asks {
		t.Errorf("%+v", v)
	}
}
