package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/store"
)

// BenchmarkBacktest tries a policy on DECISIONS=100000 recorded decisions.
func BenchmarkBacktest(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("DECISIONS"))
	if err != nil {
		n = 10_000
	}
	s, err := assembly.Open(b.Context(), assembly.Config{Data: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close(b.Context())
	record(b, s.Store, n)
	doc, problems := definition.ParseDocument(definition.YAML, []byte(`policy: new
rules:
  - { name: Small, priority: 1, trigger: { operation_type: [refund], data_threshold: { field: amount, operator: "<", value: 50 } }, action: { auto_approve: true } }
  - { name: Rest, priority: 2, trigger: { operation_type: [refund], risk_level: [high] }, action: { require_approval_count: 2 } }
`))
	if doc == nil {
		b.Fatal(problems)
	}
	set, _ := policy.Compile(doc.(*definition.Policy).Document, time.LoadLocation)
	b.ResetTimer()
	for b.Loop() {
		v, err := s.App.Hindsight.Backtest(b.Context(), admin, set, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
		if err != nil || v.Subjects != n {
			b.Fatalf("%d subjects, %v", v.Subjects, err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/backtest")
}

// record stores runs with a decision about an amount.
func record(b *testing.B, store store.Store, n int) {
	def := &plan.Definition{Version: 1, Agents: map[string]plan.Agent{"payer": {Name: "payer", Kind: plan.AgentGo}}}
	if err := plan.Decode(json.RawMessage(`{"workflow":"pay","steps":[{"id":"pay","agent":"payer","operation":"refund","risk":"high","with":{"amount":"input.amount","note":"input.note"}}]}`), &def.Workflow); err != nil {
		b.Fatal(err)
	}
	p, problems := plan.Compile(def)
	if p == nil {
		b.Fatal(problems)
	}
	rule, _ := policy.Compile(policy.Document{Rules: []policy.Rule{{Name: "All", Priority: 1}}}, nil)
	var all sync.WaitGroup
	for w := range 64 {
		all.Go(func() {
			for i := w; i < n; i += 64 {
				at := time.Now().UTC()
				st := machine.New(engine.NewRunID(at), p)
				projector := engine.NewProjector(st)
				var events []run.Event
				take := func(by string, do run.Operation) {
					out, err := decide.Handle(st, decide.Env{Now: at, Judge: rule},
						run.Command{ID: fmt.Sprint(do), By: run.Actor{Kind: run.Person, Name: by}, Do: do})
					if err != nil {
						b.Error(err)
					}
					for _, e := range out {
						projector.Apply(e)
					}
					events = append(events, out...)
				}
				take("ann", run.Start{Input: json.RawMessage(fmt.Sprintf(`{"amount":%d,"note":"a customer wrote that the delivery came late"}`, i%100)), Owner: "ann"})
				answer := gate.Answer{By: gate.Person{Name: fmt.Sprint("p", w), Roles: []string{"approver"}},
					Act: gate.Approve, Version: 1}
				if i%10 == 0 {
					answer.Act, answer.Comment = gate.Reject, "no"
				}
				take(answer.By.Name, run.Decide{Approval: st.Pending()[0].ID, Answer: answer})
				write, err := projector.Write(events)
				if err == nil {
					_, err = store.Append(b.Context(), write)
				}
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// BenchmarkReload puts a policy of 1,000 rules in force, while verdicts go on.
func BenchmarkReload(b *testing.B) {
	s, err := assembly.Open(b.Context(), assembly.Config{Data: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close(b.Context())
	dir := b.TempDir()
	var rules strings.Builder
	for r := range 1000 {
		fmt.Fprintf(&rules, "  - { name: Rule %d, priority: %d, trigger: { operation_type: [op_%d], data_threshold: { "+
			"field: amount, operator: \">\", value: %d } }, action: { role: approver } }\n", r, r, r, r)
	}
	stop := make(chan struct{})
	var judging sync.WaitGroup
	judging.Go(func() {
		sub := policy.Subject{Operation: "op_999", Data: json.RawMessage(`{"amount":5000}`)}
		for {
			select {
			case <-stop:
				return
			default:
			}
			if judge, _ := s.App.Supply.Judge(); judge != nil {
				judge.Judge(time.Now(), sub)
			}
		}
	})
	defer judging.Wait()
	defer close(stop)
	for i := 0; b.Loop(); i++ {
		if err := os.WriteFile(dir+"/policy.yaml",
			fmt.Appendf(nil, "policy: p%d\nrules:\n%s", i, &rules), 0o600); err != nil {
			b.Fatal(err)
		}
		out, err := s.App.Documents.Load(b.Context(), "files", dir)
		if err != nil || len(out.Published) != 1 {
			b.Fatalf("%+v, %v", out, err)
		}
	}
}

// BenchmarkLoad puts 2,000 documents in force, and then one change of one of them.
func BenchmarkLoad(b *testing.B) {
	parse := func(seven int) *definition.Set {
		set := definition.NewSet()
		for i := range 1000 {
			n := i
			if i == 7 {
				n = seven
			}
			text := fmt.Sprintf("agent: a%d\nkind: scripted\nanswers: [{ output: { n: %d } }]\n---\n"+
				"workflow: w%d\nsteps: [{ id: s, agent: a%d }]\n", i, n, i, i)
			one, problems := definition.Parse("all.yaml", []byte(text))
			if problems = append(problems, set.Merge(one)...); len(problems) > 0 {
				b.Fatal(problems)
			}
		}
		return set
	}
	for b.Loop() {
		b.StopTimer()
		s, err := assembly.Open(b.Context(), assembly.Config{Data: b.TempDir(), Local: true})
		if err != nil {
			b.Fatal(err)
		}
		first, second := parse(7), parse(-7)
		b.StartTimer()
		for _, set := range []*definition.Set{first, second} {
			at := time.Now()
			out, err := s.App.Documents.LoadSet(b.Context(), "bench", set)
			if err != nil || len(definition.Errors(out.Problems)) > 0 {
				b.Fatal(out.Problems, err)
			}
			b.ReportMetric(float64(time.Since(at).Milliseconds()), fmt.Sprintf("ms/%d-published", len(out.Published)))
		}
		b.StopTimer()
		if err := s.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
