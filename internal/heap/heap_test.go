package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

const mb = 1 << 20

func TestBusyProcessIsCollectedLessOften(t *testing.T) {
	p, now := pace{percent: usual}, time.Unix(1000, 0)
	next := func(in time.Duration, live uint64) int {
		now = now.Add(in)
		return p.after(now, live)
	}
	next(time.Hour, 3*mb)
	for i := 1; i < settled; i++ {
		if got := next(20*time.Millisecond, 3*mb); got != usual {
			t.Fatalf("collection %d: %d %%, like the few of a start", i, got)
		}
	}
	for _, c := range []struct {
		in   time.Duration
		live uint64
		want int
		why  string
	}{
		{20 * time.Millisecond, 4 * mb, 400, "busy"},
		{time.Second, 7 * mb / 2, 400, "almost the same heap"},
		{time.Second, 8 * mb, 200, "a larger heap"},
		{time.Second, 0, most, "an empty heap"},
		{time.Second, 500 * mb, usual, "a large heap grows as usual"},
		{time.Second, 4 * mb, 400, "still busy"},
		{resting + 1, 4 * mb, usual, "at rest"},
		{20 * time.Millisecond, 4 * mb, usual, "not busy yet"},
	} {
		if got := next(c.in, c.live); got != c.want {
			t.Errorf("%s: %d %%, want %d", c.why, got, c.want)
		}
	}
}

// TestTune: collections change the setting of the process.
func TestTune(t *testing.T) {
	t.Setenv("GOGC", "")
	before := debug.SetGCPercent(usual)
	tuner := tune()
	defer func() {
		tuner.over.Store(true)
		debug.SetGCPercent(before)
	}()
	percent := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		runtime.GC()
		if metrics.Read(percent); percent[0].Value.Uint64() > usual {
			return
		}
	}
	t.Error("a busy process is collected as if it rested")
}

func TestGOGCIsRespected(t *testing.T) {
	t.Setenv("GOGC", "75")
	before := debug.SetGCPercent(75)
	defer debug.SetGCPercent(before)
	tune()
	for range 3 * settled {
		runtime.GC()
	}
	if now := debug.SetGCPercent(75); now != 75 {
		t.Errorf("%d %%", now)
	}
}

// TestMemoryIsGivenBack: what a start used goes back to the system, unless the process is busy.
func TestMemoryIsGivenBack(t *testing.T) {
	m := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/gc/cycles/forced:gc-cycles"}}
	read := func() (free, forced uint64) {
		metrics.Read(m)
		return m[0].Value.Uint64(), m[1].Value.Uint64()
	}
	garbage := make([][]byte, 64)
	for i := range garbage {
		garbage[i] = make([]byte, mb)
	}
	runtime.KeepAlive(garbage)
	_, before := read()
	var tuner tuner
	tuner.busy.Store(true)
	tuner.giveBack()
	if _, now := read(); now != before {
		t.Error("a busy process was interrupted")
	}
	tuner.busy.Store(false)
	tuner.giveBack()
	if free, now := read(); now != before+1 || free > 4*mb {
		t.Errorf("a process at rest keeps %d bytes after %d collections", free, now-before)
	}
}
