package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/agent/gofunc"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/port"
)

// The amount is the drafter's, the note the writer's, and to is the requester's.
const taughtFlow = `
workflow: mapped
steps:
  - { id: draft, agent: drafter, with: { case: input.case } }
  - { id: write, agent: writer, with: { case: input.case } }
  - { id: pay, agent: payer, operation: refund, needs: [draft, write], with: { amount: draft.amount, note: write.note, to: input.to } }
gates: [{ id: sign, at: before pay, acts: [approve, modify, reject] }]
---
workflow: unmapped
steps:
  - { id: draft, agent: drafter }
  - { id: write, agent: writer, needs: [draft] }
  - { id: pay, agent: payer, operation: refund, needs: [write] }
gates: [{ id: sign, at: before pay, acts: [approve, modify, reject] }]
---
workflow: signed
steps:
  - { id: draft, agent: drafter }
  - { id: write, agent: writer, needs: [draft] }
  - { id: pay, agent: payer, operation: refund, needs: [write] }
output: { amount: draft.amount, note: write.note, to: input.to, paid: pay.paid }
gates: [{ id: sign, at: end, acts: [approve, modify, reject] }]
---
workflow: each
steps:
  - { id: draft, agent: drafter }
  - { id: write, agent: writer, needs: [draft] }
  - { id: pay, agent: payer, operation: refund, needs: [write], each: input.list, with: { amount: draft.amount, note: write.note, to: item } }
gates: [{ id: sign, at: before pay, acts: [approve, modify, reject] }]
---
agent: drafter
kind: go
---
agent: writer
kind: go
---
agent: payer
kind: go
`

// school notes the lessons that agents get.
type school struct {
	*home
	mu  sync.Mutex
	got map[string]string // run and agent → lessons
}

func openSchool(t *testing.T) *school {
	s := &school{got: map[string]string{}}
	does := func(agent, output string) port.Agent {
		return gofunc.New(func(_ context.Context, w port.Work) (run.Result, error) {
			text := ""
			for _, l := range w.Lessons {
				text += fmt.Sprintf("%s %s→%s %s;", l.Operation, l.Proposed, l.Changed, l.Comment)
			}
			s.mu.Lock()
			s.got[w.Run+agent] = text
			s.mu.Unlock()
			return run.Result{Output: json.RawMessage(output)}, nil
		})
	}
	s.home = openOn(t, assembly.Config{Data: t.TempDir(), Local: true, Functions: map[string]port.Agent{
		"drafter": does("drafter", `{"amount":100}`), "writer": does("writer", `{"note":"hello"}`),
		"payer": does("payer", `{"paid":true}`),
	}}, taughtFlow)
	return s
}

const taughtInput = `{"case":"c1","to":"ann","list":["ann"]}`

// lesson lets a person answer a question in one run, and tells what each agent
// was taught in the next.
func (s *school) lesson(workflow string, d app.Decision) map[string]string {
	s.Helper()
	d.Version = 1
	if _, err := s.Decide(s.Context(), bob, s.asked(s.begin(ann, workflow, taughtInput).ID).ID, d, "", nil); err != nil {
		s.Fatal(err)
	}
	next := s.begin(ann, workflow, taughtInput).ID
	if _, err := s.Decide(s.Context(), bob, s.asked(next).ID,
		app.Decision{Act: gate.Approve, Version: 1}, "", nil); err != nil {
		s.Fatal(err)
	}
	s.waits(next, run.Completed)
	out := map[string]string{}
	for _, agent := range []string{"drafter", "writer", "payer"} {
		s.mu.Lock()
		out[agent] = s.got[next+agent]
		s.mu.Unlock()
	}
	return out
}

// What people change teaches the agent that carries it out, and the one whose
// result the changed field was: that one sees its own fields. No other agent learns.
func TestLessonsReachWhoeverProposed(t *testing.T) {
	modify := func(changes string) app.Decision {
		return app.Decision{Act: gate.Modify, Changes: json.RawMessage(changes), Comment: "so"}
	}
	for name, c := range map[string]struct {
		workflow               string
		decision               app.Decision
		drafter, writer, payer string
	}{
		"an agent's field": {"mapped", modify(`{"amount":80}`),
			`refund {"amount":100}→{"amount":80} so;`, "",
			`refund {"amount":100,"note":"hello","to":"ann"}→{"amount":80,"note":"hello","to":"ann"} so;`},
		"the requester's field": {"mapped", modify(`{"to":"eve"}`), "", "",
			`refund {"amount":100,"note":"hello","to":"ann"}→{"amount":100,"note":"hello","to":"eve"} so;`},
		"all of it refused": {"mapped", app.Decision{Act: gate.Reject, Comment: "no"},
			`refund {"amount":100}→ no;`, `refund {"note":"hello"}→ no;`,
			`refund {"amount":100,"note":"hello","to":"ann"}→ no;`},
		"a field of the context": {"unmapped", modify(`{"note":"bye"}`), "", `refund {"note":"hello"}→{"note":"bye"} so;`,
			`refund {"case":"c1","to":"ann","list":["ann"],"amount":100,"note":"hello"}→{"case":"c1","to":"ann","list":["ann"],"amount":100,"note":"bye"} so;`},
		"an output": {"signed", modify(`{"note":"bye"}`), "", ` {"note":"hello"}→{"note":"bye"} so;`, ""},
		"inputs of a map": {"each", app.Decision{Act: gate.Modify,
			Changes: json.RawMessage(`[{"amount":80,"note":"hello","to":"ann"}]`), Comment: "so"},
			`refund [{"amount":100}]→[{"amount":80}] so;`, "",
			`refund [{"amount":100,"note":"hello","to":"ann"}]→[{"amount":80,"note":"hello","to":"ann"}] so;`},
	} {
		t.Run(name, func(t *testing.T) {
			s := openSchool(t)
			got := s.lesson(c.workflow, c.decision)
			for agent, want := range map[string]string{"drafter": c.drafter, "writer": c.writer, "payer": c.payer} {
				if got[agent] != want {
					t.Errorf("%s was taught\n%s\nnot\n%s", agent, got[agent], want)
				}
				list, err := s.Lessons(t.Context(), ann, insight.LessonQuery{Agent: agent})
				if err != nil || (len(list.Items) > 0) != (want != "") {
					t.Errorf("the lessons of %s: %+v, %v", agent, list.Items, err)
				}
			}
		})
	}
}
