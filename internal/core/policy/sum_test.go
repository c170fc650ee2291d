package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/policy"
)

// total returns the same number for every sum.
func total(amount string, acts, unknown int) func(policy.SumQuery) (policy.Total, bool) {
	return func(policy.SumQuery) (out policy.Total, known bool) {
		out = out.Add(&policy.Count{Of: data(`{"amount":` + amount + `}`)})
		out.Acts, out.Unknown = acts, out.Unknown+unknown
		return out, true
	}
}

// An omitted, mistyped or negative amount never reduces a sum, and arithmetic is exact at any size.
func TestSums(t *testing.T) {
	asks := compile(t, sums(`"sum": "run"`))
	approves := compile(t, `{"rules": [{"name": "ok", "priority": 1, "trigger": {"operation_type": "refund",
		"data_threshold": {"field": "amount", "sum": "24h", "by": "to", "operator": "<=", "value": 1000}}, "action": {"auto_approve": true}}]}`)
	for _, c := range []struct {
		data, before string
		unknown      int
		over         bool
		says         string
	}{
		{`{"amount": 400, "to": "a"}`, "600", 0, false, ""},
		{`{"amount": 400.000000001, "to": "a"}`, "600", 0, true,
			"3 refund actions in this run add up to 1,000.000000001 (amount), which is over 1,000"},
		{`{"amount": 4.00000000100e2, "to": "a"}`, "600", 0, true, "1,000.0000001"},
		{`{"amount": 0, "to": "a"}`, "999999999999999999.999999999", 0, true, "999,999,999,999,999,999.999999999"},
		{`{"amount": 0.0000000001, "to": "a"}`, "0", 0, true, "too many decimals"},
		{`{"amount": 1000000000000000000, "to": "a"}`, "0", 0, true, "too large"},
		{`{"amount": 1e999999999, "to": "a"}`, "0", 0, true, "too large"},
		{`{"amount": -1, "to": "a"}`, "0", 0, true, "negative"},
		{`{"amount": "1", "to": "a"}`, "0", 0, true, "not a number"},
		{`{"amount": null, "to": "a"}`, "0", 0, true, "amount is missing"},
		{`{"to": "a"}`, "0", 0, true, "amount is missing"},
		{`{"amount": [1], "to": "a"}`, "0", 0, true, "not a number"},
		{`{"amount": 1, "to": "a"}`, "0", 2, true, "the amount of 2 earlier actions is unknown"},
	} {
		sub := policy.Subject{Operation: "refund", Data: data(c.data), Total: total(c.before, 2, c.unknown)}
		v := asks.Judge(tuesday, sub)
		if (v.Effect == policy.Asks) != c.over || !strings.Contains(v.Reason, c.says) {
			t.Errorf("%s after %s: %q, %s", c.data, c.before, v.Effect, v.Reason)
		}
		if v := approves.Judge(tuesday, sub); (v.Effect == policy.Approves) == c.over {
			t.Errorf("%s after %s: %q, %s", c.data, c.before, v.Effect, v.Reason)
		}
		sub.Total = nil
		if v := asks.Judge(tuesday, sub); v.Effect != policy.Asks {
			t.Errorf("%s, and what else counts is not known: %q", c.data, v.Effect)
		}
	}
	for _, to := range []string{`{"amount": 1}`, `{"amount": 1, "to": ""}`, `{"amount": 1, "to": " "}`,
		`{"amount": 1, "to": null}`, `{"amount": 1, "to": {"id": 1}}`, `{"amount": 1, "to": true}`} {
		if v := approves.Judge(tuesday, policy.Subject{Operation: "refund", Data: data(to),
			Total: total("0", 0, 0)}); v.Effect != policy.Asks {
			t.Errorf("%s: %q, %s", to, v.Effect, v.Reason)
		}
	}
	if when := approves.Rules(tuesday)[0].When; when != "operation is refund and the sum of amount by to in "+
		"the last 24h <= 1,000" {
		t.Error(when)
	}
}

// Only acts with the rule's operations count, grouped by customer however the customer is written.
func TestCounts(t *testing.T) {
	set := compile(t, `{"rules": [{"name": "a", "priority": 1, "trigger": {"operation_type": ["refund", "pay*"], "risk_level": "high",
		"data_threshold": {"field": "amount", "sum": "24h", "by": "to", "operator": ">", "value": 1}}, "action": {}},
		{"name": "b", "priority": 2, "enabled": false, "trigger": {"operation_type": "refund",
		"data_threshold": {"field": "amount", "sum": "7d", "by": "to", "operator": ">", "value": 1}}, "action": {}}]}`)
	counts := func(operation, what string, test bool) string {
		out := ""
		for _, c := range set.Counts(policy.Subject{Operation: operation, Data: data(what), Test: test}) {
			out += fmt.Sprintf("%s %s;", c.Sum, c.Of)
		}
		return out
	}
	seven := counts("refund", `{"amount":5,"to":7}`, false)
	if !strings.HasSuffix(seven, ` {"amount":5};`) || strings.Count(seven, ";") != 1 {
		t.Fatal(seven)
	}
	for _, same := range []string{`{"amount":5.0,"to":"7"}`, `{"amount":5,"to":" 7 "}`, `{"amount":5,"to":7.00}`} {
		if got := counts("payout", same, false); got != seven {
			t.Errorf("%s counts as %s, not %s", same, got, seven)
		}
	}
	if counts("refund", `{"amount":5,"to":"C 1"}`, false) != counts("refund", `{"amount":5,"to":" c  1"}`, false) {
		t.Error("the same customer in another spelling has another sum")
	}
	if got := counts("refund", `{"amount":5,"to":7}`, true); got == seven {
		t.Error("a test run counts together with others")
	}
	if got := counts("refund", `{"amount":"5","to":7}`, false); got != strings.Replace(seven, ` {"amount":5}`, " ", 1) {
		t.Errorf("an amount that is not known: %s", got)
	}
	if got := counts("refund", `{"amount":-5,"to":7}`, false); !strings.HasSuffix(got, ` {"amount":0};`) {
		t.Errorf("a negative amount: %s", got)
	}
	if got := counts("read", `{"amount":5,"to":7}`, false) + counts("refund", `{"amount":5}`, false); got != "" {
		t.Errorf("these count for nothing: %s", got)
	}
}
