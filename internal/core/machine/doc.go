// Package machine is the state of one run: the fold of its log, and what should
// be going on in the world because of it.
//
//	s := machine.Fold(id, plan, events)
//	s.Apply(next) // one more event
//	for _, owed := range s.Effects() { start what is missing, stop what is not listed }
//
// Apply remembers and never decides: what is in the log has happened. Effects
// depends on the state alone, not on how it was reached. A host that crashed
// folds the log and asks Effects again: there is no second path for recovery.
//
// Everything else here reads the state: the data that a step sees, keys,
// deadlines, what an answer is about. What may happen next is decided in package
// decide, on a draft of the state.
package machine
