package machine

import (
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// Loops lists who is consulted between layers.
func (s *State) Loops() plan.Loops {
	if l := s.plan.Definition.Workflow.Loops; l != nil {
		return *l
	}
	return plan.Loops{}
}

// Summary summarises in a few hundred words what was done and what is next.
func (s *State) Summary(next []string) string {
	const most = 4_000 // characters: some 1,000 tokens
	var b strings.Builder
	fmt.Fprintf(&b, "Workflow %s.", s.plan.Definition.Workflow.Name)
	shown := 0
	for _, i := range s.plan.Order() {
		st := s.Steps[i]
		if !st.Status.Settled() || b.Len() > most-400 {
			continue
		}
		shown++
		fmt.Fprintf(&b, "\n- %s: %s", s.plan.Nodes[i].Step.ID, st.Status)
		switch {
		case st.Error != nil:
			fmt.Fprintf(&b, " (%s)", phrase.ClipBytes(st.Error.Message, 200))
		case st.Status == run.DoneStep:
			fmt.Fprintf(&b, " → %s", phrase.ClipBytes(string(st.Output), 200))
		}
	}
	if rest := len(s.Steps) - s.Unsettled - shown; rest > 0 {
		fmt.Fprintf(&b, "\n- and %d more", rest)
	}
	if len(next) > 0 {
		fmt.Fprintf(&b, "\nNext: %s.", phrase.ClipBytes(strings.Join(next, ", "), 300))
	}
	return b.String()
}
