package decide_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
)

// change makes bob change the proposal of the first open approval.
func (p *player) change(changes string) {
	p.t.Helper()
	c := decideAs("bob", nil, p.s.Pending()[0], gate.Modify)
	d := c.Do.(run.Decide)
	d.Answer.Changes = json.RawMessage(changes)
	c.Do = d
	if err := p.try(c); err != nil {
		p.t.Fatal(err)
	}
}

// decides makes bob decide the first open approval.
func (p *player) decides(act gate.Act) {
	p.t.Helper()
	c := decideAs("bob", nil, p.s.Pending()[0], act)
	d := c.Do.(run.Decide)
	d.Answer.Comment = "because"
	c.Do = d
	if err := p.try(c); err != nil {
		p.t.Fatal(err)
	}
}

// proposed lists the proposals of the open approvals.
func (p *player) proposed() string {
	var all []string
	for _, a := range p.s.Pending() {
		all = append(all, string(a.Proposed))
	}
	return strings.Join(all, " ")
}

const layered = `{"workflow":"w","loops":{"human":"always"},"steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"}]}`

// A fork is a run of its own: pending approvals and planned work belong to the original.
func TestForksInheritNothingUnfinished(t *testing.T) {
	for name, c := range map[string]struct {
		workflow string
		before   func(p *player)
		holds    func(f *player) bool
	}{
		"a pause, and the time worked": {oneStep, func(p *player) {
			p.env.Now = t0.Add(time.Hour)
			p.do(run.Pause{})
			p.env.Now = t0.Add(2 * time.Hour)
		}, func(f *player) bool {
			return f.s.Pause == nil && f.s.Status == run.Running && f.s.Worked == 0 && f.s.WorkSince.Equal(f.env.Now)
		}},
		"a cancellation": {oneStep, func(p *player) { p.do(run.Cancel{}) }, func(f *player) bool {
			return f.s.Cancelling == nil && f.s.Status == run.Running && f.key("a").Run == "run_f"
		}},
		"a failure": {oneStep, func(p *player) { p.do(run.Fail{Key: p.key("a")}) }, func(f *player) bool {
			return f.s.Error == nil && f.s.ErrorAt.IsZero() && f.s.EndedAt.IsZero() && f.s.Status == run.Running
		}},
		"a search for steps": {oneStep, func(p *player) { p.do(run.Replan{Requirement: "more"}) }, func(f *player) bool {
			return len(f.s.Replans) == 0
		}},
		"a consultation": {strings.Replace(layered, `"human":"always"`, `"agent":{"agent":"x"}`, 1),
			func(p *player) { p.answer("a", `1`) },
			func(f *player) bool { return f.s.Point.Asking && f.s.ConsultKey().N == 2 }},
		"a question between layers": {layered, func(p *player) { p.answer("a", `1`) }, func(f *player) bool {
			return len(f.s.Pending()) == 1 && f.s.Pending()[0].ID == "apr_f_2"
		}},
		"sub-runs to stop": {`{"workflow":"w","steps":[{"id":"s","workflow":"child","needs":[]},{"id":"b","agent":"x","needs":[]}]}`,
			func(p *player) { p.do(run.Fail{Key: p.key("b")}) },
			func(f *player) bool {
				return len(f.s.Children) == 0 && slices.Equal(f.s.SubRuns(), []string{"run_f.1"})
			}},
		"an approved output": {`{"workflow":"w","steps":[{"id":"a","agent":"x"}],"gates":[{"id":"g","at":"end"}]}`,
			func(p *player) {
				p.answer("a", `{"v":1}`)
				p.change(`{"v":2}`)
			}, func(f *player) bool { return f.proposed() == `{"v":1}` }},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t, c.workflow)
			p.do(run.Start{})
			c.before(p)
			if f := p.forked(run.Edits{}); !c.holds(f) {
				state, _ := f.s.Snapshot()
				t.Errorf("%s", state)
			}
		})
	}
}

// A resumed run has its full timeout, and asks about its output as it was before people changed it.
func TestResumedRuns(t *testing.T) {
	p := play(t, `{"workflow":"w","timeout":"10m","steps":[{"id":"a","agent":"x","timeout":"1h"}]}`)
	p.do(run.Start{})
	p.env.Now = t0.Add(9 * time.Minute)
	p.do(run.Fail{Key: p.key("a")})
	p.env.Now = t0.Add(time.Hour)
	p.do(run.Resume{})
	if at, _ := p.s.NextDeadline(); !at.Equal(p.env.Now.Add(10 * time.Minute)) {
		t.Errorf("its time is up in %s", at.Sub(p.env.Now))
	}

	p = play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}],
		"gates":[{"id":"g","at":"end","on_reject":"fail"},{"id":"h","at":"end","on_reject":"fail"}]}`)
	p.do(run.Start{})
	p.answer("a", `{"v":1}`)
	p.change(`{"v":2}`)
	if got := p.proposed(); got != `{"v":2}` {
		t.Fatal(got)
	}
	p.decides(gate.Reject)
	p.do(run.Resume{})
	if got := p.proposed(); got != `{"v":1} {"v":1}` {
		t.Errorf("%s: %s", p.s.Status, got)
	}
}

// Each field of a proposal is credited to the steps it comes from, and not to people, other workflows or
// nothing.
func TestFieldsAreCredited(t *testing.T) {
	const gated = `{"workflow":"w","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"}],"gates":[{"id":"g","at":"before b"},{"id":"h","at":"before b"}]}`
	const atEnd = `{"workflow":"w","steps":[{"id":"a","agent":"x","needs":[]},{"id":"b","agent":"x","needs":[]}],"gates":[{"id":"g","at":"end"}]}`
	mapped := strings.Replace(gated, `"id":"b"`, `"id":"b","with":{"n":"a.v","m":"a.w","k":"\"k\""}`, 1)
	for name, c := range map[string]struct {
		workflow string
		then     func(p *player)
		want     string
	}{
		"two last steps": {atEnd, func(p *player) {
			p.answer("a", `1`)
			p.answer("b", `2`)
		}, "a:a b:b"},
		"one of them left out": {strings.Replace(atEnd, `"id":"b"`, `"id":"b","if":"input.no"`, 1),
			func(p *player) { p.answer("a", `1`) }, "a:a"},
		"one last step": {strings.Replace(gated, "before b", "end", 2), func(p *player) {
			p.answer("a", `1`)
			p.answer("b", `2`)
		}, "b:"},
		"fields called item and index": {gated, func(p *player) { p.answer("a", `{"item":1,"index":2}`) }, "a:item+index"},
		"arguments that a person set": {mapped, func(p *player) {
			p.answer("a", `{"v":1,"w":2}`)
			p.do(run.ModifyArgs{Step: "b", Changes: json.RawMessage(`{"n":5}`)})
		}, "a:m"},
		"context that a person set": {gated, func(p *player) {
			p.answer("a", `{"v":1,"w":2}`)
			p.do(run.ModifyArgs{Step: "b", Changes: json.RawMessage(`{"v":5}`)})
		}, "a:w"},
		"a proposal that a person changed": {gated, func(p *player) {
			p.answer("a", `{"v":1}`)
			p.change(`{"v":2}`)
		}, ""},
		"the whole context": {`{"workflow":"w","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"},{"id":"c","agent":"x","with":{"all":"context"}}],"gates":[{"id":"g","at":"before c"}]}`,
			func(p *player) {
				p.answer("a", `{"v":1}`)
				p.answer("b", `{"w":1}`)
			}, "a:all b:all"},
		"elements of a map": {`{"workflow":"w","steps":[{"id":"m","agent":"x","each":"input.list"},{"id":"n","agent":"x","each":"m","with":{"v":"item"}}],"gates":[{"id":"g","at":"before n"}]}`,
			func(p *player) { p.answer("m", `1`) }, "m:v"},
		"another workflow": {`{"workflow":"w","steps":[{"id":"s","workflow":"child"},{"id":"b","agent":"x"}],"gates":[{"id":"g","at":"before b"}]}`,
			func(p *player) {
				p.do(run.EndChild{Key: p.key("s"), Status: run.Completed, Output: json.RawMessage(`{"v":1}`)})
			}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t, c.workflow)
			p.do(run.Start{Input: json.RawMessage(`{"list":[1]}`)})
			c.then(p)
			if got := p.credited(); got != c.want {
				t.Errorf("credited %q, not %q", got, c.want)
			}
		})
	}

	p := play(t, gated)
	p.do(run.Start{})
	p.answer("a", `{"v":1}`)
	f := p.forked(run.Edits{Outputs: map[string]json.RawMessage{"a": json.RawMessage(`{"v":2}`)}})
	if got := f.credited(); got != "" {
		t.Errorf("an output that a fork set is credited to %s", got)
	}
	p = play(t, `{"workflow":"w","steps":[{"id":"m","agent":"x","each":"input.list","with":{"v":"item"},"operation":"refund"}]}`)
	p.env.Judge = asks(policy.Ask{})
	p.do(run.Start{Input: json.RawMessage(`{"list":[1]}`)})
	if got := p.credited(); got != "" {
		t.Errorf("the run's own input is credited to %s", got)
	}
}

// credited lists the proposers in the first open approval.
func (p *player) credited() string {
	p.t.Helper()
	if len(p.s.Pending()) == 0 {
		p.t.Fatalf("nothing is asked, the run is %s", p.s.Status)
	}
	var out []string
	for _, one := range p.s.Pending()[0].ProposedBy {
		out = append(out, one.Step+":"+strings.Join(one.Fields, "+"))
	}
	return strings.Join(out, " ")
}
