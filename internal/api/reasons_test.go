package api

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

const ratedDocuments = `
workflow: rated
sensitive: [input.amount]
steps:
  - id: pay
    agent: rated_payer
    operation: rated_refund
    risk: high
    with: { amount: input.amount }
---
agent: rated_payer
kind: scripted
answers: [{ output: { paid: true } }]
---
policy: rated
rules:
  - name: Large refunds
    trigger: { operation_type: [rated_refund], data_threshold: { field: amount, operator: ">", value: 1000 } }
    action: { role: approver }
---
role: watcher
permissions: [view]
`

// TestRiskReasons: an approval says what makes it risky, with the amount and the
// limit that it exceeds, and hides the amount where the reader may not see it.
func TestRiskReasons(t *testing.T) {
	d := office(t, Options{})
	password, roles := "amber willow ninety sand", []string{"watcher"}
	vera := port.PutAccount{Name: "vera", Password: &password, Roles: &roles}
	if _, _, err := d.parts.Auth.PutAccount(t.Context(), vera); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rated.yaml")
	if err := os.WriteFile(file, []byte(ratedDocuments), 0o600); err != nil {
		t.Fatal(err)
	}
	if loaded, err := d.parts.App.Documents.Load(t.Context(), "test", file); err != nil || len(loaded.Problems) > 0 {
		t.Fatal(loaded.Problems, err)
	}
	ann, watcher := d.signIn("ann", annPassword), d.signIn("vera", password)
	run := into[view.Run](d.post("/runs", `{"workflow":"rated","input":{"amount":2400.50}}`, ann...).want(201))
	id := d.untilPending(run.ID, "", ann)
	for _, c := range []struct {
		headers []string
		amount  string
	}{{ann, "2,400.50"}, {watcher, "•••"}} {
		limit := "amount " + c.amount + " is over 1,000"
		a := d.approval(id, c.headers...)
		if want := []string{"Pay is rated high risk by the workflow", limit}; !slices.Equal(a.Risk.Reasons, want) {
			t.Errorf("reasons %q, want %q", a.Risk.Reasons, want)
		}
		if want := `Rule "Large refunds" requires approval: operation is rated_refund, ` + limit +
			`.`; a.Rule.Reason != want {
			t.Errorf("rule %q, want %q", a.Rule.Reason, want)
		}
	}
}
