// Package sim tries to break the core, one seed at a time.
//
// A seed decides everything: the workflows, the policy, who decides what and
// when, which host crashes between which two writes, whose clock is an hour
// off. There is no goroutine and no real clock in a simulation, so the same
// seed gives the same bytes for ever:
//
//	r := sim.Run(sim.Options{Seed: 42})
//	if r.Violation != nil {
//		fmt.Println(sim.Shrink(r)) // the smallest script that still shows it
//	}
//
// What is real and what is not. The core (internal/core) is the real thing.
// Around it stand a store in memory that fails as stores do (an append that is
// refused, a commit whose answer is lost, a read that is behind), two hosts of
// which each may believe that it leads, agents, models and tools that answer
// late, twice, wrongly or never, and people who decide at random, too late,
// twice, or at the very moment of a deadline.
//
// After some time the faults stop, people answer whatever is asked, and every
// run has to end. Then package audit, which shares no code with the core, reads
// the logs and says what should never have happened.
package sim
