// Package decide is where a run's decisions are made: Handle turns a command into events, or refuses it.
//
//	commands ──Handle──▶ events ──append──▶ log ──Apply──▶ State ──Effects──▶ work to do
//	cancel := run.Command{By: ann, Do: run.Cancel{}}
//	events, err := decide.Handle(s, decide.Env{Now: now, Judge: policy}, cancel)
//	// append events to the log, guarded by their Seq; then:
//	for _, e := range events { s.Apply(e) }
//
// Handle never mutates the state. It records each decision on a draft and derives the consequences there,
// until none are left.
//
// Time is an argument, ids are derived, keys identify work permanently. Nothing here reads a clock, starts a
// goroutine or uses random numbers.
package decide
