package view

import (
	"testing"
	"time"
)

// TestTimesOfSteps: work and waits are told apart, also where people were asked before the step started.
func TestTimesOfSteps(t *testing.T) {
	start := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	ended := at(50)
	for _, c := range []struct {
		name           string
		waits          []interval
		end            *time.Time
		waited, worked int64 // in seconds; -1: not told
	}{
		{"asked nothing", nil, &ended, -1, 10},
		{"before it started", []interval{{at(2), at(40)}}, &ended, 38, 10},
		{"while it worked", []interval{{at(42), at(45)}}, &ended, 3, 7},
		{"after it ended", []interval{{at(50), at(55)}}, &ended, 5, 10},
		{"around its start, and again", []interval{{at(30), at(41)}, {at(44), at(46)}}, &ended, 13, 7},
		{"still waiting", []interval{{at(45), at(60)}}, nil, 15, 5},
	} {
		begun := at(40)
		v := Step{StartedAt: &begun, EndedAt: c.end}
		v.tellTimes(c.waits, at(60))
		seconds := func(ms *int64) int64 {
			if ms == nil {
				return -1
			}
			return *ms / 1000
		}
		if waited, worked := seconds(v.WaitedMS), seconds(v.WorkedMS); waited != c.waited || worked != c.worked {
			t.Errorf("%s: waited %d s, worked %d s; want %d and %d", c.name, waited, worked, c.waited, c.worked)
		}
	}
	v := Step{}
	v.tellTimes([]interval{{at(2), at(40)}}, at(60))
	if v.WorkedMS != nil || *v.WaitedMS != 38_000 {
		t.Errorf("not started: %v %v", v.WorkedMS, *v.WaitedMS)
	}
}
