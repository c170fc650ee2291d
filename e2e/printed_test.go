package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// printedCase is an act under one of the printed policies of specification 000: an agent proposes it with
// some confidence, a step executes it.
type printedCase struct {
	name, operation, risk, output, confidence string
	rule                                      string // that asks or approves; empty: no rule covers it
	// ask, approve (and recorded) or run; doubt: approval of the proposal is required before anything acts on
	// it.
	effect string
}

// TestPrintedPolicies plays both printed files of specification 000, case by case, through the real program.
// What counts is when the service behind the step is called: not before approval, and never after a
// rejection.
func TestPrintedPolicies(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		raw, err := os.ReadFile("../internal/importer/testdata/printed/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	rules, auto := read("checkpoint-rules.yaml"), read("auto_approval.yaml")
	day := strings.NewReplacer("09:00-17:00", "00:00-24:00", `saturday_sunday: "disabled"`,
		`saturday_sunday: "00:00-24:00"`).Replace(auto)
	night := strings.NewReplacer("09:00-17:00", "disabled").Replace(auto)
	const large, small, unsure = "High-Value Financial Operations", "Auto-Approve Small Refunds",
		"Low Confidence Decisions"
	const reads, mails = "Auto-Approve Safe Reads", "Gradual Auto-Approve Emails"
	sink := newSink(t)
	s := serve(t)
	for _, file := range []struct {
		name, policy string
		cases        []printedCase
	}{
		{"checkpoint-rules", rules, []printedCase{
			{"high value", "refund", "high", "{ amount: 1500 }", "0.9", large, "ask"},
			{"amount left out", "refund", "high", "{ total: 1500 }", "0.9", large, "ask"},
			{"amount as text", "refund", "high", `{ amount: "1500" }`, "0.9", large, "ask"},
			{"at the limit", "refund", "high", "{ amount: 1000 }", "0.9", "", "run"},
			{"deletion", "drop_table", "critical", "{ table: t }", "0.9", "Data Deletion Safety", "ask"},
			{"unsure", "refund", "medium", "{ amount: 35 }", "0.72", unsure, "doubt"},
			{"silent about confidence", "refund", "medium", "{ amount: 35 }", "", unsure, "ask"},
			{"unsure mail", "send_email", "low", "{ to: zoe }", "0.5", unsure, "doubt"},
			{"safe query", "query", "low", "{ q: x }", "0.9", "Auto-Approve Safe Operations", "approve"},
		}},
		// A file with only approvals asks about nothing that its rules do not cover.
		{"auto_approval by day", day, []printedCase{
			{"safe read", "read", "low", "{ q: x }", "0.8", reads, "approve"},
			{"unsure read", "read", "low", "{ q: x }", "0.79", "", "run"},
			{"small refund", "financial_transaction", "low", "{ amount: 35.00 }", "0.92", small, "approve"},
			{"at the limit", "financial_transaction", "medium", "{ amount: 50 }", "0.9", small, "approve"},
			{"above it", "financial_transaction", "low", "{ amount: 50.01 }", "0.92", "", "run"},
			{"of high risk", "financial_transaction", "high", "{ amount: 35.00 }", "0.92", "", "run"},
			{"unsure refund", "financial_transaction", "low", "{ amount: 35.00 }", "0.89", "", "run"},
			{"silent about confidence", "financial_transaction", "low", "{ amount: 35.00 }", "", small, "ask"},
			{"no amount", "financial_transaction", "low", "{ total: 35.00 }", "0.92", small, "ask"},
			{"unsure mail", "send_email", "low", "{ to: zoe }", "0.84", "", "run"},
		}},
		{"both by day", rules + "\n" + day, []printedCase{
			{"small refund", "financial_transaction", "low", "{ amount: 35.00 }", "0.92", small, "approve"},
			{"unsure refund", "financial_transaction", "low", "{ amount: 35.00 }", "0.7", unsure, "doubt"},
			{"silent about confidence", "financial_transaction", "low", "{ amount: 35.00 }", "", unsure, "ask"},
			{"large refund", "financial_transaction", "high", "{ amount: 1500 }", "0.99", large, "ask"},
			{"silent mail", "send_email", "low", "{ to: zoe }", "", unsure, "ask"},
		}},
		{"auto_approval by night", night, []printedCase{
			{"safe read", "read", "low", "{ q: x }", "0.9", reads, "ask"},
			{"small refund", "financial_transaction", "low", "{ amount: 35.00 }", "0.92", small, "ask"},
			{"mail", "send_email", "low", "{ to: zoe }", "0.9", mails, "ask"},
		}},
	} {
		t.Run(file.name, func(t *testing.T) {
			own := *s
			own.t = t
			own.call("PUT", "/policy?accept_risk=another+file", yaml(file.policy)).want(201)
			for i, c := range file.cases {
				t.Run(c.name, func(t *testing.T) {
					one := *s
					one.t = t
					c.play(&one, sink, strings.ReplaceAll(fmt.Sprintf("%s-%d", file.name, i), " ", "-"))
				})
			}
		})
	}
}

func (c printedCase) play(s *server, sink *sink, name string) {
	s.t.Helper()
	sure := ""
	if c.confidence != "" {
		sure = ", confidence: " + c.confidence
	}
	s.define(fmt.Sprintf(`
agent: %[1]s-propose
kind: scripted
confidence_threshold: 0.1
answers: [{ output: %[2]s%[3]s }]
---
agent: %[1]s-act
kind: http
url: %[4]s/%[1]s
---
workflow: %[1]s
steps:
  - { id: propose, agent: %[1]s-propose }
  - { id: act, agent: %[1]s-act, operation: %[5]s, risk: %[6]s, with: { amount: propose.amount, to: propose.to } }
`, name, c.output, sure, sink.url, c.operation, c.risk))
	id := s.run(name, map[string]any{}, as(ann))
	if c.effect == "approve" || c.effect == "run" {
		s.settles(id, "completed")
		sink.want(s.t, "/"+name, "1", "")
		recorded := s.call("GET", "/approvals?status=auto_approved&workflow="+name, nil).want(200)
		if want := map[string]int{"approve": 1}[c.effect]; recorded.count("items") != want ||
			want == 1 && recorded.text("items.0.rule.name") != c.rule {
			s.t.Errorf("approvals that a rule gave: %s", recorded.body)
		}
		return
	}
	if r := s.settles(id, "waiting", "completed", "failed"); r.text("status") != "waiting" {
		s.t.Fatalf("nobody was asked, and the service got %q: %s", sink.received("/"+name), r.body)
	}
	asked := s.pending(id)
	if asked.text("rule.name") != c.rule ||
		asked.text("step") != map[string]string{"ask": "act", "doubt": "propose"}[c.effect] {
		s.t.Errorf("%s", asked.body)
	}
	sink.want(s.t, "/"+name, "0", "")
	s.call("POST", "/approvals/"+asked.text("id")+"/decisions",
		`{"act":"reject","comment":"no","version":1}`, as(bob)).want(200)
	s.settles(id, "failed")
	sink.want(s.t, "/"+name, "0", "")
}
