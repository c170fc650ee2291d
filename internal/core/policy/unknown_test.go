package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/risk"
)

func ruled(more, trigger, action string) string {
	return fmt.Sprintf(`{"rules": [{"name": "r", "priority": 1, %s "trigger": %s, "action": %s}]}`, more, trigger, action)
}

// A missing, null or mistyped value asks; it neither approves nor denies.
func TestUnknownAsks(t *testing.T) {
	pay := func(s string) policy.Subject {
		return policy.Subject{Operation: "pay", Risk: risk.Low, Confidence: sure(1), Data: data(s)}
	}
	for _, c := range []struct {
		trigger, action string
		sub             policy.Subject
		effect          policy.Effect
		why             string
	}{
		{`{"custom_field": {"field": "country", "operator": "!=", "value": "NO"}}`, `{}`, pay(`{}`),
			policy.Asks, "country is missing"},
		{`{"custom_field": {"field": "country", "operator": "!=", "value": "NO"}}`, `{}`,
			pay(`{"country": "NO"}`), policy.None, ""},
		{`{"expr": "not (amount > 1000)"}`, `{"auto_approve": true}`, pay(`{}`), policy.Asks,
			"would approve, but amount is missing"},
		{`{"expr": "not (amount > 1000)"}`, `{"auto_approve": true}`, pay(`{"amount": 5}`), policy.Approves, ""},
		{`{"expr": "not (amount > 1000)"}`, `{"deny": "no"}`, pay(`{"amount": null}`), policy.Asks, "amount is missing"},
		{`{"expr": "amount > 1000 and country == \"NO\""}`, `{"deny": "no"}`, pay(`{"country": "SE"}`), policy.None, ""},
		{`{"expr": "amount > 1000 and country == \"NO\""}`, `{"deny": "no"}`, pay(`{}`), policy.Asks,
			"amount and country are missing"},
		{`{"agent_confidence": "< 0.7"}`, `{}`, policy.Subject{Operation: "pay"}, policy.Asks, "the confidence is unknown"},
		{`{"risk_level": "high"}`, `{}`, policy.Subject{Operation: "pay"}, policy.Asks, "no risk is declared"},
		{`{"operation_type": "pay"}`, `{"deny": "no"}`, policy.Subject{Risk: risk.High}, policy.Asks,
			"no operation is declared"},
		{`{"operation_type": "pay"}`, `{"auto_approve": true}`, policy.Subject{Risk: risk.High}, policy.None, ""},
	} {
		v := compile(t, one(c.trigger, c.action)).Judge(tuesday, c.sub)
		if v.Effect != c.effect || !strings.Contains(v.Reason, c.why) || v.Effect == policy.Asks && v.Ask.Count != 1 {
			t.Errorf("%s %s on %s: %+v", c.trigger, c.action, c.sub.Data, v)
		}
	}
}

func TestIfMissingIgnore(t *testing.T) {
	const country = `{"custom_field": {"field": "country", "operator": "!=", "value": "NO"}}`
	for _, c := range []struct {
		trigger, action, data string
		want                  policy.Effect
	}{
		{country, `{}`, `{}`, policy.None},
		{country, `{}`, `{"country": null}`, policy.None},
		{country, `{}`, `{"country": "SE"}`, policy.Asks},
		{country, `{}`, `{"country": 47}`, policy.Asks}, // present, but of the wrong type
		{country, `{"auto_approve": true}`, `{}`, policy.None},
		{country, `{"deny": "no"}`, `{}`, policy.None},
		{`{"expr": "not (amount > 1000)"}`, `{"auto_approve": true}`, `{}`, policy.None},
	} {
		v := compile(t, ruled(`"if_missing": "ignore",`, c.trigger, c.action)).Judge(tuesday,
			policy.Subject{Data: data(c.data)})
		if v.Effect != c.want {
			t.Errorf("%s %s on %s: %+v", c.trigger, c.action, c.data, v)
		}
	}
}

// A rule that would approve defers when a field is unknown: a later one decides, and only if none does are
// people asked on its behalf.
func TestStepsBack(t *testing.T) {
	doc := func(later string) string {
		return `{"rules": [{"name": "small", "priority": 1, "trigger": {"data_threshold": {"field": "amount", "operator": "<", "value": 50}}, "action": {"auto_approve": true}},
			{"name": "later", "priority": 2, "trigger": {"operation_type": "pay"}, "action": ` + later + `}]}`
	}
	sub := policy.Subject{Operation: "pay", Risk: risk.Low}
	for later, want := range map[string]policy.Effect{`{"auto_approve": true}`: policy.Approves,
		`{"deny": "no"}`: policy.Denies, `{}`: policy.Asks} {
		if v := compile(t, doc(later)).Judge(tuesday, sub); v.Effect != want || v.Rule != "later" {
			t.Errorf("%s: %+v", later, v)
		}
	}
	sub.Operation = "read"
	if v := compile(t, doc(`{}`)).Judge(tuesday, sub); v.Effect != policy.Asks || v.Rule != "small" {
		t.Errorf("%+v", v)
	}
}

// Omitting a field does not get around a rollout.
func TestUnknownIsNotRolledOut(t *testing.T) {
	set := compile(t, `{"rules": [
		{"name": "partly", "priority": 1, "trigger": {"data_threshold": {"field": "amount", "operator": "<", "value": 50}}, "action": {"auto_approve": true, "rollout_percentage": 0}},
		{"name": "later", "priority": 2, "trigger": {"operation_type": "pay"}, "action": {"auto_approve": true}}]}`)
	for _, d := range []string{`{"amount": 5}`, `{}`, `{"amount": "5"}`} {
		if v := set.Judge(tuesday, policy.Subject{Operation: "pay", Data: data(d)}); v.Effect != policy.Asks ||
			v.Rule != "partly" {
			t.Errorf("%s: %+v", d, v)
		}
	}
	if v := set.Judge(tuesday, policy.Subject{Operation: "pay",
		Data: data(`{"amount": 60}`)}); v.Effect != policy.Approves {
		t.Errorf("%+v", v)
	}
}

// A result is not put up for approval because a rule could not approve it.
func TestApprovalsDoNotAskAboutResults(t *testing.T) {
	set := compile(t, seedAuto)
	sunday := tuesday.AddDate(0, 0, 5)
	for _, sub := range []policy.Subject{
		{Risk: risk.Low, Operation: "financial_transaction", Confidence: sure(0.95), Result: true,
			Data: data(`{"status": "paid"}`)},
		{Risk: risk.Low, Operation: "send_email", Confidence: sure(0.95), Result: true},
		{Risk: risk.Low, Operation: "read", Result: true},
	} {
		if v := set.Judge(sunday, sub); v.Effect != policy.None {
			t.Errorf("%+v", v)
		}
		sub.Result = false
		if v := set.Judge(sunday, sub); v.Effect != policy.Asks {
			t.Errorf("%+v", v)
		}
	}
}
