package app_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// What happens in test runs is shown in lists and counts nowhere: not in figures,
// not for backtests, and no agent learns from it.
func TestTestRunsCountForNothing(t *testing.T) {
	h := open(t, flow+"---"+shaky)
	ctx := t.Context()
	test := func(workflow, input string) view.Run {
		t.Helper()
		v, err := h.Begin(ctx, ann, app.NewRun{Workflow: workflow, Input: json.RawMessage(input), TestMode: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, d := range []app.Decision{
		{Act: gate.Approve, Version: 1}, {Act: gate.Reject, Comment: "no", Version: 1},
		{Act: gate.Modify, Changes: json.RawMessage(`{"text":"hi"}`), Version: 1}, {},
	} {
		if a := h.asked(test("refund", `{"amount":5}`).ID); d.Act != "" {
			if _, err := h.Decide(ctx, bob, a.ID, d, "", nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	h.waits(test("shaky", `{}`).ID, run.Failed)
	v, err := h.Hindsight.Insights(ctx, admin, time.Time{}, time.Time{}, "")
	if err != nil || v.Pending.Total != 0 || v.Pending.OldestAt != nil || len(v.Pending.ByRisk) != 0 ||
		v.Decided.ByPeople != 0 || v.Runs.Total != 0 || len(v.Failures)+len(v.Agents) != 0 {
		t.Errorf("%+v %v", v, err)
	}
	lessons, err := h.Hindsight.Lessons(ctx, admin, insight.LessonQuery{Limit: 10})
	if err != nil || len(lessons.Items) != 0 || lessons.Total != 0 {
		t.Errorf("%+v %v", lessons, err)
	}
	if given := h.Supply.Teach(ctx, "mailer", "send_email", json.RawMessage(`{"text":"hello"}`)); len(given) != 0 {
		t.Errorf("%+v", given)
	}
	back, err := h.Hindsight.BacktestDocument(ctx, admin, definition.YAML, []byte("policy: p\nrules: []\n"),
		h.Now().Add(-time.Hour), h.Now())
	if err != nil || back.Subjects != 0 {
		t.Errorf("%+v %v", back, err)
	}
	// Lists show them, and say what they are.
	list, err := h.Lists(admin).Runs(ctx, port.RunQuery{Limit: 10})
	if err != nil || len(list.Items) != 5 {
		t.Fatalf("%+v %v", list, err)
	}
	for _, r := range list.Items {
		if !r.TestMode {
			t.Errorf("%+v", r)
		}
	}
	// Beside them, what is no test counts as it did.
	real := h.asked(h.begin(ann, "refund", `{"amount":5}`).ID)
	v, err = h.Hindsight.Insights(ctx, admin, time.Time{}, time.Time{}, "")
	if err != nil || v.Pending.Total != 1 || v.Pending.OldestAt == nil || !v.Pending.OldestAt.Equal(real.RequestedAt) ||
		v.Runs.Total != 1 {
		t.Errorf("%+v %v", v, err)
	}
}
