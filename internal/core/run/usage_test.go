package run_test

import (
	"testing"

	"github.com/assent-run/assent/internal/core/run"
)

// Usage adds up; what an agent reports cannot make it less.
func TestUsage(t *testing.T) {
	u := run.Usage{LLMCalls: 1, TokensIn: 20, TokensOut: 300, CostUSD: 4000}
	v := run.Usage{LLMCalls: 2, TokensIn: 30, TokensOut: 400, CostUSD: 5000}
	sum := u.Add(v)
	if want := (run.Usage{LLMCalls: 3, TokensIn: 50, TokensOut: 700, CostUSD: 9000}); sum != want {
		t.Errorf("%+v, want %+v", sum, want)
	}
	if sum.Since(v) != u || sum.Since(u) != v {
		t.Errorf("since: %+v, %+v", sum.Since(v), sum.Since(u))
	}
	if got := u.Add(run.Usage{LLMCalls: -2, TokensIn: -30, TokensOut: -400, CostUSD: -5000}); got != u {
		t.Errorf("less than nothing makes it %+v", got)
	}
}
