package machine

import (
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/run"
)

// KeyOf returns the key for task k of step i, in its current attempt.
func (s *State) KeyOf(i, k int) run.Key {
	st := s.Steps[i]
	key := run.Key{Run: s.ID, Kind: run.KeyStep, Step: s.plan.Nodes[i].Step.ID, Index: -1, Rev: st.Rev}
	if s.IsMap(i) {
		key.Index = k
	}
	if k = max(k, 0); k < len(st.Tasks) {
		key.Rev, key.Try = st.Tasks[k].Rev, st.Tasks[k].Try
	}
	return key
}

// TurnKey returns the key for the current turn of the agent at work on task k of step i.
func (s *State) TurnKey(i, k int) run.Key {
	key, l := s.KeyOf(i, k), s.Steps[i].Tasks[k].Loop
	key.Kind, key.N, key.Try = run.KeyTurn, l.Turn, l.Try
	return key
}

// CallKey returns the key for a tool call of that agent.
func (s *State) CallKey(i, k int, c *loop.Call) run.Key {
	key := s.KeyOf(i, k)
	key.Kind, key.N, key.Try = run.KeyCall, c.No, c.Try
	return key
}

// ConsultKey returns the key for the latest consultation of the planning agent.
func (s *State) ConsultKey() run.Key {
	return run.Key{Run: s.ID, Kind: run.KeyConsult, Index: -1, Rev: s.Point.Turn, N: s.Point.No,
		Try: max(s.Point.Try, 1)}
}

// ReplanKey returns the key for a numbered search for steps.
func (s *State) ReplanKey(n int) run.Key {
	return run.Key{Run: s.ID, Kind: run.KeyReplan, Index: -1, N: n, Try: 1}
}
