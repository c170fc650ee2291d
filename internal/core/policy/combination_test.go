package policy_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/risk"
	"pgregory.net/rapid"
)

// parts are all the conditions a trigger can have: how each is written, and how a matching subject stops
// matching.
var parts = []struct {
	name  string
	write func(*policy.Trigger)
	spoil func(*policy.Subject)
}{
	{"risk_level", func(t *policy.Trigger) { t.RiskLevel = policy.List[risk.Level]{risk.High, risk.Critical} },
		func(s *policy.Subject) { s.Risk = risk.Low }},
	{"operation_type", func(t *policy.Trigger) { t.OperationType = policy.List[string]{"refund", "delete"} },
		func(s *policy.Subject) { s.Operation = "read" }},
	{"data_threshold", func(t *policy.Trigger) {
		t.DataThreshold = policy.Fields{{Field: "amount", Operator: ">", Value: json.RawMessage(`100`)}}
	}, func(s *policy.Subject) { s.Data = replaced(s.Data, "amount", `100`) }},
	{"agent_confidence", func(t *policy.Trigger) {
		v := 0.75
		t.AgentConfidence = &policy.Confidence{Operator: "<",
			Value: &v}
	}, func(s *policy.Subject) { s.Confidence = sure(0.75) }},
	{"custom_field", func(t *policy.Trigger) {
		t.CustomField = policy.Fields{{Field: "customer.country", Operator: "!=", Value: json.RawMessage(`"NO"`)}}
	}, func(s *policy.Subject) { s.Data = replaced(s.Data, "customer", `{"country":"NO"}`) }},
	{"expr", func(t *policy.Trigger) { t.Expr = `tags contains "vip"` },
		func(s *policy.Subject) { s.Data = replaced(s.Data, "tags", `["new"]`) }},
	{"workflow", func(t *policy.Trigger) { t.Workflow = policy.List[string]{"pay*"} },
		func(s *policy.Subject) { s.Workflow = "other" }},
	{"agent", func(t *policy.Trigger) { t.Agent = policy.List[string]{"mailer"} },
		func(s *policy.Subject) { s.Agent = "writer" }},
	{"tool", func(t *policy.Trigger) { t.Tool = policy.List[string]{"email_send"} },
		func(s *policy.Subject) { s.Tool = "sms_send" }},
}

func replaced(data json.RawMessage, key, v string) json.RawMessage {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(data, &m); err != nil {
		panic(err)
	}
	m[key] = json.RawMessage(v)
	out, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return out
}

// For every combination of parts, a rule matches if and only if all of them hold.
func TestEveryCombinationOfTriggers(t *testing.T) {
	for mask := range 1 << len(parts) {
		var trigger policy.Trigger
		for i, p := range parts {
			if mask&(1<<i) != 0 {
				p.write(&trigger)
			}
		}
		set, problems := policy.Compile(policy.Document{Rules: []policy.Rule{{Name: "r", Priority: 1, Trigger: trigger}}},
			nil)
		if set == nil {
			t.Fatalf("%b: %v", mask, problems)
		}
		for spoilt := -1; spoilt < len(parts); spoilt++ {
			sub := policy.Subject{
				Workflow: "payments", Agent: "mailer", Tool: "email_send", Operation: "refund",
				Risk: risk.High, Confidence: sure(0.5),
				Data: data(`{"amount":101,"customer":{"country":"SE"},"tags":["vip"]}`),
			}
			want := policy.Asks
			if spoilt >= 0 {
				if parts[spoilt].spoil(&sub); mask&(1<<spoilt) != 0 {
					want = policy.None
				}
			}
			if v := set.Judge(tuesday, sub); v.Effect != want {
				t.Fatalf("parts %b, without %d: %+v, not %q", mask, spoilt, v, want)
			}
		}
	}
}

// Neither the order of rules in the file nor rules that do not match change the verdict.
func TestOrderOfWritingDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, sub := drawDocument(t), drawSubject(t)
		want := set(t, doc).Judge(tuesday, sub)
		doc.Rules = rapid.Permutation(doc.Rules).Draw(t, "order")
		for i := range rapid.IntRange(0, 3).Draw(t, "others") {
			other := policy.Rule{Name: fmt.Sprint("other ", i), Priority: -10 + i,
				Trigger: policy.Trigger{OperationType: policy.List[string]{"something else"}}}
			doc.Rules = append(doc.Rules, other)
		}
		got := set(t, doc).Judge(tuesday, sub)
		got.Policy, want.Policy = "", ""
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v\nwant %+v", got, want)
		}
	})
}
