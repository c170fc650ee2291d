// Package sim tries to break the core, one seed at a time.
//
// A seed determines everything: the workflows, the policy, who decides what and when, which host crashes
// between which two writes, whose clock is an hour off. There are no goroutines and no real clock in a
// simulation, so the same seed always gives the same bytes:
//
//	r := sim.Run(sim.Options{Seed: 42})
//	if r.Violation != nil {
//		fmt.Println(sim.Shrink(r)) // the smallest script that still shows it
//	}
//
// The core (internal/core) is the real one. Everything around it is simulated: an in-memory store that fails
// as stores do (a refused append, a commit whose answer is lost, a stale read), two hosts that may both
// believe they lead, agents, models and tools that answer late, twice, wrongly or never, and people who
// decide at random, too late, twice, or exactly at a deadline.
//
// After some time the faults stop, people decide everything, and every run has to end. Then package audit,
// which shares no code with the core, reads the logs and reports violations.
//
// # The real engine
//
// RunEngine plays the same worlds on internal/engine/local: two processes, each a whole engine with its
// goroutines, on one store. It runs in a testing/synctest bubble, in which the clock stands still while any
// goroutine works and jumps to the next timer when all wait, so that days pass in milliseconds.
//
// Each engine reaches the store, which is in memory and rejects what real ones reject, through a network
// (faulty): reads are slow, stale or fail; writes are refused, or stored without an answer; a process crashes
// before or after any write, and nothing it does after that has an effect. A process that lost leadership is
// notified, or keeps believing that it leads for up to 20 minutes.
//
// The auditor is the same. Because it reads logs, the simulation itself checks what logs do not show: that
// nothing starts without a confirmation of leadership by the store, that a replaced process makes no write
// that requires leadership, that finished work is not requested again, that work that is no longer owed is
// stopped, and that nothing is visible that was not stored.
//
// Events happen at distinct times, to the nanosecond, and random choices are made by name, so a seed mostly leads
// to the same events: only the order of an engine's goroutines at the very same time is up to the scheduler. Of 300
// seeds, 225 left the same logs twice. A seed that failed once and passes when it is replayed is played until it
// fails with -times:
//
//	go test ./sim -run 'TestEngineSeed$' -seed=12018 -times=50
package sim
