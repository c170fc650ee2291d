package main

import (
	"runtime"
	"time"
)

// spent is what this process spent on each of many things. Unlike their elapsed time, it hardly depends on what else
// the machine does. The server of a shared store is another process.
type spent struct {
	processor time.Duration
	allocated float64 // bytes
	pieces    float64 // in so many allocations
}

// spending begins to measure. The returned function ends that, and divides by the number of things done.
func spending() func(n int) spent {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := processorTime()
	return func(n int) spent {
		took := processorTime() - began
		runtime.ReadMemStats(&after)
		return spent{
			processor: took / time.Duration(n),
			allocated: float64(after.TotalAlloc-before.TotalAlloc) / float64(n),
			pieces:    float64(after.Mallocs-before.Mallocs) / float64(n),
		}
	}
}

// of are the figures of one thing.
func (s spent) of(what string) []measure {
	return []measure{
		single("processor time of "+what, "µs", float64(s.processor)/float64(time.Microsecond)),
		single("allocated by "+what, "kB", s.allocated/1e3),
		single("allocations of "+what, "", s.pieces),
	}
}
