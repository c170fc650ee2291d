// Package heap makes a busy process collect garbage less often.
//
//	heap.Tune() // once, when the process starts to serve
//
// Runs leave little in memory, so the heap of a server is a few megabytes, and by default Go collects it whenever it
// has doubled: 50 times a second under load, for a tenth of the processor time. While collections follow each other
// quickly, the heap may grow by Spare instead. A process at rest, and one with a large heap, is collected as usual.
//
// A start leaves more garbage than a process at rest makes in hours, so what it used is returned once, soon after it.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// Spare is how much a small heap may grow between two collections.
const Spare = 16 << 20

const (
	usual   = 100             // percent, Go's default
	most    = 1600            // percent
	resting = 2 * time.Second // without a collection, after which the process is no longer busy
	settled = 16              // collections after which it is: a start takes fewer
	started = 8 * time.Second // after Tune, when a start is over
	enough  = 20              // percent by which the setting must be wrong to be changed, which stops the world
)

// Tune starts to adapt the garbage collector to the load. It respects the environment variable GOGC: then it does
// nothing.
func Tune() { tune() }

func tune() *tuner {
	t := &tuner{pace: pace{percent: usual}, live: []metrics.Sample{{Name: "/gc/heap/live:bytes"}}}
	if os.Getenv("GOGC") == "" {
		t.watch()
		time.AfterFunc(started, t.giveBack)
	}
	return t
}

// tuner runs after each collection.
type tuner struct {
	pace
	live []metrics.Sample
	busy atomic.Bool // collections follow each other quickly
	over atomic.Bool // tests end it
}

// giveBack returns free memory to the system. A busy process would only ask for it again.
func (t *tuner) giveBack() {
	if !t.busy.Load() && !t.over.Load() {
		debug.FreeOSMemory()
	}
}

// watch has the next collection call collected.
func (t *tuner) watch() {
	marker := &struct{ self *tuner }{t} // nothing else refers to it
	runtime.AddCleanup(marker, (*tuner).collected, t)
}

func (t *tuner) collected() {
	if t.over.Load() {
		return
	}
	metrics.Read(t.live)
	if percent := t.percent; t.after(time.Now(), t.live[0].Value.Uint64()) != percent {
		debug.SetGCPercent(t.percent)
	}
	t.busy.Store(t.quick >= settled)
	t.watch()
}

// pace decides how much the heap may grow.
type pace struct {
	last    time.Time
	quick   int // collections that followed each other quickly
	percent int
}

// after is called with the time of a collection and the bytes that remained. It returns the percentage by which the
// heap may grow until the next.
func (p *pace) after(now time.Time, live uint64) int {
	rested := now.Sub(p.last) > resting
	p.last = now
	if rested {
		p.quick, p.percent = 0, usual
		return usual
	}
	if p.quick++; p.quick < settled {
		return p.percent
	}
	wanted := int(min(max(100*Spare/max(live, 1), usual), most))
	if off := wanted - p.percent; max(off, -off)*100 > enough*p.percent {
		p.percent = wanted
	}
	return p.percent
}
