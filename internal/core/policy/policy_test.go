package policy_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/value"
)

// The policy document from the API contract.
const contract = `{
  "policy": "default",
  "rules": [
    {"name": "High-value refunds", "priority": 1,
     "trigger": {"risk_level": ["high", "critical"], "operation_type": ["financial_transaction", "refund"],
       "data_threshold": {"field": "amount", "operator": ">", "value": 1000}, "agent_confidence": {"operator": "<", "value": 0.75},
       "custom_field": {"field": "customer.country", "operator": "!=", "value": "NO"}, "expr": "tags contains \"vip\"", "workflow": ["refund"]},
     "action": {"auto_approve": false, "require_approval_count": 2, "role": "approver", "timeout_seconds": 3600, "on_timeout": "cancel",
       "escalation": {"enabled": true, "after_seconds": 1800, "escalate_to": ["role:manager"]},
       "notification": {"channels": ["teams", "email"], "recipients": ["finance@example.com"]}}},
    {"name": "Safe reads", "priority": 10, "trigger": {"risk_level": ["low"], "operation_type": ["read"]}, "action": {"auto_approve": true, "log_decision": true}},
    {"name": "Never at night", "priority": 2, "trigger": {"operation_type": ["delete"]}, "action": {"deny": "deletions are switched off"}}
  ],
  "auto_approval": {"enabled": true}}`

func TestContract(t *testing.T) {
	set := compile(t, contract)
	sub := policy.Subject{
		Workflow: "refund", Risk: risk.High, Operation: "refund", Confidence: sure(0.6),
		Data: data(`{"amount": 1200, "customer": {"country": "SE"}, "tags": ["new", "vip"]}`),
	}
	if v := set.Judge(tuesday, sub); v.Effect != policy.Asks || v.Ask.Role != "approver" ||
		v.Ask.Then != gate.ThenCancel || v.Ask.Escalate[0].To != "role:manager" {
		t.Errorf("%+v", v)
	}
	for name, change := range map[string]func(*policy.Subject){
		"workflow":   func(s *policy.Subject) { s.Workflow = "other" },
		"risk":       func(s *policy.Subject) { s.Risk = risk.Medium },
		"operation":  func(s *policy.Subject) { s.Operation = "read" },
		"confidence": func(s *policy.Subject) { s.Confidence = sure(0.8) },
		"amount": func(s *policy.Subject) {
			s.Data = data(`{"amount": 900, "customer": {"country": "SE"}, "tags": ["vip"]}`)
		},
		"country": func(s *policy.Subject) {
			s.Data = data(`{"amount": 1200, "customer": {"country": "NO"}, "tags": ["vip"]}`)
		},
		"tags": func(s *policy.Subject) { s.Data = data(`{"amount": 1200, "customer": {"country": "SE"}, "tags": []}`) },
	} {
		other := sub
		change(&other)
		if v := set.Judge(tuesday, other); v.Effect != policy.None {
			t.Errorf("%s: every part of a trigger must hold: %+v", name, v)
		}
	}
	sub.Data = nil
	v := set.Judge(tuesday, sub)
	if v.Effect != policy.Asks || v.Reason != `Rule "High-value refunds" may apply, so it requires approval: amount, customer.country and tags are missing.` {
		t.Errorf("%+v", v)
	}
	v = set.Judge(tuesday, policy.Subject{Operation: "delete"})
	if v.Effect != policy.Denies || v.Deny != "deletions are switched off" ||
		v.Reason != `Rule "Never at night" refuses: deletions are switched off (operation is delete).` {
		t.Errorf("%+v", v)
	}
	var order []string
	for _, e := range set.Rules(tuesday) {
		order = append(order, e.Name+": "+e.When)
	}
	want := []string{
		`High-value refunds: risk is high or critical and operation is financial_transaction or refund and workflow is refund and confidence < 0.75 and amount > 1000 and customer.country != "NO" and tags contains "vip"`,
		"Never at night: operation is delete", "Safe reads: risk is low and operation is read",
	}
	if !reflect.DeepEqual(order, want) {
		t.Errorf("%q", order)
	}
}

// one returns a policy with one rule.
func one(trigger, action string) string {
	return fmt.Sprintf(`{"rules": [{"name": "r", "priority": 1, "trigger": %s, "action": %s}]}`, trigger, action)
}

func TestTriggers(t *testing.T) {
	look := func(doc string) expr.Lookup {
		return func(root string) (json.RawMessage, bool) { return value.Get(json.RawMessage(doc), root) }
	}
	around := look(`{"context": {"tier": "gold", "total": 7}, "input": {"n": 3}, "fraud": {"score": 0.9}, "verdict": "bad"}`)
	result := policy.Subject{Result: true, Confidence: sure(0.5), Data: data(`{"score": 1}`)}
	cases := []struct {
		trigger string
		sub     policy.Subject
		want    bool
	}{
		{`{}`, policy.Subject{}, true},
		{`{}`, result, false},
		{`{"at": "result"}`, result, true},
		{`{"at": "result"}`, policy.Subject{Confidence: sure(0.5)}, false},
		{`{"at": "result", "agent_confidence": {"operator": "<", "value": 0.7}}`,
			policy.Subject{Confidence: sure(0.5)}, false},
		{`{"at": "result", "expr": "score == 1 && confidence == 0.5"}`, result, true},
		{`{"agent_confidence": {"operator": "<", "value": 0.7}}`, result, true},
		{`{"agent_confidence": "<= 0.5"}`, result, true},
		{`{"agent_confidence": ">0.5"}`, result, false},
		{`{"agent_confidence": "== 0.5"}`, result, true},
		{`{"agent_confidence": "!= 0.5"}`, result, false},
		{`{"agent_confidence": "< 0.7"}`, policy.Subject{Result: true}, false},
		{`{"risk_level": "high"}`, policy.Subject{Risk: risk.High}, true},
		{`{"risk_level": "high"}`, policy.Subject{}, false},
		{`{"operation_type": "refund"}`, policy.Subject{Operation: "refund"}, true},
		{`{"operation_type": ["a", "re*"]}`, policy.Subject{Operation: "refund"}, true},
		{`{"operation_type": "*"}`, policy.Subject{}, false},
		{`{"workflow": "w"}`, policy.Subject{Workflow: "w"}, true},
		{`{"agent": ["a", "b"]}`, policy.Subject{Agent: "b"}, true},
		{`{"agent": ["a", "b"]}`, policy.Subject{Tool: "b"}, false},
		{`{"tool": "mcp:files/*"}`, policy.Subject{Tool: "mcp:files/read_file"}, true},
		{`{"tool": "mcp:files/*"}`, policy.Subject{Tool: "mcp:mail/send"}, false},
		// Comparisons.
		{`{"data_threshold": {"field": "n", "operator": ">", "value": 3}}`, policy.Subject{Data: data(`{"n": 4}`)}, true},
		{`{"data_threshold": {"field": "n", "operator": ">=", "value": 4}}`, policy.Subject{Data: data(`{"n": 4.0}`)}, true},
		{`{"data_threshold": {"field": "n", "operator": "less_than", "value": 4}}`,
			policy.Subject{Data: data(`{"n": 4}`)}, false},
		{`{"data_threshold": {"field": "n", "operator": "<=", "value": 9007199254740992}}`,
			policy.Subject{Data: data(`{"n": 9007199254740993}`)}, false},
		{`{"data_threshold": [{"field": "n", "operator": ">", "value": 3}, {"field": "n", "operator": "<", "value": 5}]}`,
			policy.Subject{Data: data(`{"n": 4}`)}, true},
		{`{"data_threshold": [{"field": "n", "operator": ">", "value": 3}, {"field": "n", "operator": "<", "value": 4}]}`,
			policy.Subject{Data: data(`{"n": 4}`)}, false},
		{`{"custom_field": {"field": "a.b[0]", "operator": "==", "value": "x"}}`,
			policy.Subject{Data: data(`{"a": {"b": ["x"]}}`)}, true},
		{`{"custom_field": {"field": "c", "operator": "!=", "value": "NO"}}`,
			policy.Subject{Data: data(`{"c": "SE"}`)}, true},
		{`{"custom_field": {"field": "c", "operator": "!=", "value": "NO"}}`, policy.Subject{Data: data(`{}`)}, true},
		{`{"custom_field": {"field": "c", "operator": "!=", "value": "NO"}}`,
			policy.Subject{Data: data(`{"c": null}`)}, true},
		{`{"custom_field": {"field": "c", "operator": "!=", "value": "NO"}}`, policy.Subject{Data: data(`{"c": 47}`)}, true},
		{`{"custom_field": {"field": "c", "operator": "==", "value": "NO"}}`,
			policy.Subject{Data: data(`{"c": ["NO"]}`)}, true},
		{`{"custom_field": {"field": "c", "operator": "==", "value": null}}`, policy.Subject{Data: data(`{}`)}, true},
		{`{"custom_field": {"field": "c", "operator": "in", "value": ["NO", "SE"]}}`,
			policy.Subject{Data: data(`{"c": "SE"}`)}, true},
		{`{"custom_field": {"field": "c", "operator": "not_in", "value": ["NO", "SE"]}}`,
			policy.Subject{Data: data(`{"c": "DK"}`)}, true},
		{`{"custom_field": {"field": "c", "operator": "contains", "value": "vip"}}`,
			policy.Subject{Data: data(`{"c": ["vip"]}`)}, true},
		{`{"custom_field": {"field": "c", "operator": "starts_with", "value": "v"}}`,
			policy.Subject{Data: data(`{"c": "vip"}`)}, true},
		{`{"custom_field": {"field": "c", "operator": "endsWith", "value": "p"}}`,
			policy.Subject{Data: data(`{"c": "vip"}`)}, true},
		// A missing value, or one that cannot be compared, asks.
		{`{"data_threshold": {"field": "n", "operator": ">", "value": 3}}`, policy.Subject{Data: data(`{"n": "4"}`)}, true},
		{`{"data_threshold": {"field": "n", "operator": ">", "value": 3}, "risk_level": "high"}`,
			policy.Subject{Data: data(`{"n": "4"}`)}, false},
		{`{"data_threshold": [{"field": "n", "operator": ">", "value": 3}, {"field": "m", "operator": ">", "value": 3}]}`,
			policy.Subject{Data: data(`{"n": "4"}`)}, true},
		{`{"data_threshold": [{"field": "n", "operator": ">", "value": 3}, {"field": "m", "operator": ">", "value": 3}]}`,
			policy.Subject{Data: data(`{"m": 3}`)}, false},
		{`{"expr": "not (n > 3)"}`, policy.Subject{Data: data(`{}`)}, true},
		{`{"expr": "n > 3 and m > 3"}`, policy.Subject{Data: data(`{"m": 3}`)}, false},
		{`{"expr": "n > 3"}`, policy.Subject{Data: data(`{"n": "4"}`)}, true},
		{`{"expr": "n > 3"}`, policy.Subject{Data: data(`{}`)}, true},
		{`{"at": "act", "agent_confidence": "< 0.7"}`, policy.Subject{}, true},
		{`{"at": "act", "agent_confidence": "< 0.7"}`, result, false},
		{`{"at": "result", "agent_confidence": "< 0.7"}`, policy.Subject{Result: true}, true},
		{`{"agent_confidence": "< 0.7"}`, policy.Subject{}, true},
		{`{"expr": "confidence < 0.7"}`, result, true},
		{`{"risk_level": "high"}`, policy.Subject{Operation: "refund"}, true},
		{`{"operation_type": "refund"}`, policy.Subject{Risk: risk.High}, true},
		{`{"operation_type": "refund"}`, policy.Subject{Risk: risk.Low}, false},
		// Name resolution.
		{`{"custom_field": {"field": "context.tier", "operator": "==", "value": "gold"}}`,
			policy.Subject{Look: around}, true},
		{`{"expr": "context.tier == \"gold\" && input.n == 3 && fraud.score > 0.7 && verdict == \"bad\""}`,
			policy.Subject{Look: around}, true},
		{`{"expr": "context.tier == \"gold\""}`,
			policy.Subject{Look: look(`{"context": {"tier": "tin"}}`), Data: data(`{"context": {"tier": "gold"}}`)}, false},
		{`{"expr": "context.tier == \"gold\""}`,
			policy.Subject{Look: around, Data: data(`{"context": {"tier": "tin"}}`)}, true},
		{`{"expr": "fraud.score > 0.7"}`, policy.Subject{Look: around, Data: data(`{"fraud": {"score": 0}}`)}, true},
		{`{"custom_field": {"field": "fraud.score", "operator": ">", "value": 0.7}}`,
			policy.Subject{Look: around, Data: data(`{"fraud": {"score": 0}}`)}, true},
		{`{"expr": "verdict == \"bad\""}`, policy.Subject{Look: around, Data: data(`{"verdict": "fine"}`)}, false},
		{`{"expr": "risk == \"high\" && operation == \"o\" && tool == \"t\" && agent == \"a\""}`,
			policy.Subject{Risk: risk.High, Operation: "o", Tool: "t", Agent: "a", Data: data(`{"risk": "low", "tool": "x"}`)},
			true},
		{`{"expr": "risk == \"low\""}`, policy.Subject{Risk: risk.High, Data: data(`{"risk": "low"}`)}, false},
		{`{"expr": "risk != \"low\""}`, policy.Subject{Data: data(`{"risk": "low"}`)}, true},
		{`{"expr": "confidence > 0.5"}`, policy.Subject{Confidence: sure(0.4), Data: data(`{"confidence": 0.9}`)}, false},
		{`{"expr": "confidence > 0.5"}`, policy.Subject{Confidence: sure(0.9)}, true},
	}
	for _, c := range cases {
		v := compile(t, one(c.trigger, `{}`)).Judge(tuesday, c.sub)
		if (v.Effect == policy.Asks) != c.want || v.Effect != policy.None && v.Effect != policy.Asks {
			t.Errorf("%s on %s: %+v", c.trigger, c.sub.Data, v)
		}
	}
}

func TestDoubt(t *testing.T) {
	trigger := `{"data_threshold": {"field": "n", "operator": ">", "value": 3}}`
	sub := policy.Subject{Data: data(`{"n": "many"}`)}
	v := compile(t, one(trigger, `{"auto_approve": true}`)).Judge(tuesday, sub)
	if v.Effect != policy.Asks || v.Reason != `Rule "r" would approve, but n: cannot compare the text "many" with the number 3.` {
		t.Errorf("a rule that approves must not: %+v", v)
	}
	v = compile(t, one(trigger, `{"deny": "no"}`)).Judge(tuesday, sub)
	if v.Effect != policy.Asks || v.Deny != "" ||
		v.Reason != `Rule "r" may apply, so it requires approval: n: cannot compare the text "many" with the number 3.` {
		t.Errorf("a rule that refuses must ask: %+v", v)
	}
}

func TestActions(t *testing.T) {
	cases := []struct {
		action string
		want   policy.Ask
	}{
		{`{}`, policy.Ask{Count: 1}},
		{`{"roles": {"finance": 1, "legal": 2}}`, policy.Ask{Count: 3, Roles: map[string]int{"finance": 1, "legal": 2}}},
		{`{"roles": {"finance": 1}, "require_approval_count": 2}`, policy.Ask{Count: 2, Roles: map[string]int{"finance": 1}}},
		{`{"timeout_seconds": 1.5}`, policy.Ask{Count: 1, Timeout: 1500 * time.Millisecond, Then: gate.ThenPause}},
		{`{"timeout_seconds": 1, "on_timeout": "auto_approve"}`,
			policy.Ask{Count: 1, Timeout: time.Second, Then: gate.ThenApprove}},
		{`{"timeout_seconds": 1, "on_timeout": "auto_reject"}`,
			policy.Ask{Count: 1, Timeout: time.Second, Then: gate.ThenReject}},
		{`{"timeout_seconds": 1, "on_timeout": "cancel_workflow"}`,
			policy.Ask{Count: 1, Timeout: time.Second, Then: gate.ThenCancel}},
		{`{"timeout_seconds": 1, "on_timeout": "proceed_with_default"}`,
			policy.Ask{Count: 1, Timeout: time.Second, Then: gate.ThenDefault}},
		{`{"timeout_seconds": 1, "on_timeout": "reject"}`, policy.Ask{Count: 1, Timeout: time.Second, Then: gate.ThenReject}},
		{`{"timeout_seconds": 1, "on_timeout": "escalate", "escalation": {"after_seconds": 9, "escalate_to": "ann"}}`,
			policy.Ask{Count: 1, Timeout: time.Second, Then: gate.ThenEscalate,
				Escalate: []policy.Escalation{{After: 9 * time.Second, To: "ann"}}}},
		{`{"escalation": {"enabled": false, "after_seconds": 9, "escalate_to": "ann"}}`, policy.Ask{Count: 1}},
		{`{"notification": {"channels": ["teams"]}}`, policy.Ask{Count: 1, Notify: data(`{"channels": ["teams"]}`)}},
	}
	for _, c := range cases {
		v := compile(t, one(`{}`, c.action)).Judge(tuesday, policy.Subject{})
		if v.Effect != policy.Asks || !reflect.DeepEqual(v.Ask, c.want) {
			t.Errorf("%s: %+v", c.action, v.Ask)
		}
	}
	approvals := []struct {
		action                   string
		log, notify, sample, yes bool
	}{
		{`{"auto_approve": true}`, true, false, false, true},
		{`{"auto_approve": true, "log_decision": false}`, false, false, false, true},
		{`{"auto_approve": true, "notify": true}`, true, true, false, true},
		{`{"auto_approve": true, "notification_channels": "teams"}`, true, true, false, true},
		{`{"auto_approve": true, "notification_channels": "teams", "notify": false}`, true, false, false, true},
		{`{"auto_approve": true, "sample_percentage": 100}`, true, false, true, true},
		{`{"auto_approve": true, "sample_percentage": 0}`, true, false, false, true},
		{`{"auto_approve": true, "rollout_percentage": 100}`, true, false, false, true},
		{`{"auto_approve": true, "rollout_percentage": 0}`, true, false, false, false},
	}
	for _, c := range approvals {
		v := compile(t, one(`{}`, c.action)).Judge(tuesday, policy.Subject{})
		if (v.Effect == policy.Approves) != c.yes || v.Log != c.log || v.NotifyAfter != c.notify || v.Sample != c.sample {
			t.Errorf("%s: %+v", c.action, v)
		}
	}
}

func TestRulesEnd(t *testing.T) {
	used := func(n int) func(string) int {
		return func(rule string) int {
			if rule != "r" {
				t.Errorf("asked for the uses of %q", rule)
			}
			return n
		}
	}
	cases := []struct {
		action string
		uses   func(string) int
		want   policy.Effect
	}{
		{`{"auto_approve": true, "max_uses": 2}`, nil, policy.Approves},
		{`{"auto_approve": true, "max_uses": 2}`, used(1), policy.Approves},
		{`{"auto_approve": true, "max_uses": 2}`, used(2), policy.None},
		{`{"auto_approve": true, "max_uses": 2}`, used(3), policy.None},
		{`{"auto_approve": true, "expires_at": "2026-03-03T15:00:01Z"}`, nil, policy.Approves},
		{`{"auto_approve": true, "expires_at": "2026-03-03T15:00:00Z"}`, nil, policy.None},
		{`{"auto_approve": true, "expires_at": "2026-03-03T17:00:01+02:00"}`, nil, policy.Approves},
		{`{"auto_approve": true, "expires_at": "2026-03-04"}`, nil, policy.Approves},
		{`{"auto_approve": true, "expires_at": "2026-03-03"}`, nil, policy.None},
		{`{"expires_at": "2026-03-03"}`, nil, policy.None},
	}
	for _, c := range cases {
		if v := compile(t, one(`{}`, c.action)).Judge(tuesday, policy.Subject{Uses: c.uses}); v.Effect != c.want {
			t.Errorf("%s: %+v", c.action, v)
		}
	}
	off := `{"rules": [{"name": "r", "enabled": false, "trigger": {}, "action": {"deny": "no"}}]}`
	if v := compile(t, off).Judge(tuesday, policy.Subject{}); v.Effect != policy.None {
		t.Errorf("%+v", v)
	}
}

// The settings apply to approvals of both sections, and only to approvals.
func TestSwitches(t *testing.T) {
	doc := func(section string) string {
		return `{"rules": [
			{"name": "reads", "priority": 1, "trigger": {"operation_type": "read"}, "action": {"auto_approve": true, "role": "boss"}},
			{"name": "asks", "priority": 2, "trigger": {"operation_type": "ask"}, "action": {}},
			{"name": "denies", "priority": 3, "trigger": {"operation_type": "deny"}, "action": {"deny": "no"}}],
			"auto_approval": {` + section + `, "rules": [{"name": "finds", "conditions": {"operation_type": "find"}, "action": {"auto_approve": true}}]}}`
	}
	cases := []struct{ section, reason string }{
		{`"enabled": false`, "auto-approval is disabled"},
		{`"global_settings": {"emergency_stop": true}`, "auto-approval is stopped"},
		{`"enabled": false, "global_settings": {"emergency_stop": true}`, "auto-approval is stopped"},
		{`"global_settings": {"business_hours_only": true, "business_hours": {"timezone": "UTC", "monday_friday": "09:00-12:00"}}`, "Tuesday 15:00 UTC is outside business hours"},
		{`"global_settings": {"business_hours_only": true, "business_hours": {"timezone": "UTC", "monday_friday": "00:00-24:00", "holidays": ["2026-03-03"]}}`, "outside business hours"},
		{`"global_settings": {"business_hours_only": false, "business_hours": {"timezone": "UTC", "monday_friday": "09:00-12:00"}}`, ""},
		{`"enabled": true`, ""},
	}
	for _, c := range cases {
		set := compile(t, doc(c.section))
		for _, op := range []string{"read", "find"} {
			v := set.Judge(tuesday, policy.Subject{Operation: op})
			if c.reason == "" && v.Effect != policy.Approves ||
				c.reason != "" && (v.Effect != policy.Asks || !strings.Contains(v.Reason, c.reason) || v.Ask.Count != 1) {
				t.Errorf("%s, %s: %+v", c.section, op, v)
			}
			if op == "read" && v.Effect == policy.Asks && v.Ask.Role != "boss" {
				t.Errorf("%+v", v.Ask)
			}
		}
		for op, want := range map[string]policy.Effect{"ask": policy.Asks, "deny": policy.Denies, "other": policy.None} {
			if v := set.Judge(tuesday, policy.Subject{Operation: op}); v.Effect != want {
				t.Errorf("%s, %s: %+v", c.section, op, v)
			}
		}
	}
}

func TestStopAlsoStopsApprovalBySilence(t *testing.T) {
	for word, then := range map[string]gate.Then{"auto_approve": gate.ThenApprove, "auto_reject": gate.ThenReject,
		"proceed_with_default": gate.ThenDefault} {
		doc := one(`{}`, `{"timeout_seconds": 60, "on_timeout": "`+word+`"}`)
		for stop, want := range map[string]gate.Then{"false": then, "true": gate.ThenPause} {
			set := compile(t, strings.TrimSuffix(doc, "}")+`, "auto_approval": {"global_settings": {"emergency_stop": `+stop+
				`}}}`)
			if then == gate.ThenReject {
				want = then // stops the work as well
			}
			if v := set.Judge(tuesday, policy.Subject{}); v.Effect != policy.Asks || v.Ask.Then != want {
				t.Errorf("%s, stop %s: %+v", word, stop, v)
			}
			if set.Stops() != (stop == "true") || !set.Stopped().Stops() || (*policy.Set)(nil).Stops() {
				t.Errorf("stop %s: %v", stop, set.Stops())
			}
		}
	}
}

func TestVerdictsAreRecorded(t *testing.T) {
	v := compile(t, seedRules).Judge(tuesday, policy.Subject{Risk: risk.High, Operation: "refund",
		Data: data(`{"amount": 1500}`)})
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var back policy.Verdict
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	again, _ := json.Marshal(back)
	if string(raw) != string(again) {
		t.Errorf("%s\n%s", raw, again)
	}
	if none, _ := json.Marshal(policy.Verdict{}); string(none) != "{}" {
		t.Errorf("no verdict is written as %s", none)
	}
}
