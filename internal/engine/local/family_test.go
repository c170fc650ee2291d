package local_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
)

const parentOf = `{"workflow":"parent","steps":[{"id":"s","workflow":"child"}]}`

// family starts an engine with one sub-workflow, whose version can change.
func family(t *testing.T, store store.Store, sweep time.Duration, child string,
	agent enginetest.AgentFunc) (*local.Engine, *atomic.Int64) {
	t.Helper()
	var version, known atomic.Int64 // the one in force, and the one known to be
	version.Store(1)
	known.Store(1)
	defs := map[int64]*plan.Definition{}
	for v := range int64(3) {
		defs[v] = enginetest.Define(t, child)
		defs[v].Version = int(v)
	}
	e := local.New(local.Config{
		Store: store, Sweep: sweep,
		Agent: func(string) (port.Agent, bool) { return agent, true },
		Workflow: func(_ context.Context, name string) (*plan.Definition, error) {
			if name != "child" {
				return nil, fmt.Errorf("there is no workflow %s", name)
			}
			known.Store(version.Load())
			return defs[known.Load()], nil
		},
		InForce: func(kind, _ string) []gate.Implementation {
			if kind != "workflow" {
				return nil
			}
			return port.WorkflowImplementation(defs[known.Load()])
		},
	})
	e.Start()
	stopAfter(t, e)
	return e, &version
}

func childOf(t *testing.T, store store.Store, id string) port.RunRow {
	t.Helper()
	var rows []port.RunRow
	waitFor(t, 2*time.Minute, func() bool {
		page, err := store.Runs(t.Context(), port.RunQuery{Parent: id, Limit: 10})
		rows = page.Items
		return err == nil && len(rows) > 0
	})
	if len(rows) != 1 {
		t.Fatalf("%d sub-runs", len(rows))
	}
	return rows[0]
}

// A sub-run gets its input and context from its parent.
func TestWhatASubRunIsTold(t *testing.T) {
	store := open(t)
	e, _ := family(t, store, time.Hour, `{"workflow":"child","steps":[{"id":"b","agent":"x"}]}`, enginetest.Echo)
	id := engine.NewRunID(time.Now())
	start := run.Start{Input: json.RawMessage(`{"n":7}`), Owner: "ann",
		Labels: map[string]string{"team": "blue"}, TestMode: true}
	if _, err := e.Begin(t.Context(), id, enginetest.Define(t,
		`{"workflow":"parent","steps":[{"id":"s","workflow":"child","with":{"m":"input.n"}}]}`),
		run.Command{By: ann, Do: start}, nil); err != nil {
		t.Fatal(err)
	}
	endsAs(t, store, id, run.Completed)
	if err := e.View(t.Context(), childOf(t, store, id).ID, func(s *machine.State) error {
		if f := s.Started; string(f.Input) != `{"m":7}` || f.Owner != "ann" || f.Labels["team"] != "blue" || !f.TestMode ||
			f.Depth != 1 || s.Family() != id ||
			f.Parent == nil || f.Parent.Run != id {
			t.Errorf("%+v", f)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// A step whose sub-workflow does not exist fails with the reason.
func TestThereIsNoSuchSubWorkflow(t *testing.T) {
	store := open(t)
	e, _ := family(t, store, time.Hour, oneStep, enginetest.Echo)
	id := begin(t, e, `{"workflow":"parent","steps":[{"id":"s","workflow":"nowhere"}]}`)
	endsAs(t, store, id, run.Failed)
	if row, err := store.Run(t.Context(), id); err != nil ||
		!strings.Contains(row.Error, "start workflow nowhere: there is no workflow nowhere") {
		t.Errorf("%q, %v", row.Error, err)
	}
}

// A sub-run that began although the store returned an error is not started twice, and the step has not
// failed.
func TestSubRunThatBeganUnheard(t *testing.T) {
	store := open(t)
	var lost atomic.Int64
	store.append = func(w port.Write, store func() (int64, error)) (int64, error) {
		feed, err := store()
		if w.After == 0 && w.Row.Parent != "" && lost.Add(1) == 1 {
			return 0, fmt.Errorf("%w: the connection broke", port.ErrUnavailable)
		}
		return feed, err
	}
	e, _ := family(t, store, 100*time.Millisecond,
		`{"workflow":"child","steps":[{"id":"b","agent":"x"}]}`, enginetest.Echo)
	id := begin(t, e, parentOf)
	endsAs(t, store, id, run.Completed)
	endsAs(t, store, childOf(t, store, id).ID, run.Completed)
	// Either it was retried, or the sweep found the sub-run first.
	if lost.Load() == 0 {
		t.Error("nothing was lost")
	}
}

// The end of a sub-run is reported again if its parent could not be reached: at a sweep, and when it is no
// longer needed.
func TestParentIsToldLater(t *testing.T) {
	for name, c := range map[string]struct {
		sweep time.Duration
		abort bool
		want  run.Status
	}{
		"it is looked at again": {200 * time.Millisecond, false, run.Completed},
		"it is aborted":         {time.Hour, true, run.Cancelled},
	} {
		t.Run(name, func(t *testing.T) {
			store := open(t)
			var refused atomic.Int64
			e, _ := family(t, store, c.sweep, `{"workflow":"child","steps":[{"id":"b","agent":"x"}]}`, enginetest.Echo)
			store.do(func() {
				store.append = func(w port.Write, store func() (int64, error)) (int64, error) {
					byPerson := slices.ContainsFunc(w.Events, func(e run.Event) bool { return e.Actor.Kind == run.Person })
					if w.After > 0 && w.Row.Parent == "" && !byPerson {
						refused.Add(1)
						return 0, errTrouble
					}
					return store()
				}
			})
			id := begin(t, e, parentOf)
			endsAs(t, store, childOf(t, store, id).ID, run.Completed)
			waitFor(t, 2*time.Minute, func() bool { return refused.Load() > 0 })
			if c.abort { // before the parent can be reached
				if _, err := e.Do(t.Context(), id, run.Command{ID: "c", By: ann, Do: run.Abort{}}, nil); err != nil {
					t.Fatal(err)
				}
			}
			store.do(func() { store.append = nil })
			endsAs(t, store, id, c.want)
			waitFor(t, 2*time.Minute, func() bool {
				row, err := store.Run(t.Context(), id)
				return err == nil && !row.Busy
			})
		})
	}
}

// A sub-workflow that changed after approval is not started: the approvers are asked again, about the one in
// force.
func TestSubWorkflowThatChanged(t *testing.T) {
	store := open(t)
	e, version := family(t, store, time.Hour, `{"workflow":"child","steps":[{"id":"b","agent":"x"}]}`, enginetest.Echo)
	const asked = `{"workflow":"parent","steps":[{"id":"s","workflow":"child"}],"gates":[{"id":"g","at":"before s"}]}`
	same := begin(t, e, asked)
	approve(t, e, store, same, "approve")
	endsAs(t, store, same, run.Completed)

	changed := begin(t, e, asked)
	version.Store(2) // after version 1 was put up for approval
	approve(t, e, store, changed, "approve")
	approve(t, e, store, changed, "approve again")
	endsAs(t, store, changed, run.Completed)
	if row := childOf(t, store, changed); row.Version != 2 {
		t.Errorf("version %d was begun", row.Version)
	}
}

// approve decides the only pending approval of a run.
func approve(t *testing.T, e port.Engine, store store.Store, id, command string) {
	t.Helper()
	var a port.ApprovalRow
	waitFor(t, 2*time.Minute, func() bool {
		page, err := store.Approvals(t.Context(), port.ApprovalQuery{Run: id, Status: []string{"pending"}, Limit: 2})
		if err != nil || len(page.Items) != 1 {
			return false
		}
		a = page.Items[0]
		return true
	})
	_, err := e.Do(t.Context(), id, run.Command{ID: command, By: run.Actor{Kind: run.Person, Name: "bob"}, Do: run.Decide{
		Approval: a.ID, Answer: gate.Answer{By: gate.Person{Name: "bob"}, Act: gate.Approve, Version: a.Version},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
}

// judge approves everything by a rule.
type judge struct{ uses int }

func (j judge) Judge(time.Time, policy.Subject) policy.Verdict {
	return policy.Verdict{Effect: policy.Approves, Rule: "r", Policy: "p", MaxUses: j.uses}
}

// A write names the definitions by which rules approved in it, and which limited rules they were.
func TestWritesSayWhichRulesApproved(t *testing.T) {
	for _, uses := range []int{0, 2} {
		store := open(t)
		var written []port.Write
		store.append = func(w port.Write, _ func() (int64, error)) (int64, error) {
			written = append(written, w)
			w.Generation, w.Uses = 0, nil // the store knows neither
			return store.Store.Append(context.Background(), w)
		}
		e := local.New(local.Config{Store: store, Judge: func() (decide.Judge, int64) { return judge{uses}, 7 }})
		begin(t, e, `{"workflow":"w","steps":[{"id":"a","agent":"x","operation":"refund"}],"gates":[{"id":"g","at":"before a"}]}`)
		if w := written[0]; len(written) != 1 || w.Generation != 7 || len(w.Uses) != min(uses, 1) ||
			uses > 0 && w.Uses[0] != (port.Use{Rule: "r", Max: 2}) {
			t.Errorf("%d uses: %d writes, generation %d, %+v", uses, len(written), w.Generation, w.Uses)
		}
		e = local.New(local.Config{Store: store, Judge: func() (decide.Judge, int64) { return nil, 7 }})
		begin(t, e, oneStep)
		if w := written[1]; w.Generation != 0 || w.Uses != nil {
			t.Errorf("nothing was approved: generation %d, %+v", w.Generation, w.Uses)
		}
	}
}

// Sums count the acts of all runs, and a write names the sums it was based on.
func TestSumsOverRuns(t *testing.T) {
	doc, err := policy.Decode([]byte(`{"rules": [{"name": "much", "priority": 1, "trigger": {"operation_type": "refund",
		"data_threshold": {"field": "amount", "sum": "24h", "operator": ">", "value": 1000}}, "action": {}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	set, problems := policy.Compile(doc, time.LoadLocation)
	if set == nil {
		t.Fatal(problems)
	}
	store := open(t)
	var written []port.Write
	store.append = func(w port.Write, next func() (int64, error)) (int64, error) {
		if w.After == 0 {
			written = append(written, w)
		}
		return next()
	}
	generation, err := store.Generation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e := local.New(local.Config{Store: store, Judge: func() (decide.Judge, int64) { return set, generation }})
	refund := func(amount int) (id string) {
		id = engine.NewRunID(time.Now())
		_, err := e.Begin(t.Context(), id, enginetest.Define(t,
			`{"workflow":"w","steps":[{"id":"a","agent":"x","operation":"refund","with":{"amount":"input.amount"}}]}`),
			run.Command{By: ann, Do: run.Start{Input: json.RawMessage(fmt.Sprintf(`{"amount":%d}`, amount))}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	for n, c := range []struct{ amount, pending int }{{600, 0}, {600, 1}, {400, 0}, {1, 1}} {
		id := refund(c.amount)
		if row, err := store.Run(t.Context(), id); err != nil || row.Pending != c.pending {
			t.Errorf("refund %d of %d: %d questions, %v", n+1, c.amount, row.Pending, err)
		}
		w := written[n]
		if begins := c.pending == 0; (len(w.Counted) == 1) != begins || (len(w.Sums) == 1) != begins ||
			(w.Family == id) != begins {
			t.Errorf("refund %d of %d: %+v, by %+v, of %q", n+1, c.amount, w.Counted, w.Sums, w.Family)
		}
	}
}
