package policy_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/policy"
)

// FuzzSumsAndRollouts feeds arbitrary input to sums and rollouts: it is either rejected with a position, or
// judges without approving over its limit.
func FuzzSumsAndRollouts(f *testing.F) {
	f.Add("24h", "customer", `{"to":50,"over":"14d"}`, `{"amount":600,"customer":"a"}`)
	f.Add("run", "", `25`, `{"amount":1e40}`)
	f.Add("31d", "a.b", `{"to":1e-9,"over":60,"from":"2026-01-01"}`, `{"amount":"1"}`)
	f.Add("1ms", "..", `{"over":"1m"}`, `{"amount":-0}`)
	f.Fuzz(func(t *testing.T, span, by, rollout, subject string) {
		var grows policy.Rollout
		if json.Unmarshal([]byte(rollout), &grows) != nil {
			return
		}
		doc := policy.Document{Rules: []policy.Rule{{
			Name: "r", Priority: 1,
			Trigger: policy.Trigger{
				OperationType: policy.List[string]{"refund"},
				DataThreshold: policy.Fields{{Field: "amount", Operator: "<=", Value: json.RawMessage("1000"), Sum: span, By: by}},
			},
			Action: policy.Action{AutoApprove: true, Rollout: &grows},
		}}}
		set, problems := policy.Compile(doc, nil)
		for _, p := range problems {
			if p.Path == "" || p.Message == "" {
				t.Fatalf("%+v", p)
			}
		}
		if set == nil {
			return
		}
		now := time.Unix(1_800_000_000, 0)
		for _, e := range set.Since(map[string]time.Time{"r": now.Add(-time.Hour)}).Rules(now) {
			if e.RolloutNow != nil && !(*e.RolloutNow >= 0 && *e.RolloutNow <= 100) {
				t.Fatalf("%v %% of the cases", *e.RolloutNow)
			}
		}
		sub := policy.Subject{Operation: "refund", Key: "k", Data: json.RawMessage(subject),
			Total: total("1000.000000001", 1, 0)}
		if v := set.AtTarget().Judge(now, sub); v.Effect == policy.Approves && span != "" {
			t.Fatalf("approved over the limit: %+v", v)
		}
	})
}
