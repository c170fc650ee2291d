package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

const refunds = `
workflow: refunds
subject: Refund {amount} {currency} to {customer.name}
steps:
  - { id: check, human: { title: Pay this refund? } }
---
workflow: orders
steps:
  - { id: check, human: { title: Ship it? } }
`

// TestSubjects: runs and approvals say what they are about, and are found by it.
func TestSubjects(t *testing.T) {
	h := open(t, refunds)
	begin := func(workflow, input string) view.Run {
		return h.waits(h.begin(admin, workflow, input).ID, run.Waiting)
	}
	for i, name := range []string{"Åse", "Bo", "Åse Lund"} {
		begin("refunds", fmt.Sprintf(`{"amount":%d.50,"currency":"EUR","customer":{"name":%q}}`, i+1, name))
	}
	plain := begin("orders", `{"order":"A-5501","rush":true,"lines":[1,2],"total":89.50}`)
	if plain.Subject != "A-5501 · 89.50" {
		t.Errorf("the guessed subject is %q", plain.Subject)
	}
	for q, want := range map[string]int{"": 4, "åse": 2, "ÅSE lund": 1, "2.50 eur": 1, "a-5501": 1, "refunds": 3,
		"nothing like it": 0} {
		runs, err := h.Lists(admin).SearchRuns(h.Context(), port.RunQuery{Limit: 10}, q)
		if err != nil || len(runs.Items) != want || runs.Total != int64(want) {
			t.Errorf("%q finds %d runs of %d, want %d (%v)", q, len(runs.Items), runs.Total, want, err)
		}
		inbox, err := h.Lists(admin).SearchApprovals(h.Context(), port.ApprovalQuery{Limit: 10}, q, false)
		if err != nil || len(inbox.Items) != want {
			t.Errorf("%q finds %d approvals, want %d (%v)", q, len(inbox.Items), want, err)
		}
		for _, a := range inbox.Items {
			if a.Subject == "" {
				t.Errorf("%s has no subject", a.ID)
			}
		}
	}
	if _, err := h.Lists(admin).SearchRuns(h.Context(), port.RunQuery{}, strings.Repeat("x", 201)); err == nil {
		t.Error("a search of any length is accepted")
	}
	// Page by page, every entry once.
	seen, cursor := map[string]int{}, ""
	for range 10 {
		page, err := h.Lists(admin).SearchRuns(h.Context(), port.RunQuery{Limit: 1, Cursor: cursor}, "åse")
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Items {
			seen[r.ID]++
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if len(seen) != 2 {
		t.Errorf("page by page there are %v", seen)
	}
}

// TestApprovalsOfTestRunsAreMarked, from the first question on.
func TestApprovalsOfTestRunsAreMarked(t *testing.T) {
	h := open(t, `
workflow: rehearsal
steps: [{ id: check, human: { title: Go on? } }]
gates: [{ id: begin, at: start, title: Begin? }]
`)
	for _, test := range []bool{true, false} {
		v, err := h.Begin(h.Context(), admin, app.NewRun{Workflow: "rehearsal", TestMode: test}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, title := range []string{"Begin?", "Go on?"} {
			h.waits(v.ID, run.Waiting)
			a := h.asked(v.ID)
			if a.TestMode != test || a.Title != title {
				t.Errorf("%s: test mode is %t, want %t", a.Title, a.TestMode, test)
			}
			if _, err := h.Decide(h.Context(), admin, a.ID,
				app.Decision{Act: "approve", Version: a.Version}, "", nil); err != nil {
				t.Fatal(err)
			}
		}
	}
}
