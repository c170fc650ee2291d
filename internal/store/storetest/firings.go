package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// firings: one for each schedule, and never one of an earlier time than before.
func firings(t *testing.T, s store.Store) {
	ctx := t.Context()
	of := func(schedule string, hours int, outcome port.FiringOutcome, run string) port.Firing {
		return port.Firing{Schedule: schedule, At: fixture.Began.Add(time.Duration(hours) * time.Hour),
			Outcome: outcome, Run: run}
	}
	want := func(want ...port.Firing) {
		t.Helper()
		got, err := s.Firings(ctx)
		fixture.Must(t, err)
		fixture.WantEqual(t, "firings", got, want)
	}
	want()
	nightly, weekly := of("nightly", 2, port.FiringStarted, "run_1"), of("Weekly", 1, port.FiringMissed, "")
	weekly.Cause = "no server was running"
	fixture.Must(t, s.PutFiring(ctx, nightly))
	fixture.Must(t, s.PutFiring(ctx, weekly))
	want(weekly, nightly)
	fixture.Must(t, s.PutFiring(ctx, of("nightly", 1, port.FiringSkipped, ""))) // by a process that lags behind
	want(weekly, nightly)
	again := of("nightly", 2, port.FiringStarted, "run_2")
	fixture.Must(t, s.PutFiring(ctx, again))
	want(weekly, again)
	later := of("nightly", 3, port.FiringSkipped, "")
	fixture.Must(t, s.PutFiring(ctx, later))
	want(weekly, later)

	for name, bad := range map[string]port.Firing{
		"no schedule": of("", 4, port.FiringStarted, "run_3"),
		"NUL":         of("a\x00b", 4, port.FiringStarted, "run_3"),
		"no time":     {Schedule: "nightly", Outcome: port.FiringMissed},
		"no outcome":  of("nightly", 4, "", ""),
		"outcome":     of("nightly", 4, "postponed", ""),
		"long cause":  {Schedule: "nightly", At: later.At, Outcome: port.FiringFailed, Cause: strings.Repeat("x", 1<<20)},
	} {
		t.Run(name, func(t *testing.T) { fixture.WantCode(t, s.PutFiring(ctx, bad), fault.Invalid) })
	}
	want(weekly, later)
}
