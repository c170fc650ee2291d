package machine

import (
	"encoding/json"
	"fmt"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/value"
)

// Snapshot saves the fold up to Seq. A snapshot plus the events after it is equivalent to the whole log.
func (s *State) Snapshot() (json.RawMessage, error) { return value.Marshal(s) }

// Restore reads a snapshot of a run that was started on plan p.
func Restore(snapshot json.RawMessage, p *plan.Plan) (*State, error) {
	s := &State{}
	if err := json.Unmarshal(snapshot, s); err != nil {
		return nil, fmt.Errorf("restore snapshot: %w", err)
	}
	s.base, s.plan = p, p
	for _, c := range s.PlanChanges {
		next, _, err := s.plan.Inject(c.Steps, c.Agents, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("restore snapshot of %s: redo plan change: %w", s.ID, err)
		}
		s.plan = next
	}
	if len(s.Steps) != len(s.plan.Nodes) {
		return nil, fmt.Errorf("restore snapshot of %s: it has %d steps, its plan %d: it belongs to another version", s.ID,
			len(s.Steps), len(s.plan.Nodes))
	}
	s.markSent()
	return s, nil
}
