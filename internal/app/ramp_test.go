package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/documents"
	"github.com/assent-run/assent/internal/insight"
)

const growing = `policy: house
rules:
  - name: Small
    priority: 1
    trigger: { operation_type: [refund], data_threshold: { field: amount, operator: "<", value: 20 } }
    action: { auto_approve: true, rollout: { to: 50, over: 14d } }
  - { name: Rest, priority: 2, trigger: { operation_type: [refund] }, action: { role: approver } }
`

// share is what a rule that grows approves now, in percent.
func (h *home) share() float64 {
	h.Helper()
	v, err := h.Documents.Policy(h.Context(), admin)
	if err != nil {
		h.Fatal(err)
	}
	for _, r := range v.Rules {
		if r.Name == "Small" && r.RolloutNow != nil {
			return *r.RolloutNow
		}
	}
	h.Fatalf("no share is shown: %+v", v.Rules)
	return 0
}

// A rollout grows from when its rule was published. Publishing the policy again
// with the rule as it is does not start it over; changing the rule does.
func TestRolloutGrowsFromPublication(t *testing.T) {
	h := open(t, payments)
	saved, _ := h.save(definition.KindPolicy, "house", growing, true)
	if s := h.share(); s > 0.01 {
		t.Errorf("%v %% right after it was published", s)
	}
	id := h.begin(ann, "pay", `{"amount":5}`).ID
	if a := h.asked(id); !strings.Contains(a.Rule.Reason, "at 0 % now (50 % by") {
		t.Errorf("at first all are asked: %q", a.Rule.Reason)
	}
	if _, err := h.Decide(t.Context(), bob, h.asked(id).ID,
		app.Decision{Act: gate.Approve, Version: 1}, "", nil); err != nil {
		t.Fatal(err)
	}
	h.waits(id, run.Completed)

	week := time.Now().Add(-7 * 24 * time.Hour)
	for number, at := range map[int]time.Time{saved.Version - 1: week.Add(-time.Hour), saved.Version: week} {
		if err := h.server.Store.Publish(t.Context(), "policy", "policy", number, "ann", at); err != nil {
			t.Fatal(err)
		}
	}
	more := growing + "  - { name: Deletions, priority: 3, trigger: { operation_type: [delete] }, " +
		"action: { deny: never } }\n"
	h.save(definition.KindPolicy, "house", more, true)
	if s := h.share(); s < 24.9 || s > 25.1 {
		t.Errorf("another rule was added after a week: %v %%", s)
	}
	h.stop()
	h.start()
	if s := h.share(); s < 24.9 || s > 25.1 {
		t.Errorf("after a restart: %v %%", s)
	}
	done := 0
	for range 40 {
		v := h.begin(ann, "pay", `{"amount":5}`)
		for v.Status == run.Running {
			v, _ = h.App.Run(t.Context(), ann, v.ID, false)
		}
		if v.Status == run.Completed {
			done++
		}
	}
	if done == 0 || done > 25 {
		t.Errorf("%d of 40 runs were approved at 25 %%", done)
	}

	h.save(definition.KindPolicy, "house", strings.Replace(more, "value: 20", "value: 30", 1), true)
	if s := h.share(); s > 0.01 {
		t.Errorf("the rule was changed: %v %%", s)
	}
	// An earlier version that is brought back begins again: it was not in force in between.
	if _, err := h.Documents.Publish(t.Context(), admin, definition.KindPolicy, "policy", saved.Version,
		documents.Saving{Publish: true}); err != nil {
		t.Fatal(err)
	}
	if s := h.share(); s > 0.01 {
		t.Errorf("the rule came back: %v %%", s)
	}
}

// A draft is tested, and tried on history, as it will be when it has grown.
func TestRolloutOfADraftIsTestedAtItsTarget(t *testing.T) {
	h := open(t, payments)
	n := 0
	for i := range 200 {
		v, err := h.Hindsight.TestPolicy(t.Context(), admin, definition.YAML, []byte(growing),
			insight.Subject{Operation: "refund", Data: []byte(`{"amount":1}`), Key: fmt.Sprint(i)})
		if err != nil {
			t.Fatal(err)
		}
		if v.Effect == policy.Approves {
			n++
		}
	}
	if n < 70 || n > 130 {
		t.Errorf("%d of 200 are approved", n)
	}
}
