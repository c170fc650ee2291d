package api

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Two workflows, one that names its subject and one whose subject is guessed.
const typedDocuments = `
workflow: typed
sensitive: [input.amount, input.due]
subject: "Pay {amount} {currency} to {customer} by {due}"
steps: [{ id: pay, agent: typed_payer, with: { amount: input.amount, currency: input.currency } }]
gates: [{ id: look, at: before pay, title: Pay it, role: approver }]
---
workflow: guessed
sensitive: [input.amount, input.due]
steps: [{ id: pay, agent: typed_payer, with: { amount: input.amount, currency: input.currency } }]
gates: [{ id: look, at: before pay, title: Pay it, role: approver }]
---
agent: typed_payer
kind: scripted
answers: [{ output: { paid: true } }]
---
role: watcher
permissions: [view]
`

// TestTypedSubjects: lists of runs, pending approvals and settled ones show what a
// run is about, with amounts and dates as people write them, and hide those forms, too.
func TestTypedSubjects(t *testing.T) {
	d := office(t, Options{})
	password, roles := "amber willow ninety sand", []string{"watcher"}
	account := port.PutAccount{Name: "vera", Password: &password, Roles: &roles}
	if _, _, err := d.parts.Auth.PutAccount(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "typed.yaml")
	if err := os.WriteFile(file, []byte(typedDocuments), 0o600); err != nil {
		t.Fatal(err)
	}
	if loaded, err := d.parts.App.Documents.Load(t.Context(), "test", file); err != nil || len(loaded.Problems) > 0 {
		t.Fatal(loaded.Problems, err)
	}
	ann, vera := d.signIn("ann", annPassword), d.signIn("vera", password)
	const first = `{"note":"n","due":"2026-04-01","customer":{"id":7,"name":"Ann Lee"},"amount":2400,"currency":"EUR","order_id":"A-1"}`
	const second = `{"note":"n","due":"2026-04-02","customer":{"id":8,"name":"Bob Ray"},"amount":89.5,"currency":"EUR","order_id":"A-2"}`
	for _, c := range []struct {
		workflow string
		ann      []string
		vera     []string
	}{
		{
			"typed",
			[]string{"Pay 89.50 EUR to Bob Ray by 2 Apr 2026", "Pay 2,400.00 EUR to Ann Lee by 1 Apr 2026"},
			[]string{"Pay ••• EUR to Bob Ray by •••", "Pay ••• EUR to Ann Lee by •••"},
		},
		{
			"guessed",
			[]string{"A-2 · 89.50 EUR · Bob Ray", "A-1 · 2,400.00 EUR · Ann Lee"},
			[]string{"A-2 · ••• EUR · Bob Ray", "A-1 · ••• EUR · Ann Lee"},
		},
	} {
		var ids []string
		for _, input := range []string{first, second} {
			v := into[view.Run](d.post("/runs", `{"workflow":"`+c.workflow+`","input":`+input+`}`, ann...).want(201))
			ids = append(ids, d.untilPending(v.ID, "", ann))
		}
		check := func(where string, headers []string, want []string) {
			t.Helper()
			for i, got := range d.subjects(where, headers) {
				if i >= len(want) || got != want[i] {
					t.Errorf("%s: %q, want %q", where, got, want)
				}
			}
		}
		pending := "/approvals?sort=newest&status=pending&workflow=" + c.workflow
		runs := "/runs?workflow=" + c.workflow
		check(pending, ann, c.ann)
		check(pending, vera, c.vera)
		check(runs, ann, c.ann)
		check(runs, vera, c.vera)
		for _, id := range ids {
			d.post("/approvals/"+id+"/decisions", `{"act":"approve","version":1}`, ann...).want(200)
		}
		check("/approvals?sort=newest&status=approved&workflow="+c.workflow, vera, c.vera)
	}
}

// subjects are those of a list of two.
func (d *desk) subjects(list string, headers []string) (out []string) {
	d.Helper()
	page := into[view.List[struct {
		Subject string `json:"subject"`
	}]](d.get(list, headers...).want(200))
	for _, item := range page.Items {
		out = append(out, item.Subject)
	}
	if len(out) != 2 {
		d.Errorf("%s: %q", list, out)
	}
	return out
}
