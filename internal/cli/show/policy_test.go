package show

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/registry"
)

var noon = time.Date(2026, 1, 8, 12, 0, 0, 0, time.UTC)

func TestBacktest(t *testing.T) {
	v := insight.Backtest{
		Since: noon.AddDate(0, 0, -7), Until: noon, Subjects: 120, AskedToAuto: 41, AutoToAsked: 2,
		Denied: 1, MinutesSaved: 200.4,
		WouldPassRejected: []insight.Passed{
			{Approval: "apr_1", Title: "Pay\x1b[2J this", By: "bob", Comment: "wrong\ncustomer", Rule: "Small"},
			{Approval: "apr_2", Title: "Pay that"},
		},
		WouldPassModified: []insight.Passed{{
			Approval: "apr_3", Title: "Pay", By: "ann", Rule: "Small",
			Diff: []value.Change{{Path: "/to/amount", From: json.RawMessage("60"), To: json.RawMessage("50")},
				{Path: "/note", To: json.RawMessage(`"hello"`)}},
		}},
	}
	got := strings.Join(append(Backtest(v, Plain()), Passed(v, Plain())...), "\n")
	want := `120 decisions from 2026-01-01 12:00:00 to 2026-01-08 12:00:00
     41 were decided by people and would be approved automatically
      2 continued without people and would need a decision
      1 would be refused
  This would save people about 3 h 20 min of work.

✗ 2 actions that people rejected would be approved
  apr_1  Pay\u001b[2J this
    bob rejected it: wrong customer
    the rule "Small" would approve it
  apr_2  Pay that
    someone rejected it
    no rule would require approval

! 1 action that people changed would be approved
  apr_3  Pay
    ann changed it
      to.amount: 60 → 50
      note: nothing → "hello"
    the rule "Small" would approve it`
	if got != want {
		t.Errorf("%s", got)
	}
	v.MinutesSaved = -0.4
	if got := strings.Join(Backtest(v, Plain()), "\n"); !strings.HasSuffix(got,
		"This would cost people less than a minute of work.") {
		t.Errorf("%s", got)
	}
	if got := Backtest(insight.Backtest{}, Plain()); len(got) != 1 || !strings.Contains(got[0], "to compare with") {
		t.Errorf("%s", got)
	}
}

func TestManyChangesAreCounted(t *testing.T) {
	if got := Changes(make([]value.Change, 30), ""); len(got) != changesShown+1 || got[changesShown] != "and 22 more" {
		t.Errorf("%q", got)
	}
}

func TestSuggestion(t *testing.T) {
	uses := 200
	rule, err := json.Marshal(policy.Rule{Name: "Small refunds",
		Action: policy.Action{AutoApprove: true, ExpiresAt: noon.UTC().Format(time.RFC3339), MaxUses: &uses}})
	if err != nil {
		t.Fatal(err)
	}
	good := insight.Case{Approval: "apr_1", Title: "Pay", Status: gate.Approved, By: "ann"}
	s := insight.Suggestion{
		ID: "sug_1", Rule: rule, YAML: "policy: suggested\nrules: []\n", Covered: 12,
		Covers: []insight.Case{good, good, good, good}, Minutes: 25, Why: "People approved all of them.",
		Left: 1, Leaves: []insight.Case{{Approval: "apr_9", Title: "Pay", Status: gate.Rejected,
			By: "bob", Comment: "too much"}},
	}
	got := strings.Join(Suggestion(s, Plain(), 80), "\n")
	want := `Small refunds  sug_1
why        People approved all of them.
covers     12 requests that people approved unchanged, about 25 min of work
           apr_1  Pay  approved by ann
           apr_1  Pay  approved by ann
           apr_1  Pay  approved by ann
           and 9 more
leaves     1 request that people rejected or changed; it approves none of them
           apr_9  Pay  rejected by bob: too much
ends       on 2026-01-08 12:00:00, or after 200 uses
    policy: suggested
    rules: []`
	if got != want {
		t.Errorf("%s", got)
	}
	s.Left, s.Rule = 0, json.RawMessage(`{"name":"Any"}`)
	got = strings.Join(Suggestion(s, Plain(), 80), "\n")
	if !strings.Contains(got, "leaves     none") || !strings.Contains(got, "ends       never") {
		t.Errorf("%s", got)
	}
}

// Anything that keeps rules from approving is shown, and its absence is not.
func TestStop(t *testing.T) {
	for written, want := range map[string]string{
		`{}`:                                  "",
		`{"auto_approval":{"rules":[]}}`:      "",
		`{"auto_approval":{"enabled":true}}`:  "",
		`{"auto_approval":{"enabled":false}}`: "enabled: false",
		`{"auto_approval":{"global_settings":{"emergency_stop":true}}}`: "emergency_stop: true",
	} {
		got := strings.Join(Stop(registry.Stop{}, Off(json.RawMessage(written)), Plain()), "\n")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q", written, got)
		}
	}
	on := strings.Join(Stop(registry.Stop{On: true, Reason: "odd\nrefunds", By: "ann", At: noon}, "", Coloured()), "\n")
	if !strings.Contains(on, "odd refunds") || !strings.Contains(on, "\x1b[1m") {
		t.Errorf("%q", on)
	}
	for _, e := range []policy.Effect{policy.None, policy.Asks, policy.Approves, policy.Denies} {
		if Plain().Effect(e) == "" {
			t.Errorf("%q has no word", e)
		}
	}
}
