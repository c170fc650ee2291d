package policy_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/risk"
)

// checkpoint-rules.yaml of specification 000, as JSON.
const seedRules = `{
  "version": "1.0",
  "checkpoints": [
    {"name": "High-Value Financial Operations", "priority": 1,
     "trigger": {"risk_level": ["high", "critical"], "operation_type": ["financial_transaction", "refund"],
                 "data_threshold": {"field": "amount", "operator": ">", "value": 1000}},
     "action": {"auto_approve": false, "require_approval_count": 2, "timeout_seconds": 3600,
                "escalation": {"enabled": true, "after_seconds": 1800, "escalate_to": ["manager@example.com"]},
                "notification": {"channels": ["teams", "email"], "recipients": ["finance-team@example.com"]}}},
    {"name": "Data Deletion Safety", "priority": 2,
     "trigger": {"operation_type": ["delete", "drop_table", "truncate"], "risk_level": ["high", "critical"]},
     "action": {"auto_approve": false, "timeout_seconds": 7200, "on_timeout": "cancel",
                "notification": {"channels": ["teams"], "recipients": ["admin@example.com"]}}},
    {"name": "Low Confidence Decisions", "priority": 3,
     "trigger": {"agent_confidence": {"operator": "<", "value": 0.75}},
     "action": {"auto_approve": false, "timeout_seconds": 1800, "notification": {"channels": ["teams"]}}},
    {"name": "Auto-Approve Safe Operations", "priority": 10,
     "trigger": {"risk_level": ["low"], "operation_type": ["read", "query", "search"]},
     "action": {"auto_approve": true, "log_decision": true}}
  ]}`

// The auto_approval section of specification 000, as JSON.
const seedAuto = `{
  "auto_approval": {
    "enabled": true,
    "global_settings": {
      "business_hours_only": true,
      "business_hours": {"timezone": "America/New_York", "monday_friday": "09:00-17:00", "saturday_sunday": "disabled"},
      "emergency_stop": false},
    "rules": [
      {"name": "Auto-Approve Safe Reads", "enabled": true,
       "conditions": {"risk_level": "low", "operation_type": ["read", "query", "search"], "confidence": ">= 0.8"},
       "action": {"auto_approve": true, "log_decision": true, "notify": false}},
      {"name": "Auto-Approve Small Refunds", "enabled": true,
       "conditions": {"risk_level": ["low", "medium"], "operation_type": "financial_transaction",
                      "data_threshold": {"field": "amount", "operator": "<=", "value": 50}, "confidence": ">= 0.9"},
       "action": {"auto_approve": true, "log_decision": true, "notify": true, "notification_channels": ["teams"]}},
      {"name": "Gradual Auto-Approve Emails", "enabled": true,
       "conditions": {"operation_type": "send_email", "risk_level": "low", "confidence": ">= 0.85"},
       "action": {"auto_approve": true, "rollout_percentage": 25, "log_decision": true}}
    ]}}`

// A Tuesday at 10:00 in New York.
var tuesday = time.Date(2026, 3, 3, 15, 0, 0, 0, time.UTC)

func decode(t testing.TB, doc string) policy.Document {
	t.Helper()
	d, err := policy.Decode([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func compile(t testing.TB, doc string) *policy.Set {
	t.Helper()
	set, problems := policy.Compile(decode(t, doc), time.LoadLocation)
	if set == nil {
		t.Fatalf("%v", problems)
	}
	return set
}

func sure(x float64) *float64 { return &x }

func data(s string) json.RawMessage { return json.RawMessage(s) }

func TestSeedRules(t *testing.T) {
	doc := decode(t, seedRules)
	set, problems := policy.Compile(doc, nil)
	if set == nil || len(problems) > 0 {
		t.Fatal(problems)
	}
	cases := []struct {
		sub    policy.Subject
		effect policy.Effect
		rule   string
	}{
		{policy.Subject{Risk: risk.High, Operation: "refund", Data: data(`{"amount": 1500}`)}, policy.Asks,
			"High-Value Financial Operations"},
		{policy.Subject{Risk: risk.Critical, Operation: "financial_transaction", Data: data(`{"amount": 1000.01}`)},
			policy.Asks, "High-Value Financial Operations"},
		{policy.Subject{Risk: risk.High, Operation: "refund", Confidence: sure(0.9), Data: data(`{"amount": 1000}`)},
			policy.None, ""},
		{policy.Subject{Risk: risk.Medium, Operation: "refund", Confidence: sure(0.9), Data: data(`{"amount": 1500}`)},
			policy.None, ""},
		{policy.Subject{Risk: risk.Medium, Operation: "refund", Data: data(`{"amount": 1500}`)}, policy.Asks,
			"Low Confidence Decisions"},
		{policy.Subject{Risk: risk.High, Operation: "refund", Confidence: sure(0.9), Data: data(`{}`)}, policy.Asks,
			"High-Value Financial Operations"},
		{policy.Subject{Risk: risk.High, Operation: "refund", Data: data(`{"amount": "1500"}`)}, policy.Asks,
			"High-Value Financial Operations"},
		{policy.Subject{Risk: risk.High, Operation: "drop_table"}, policy.Asks, "Data Deletion Safety"},
		{policy.Subject{Risk: risk.Low, Operation: "delete", Confidence: sure(1)}, policy.None, ""},
		{policy.Subject{Result: true, Confidence: sure(0.7)}, policy.Asks, "Low Confidence Decisions"},
		{policy.Subject{Result: true, Confidence: sure(0.75)}, policy.None, ""},
		{policy.Subject{Result: true}, policy.None, ""},
		{policy.Subject{Confidence: sure(0.7)}, policy.Asks, "Low Confidence Decisions"},
		{policy.Subject{Risk: risk.Low, Operation: "query", Confidence: sure(0.8)}, policy.Approves,
			"Auto-Approve Safe Operations"},
		{policy.Subject{Risk: risk.Low, Operation: "query", Confidence: sure(0.8), Result: true}, policy.None, ""},
		{policy.Subject{Risk: risk.Low, Operation: "query"}, policy.Asks, "Low Confidence Decisions"},
		{policy.Subject{Risk: risk.Low, Operation: "query", Confidence: sure(0.5)}, policy.Asks, "Low Confidence Decisions"},
	}
	for i, c := range cases {
		v := set.Judge(tuesday, c.sub)
		if v.Effect != c.effect || v.Rule != c.rule {
			t.Errorf("%d: %s by %q (%s), want %s by %q", i, v.Effect, v.Rule, v.Reason, c.effect, c.rule)
		}
		if v.Effect != policy.None && (v.Policy != set.Hash() || v.Reason == "" || !v.Log) {
			t.Errorf("%d: %+v", i, v)
		}
	}
}

func TestSeedRulesAskAsWritten(t *testing.T) {
	set := compile(t, seedRules)
	v := set.Judge(tuesday, policy.Subject{Risk: risk.High, Operation: "refund", Data: data(`{"amount": 1500}`)})
	if v.Ask.Count != 2 || v.Ask.Timeout != time.Hour || v.Ask.Then != gate.ThenPause {
		t.Errorf("%+v", v.Ask)
	}
	if len(v.Ask.Escalate) != 1 || v.Ask.Escalate[0] != (policy.Escalation{After: 30 * time.Minute,
		To: "manager@example.com"}) {
		t.Errorf("%+v", v.Ask.Escalate)
	}
	if !strings.Contains(string(v.Ask.Notify), "finance-team@example.com") {
		t.Errorf("%s", v.Ask.Notify)
	}
	if want := `Rule "High-Value Financial Operations" requires 2 approvals: risk is high, operation is refund, amount 1,500 is over 1,000.`; v.Reason != want || !slices.Equal(v.Limits, []string{"amount 1,500 is over 1,000"}) {
		t.Errorf("%s\nwant %s", v.Reason, want)
	}
	v = set.Judge(tuesday, policy.Subject{Risk: risk.High, Operation: "delete"})
	if v.Ask.Count != 1 || v.Ask.Timeout != 2*time.Hour || v.Ask.Then != gate.ThenCancel {
		t.Errorf("%+v", v.Ask)
	}
}

func TestSeedAutoApproval(t *testing.T) {
	set := compile(t, seedAuto)
	saturday := tuesday.AddDate(0, 0, 4)
	refund := policy.Subject{Risk: risk.Low, Operation: "financial_transaction", Confidence: sure(0.92),
		Data: data(`{"amount": 35.00}`)}
	v := set.Judge(tuesday, refund)
	if v.Effect != policy.Approves || !v.NotifyAfter || len(v.Channels) != 1 || v.Channels[0] != "teams" || !v.Log {
		t.Errorf("%+v", v)
	}
	if want := `Rule "Auto-Approve Small Refunds" approves: risk is low, operation is financial_transaction, confidence 0.92 is at least 0.9, amount 35.00 is at most 50.`; v.Reason != want {
		t.Errorf("%s\nwant %s", v.Reason, want)
	}
	read := policy.Subject{Risk: risk.Low, Operation: "read", Confidence: sure(0.8)}
	if v := set.Judge(tuesday, read); v.Effect != policy.Approves || v.NotifyAfter {
		t.Errorf("%+v", v)
	}
	for name, now := range map[string]time.Time{
		"before nine":  tuesday.Add(-61 * time.Minute),
		"after five":   tuesday.Add(7 * time.Hour),
		"on Saturday":  saturday,
		"on Sunday":    saturday.AddDate(0, 0, 1),
		"at five":      time.Date(2026, 3, 3, 22, 0, 0, 0, time.UTC),
		"in the night": tuesday.Add(12 * time.Hour),
	} {
		v := set.Judge(now, read)
		if v.Effect != policy.Asks || !strings.Contains(v.Reason, "outside business hours") || v.Ask.Count != 1 {
			t.Errorf("%s: %+v", name, v)
		}
	}
	for name, c := range map[string]struct {
		sub policy.Subject
		why string // empty: no rule applies
	}{
		"not sure enough": {policy.Subject{Risk: risk.Low, Operation: "read", Confidence: sure(0.79)}, ""},
		"confidence unknown": {policy.Subject{Risk: risk.Low, Operation: "read"},
			"would approve, but the confidence is unknown"},
		"too much": {policy.Subject{Risk: risk.Low, Operation: "financial_transaction", Confidence: sure(0.95),
			Data: data(`{"amount": 50.01}`)}, ""},
		"too risky": {policy.Subject{Risk: risk.High, Operation: "financial_transaction", Confidence: sure(0.95),
			Data: data(`{"amount": 5}`)}, ""},
		"an amount in words": {policy.Subject{Risk: risk.Low, Operation: "financial_transaction", Confidence: sure(0.95),
			Data: data(`{"amount": "5"}`)}, "cannot compare the text"},
		"no amount": {policy.Subject{Risk: risk.Low, Operation: "financial_transaction", Confidence: sure(0.95)},
			"would approve, but amount is missing"},
		"another operation": {policy.Subject{Risk: risk.Low, Operation: "delete", Confidence: sure(0.95)}, ""},
		"a null for a number": {policy.Subject{Risk: risk.Low, Operation: "financial_transaction", Confidence: sure(0.95),
			Data: data(`{"amount": null}`)}, "would approve, but amount is missing"},
	} {
		v := set.Judge(tuesday, c.sub)
		if (v.Effect == policy.None) != (c.why == "") || v.Effect == policy.Approves || !strings.Contains(v.Reason, c.why) {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestSeedRolloutTakesAQuarter(t *testing.T) {
	set := compile(t, seedAuto)
	approved := 0
	for i := range 4000 {
		v := set.Judge(tuesday, policy.Subject{Risk: risk.Low, Operation: "send_email", Confidence: sure(0.9),
			Key: "call-" + string(rune('a'+i%26)) + time.Duration(i).String()})
		switch {
		case v.Effect == policy.Approves:
			approved++
		case v.Effect != policy.Asks || !strings.Contains(v.Reason, "outside its 25 % rollout"):
			t.Fatalf("%+v", v)
		}
	}
	if approved < 900 || approved > 1100 {
		t.Errorf("%d of 4000 approved, want about 1000", approved)
	}
}

// The hash depends on the content, not on how it is written.
func TestHash(t *testing.T) {
	a := compile(t, seedRules).Hash()
	if len(a) != 20 || !strings.HasPrefix(a, "pol_") {
		t.Errorf("%q", a)
	}
	same := strings.Replace(seedRules, `"checkpoints"`, `"rules"`, 1)
	same = strings.Replace(same, `["low"]`, `"low"`, 1)
	same = strings.Replace(same, `{"operator": "<", "value": 0.75}`, `"< 0.75"`, 1)
	if b := compile(t, same).Hash(); a != b {
		t.Errorf("%s and %s", a, b)
	}
	if b := compile(t, strings.Replace(seedRules, "1000", "1001", 1)).Hash(); a == b {
		t.Error("another value must give another hash")
	}
	var none *policy.Set
	if none.Hash() != "" || none.Rules(tuesday) != nil ||
		none.Judge(tuesday, policy.Subject{Risk: risk.High}).Effect != policy.None {
		t.Error("no set has no rules")
	}
}

// Decoding, encoding and decoding again returns the same policy.
func TestDocumentsRoundTrip(t *testing.T) {
	for _, src := range []string{seedRules, seedAuto, contract} {
		doc := decode(t, src)
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := compile(t, src).Hash(), compile(t, string(raw)).Hash(); a != b {
			t.Errorf("%s became %s: %s", a, b, raw)
		}
	}
}

func TestUnknownKeysAreRefused(t *testing.T) {
	for _, doc := range []string{
		`{"polisy": "x"}`, `{"rules": [{"name": "a", "if": 1}]}`,
		`{"rules": [{"name": "a", "trigger": {"data_threshold": {"feild": "a"}}}]}`,
		`{"rules": [{"name": "a", "trigger": {"agent_confidence": {"op": "<"}}}]}`,
		`{"rules": [{"name": "a", "trigger": {"custom_field": [{"feild": "a"}]}}]}`,
		`{"rules": 3}`, `{} {}`, `{"rules": [{"trigger": {"risk_level": [1]}}]}`, `[`,
	} {
		if _, err := policy.Decode([]byte(doc)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", doc, err)
		}
	}
}
