package trial_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/trial"
)

// stuck is an agent that works until it is told to stop.
type stuck struct{}

func (stuck) Invoke(ctx context.Context, _ port.Work, _ func(port.Progress)) (run.Result, error) {
	<-ctx.Done()
	return run.Result{}, ctx.Err()
}

// A trial of an agent that does not answer ends, and says why.
func TestATrialEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		def := &plan.Definition{
			Workflow: plan.Workflow{Name: trial.Workflow, Steps: []plan.Step{{ID: trial.Step, Agent: "stuck"}}},
			Agents:   map[string]plan.Agent{"stuck": {Kind: plan.AgentScripted}},
		}
		began := time.Now()
		v, err := trial.Run(t.Context(), def, trial.Options{ID: "run_1", Input: json.RawMessage(`{}`), Owner: "ann",
			Now: time.Now, Agent: func(string) (port.Agent, bool) { return stuck{}, true }})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != trial.Within {
			t.Errorf("it took %s", took)
		}
		if v.Outcome != trial.Stopped || v.Why != "A trial ends after 50 s." {
			t.Errorf("%s: %s", v.Outcome, v.Why)
		}
	})
}
