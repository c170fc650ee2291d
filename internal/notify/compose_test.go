package notify_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/view"
)

func pending(proposed string) view.Approval {
	return view.Approval{ID: "apr_1", Title: "Pay", Status: gate.Pending, Kind: gate.KindApproval,
		Proposed: json.RawMessage(proposed), Acts: []gate.Act{gate.Approve, gate.Reject}}
}

var wide = notify.Sheet{Event: notify.ApprovalNeeded, Edits: true, Whole: true,
	Room: notify.Room{Acts: true, Details: 2000, Part: 800, Parts: 20}}

// leaves are the texts and numbers of a value, and its keys.
func leaves(raw json.RawMessage) (out []string) {
	switch value.KindOf(raw) {
	case value.String:
		s, _ := value.Text(raw)
		return []string{s}
	case value.Number:
		return []string{string(raw)}
	case value.KindArray:
		for _, v := range value.Elements(raw) {
			out = append(out, leaves(v)...)
		}
	case value.KindObject:
		for k, v := range value.Members(raw) {
			out = append(append(out, k), leaves(v)...)
		}
	}
	return out
}

// FuzzFitsOrOpens: a message contains everything decided on, or offers no decision.
func FuzzFitsOrOpens(f *testing.F) {
	for _, s := range []string{`{"amount":7,"to":{"name":"Ann","tags":["a",1.50]}}`, `"x"`, `[1,[2,{"k":"v"}]]`, `{}`,
		`{"a":"\u202eevil"}`, `{"a":"x\u200by"}`, `{"a":"` + strings.Repeat("long ", 500) + `"}`,
		`{"a":"\n\n\n\n\n\n\n\n\n\n\n\n\nhidden"}`} {
		f.Add(s, "{}", "Pay", "Pays the invoice.", "Nothing is paid.")
	}
	f.Add(`{"amount":7}`, "{}", strings.Repeat("Pay ", 60), "Pays.", "")
	f.Add(`{"amount":7}`, "{}", "Pay", strings.Repeat("Pays. ", 98)+"Without an answer it is approved.", "")
	f.Add(`{"amount":7}`, "{}", "Pay", "Pays.", strings.Repeat("All of it is lost. ", 12))
	f.Fuzz(func(t *testing.T, proposed, show, title, description, ifDenied string) {
		if !json.Valid([]byte(proposed)) || !json.Valid([]byte(show)) {
			return
		}
		v := pending(proposed)
		v.Show, v.Title, v.Description, v.IfDenied = json.RawMessage(show), title, description, ifDenied
		m := notify.Compose(v, wide)
		if len(m.Acts) == 0 {
			return
		}
		var b strings.Builder
		for _, d := range m.Details {
			b.WriteString(d.Label + "\n" + d.Text + "\n")
		}
		for _, leaf := range append(leaves(v.Proposed), leaves(v.Show)...) {
			if !strings.Contains(b.String(), leaf) {
				t.Errorf("%q of %s is not in %q", leaf, proposed, b.String())
			}
		}
		words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
		facts := ""
		for _, f := range m.Facts {
			facts += f.Value + "\n"
		}
		if !strings.Contains(m.Title, words(title)) || !strings.Contains(m.Text, description) ||
			!strings.Contains(facts, words(ifDenied)) {
			t.Errorf("%q, %q, %q are not in %+v", title, description, ifDenied, m)
		}
		if strings.ContainsAny(b.String(), "\u202e\u200b\u2066\ufeff\u00ad") {
			t.Errorf("hidden characters in %q", b.String())
		}
	})
}

// TestNoActs: each reason on its own takes the decisions away.
func TestNoActs(t *testing.T) {
	if m := notify.Compose(pending(`{"amount":7}`), wide); len(m.Acts) != 2 || len(m.Details) != 1 {
		t.Fatalf("%+v", m)
	}
	for name, change := range map[string]func(*view.Approval, *notify.Sheet){
		"settled":         func(v *view.Approval, _ *notify.Sheet) { v.Status = gate.Approved },
		"critical":        func(v *view.Approval, _ *notify.Sheet) { v.Risk.Level = risk.Critical },
		"masked":          func(v *view.Approval, _ *notify.Sheet) { v.Masked = true },
		"a form":          func(v *view.Approval, _ *notify.Sheet) { v.InputSchema = json.RawMessage(`{}`) },
		"input":           func(v *view.Approval, _ *notify.Sheet) { v.Kind = gate.KindInput },
		"may not":         func(v *view.Approval, _ *notify.Sheet) { v.Acts = nil },
		"hidden":          func(v *view.Approval, _ *notify.Sheet) { v.Title = "Pay \u202e7" },
		"hidden proposal": func(v *view.Approval, _ *notify.Sheet) { v.Proposed = json.RawMessage(`{"a":"\u2066"}`) },
		"no edits":        func(_ *view.Approval, s *notify.Sheet) { s.Edits = false },
		"no room":         func(_ *view.Approval, s *notify.Sheet) { s.Room.Details = 3 },
		"no acts":         func(_ *view.Approval, s *notify.Sheet) { s.Room.Acts = false },
		"long text":       func(v *view.Approval, _ *notify.Sheet) { v.Description = strings.Repeat("long ", 130) },
		"long title":      func(v *view.Approval, _ *notify.Sheet) { v.Title = strings.Repeat("long ", 45) },
		"long fact":       func(v *view.Approval, _ *notify.Sheet) { v.IfDenied = strings.Repeat("long ", 45) },
		"long reasons":    func(v *view.Approval, _ *notify.Sheet) { v.Risk.Reasons = []string{strings.Repeat("long ", 45)} },
		"changed":         func(v *view.Approval, _ *notify.Sheet) { v.Changed = make([]gate.VersionChange, 1) },
		"a room":          func(_ *view.Approval, s *notify.Sheet) { s.Whole = false },
	} {
		t.Run(name, func(t *testing.T) {
			v, s := pending(`{"amount":7}`), wide
			change(&v, &s)
			if m := notify.Compose(v, s); len(m.Acts) > 0 {
				t.Errorf("%+v", m.Acts)
			}
		})
	}
}

// TestDeadlineIsASentenceOfItsOwn: the deadline is no part of a text that may be written from right to left, and there
// is one as long as the approval can be decided by then.
func TestDeadlineIsASentenceOfItsOwn(t *testing.T) {
	const before = "Decide before 5 Nov 2026 18:00 CET."
	due := time.Date(2026, 11, 5, 17, 0, 0, 0, time.UTC)
	zone := time.FixedZone("CET", 3600)
	for name, c := range map[string]struct {
		change func(*view.Approval, *notify.Sheet)
		want   string
	}{
		"asked":           {func(*view.Approval, *notify.Sheet) {}, before},
		"nothing to add":  {func(v *view.Approval, _ *notify.Sheet) { v.Description = "" }, before},
		"no deadline":     {func(v *view.Approval, _ *notify.Sheet) { v.DeadlineAt = nil }, ""},
		"it has passed":   {func(_ *view.Approval, s *notify.Sheet) { s.Event = notify.ApprovalTimedOut }, ""},
		"it was decided":  {func(v *view.Approval, _ *notify.Sheet) { v.Status = gate.Approved }, ""},
		"nothing is set":  {func(v *view.Approval, _ *notify.Sheet) { v.DeadlineAt = new(time.Time) }, ""},
		"another message": {func(_ *view.Approval, s *notify.Sheet) { s.Event = notify.ApprovalReminder }, before},
	} {
		v, s := pending(`{"amount":7}`), wide
		v.Description, v.DeadlineAt, s.Zone = "وصل الطرد تالفًا.", &due, zone
		c.change(&v, &s)
		m := notify.Compose(v, s)
		if m.Due != c.want || strings.Contains(m.Text, "before") ||
			v.Status == gate.Pending && s.Event == notify.ApprovalNeeded && v.Description != "" && m.Text != v.Description {
			t.Errorf("%s: %q, %q", name, m.Text, m.Due)
		}
	}
}

// TestEdit: changes are offered where a dialog has room for the whole proposal, and nowhere else.
func TestEdit(t *testing.T) {
	for name, c := range map[string]struct {
		proposed string
		room     bool
		want     bool
	}{
		"flat":       {`{"amount":7,"to":"Ann","urgent":false}`, true, true},
		"no dialog":  {`{"amount":7}`, false, false},
		"nested":     {`{"to":{"name":"Ann"}}`, true, false},
		"a list":     {`{"to":["Ann"]}`, true, false},
		"null":       {`{"to":null}`, true, false},
		"a text":     {`"Ann"`, true, false},
		"empty":      {`{}`, true, false},
		"many":       {`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1}`, true, false},
		"line ends":  {`{"a":"x\ry"}`, true, false},
		"unnamed":    {`{" ":1}`, true, false},
		"too long":   {`{"a":"` + strings.Repeat("x", 3001) + `"}`, true, false},
		"just fits":  {`{"a":"` + strings.Repeat("x", 3000) + `"}`, true, true},
		"ten fields": {`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1}`, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			v, s := pending(c.proposed), wide
			v.Acts = append(v.Acts, gate.Modify)
			s.Room = notify.Room{Acts: true, Details: 8000, Part: 4000, Parts: 20, Edits: c.room}
			got := slices.ContainsFunc(notify.Compose(v, s).Acts, func(a notify.Act) bool { return a.Act == gate.Modify })
			if got != c.want {
				t.Errorf("offered: %v", got)
			}
		})
	}
}

// TestAutoApproved: the notice lists every condition of the rule, and a text in a value is not taken for one.
func TestAutoApproved(t *testing.T) {
	for reason, want := range map[string][]string{
		`Rule "Small refunds" approves: risk is low, operation is refund, amount 1,035 is at most 1,050, ` +
			`confidence 0.92 is at least 0.9.`: {"risk is low ✓", "operation is refund ✓",
			"amount 1,035 is at most 1,050 ✓", "confidence 0.92 is at least 0.9 ✓"},
		`Rule "Small refunds" approves: to is "Ann, risk is low, \"x", tag in ["a", "b"].`: {
			`to is "Ann, risk is low, \"x" ✓`, `tag in ["a", "b"] ✓`},
		`Rule "Small refunds" approves: to is "Ann, risk is low.`:  {`to is "Ann, risk is low ✓`},
		`Rule "Small refunds" approves: it applies to everything.`: {"it applies to everything ✓"},
		`Another sentence, with a comma.`:                          nil,
	} {
		v := pending(`{"amount":35}`)
		v.Status, v.Outcome = gate.AutoApproved, &view.Outcome{Outcome: gate.Outcome{Status: gate.AutoApproved}}
		v.Rule = &gate.Rule{Name: "Small refunds", Reason: reason}
		s := wide
		s.Event = notify.ApprovalAutoApproved
		m := notify.Compose(v, s)
		var got []string
		for _, f := range m.Facts {
			if f.Label == "Condition" {
				got = append(got, f.Value)
			}
		}
		if !slices.Equal(got, want) || m.Title != "Approved automatically: Pay" ||
			m.Text != `The rule "Small refunds" approved this. No action is required.` {
			t.Errorf("%q, %q: %q", m.Title, m.Text, got)
		}
	}
}
