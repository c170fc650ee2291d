// Package temporal lets workers on other machines do the work of runs. Temporal distributes the work and keeps time:
//
//	c, err := temporal.Dial(temporal.Config{Address: "127.0.0.1:7233"})
//	e := local.New(local.Config{Dispatch: c, …}) // the process that leads
//	w, err := c.Work(e, []string{"gpu"}, 16)     // a worker, on any machine
//
// PostgreSQL remains the only source of truth. An effect whose agent names a queue becomes a standalone activity with
// the effect's key as its ID. Its input is the key: a worker loads the run, does the work if it is still outstanding,
// and commits the result itself. Temporal never sees the data of a run.
//
// It is in a module of its own, so that the default program stays small: the SDK adds 17 MB.
package temporal
