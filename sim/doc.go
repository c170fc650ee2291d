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
//
// # The real engine
//
// RunEngine plays the same worlds on internal/engine/local: two processes, each a
// whole engine with its goroutines, on one store. It runs in a bubble of
// testing/synctest, in which the clock stands still while anybody works and jumps
// to the next timer when all wait, so that days pass in milliseconds.
//
// Between each engine and the store, which is in memory and refuses what real ones
// refuse, stands a network (faulty): reads are slow, old when they arrive, or fail;
// writes are refused, or stored without an answer; a process crashes before or
// after any write, and what it does from then on has no effect. A process that lost
// the lead is told, or goes on believing for up to 20 minutes.
//
// The auditor is the same. Because it reads logs, the simulation itself watches
// over what logs do not show: that nothing is started under a leadership that the
// store has not confirmed at that moment, that a process which was replaced writes
// nothing that takes a leader, that finished work is not asked for again, that what
// is not owed any more is stopped, and that nobody is shown what was not stored.
//
// Things happen at moments of their own, to the nanosecond, and dice are thrown by
// name, so a seed leads to the same events nearly always: only what goroutines of
// one engine do at the very same moment is up to the scheduler.
package sim
