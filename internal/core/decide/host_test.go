package decide_test

import (
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// t0 is a Monday morning.
var t0 = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// failer is what *testing.T and *rapid.T have in common.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// compile compiles a workflow in JSON and the agents it names.
func compile(t failer, workflow string, agents ...plan.Agent) *plan.Plan {
	t.Helper()
	def := &plan.Definition{Version: 1, Agents: map[string]plan.Agent{}}
	if err := plan.Decode(json.RawMessage(workflow), &def.Workflow); err != nil {
		t.Fatal(err)
	}
	for _, a := range agents {
		def.Agents[a.Name] = a
	}
	p, problems := plan.Compile(def)
	if p == nil {
		t.Fatal(problems)
	}
	return p
}

// decideAs is a decision on an approval in its current version.
func decideAs(name string, roles []string, a *gate.Approval, act gate.Act) run.Command {
	return run.Command{
		ID: name + " " + string(act) + " " + a.ID, By: run.Actor{Kind: run.Person, Name: name},
		Do: run.Decide{Approval: a.ID, Answer: gate.Answer{By: gate.Person{Name: name, Roles: roles},
			Act: act, Version: a.Version}},
	}
}
