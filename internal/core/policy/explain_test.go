package policy_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/risk"
	"pgregory.net/rapid"
)

// Explain agrees with Judge.
func TestExplainSaysWhatJudgeDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, sub := drawDocument(t), drawSubject(t)
		s := set(t, doc)
		want := s.Judge(tuesday, sub)
		got, steps := s.Explain(tuesday, sub)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v\nwant %+v", got, want)
		}
		for _, step := range steps {
			if step.Decides != (step.Rule == want.Rule) || step.Result == "" {
				t.Fatalf("%+v", steps)
			}
		}
		if want.Effect == policy.None && len(steps) != len(s.Rules(tuesday)) {
			t.Fatalf("%d of %d rules were asked", len(steps), len(s.Rules(tuesday)))
		}
	})
}

// With the emergency stop on, nothing is approved and all other verdicts are unchanged.
func TestStoppedNeverApproves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, sub := drawDocument(t), drawSubject(t)
		s := set(t, doc)
		before, after := s.Judge(tuesday, sub), s.Stopped().Judge(tuesday, sub)
		switch before.Effect {
		case policy.Approves:
			if after.Effect != policy.Asks {
				t.Fatalf("%+v", after)
			}
		case policy.Asks: // the reason may differ
			if after.Effect != policy.Asks || after.Rule != before.Rule {
				t.Fatalf("%+v\n%+v", before, after)
			}
		default:
			if !reflect.DeepEqual(before, after) {
				t.Fatalf("%+v\n%+v", before, after)
			}
		}
		if s.Judge(tuesday, sub).Effect != before.Effect {
			t.Fatal("stopping a copy stopped the policy")
		}
	})
}

func TestExplanationsSayWhatDiffers(t *testing.T) {
	off, uses := false, 2
	doc := policy.Document{Rules: []policy.Rule{
		{Name: "off", Priority: 1, Enabled: &off, Action: policy.Action{Deny: "x"}},
		{Name: "old", Priority: 2, Action: policy.Action{AutoApprove: true, ExpiresAt: "2020-01-01T00:00:00Z"}},
		{Name: "used", Priority: 3, Action: policy.Action{AutoApprove: true, MaxUses: &uses}},
		{Name: "risky", Priority: 4, Trigger: policy.Trigger{RiskLevel: policy.List[risk.Level]{risk.Critical}}},
		{Name: "tool", Priority: 5, Trigger: policy.Trigger{Tool: policy.List[string]{"mail"}}},
		{Name: "amount", Priority: 6, Trigger: policy.Trigger{DataThreshold: policy.Fields{{Field: "amount", Operator: ">",
			Value: json.RawMessage(`100`)}}}},
		{Name: "expr", Priority: 7, Trigger: policy.Trigger{Expr: `tags contains "vip"`}},
		{Name: "sure", Priority: 8, Trigger: policy.Trigger{AgentConfidence: &policy.Confidence{Operator: "<",
			Value: new(float64)}}},
		{Name: "all", Priority: 9},
	}}
	s, problems := policy.Compile(doc, nil)
	if s == nil {
		t.Fatal(problems)
	}
	sub := policy.Subject{Operation: "refund", Risk: risk.Low, Confidence: sure(0.9),
		Data: json.RawMessage(`{"amount":5,"tags":["new"]}`), Uses: func(string) int { return 2 }}
	v, steps := s.Explain(tuesday, sub)
	var got []string
	for _, step := range steps {
		got = append(got, fmt.Sprintf("%s: %s", step.Rule, step.Result))
	}
	want := []string{
		"off: is disabled", "old: expired at 2020-01-01T00:00:00Z", "used: has been used 2 times",
		"risky: does not match: the risk is low, not critical",
		"tool: does not match: tool is unknown, not mail", "amount: does not match: amount is 5, not > 100",
		`expr: does not match: tags contains "vip" is false`, "sure: does not match: confidence is not < 0",
		`all: decides: Rule "all" requires approval: it applies to everything.`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || v.Rule != "all" {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}
