package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/agent/gofunc"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/core/fault"
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
				list, err := s.Hindsight.Lessons(t.Context(), ann, insight.LessonQuery{Agent: agent})
				if err != nil || (len(list.Items) > 0) != (want != "") {
					t.Errorf("the lessons of %s: %+v, %v", agent, list.Items, err)
				}
			}
		})
	}
}

// Agents are told what the correction says, or nothing; the decision stays.
func TestCorrectedLessons(t *testing.T) {
	s := openSchool(t)
	s.lesson("mapped", app.Decision{Act: gate.Modify, Changes: json.RawMessage(`{"amount":80}`), Comment: "so"})
	list := func(q insight.LessonQuery) []insight.Lesson {
		t.Helper()
		l, err := s.Hindsight.Lessons(t.Context(), ann, q)
		if err != nil {
			t.Fatal(err)
		}
		return l.Items
	}
	id := list(insight.LessonQuery{})[0].ID
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	correct := func(who app.Who, c insight.Correction) error {
		_, err := s.Hindsight.CorrectLesson(t.Context(), who, id, c, nil)
		return err
	}
	again := func() string {
		t.Helper()
		next := s.begin(ann, "mapped", taughtInput).ID
		s.asked(next)
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.got[next+"drafter"]
	}
	must(t, correct(admin, insight.Correction{Text: "never over 80"}))
	if got := again(); !strings.Contains(got, "never over 80") || strings.Contains(got, " so;") {
		t.Errorf("taught %q", got)
	}
	if l := list(insight.LessonQuery{}); len(l) != 1 || l[0].Comment != "so" || l[0].Correction.Text != "never over 80" {
		t.Errorf("%+v", l)
	}
	must(t, correct(admin, insight.Correction{Removed: true, Reason: "the limit is gone"}))
	if got := again(); got != "" {
		t.Errorf("taught %q", got)
	}
	if l := list(insight.LessonQuery{}); len(l) != 0 {
		t.Errorf("%+v", l)
	}
	if l := list(insight.LessonQuery{Removed: true}); len(l) != 1 || l[0].Correction.Reason != "the limit is gone" {
		t.Errorf("%+v", l)
	}
	var out bytes.Buffer
	if err := s.Hindsight.ExportLessons(t.Context(), ann, insight.LessonQuery{}, &out); err != nil || out.Len() != 0 {
		t.Errorf("%s %v", &out, err)
	}
	must(t, correct(admin, insight.Correction{Text: strings.Repeat("ü", gate.CommentMax)}))
	must(t, correct(admin, insight.Correction{})) // restored
	if got := again(); !strings.Contains(got, " so;") {
		t.Errorf("taught %q", got)
	}
	for name, c := range map[string]struct {
		who  app.Who
		c    insight.Correction
		code fault.Code
	}{
		"an approver":           {ann, insight.Correction{Text: "x"}, fault.Forbidden},
		"removed without words": {admin, insight.Correction{Removed: true}, fault.Invalid},
		"too long":              {admin, insight.Correction{Text: strings.Repeat("x", gate.CommentMax+1)}, fault.Invalid},
	} {
		if err := correct(c.who, c.c); !fault.Is(err, c.code) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := s.Hindsight.CorrectLesson(t.Context(), admin, "apr_none", insight.Correction{}, nil)
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown one: %v", err)
	}
}
