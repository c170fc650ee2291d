package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Shrink makes a failing simulation as small as possible and returns a script that a person can read and
// replay.
func Shrink(r Result) string {
	small := r
	try := func(o Options) bool {
		got := Run(o)
		if got.Violation == nil || got.Violation.Invariant != r.Violation.Invariant {
			return false
		}
		small = got
		return true
	}
	shrinkOnce(&small, try)
	shrinkOnce(&small, try)
	o := small.Options
	o.Trace = true
	if again := Run(o); again.Violation != nil {
		small = again
	}
	return Script(small)
}

// shrinkOnce disables one thing after the other and keeps what still fails.
func shrinkOnce(small *Result, try func(Options) bool) {
	for _, f := range slices.Backward(Faults) {
		o := small.Options
		if !o.off(f) {
			o.Off = append(slices.Clip(o.Off), f)
			try(o)
		}
	}
	for _, field := range []func(*Options) *int{
		func(o *Options) *int { return &o.Runs },
		func(o *Options) *int { return &o.Steps },
		func(o *Options) *int { return &o.Gates },
	} {
		for n := 1; n < 6; n++ {
			if o := small.Options; *field(&o) == 0 || *field(&o) > n {
				*field(&o) = n
				if try(o) {
					break
				}
			}
		}
	}
	if o := small.Options; o.People == 0 {
		o.People = -1
		try(o)
	}
	for step := max(small.Options.Ops/2, 1); step > 0; step /= 2 {
		for {
			o := small.Options
			if o.Ops -= step; o.Ops < 1 || !try(o) {
				break
			}
		}
	}
}

// Script describes the failure, with the definition, every operation in words and the command that reproduces
// it.
func Script(r Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d breaks: %s\n\n", r.Options.Seed, r.Violation)
	for _, name := range slices.Sorted(maps.Keys(r.Case.Definitions)) {
		fmt.Fprintf(&b, "workflow %s:\n%s\n", name, r.Case.Definitions[name])
	}
	for n, p := range r.Case.Policies[max(0, len(r.Case.Policies)-3):] {
		fmt.Fprintf(&b, "policy, edition %d of the last three (emergency stop: %v):\n%s\n", n, p.Stopped, p.Document)
	}
	b.WriteString("\n")
	trace := upTo(r.Trace, r.Violation.Run, r.Violation.Seq)
	const most = 100
	if len(trace) > most {
		fmt.Fprintf(&b, "… %d lines left out; -whole shows them\n", len(trace)-most)
		trace = trace[len(trace)-most:]
	}
	b.WriteString(strings.Join(trace, "\n"))
	test := "TestSeed"
	if r.Engine {
		test = "TestEngineSeed"
	}
	fmt.Fprintf(&b, "\n\nreplay: go test ./sim -run '%s$' %s\n", test, r.Options.Flags())
	return b.String()
}

// upTo leaves out everything after the violating event.
func upTo(trace []string, run string, seq int64) []string {
	mark := fmt.Sprintf("  %s %d ", run, seq)
	for n, line := range trace {
		if strings.Contains(line, mark) {
			return trace[:min(n+6, len(trace))]
		}
	}
	return trace
}
