package local

import (
	"context"
	"errors"
	"time"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/port"
)

// findWithin limits a search for steps. The run continues without them.
const findWithin = 10 * time.Second

// needOf is what a search for steps has to know, captured while the state is loaded.
func needOf(s *machine.State, do run.FindSteps) port.Need {
	n := port.Need{Run: s.ID, Requirement: do.Requirement, Failed: do.Failed, Plan: s.Plan(), Input: s.Input}
	for _, i := range s.Plan().Order() {
		st, id := s.Steps[i], s.Plan().Nodes[i].Step.ID
		switch {
		case st.Status == run.DoneStep:
			n.Done = append(n.Done, port.StepOutput{Step: id, Output: st.Output})
		case st.Status == run.PendingStep:
			n.Pending = append(n.Pending, id)
		}
	}
	return n
}

// find searches for steps.
func (e *Engine) find(ctx context.Context, key run.Key, do run.FindSteps, need port.Need) run.Operation {
	if e.Find == nil {
		return run.AnswerReplan{Key: key, Reason: "No tools are known to look among."}
	}
	limited, cancel := context.WithTimeout(ctx, findWithin)
	defer cancel()
	found, err := e.Find(limited, need)
	switch {
	case err != nil && engine.Stopped(ctx):
		return nil // it stays owed
	case errors.Is(err, context.DeadlineExceeded):
		found.Reason = "The search took too long."
	case err != nil:
		found.Reason = err.Error()
	}
	if err != nil {
		e.Log.Warn("no steps were found; the run continues without them", "run", key.Run,
			"error", mask.Credentials(err.Error()))
		return run.AnswerReplan{Key: key, Reason: found.Reason}
	}
	return run.AnswerReplan{Key: key, Steps: found.Steps, Agents: found.Agents, Because: found.Because,
		Reason: found.Reason, Harmless: found.Harmless}
}
