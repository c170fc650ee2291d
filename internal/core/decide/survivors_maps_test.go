package decide_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
)

// playWith is play with one more agent.
func playWith(t *testing.T, workflow string, a plan.Agent) *player {
	return &player{t: t, s: machine.New("run_p", compile(t, workflow, append(walkAgents(), a)...)),
		env: decide.Env{Now: t0}}
}

// titles lists the titles of the open approvals.
func (p *player) titles() string {
	var all []string
	for _, a := range p.s.Pending() {
		all = append(all, a.Title)
	}
	return strings.Join(all, "; ")
}

// inForce sets which version of agents is in force.
func (p *player) inForce(version int) {
	p.env.InForce = func(kind, name string) []gate.Implementation {
		return []gate.Implementation{{Kind: kind, Name: name, Version: version}}
	}
}

// judges is a policy given by a function.
type judges func(policy.Subject) policy.Verdict

func (j judges) Judge(_ time.Time, s policy.Subject) policy.Verdict { return j(s) }

// A map that had not begun when the run failed begins like any other when the run is resumed: people are
// asked, and its elements are worked on.
func TestMapsThatHadNotBegun(t *testing.T) {
	for _, fork := range []bool{false, true} {
		p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"},
			{"id":"m","agent":"x","each":"a.list","with":{"v":"item"}}],"gates":[{"id":"g","at":"before m"}]}`)
		p.do(run.Start{})
		p.do(run.Fail{Key: p.key("a")})
		if fork {
			p = p.forked(run.Edits{})
		} else {
			p.do(run.Resume{})
		}
		p.answer("a", `{"list":[1,2]}`)
		if got := p.proposed(); got != `[{"v":1},{"v":2}]` {
			t.Fatalf("fork %t: asked about %q, the run is %s", fork, got, p.s.Status)
		}
		p.decides(gate.Approve)
		p.answer("m", `3`)
		p.answer("m", `4`)
		if got := string(p.s.Output); got != `[3,4]` {
			t.Errorf("fork %t: %s: %s", fork, p.s.Status, got)
		}
	}
}

// An element as a person changed it is not credited to the agents whose results it came from, and its
// confidence is not theirs.
func TestChangedElementsAreNotCredited(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"},
		{"id":"m","agent":"x","each":"a.list","with":{"v":"item"},"operation":"refund"}]}`)
	rule := "first"
	p.env.Judge = judges(func(s policy.Subject) policy.Verdict {
		if s.Step != "m" || s.Result {
			return policy.Verdict{}
		}
		return policy.Verdict{Effect: policy.Asks, Rule: rule, Policy: "p"}
	})
	p.do(run.Start{})
	p.answer("a", `{"list":[1,2]}`)
	if got := p.credited(); got != "a:v" {
		t.Fatalf("before the change: %q", got)
	}
	rule = "second" // it asks about what the person wrote
	p.change(`{"v":7}`)
	for _, a := range p.s.Pending() {
		want := 1
		if *a.Index == 0 {
			want = 0
		}
		if len(a.ProposedBy) != want {
			t.Errorf("element %d, %s: proposed by %+v", *a.Index, a.Proposed, a.ProposedBy)
		}
	}
	if got := p.proposed(); got != `{"v":2} {"v":7}` {
		t.Error(got)
	}
}

// Elements at work keep the implementation they were started with while the approvers of the map are asked
// about another one. Those that start later use the newly approved one.
func TestElementsAtWorkKeepWhatTheyStartedWith(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"m","agent":"x","each":"input.list","width":2}],
		"gates":[{"id":"g","at":"before m"}]}`)
	p.inForce(1)
	p.do(run.Start{Input: json.RawMessage(`{"list":[1,2,3]}`)})
	p.decides(gate.Approve)
	first := p.key("m")
	p.inForce(2)
	p.do(run.Rebind{Key: first, Implementation: p.env.InForce("agent", "x")})
	versions := func() (out []int) {
		for _, e := range p.s.Effects() {
			if do, ok := e.Do.(run.Invoke); ok {
				out = append(out, do.Index*10+do.Approved[0].Version)
			}
		}
		return out
	}
	if got := versions(); len(got) != 1 || got[0] != 11 {
		t.Fatalf("at work: %v", got)
	}
	if len(p.s.Pending()) != 1 {
		t.Fatalf("%d questions", len(p.s.Pending()))
	}
	p.decides(gate.Approve)
	if got := versions(); len(got) != 2 || got[0] != 2 || got[1] != 11 {
		t.Errorf("after the approval: %v", got)
	}
	p.answer("m", `1`) // makes room for the third element
	if got := versions(); len(got) != 2 || got[0] != 11 || got[1] != 22 {
		t.Errorf("the third element: %v", got)
	}
}

// Titles of open approvals differ between steps and elements, and are left as they are where two questions
// are about the same one.
func TestTitlesThatAreTaken(t *testing.T) {
	for name, c := range map[string]struct{ workflow, want string }{
		"two gates at one step": {`{"workflow":"w","steps":[{"id":"a","agent":"x"}],"gates":[{"id":"g","at":"before a","title":"Go?"},
			{"id":"h","at":"before a","title":"Go?"}]}`, "Go?; Go?"},
		"one gate at each of two steps": {`{"workflow":"w","steps":[{"id":"a","agent":"x","needs":[]},{"id":"b","agent":"x","needs":[]}],
			"gates":[{"id":"g","at":"before a","title":"Go?"},{"id":"h","at":"before b","title":"Go?"}]}`, "Go?; Go? (b)"},
		"three elements": {`{"workflow":"w","steps":[{"id":"m","agent":"x","each":"input.list","operation":"refund"}]}`,
			"Same; Same (m, element 2); Same (m, element 3)"},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t, c.workflow)
			p.env.Judge = judges(func(s policy.Subject) policy.Verdict {
				if s.Operation == "" {
					return policy.Verdict{}
				}
				return policy.Verdict{Effect: policy.Asks, Rule: "r", Policy: "p", Title: "Same"}
			})
			p.do(run.Start{Input: json.RawMessage(`{"list":[1,2,3]}`)})
			if got := p.titles(); got != c.want {
				t.Error(got)
			}
		})
	}
}

// A map as a whole and one of its elements are two things to ask about.
func TestTitlesOfMapsAndTheirElements(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"m","agent":"x","each":"input.list","operation":"refund"}],
		"gates":[{"id":"g","at":"before m","title":"Same"}]}`)
	p.env.Judge = judges(func(s policy.Subject) policy.Verdict {
		if s.Result {
			return policy.Verdict{}
		}
		return policy.Verdict{Effect: policy.Asks, Rule: "r", Policy: "p", Title: "Same"}
	})
	p.inForce(1)
	p.do(run.Start{Input: json.RawMessage(`{"list":[1,2]}`)})
	p.decides(gate.Approve)
	if got := p.titles(); got != "Same; Same (m, element 2)" {
		t.Fatal(got)
	}
	p.inForce(2) // the approvers of the map are asked again, while the first element waits
	if err := p.try(decideAs("bob", nil, p.s.Pending()[1], gate.Approve)); err != nil {
		t.Fatal(err)
	}
	if got := p.titles(); got != "Same; Same (m)" {
		t.Error(got)
	}
}

// What a person may change about a result has to match the schema of the agent's output.
func TestSchemasOfResults(t *testing.T) {
	const schema = `{"type":"object","properties":{"n":{"type":"number"}}}`
	strict := plan.Agent{Name: "strict", Kind: plan.AgentScripted, Output: json.RawMessage(schema),
		Input: json.RawMessage(`{"type":"object"}`)}
	p := playWith(t, `{"workflow":"w","steps":[{"id":"a","agent":"strict"}],
		"gates":[{"id":"g","at":"before a"},{"id":"h","at":"after a"},{"id":"i","at":"end"}]}`, strict)
	p.do(run.Start{})
	if got := string(p.s.Pending()[0].Action.ArgsSchema); got != `{"type":"object"}` {
		t.Errorf("before: %s", got)
	}
	p.decides(gate.Approve)
	p.answer("a", `{"n":1}`)
	if got := string(p.s.Pending()[0].Action.ArgsSchema); got != schema {
		t.Errorf("after: %s", got)
	}
	c := decideAs("bob", nil, p.s.Pending()[0], gate.Modify)
	d := c.Do.(run.Decide)
	d.Answer.Changes = json.RawMessage(`{"n":"many"}`)
	c.Do = d
	if err := p.try(c); err == nil {
		t.Fatal("a result that does not match the schema was accepted")
	}
	p.change(`{"n":2}`)
	if got := string(p.s.Pending()[0].Action.ArgsSchema); got != `` {
		t.Errorf("end: %s", got)
	}

	limited := strict
	limited.Name, limited.Kind = "limited", plan.AgentLLM
	limited.Limits = &plan.Limits{Iterations: 1, OnLimit: "ask"}
	p = playWith(t, `{"workflow":"w","steps":[{"id":"l","agent":"limited"}]}`, limited)
	p.do(run.Start{})
	p.do(run.CompleteTurn{Key: p.key("l"), Turn: run.Turn{Calls: []run.Call{{ID: "c", Tool: "read_file"}}}})
	for _, a := range p.s.Pending() {
		if a.Reason == gate.ReasonLimit && len(a.Action.ArgsSchema) != 0 {
			t.Errorf("at a limit: %s", a.Action.ArgsSchema)
		}
	}
	if len(p.s.Pending()) != 1 {
		t.Errorf("%d questions", len(p.s.Pending()))
	}
}

// Steps that are added while people decide about the next layer are part of the question, and nothing of the
// old one counts.
func TestStepsThatAreAddedBetweenLayers(t *testing.T) {
	p := play(t, layered)
	p.do(run.Start{})
	p.answer("a", `1`)
	if got := p.titles(); got != "Continue with b?" {
		t.Fatal(got)
	}
	p.do(run.InjectSteps{Steps: []plan.Step{{ID: "c", Agent: "x", Needs: &[]string{"a"}}}})
	if got := p.titles(); got != "Continue with b, c?" {
		t.Errorf("after a command: %s", got)
	}
	// Whoever adds them at the decision point has decided.
	p = play(t, layered)
	p.do(run.Start{})
	p.answer("a", `1`)
	p.change(`{"inject_steps":[{"id":"c","agent":"x","needs":["a"]}]}`)
	if got := p.titles(); got != "" || p.s.Status != run.Running {
		t.Errorf("at the decision point: %q, %s", got, p.s.Status)
	}
}

// Steps that are added while people decide about the output make another output of it.
func TestStepsThatAreAddedAtTheEnd(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}],"output":{"v":"a.v"},
		"gates":[{"id":"g","at":"end"},{"id":"h","at":"end"}]}`)
	p.do(run.Start{})
	p.answer("a", `{"v":1}`)
	p.change(`{"v":2}`)
	if got := p.proposed(); got != `{"v":2}` {
		t.Fatal(got)
	}
	p.do(run.InjectSteps{Steps: []plan.Step{{ID: "b", Agent: "x", Needs: &[]string{"a"}}}})
	if got := p.proposed(); got != "" {
		t.Errorf("while b works: %s", got)
	}
	p.answer("b", `1`)
	if got := p.proposed(); got != `{"v":1} {"v":1}` {
		t.Errorf("at the end: %s", got)
	}
}
