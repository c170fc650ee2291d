package decide_test

import (
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
)

// The time of an agent counts from a known moment while it works, and stands still once its run has stopped.
func TestMetersStopWithTheRun(t *testing.T) {
	hour := plan.Agent{Name: "hour", Kind: plan.AgentLLM, Limits: &plan.Limits{Duration: quantity.Duration(time.Hour)}}
	p := &player{t: t, env: decide.Env{Now: t0},
		s: machine.New("run_p", compile(t, `{"workflow":"w","steps":[{"id":"l","agent":"hour"}]}`, hour))}
	p.do(run.Start{})
	if m := p.s.Meters("l", -1, t0.Add(time.Minute))[0]; !m.Since.Equal(t0) || m.Used != int64(time.Minute) {
		t.Errorf("at work: %+v", m)
	}
	if m := p.s.Meters("l", -1, t0.Add(time.Minute))[1]; !m.Since.IsZero() {
		t.Errorf("not a time: %+v", m)
	}
	p.env.Now = t0.Add(time.Hour)
	p.do(run.Tick{})
	if p.s.Status != run.LimitReached {
		t.Fatal(p.s.Status)
	}
	if m := p.s.Meters("l", -1, t0.Add(9*time.Hour))[0]; m.Used != int64(time.Hour) || !m.Since.IsZero() {
		t.Errorf("stopped: %+v", m)
	}
}
