package api

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Titles and subjects made of values that are short, long, or written over
// several lines, and one that is cut in the middle of a value.
const hushedDocuments = `
workflow: hushed
sensitive: [input.pin, input.pay, input.name, input.note]
subject: "{open} {open} {open} {note}"
steps:
  - id: pay
    agent: hushed_payer
    operation: hushed_refund
    risk: high
    title: "Refund {pin} of {pay} to {name}: {note}"
    with: { pin: input.pin, pay: input.pay, name: input.name, note: input.note, order: input.order, open: input.open }
---
agent: hushed_payer
kind: scripted
answers: [{ output: { paid: true } }]
---
policy: hushed
rules: [{ name: Hushed, trigger: { operation_type: [hushed_refund] }, action: { role: approver } }]
---
role: watcher
permissions: [view]
`

// Titles and subjects hide what their reader may not see, and in a list no two
// open questions of a workflow read alike, whatever is hidden.
func TestTitles(t *testing.T) {
	d := office(t, Options{})
	password, roles := "amber willow ninety sand", []string{"watcher"}
	if _, _, err := d.parts.Auth.PutAccount(t.Context(),
		port.PutAccount{Name: "vera", Password: &password, Roles: &roles}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "hushed.yaml")
	if err := os.WriteFile(file, []byte(hushedDocuments), 0o600); err != nil {
		t.Fatal(err)
	}
	if loaded, err := d.parts.App.Documents.Load(t.Context(), "test", file); err != nil || len(loaded.Problems) > 0 {
		t.Fatal(loaded.Problems, err)
	}
	ann, vera := d.signIn("ann", annPassword), d.signIn("vera", password)
	open, note := strings.Repeat("o", 55), "planted-"+strings.Repeat("note", 20)
	begin := func(pin string, order int) string {
		input := fmt.Sprintf(`{"pin":%q,"pay":77,"name":"Planted\n  Ann","note":%q,"order":%d,"open":%q}`,
			pin, note, order, open)
		v := into[view.Run](d.post("/runs", `{"workflow":"hushed","input":`+input+`}`, ann...).want(201))
		return d.untilPending(v.ID, "", ann)
	}
	first := d.approval(begin("42", 1), ann...)
	if want := "Refund 42 of 77 to Planted Ann: " + note[:59] + "…"; first.Title != want ||
		!strings.Contains(first.Subject, "planted-not") {
		t.Errorf("ann reads %q about %q", first.Title, first.Subject)
	}
	seen := d.approval(first.ID, vera...)
	title, subject := "Refund ••• of ••• to •••: •••", strings.Repeat(open+" ", 3)+"•••…"
	if seen.Title != title || seen.Subject != subject {
		t.Errorf("vera reads %q about %q", seen.Title, seen.Subject)
	}
	if v := into[view.Run](d.get("/runs/"+first.Run, vera...).want(200)); v.Subject != subject {
		t.Errorf("vera reads that the run is about %q", v.Subject)
	}

	begin("43", 1) // differs in what is hidden
	begin("42", 2) // in what is not
	begin("42", 1) // in nothing
	for name, who := range map[string][]string{"ann": ann, "vera": vera} {
		list := into[view.List[view.Approval]](d.get("/approvals?workflow=hushed", who...).want(200))
		titles := map[string]bool{}
		for _, a := range list.Items {
			titles[a.Title] = true
			if name == "vera" && (!strings.HasPrefix(a.Title, title) || strings.Contains(a.Title, "pin")) {
				t.Errorf("vera reads %q", a.Title)
			}
		}
		if len(list.Items) != 4 || len(titles) != 4 {
			t.Errorf("%s reads %d titles: %v", name, len(titles), titles)
		}
	}
}
