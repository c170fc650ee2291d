package decide_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// chain is n steps in sequence; fan is one step, n in parallel, and one that needs them all.
func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,{"id":"s%d","agent":"x"}`, i)
	}
	return `{"workflow":"chain","timeout":"24h","steps":[` + b.String()[1:] + `]}`
}

func fan(n int) string {
	var b strings.Builder
	b.WriteString(`{"id":"first","agent":"x"}`)
	ids := make([]string, n)
	for i := range n {
		ids[i] = fmt.Sprintf("s%d", i)
		fmt.Fprintf(&b, `,{"id":"s%d","agent":"x","needs":["first"],"with":{"n":"first.n"}}`, i)
	}
	needs, _ := json.Marshal(ids)
	fmt.Fprintf(&b, `,{"id":"last","agent":"x","needs":%s,"with":{"n":"first.n"}}`, needs)
	return `{"workflow":"fan","timeout":"24h","steps":[` + b.String() + `]}`
}

var scripted = plan.Agent{Name: "x", Kind: plan.AgentScripted}

// drive executes a whole run and returns the number of commands.
func drive(b testing.TB, p *plan.Plan) (commands int) {
	s := machine.New("run_bench", p)
	env := decide.Env{Now: t0}
	take := func(c run.Command) {
		events, err := decide.Handle(s, env, c)
		if err != nil {
			b.Fatal(err)
		}
		for _, e := range events {
			s.Apply(e)
		}
		commands++
	}
	take(run.Command{Do: run.Start{Input: json.RawMessage(`{"n":1}`)}})
	output := json.RawMessage(`{"n":2,"text":"done"}`)
	for !s.Status.Ended() {
		for _, e := range s.Effects() {
			if _, ok := e.Do.(run.Invoke); ok {
				take(run.Command{Do: run.Complete{Key: e.Key, Result: run.Result{Output: output}}})
			}
		}
	}
	if s.Status != run.Completed {
		b.Fatal(s.Status)
	}
	return commands
}

// BenchmarkHandleApply measures deciding and applying one command, averaged over a whole run. The budget is
// 10 µs at 100 steps.
func BenchmarkHandleApply(b *testing.B) {
	for _, shape := range []struct {
		name string
		make func(int) string
		n    int
	}{
		{"chain", chain, 10},
		{"chain", chain, 100},
		{"chain", chain, 1000},
		{"fan", fan, 10},
		{"fan", fan, 100},
		{"fan", fan, 1000},
		{"fan", fan, 9998},
	} {
		b.Run(fmt.Sprintf("%s/steps=%d", shape.name, shape.n), func(b *testing.B) {
			p := compile(b, shape.make(shape.n), scripted)
			commands := 0
			b.ReportAllocs()
			for b.Loop() {
				commands += drive(b, p)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(commands), "ns/command")
		})
	}
}

// BenchmarkReady measures the one command that makes n steps ready at once.
func BenchmarkReady(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000, 9998} {
		b.Run(fmt.Sprintf("steps=%d", n), func(b *testing.B) {
			p := compile(b, fan(n), scripted)
			s := machine.New("run_bench", p)
			events, err := decide.Handle(s, decide.Env{Now: t0}, run.Command{Do: run.Start{Input: json.RawMessage(`{"n":1}`)}})
			if err != nil {
				b.Fatal(err)
			}
			for _, e := range events {
				s.Apply(e)
			}
			done := run.Command{Do: run.Complete{Key: s.Effects()[0].Key,
				Result: run.Result{Output: json.RawMessage(`{"n":2}`)}}}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decide.Handle(s, decide.Env{Now: t0}, done); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/ready-step")
		})
	}
}

// BenchmarkDecide measures a decision that starts the next step.
func BenchmarkDecide(b *testing.B) {
	s, approve := waitingRun(b)
	b.ReportAllocs()
	for b.Loop() {
		if events, err := decide.Handle(s, decide.Env{Now: t0}, approve); err != nil || len(events) < 3 {
			b.Fatal(err)
		}
	}
}

// BenchmarkFold measures folding a log into a state.
func BenchmarkFold(b *testing.B) {
	p := compile(b, chain(100), scripted)
	s := machine.New("run_bench", p)
	var log []run.Event
	take := func(c run.Command) {
		events, err := decide.Handle(s, decide.Env{Now: t0}, c)
		if err != nil {
			b.Fatal(err)
		}
		for _, e := range events {
			s.Apply(e)
		}
		log = append(log, events...)
	}
	take(run.Command{Do: run.Start{Input: json.RawMessage(`{"n":1}`)}})
	for !s.Status.Ended() {
		take(run.Command{Do: run.Complete{Key: s.Effects()[0].Key, Result: run.Result{Output: json.RawMessage(`{"n":2}`)}}})
	}
	b.ReportAllocs()
	for b.Loop() {
		machine.Fold("run_bench", p, log)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(log)), "ns/event")
}

// BenchmarkOpenRun reports the memory of a run that waits for people.
func BenchmarkOpenRun(b *testing.B) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	states := make([]*machine.State, 0, b.N)
	for b.Loop() {
		s, _ := waitingRun(b)
		states = append(states, s)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	snapshot, err := states[0].Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(len(states)), "bytes/open-run")
	b.ReportMetric(float64(len(snapshot)), "bytes/snapshot")
	runtime.KeepAlive(states)
}

// BenchmarkLargeOutput passes 10 MB through a step.
func BenchmarkLargeOutput(b *testing.B) {
	p := compile(b, chain(2), scripted)
	big := json.RawMessage(`{"text":"` + strings.Repeat("x", 10_000_000) + `"}`)
	b.SetBytes(int64(len(big)))
	for b.Loop() {
		s := machine.New("run_bench", p)
		events, _ := decide.Handle(s, decide.Env{Now: t0}, run.Command{Do: run.Start{}})
		for _, e := range events {
			s.Apply(e)
		}
		if _, err := decide.Handle(s, decide.Env{Now: t0},
			run.Command{Do: run.Complete{Key: s.Effects()[0].Key, Result: run.Result{Output: big}}}); err != nil {
			b.Fatal(err)
		}
	}
}

var openPlan *plan.Plan

// waitingRun is a three-step run that waits for an approval, and the command that approves it.
func waitingRun(b testing.TB) (*machine.State, run.Command) {
	if openPlan == nil {
		openPlan = compile(b, `{"workflow":"refund","steps":[{"id":"draft","agent":"x"},{"id":"check","agent":"x"},{"id":"send","agent":"x"}],
			"gates":[{"id":"review","at":"before send","title":"Send the refund","role":"approver"}]}`, scripted)
	}
	s := machine.New("run_01jh2w3y4z5a6b7c8d9e0f1g2h", openPlan)
	take := func(c run.Command) {
		events, err := decide.Handle(s, decide.Env{Now: t0}, c)
		if err != nil {
			b.Fatal(err)
		}
		for _, e := range events {
			s.Apply(e)
		}
	}
	take(run.Command{Do: run.Start{Input: json.RawMessage(`{"amount":1200,"customer":"c-17"}`), Owner: "ann"}})
	for range 2 {
		take(run.Command{Do: run.Complete{Key: s.Effects()[0].Key,
			Result: run.Result{Output: json.RawMessage(`{"text":"Dear customer"}`)}}})
	}
	return s, decideAs("bob", []string{"approver"}, s.Pending()[0], "approve")
}
