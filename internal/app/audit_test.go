package app_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// trail lists what is on record, oldest first, as ACTION ACTOR OUTCOME.
func (h *home) trail(q port.AuditQuery) (words []string, entries []port.AuditEntry) {
	h.Helper()
	q.Limit = 500
	v, err := h.Audit.Entries(h.Context(), admin, q)
	if err != nil {
		h.Fatal(err)
	}
	entries = v.Items
	slices.Reverse(entries)
	for _, e := range entries {
		words = append(words, fmt.Sprintf("%s %s %s", e.Action, e.Actor.Name, e.Outcome))
	}
	return words, entries
}

func TestEverythingIsOnRecord(t *testing.T) {
	h := open(t, flow)
	id := h.begin(ann, "refund", `{"amount":5}`).ID
	ap := h.asked(id)
	decide := func(who app.Who, act gate.Act) error {
		_, err := h.Decide(h.Context(), who, ap.ID,
			app.Decision{Act: act, Changes: json.RawMessage(`{"amount":4}`), Comment: "less", Version: 1}, "", nil)
		return err
	}
	robot := app.Who{Name: "robot", Kind: run.Agent, Roles: []string{"approver"}}
	if err := decide(app.Who{Name: "carl", Kind: run.Person, Roles: []string{"guest"}},
		gate.Approve); !fault.Is(err, fault.Forbidden) {
		t.Fatal(err)
	}
	if err := decide(robot, gate.Approve); !fault.Is(err, fault.Forbidden) {
		t.Fatal(err)
	}
	if err := decide(bob, gate.Modify); err != nil {
		t.Fatal(err)
	}
	if err := decide(bob, gate.Approve); !fault.Is(err, fault.AlreadyDecided) {
		t.Fatal(err)
	}
	h.waits(id, run.Completed)
	got, entries := h.trail(port.AuditQuery{Target: id})
	want := []string{
		"run.started ann done", "approval.decided carl refused", "approval.decided robot refused",
		"approval.decided bob done", "approval.resolved bob done", "approval.decided bob refused",
	}
	if !slices.Equal(got, want) {
		t.Fatalf("got  %q\nwant %q", got, want)
	}
	if v := entries[3].Values; string(v["comment"]) != `"less"` || string(v["changes"]) != `{"amount":4}` ||
		entries[3].Sealed["original"] == "" || entries[3].Sealed["modified"] == "" {
		t.Errorf("%+v", entries[3])
	}
	if entries[2].Actor.Kind != run.Agent || !strings.Contains(string(entries[2].Detail), `"forbidden"`) {
		t.Errorf("%+v", entries[2])
	}

	if _, err := h.Documents.EmergencyStop(h.Context(), admin, true, "odd"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Documents.EmergencyStop(h.Context(), bob, false, "fine"); !fault.Is(err, fault.Forbidden) {
		t.Fatal(err)
	}
	got, entries = h.trail(port.AuditQuery{Action: "policy.emergency_stop"})
	if !slices.Equal(got, []string{"policy.emergency_stop admin done", "policy.emergency_stop bob refused"}) ||
		string(entries[0].Detail) != `{"on":true}` || string(entries[0].Values["reason"]) != `"odd"` {
		t.Fatalf("%q %+v", got, entries)
	}
	if got, _ := h.trail(port.AuditQuery{Target: "workflow/refund"}); !slices.Equal(got,
		[]string{"definition.saved admin done", "definition.published admin done"}) {
		t.Errorf("%q", got)
	}
	if v, err := h.Audit.Check(h.Context(), admin, 0, 0); err != nil || !v.OK || v.Entries < 10 {
		t.Errorf("%+v %v", v, err)
	}
}

func TestWhoMayReadTheAuditLog(t *testing.T) {
	h := open(t, flow+"---\nrole: auditor\npermissions: [view, audit]\n---\nrole: clerk\npermissions: [view]\n")
	for name, ok := range map[string]bool{"admin": true, "auditor": true, "clerk": false,
		"approver": false, "unwritten": false} {
		who := app.Who{Name: "zoe", Kind: run.Person, Roles: []string{name}}
		_, err := h.Audit.Entries(h.Context(), who, port.AuditQuery{})
		if (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
		if err := h.Audit.Export(h.Context(), who, new(bytes.Buffer)); (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := h.Audit.Entries(h.Context(), ann, port.AuditQuery{}); !fault.Is(err, fault.Forbidden) {
		t.Errorf("somebody without any role: %v", err)
	}
	if got, _ := h.trail(port.AuditQuery{Action: "audit.read", Outcome: "refused"}); len(got) == 0 {
		t.Error("that they tried is not on record")
	}
}

// TestRefusalsAreFolded: a flood has a few entries and a count.
func TestRefusalsAreFolded(t *testing.T) {
	h := open(t, flow)
	const tries = 200
	for i := range tries {
		h.Access.Refused(h.Context(), bob, "definition.saved", fmt.Sprint("workflow/", i),
			fault.New(fault.Forbidden, "no", ""))
	}
	h.Access.Refused(h.Context(), ann, "definition.saved", "workflow/x", fault.New(fault.Forbidden, "no", ""))
	h.Access.Refused(h.Context(), ann, "definition.saved", "workflow/x", fault.New(fault.NotFound, "none", ""))
	h.Access.Refused(h.Context(), ann, "definition.saved", "workflow/x", nil)
	h.stop() // writes down what it counted
	h.start()
	_, entries := h.trail(port.AuditQuery{Outcome: "refused"})
	if len(entries) != 7 {
		t.Fatalf("%d entries", len(entries))
	}
	told := 0
	for _, e := range entries {
		var d struct{ Count int }
		if err := json.Unmarshal(e.Detail, &d); err != nil {
			t.Fatal(err)
		}
		if e.Actor.Name == "bob" {
			told += max(d.Count, 1)
		}
	}
	if told != tries {
		t.Errorf("%d of %d tries are told", told, tries)
	}
}

// TestRefusalsOfManyAreBounded: however many identities a caller makes up.
func TestRefusalsOfManyAreBounded(t *testing.T) {
	h := open(t, flow)
	for i := range 3000 {
		who := app.Who{Name: fmt.Sprint("x", i), Kind: run.Person}
		h.Access.Refused(h.Context(), who, "run.started", "workflow/refund", fault.New(fault.Forbidden, "no", ""))
	}
	v, err := h.Audit.Entries(h.Context(), admin, port.AuditQuery{Outcome: "refused", Limit: 1})
	if err != nil || v.Total != 300 {
		t.Fatalf("%d entries, %v", v.Total, err)
	}
}

func TestAuditTable(t *testing.T) {
	h := open(t, flow)
	for _, name := range []string{`=HYPERLINK("http://x")`, "+1", "-1", "@x", "\tx", "fine, \"really\"\nyes"} {
		if err := h.Audit.Record(h.Context(), port.AuditDraft{Actor: run.Actor{Kind: run.Person, Name: name}, Action: "x.y",
			Target: name}); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := h.Audit.Table(h.Context(), admin, port.AuditQuery{Action: "x.y"}, &out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 7 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows[1:] {
		for _, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
				t.Errorf("%q is taken for a formula", cell)
			}
		}
	}
	if rows[1][3] != "fine, \"really\"\nyes" || rows[6][3] != `'=HYPERLINK("http://x")` {
		t.Errorf("%q %q", rows[1][3], rows[6][3])
	}
}

func TestExpiryIsOnRecord(t *testing.T) {
	h := open(t, flow)
	h.asked(h.begin(ann, "refund", `{"amount":5}`).ID)
	if _, err := h.Expire(h.Context(), admin, app.Expiry{OlderThan: time.Nanosecond, Comment: "old"}); err != nil {
		t.Fatal(err)
	}
	_, entries := h.trail(port.AuditQuery{Action: "approvals.expired"})
	if len(entries) != 1 || !strings.Contains(string(entries[0].Detail), `"settled":1`) {
		t.Fatalf("%+v", entries)
	}
}

// TestRefusedReviewsAreOnRecord: what an agent may not say about a rule's
// approvals, and who may not make rules of suggestions.
func TestRefusedReviewsAreOnRecord(t *testing.T) {
	h := open(t, flow)
	ap := h.asked(h.begin(ann, "refund", `{"amount":5}`).ID)
	robot := app.Who{Name: "robot", Kind: run.Agent, Roles: []string{"admin"}, SignedIn: true}
	if _, err := h.Hindsight.Review(h.Context(), robot, ap.ID, true, ""); !fault.Is(err, fault.Forbidden) {
		t.Errorf("an agent reviews: %v", err)
	}
	if _, err := h.Hindsight.Adopt(h.Context(), robot, "any", time.Time{}); !fault.Is(err, fault.Forbidden) {
		t.Errorf("an agent makes rules: %v", err)
	}
	got, _ := h.trail(port.AuditQuery{Actor: "robot", Outcome: "refused"})
	slices.Sort(got)
	if !slices.Equal(got, []string{"definition.saved robot refused", "sample.reviewed robot refused"}) {
		t.Errorf("on record: %v", got)
	}
}
