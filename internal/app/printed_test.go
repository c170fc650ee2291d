package app_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
)

// TestPrintedPolicies plays the printed files of specification 000 through the
// engine: an agent proposes with some confidence, and a step acts on it. People
// are asked before the step runs, or it runs.
func TestPrintedPolicies(t *testing.T) {
	read := func(name string) string {
		raw, err := os.ReadFile("../importer/testdata/printed/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	always := strings.NewReplacer("09:00-17:00", "00:00-24:00", `saturday_sunday: "disabled"`,
		`saturday_sunday: "00:00-24:00"`)
	never := strings.NewReplacer("09:00-17:00", "disabled")
	rules, auto := read("checkpoint-rules.yaml"), read("auto_approval.yaml")
	for _, c := range []struct {
		name, policy, operation, risk, output, confidence string
		rule                                              string // that asks; empty: it runs
	}{
		{"high value", rules, "refund", "high", "{ amount: 1500 }", "0.9", "High-Value Financial Operations"},
		{"amount missing", rules, "refund", "high", "{ total: 1500 }", "0.9", "High-Value Financial Operations"},
		{"amount as text", rules, "refund", "high", `{ amount: "1500" }`, "0.9", "High-Value Financial Operations"},
		{"not above the limit", rules, "refund", "high", "{ amount: 1000 }", "0.9", ""},
		{"deletion", rules, "drop_table", "critical", "{ table: t }", "0.9", "Data Deletion Safety"},
		{"low confidence", rules, "refund", "medium", "{ amount: 5 }", "0.72", "Low Confidence Decisions"},
		{"confidence missing", rules, "refund", "medium", "{ amount: 5 }", "", "Low Confidence Decisions"},
		{"safe read", rules, "query", "low", "{ q: x }", "0.9", ""},
		{"small refund", always.Replace(auto), "financial_transaction", "low", "{ amount: 35.00 }", "0.92", ""},
		{"small refund at night", never.Replace(auto), "financial_transaction", "low", "{ amount: 35.00 }", "0.92",
			"Auto-Approve Small Refunds"},
		{"small refund, unsure", always.Replace(auto), "financial_transaction", "low", "{ amount: 35.00 }", "",
			"Auto-Approve Small Refunds"},
		{"small refund, no amount", always.Replace(auto), "financial_transaction", "low", "{ total: 35.00 }", "0.92",
			"Auto-Approve Small Refunds"},
		{"mail at night", never.Replace(auto), "send_email", "low", "{ to: ann }", "0.9", "Gradual Auto-Approve Emails"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sure := ""
			if c.confidence != "" {
				sure = ", confidence: " + c.confidence
			}
			h := open(t, fmt.Sprintf(`
workflow: act
steps:
  - { id: propose, agent: proposer }
  - { id: act, agent: actor, operation: %s, risk: %s, with: { amount: propose.amount, to: propose.to } }
---
agent: proposer
kind: scripted
answers: [{ output: %s%s }]
---
agent: actor
kind: scripted
answers: [{ output: { done: true } }]
`, c.operation, c.risk, c.output, sure))
			h.save(definition.KindPolicy, "policy", c.policy, true)
			id := h.begin(ann, "act", `{}`).ID
			if c.rule == "" {
				h.waits(id, run.Completed)
				return
			}
			v := h.waits(id, run.Waiting)
			a, err := h.Approval(t.Context(), admin, v.PendingApprovals[0], false)
			if err != nil || len(v.PendingApprovals) != 1 || a.Rule == nil || a.Rule.Name != c.rule {
				t.Fatalf("%+v: %v", a, err)
			}
			for _, s := range v.Steps {
				if s.ID == "act" && s.StartedAt != nil {
					t.Errorf("it was done before people were asked")
				}
			}
		})
	}
}
