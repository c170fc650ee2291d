package run_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

var t0 = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

func compile(t testing.TB, wf string, agents ...plan.Agent) *plan.Plan {
	t.Helper()
	def := &plan.Definition{Version: 1, Agents: map[string]plan.Agent{}}
	if err := plan.Decode(json.RawMessage(wf), &def.Workflow); err != nil {
		t.Fatal(err)
	}
	for _, a := range agents {
		def.Agents[a.Name] = a
	}
	p, ps := plan.Compile(def)
	if p == nil {
		t.Fatal(ps)
	}
	return p
}

type host struct {
	t   testing.TB
	s   *run.State
	now time.Time
	log []run.Event
}

func (h *host) do(c run.Command) error {
	evs, err := h.s.Handle(run.Env{Now: h.now}, c)
	for _, e := range evs {
		b, jerr := json.Marshal(e)
		if jerr != nil {
			h.t.Fatal(jerr)
		}
		h.t.Log(string(b))
		h.s.Apply(e)
		h.log = append(h.log, e)
	}
	if err != nil {
		h.t.Log("error:", err)
	}
	return err
}

func TestSmoke(t *testing.T) {
	p := compile(t, `{"workflow":"refund","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"},{"id":"c","agent":"x","needs":["a"]}],
	 "gates":[{"id":"g","at":"after b","title":"Check","quorum":2},{"id":"e","at":"end","kind":"approval"}]}`, plan.Agent{Name: "x", Kind: plan.AgentScripted})
	h := &host{t: t, s: run.New("run_1", p), now: t0}
	h.do(run.Command{ID: "1", By: run.Actor{Kind: run.Person, Name: "ann"}, Do: run.Start{Input: json.RawMessage(`{"amount":12}`), Owner: "ann"}})
	for n := 0; n < 3; n++ {
		for _, e := range h.s.Effects() {
			t.Log("owed", e.Key, fmt.Sprintf("%+v", e.Do))
			if i, ok := e.Do.(run.Invoke); ok {
				h.do(run.Command{Do: run.Complete{Key: e.Key, Result: run.Result{Output: json.RawMessage(fmt.Sprintf(`{"from_%s":%s}`, i.Step, h.s.InputFor(i.Step, i.Index)))}}})
			}
		}
	}
	for _, who := range []string{"ann", "bob", "bob", "cid"} {
		for _, a := range h.s.Pending() {
			h.do(run.Command{ID: who + a.ID, By: run.Actor{Kind: run.Person, Name: who}, Do: run.Decide{Approval: a.ID, Answer: gate.Answer{By: gate.Person{Name: who}, Act: gate.Approve, Version: a.Version}}})
		}
	}
	for _, a := range h.s.Pending() {
		h.do(run.Command{ID: "x" + a.ID, By: run.Actor{Kind: run.Person, Name: "ann"}, Do: run.Decide{Approval: a.ID, Answer: gate.Answer{By: gate.Person{Name: "ann"}, Act: gate.Approve, Version: a.Version}}})
	}
	if h.s.Status != run.Completed {
		t.Error(h.s.Status)
	}
}
