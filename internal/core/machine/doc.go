// Package machine is the state of one run: the fold of its log, and the effects that follow from it.
//
//	s := machine.Fold(id, plan, events)
//	s.Apply(next) // one more event
//	for _, owed := range s.Effects() { start what is missing, stop what is not listed }
//
// Apply never decides: the log is history. Effects depends on the state alone, not on how it was reached.
// After a crash, a host folds the log and calls Effects again: recovery has no code path of its own.
//
// Everything else here reads the state: the data that a step sees, keys, deadlines, the subject of an answer.
// Package decide decides what happens next, on a draft of the state.
package machine
