package plan

import (
	"encoding/json"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/quantity"
)

func mustCompile(t *testing.T, doc string) *Plan {
	t.Helper()
	def, err := read(doc)
	if err != nil {
		t.Fatal(err)
	}
	p, problems := Compile(def)
	if p == nil {
		t.Fatalf("refused: %v", problems)
	}
	return p
}

func TestGatesAreInPlace(t *testing.T) {
	p := mustCompile(t, `steps: [{"id": "a", "agent": "plain"}, {"id": "ask", "human": {"options": [{"value": "x"}, {"value": "y"}]}},
  {"id": "own", "human": {"id": "form", "input_schema": {"type": "object"}}}]
gates: [{"id": "g0", "at": "start"}, {"id": "g1", "at": "before a"}, {"id": "g2", "at": "after a"}, {"id": "g3", "at": "call pay"}, {"id": "g4", "at": "call *"},
  {"id": "g5", "at": "call mcp:files/*"}, {"id": "g6", "at": "end", "when": "x > 3", "show": ["x", "a.b[0]"]}, {"id": "g7", "at": "before a"}]
`)
	a := p.Nodes[0]
	for name, pair := range map[string][2][]int{
		"start": {p.Start, {0}}, "end": {p.End, {6}}, "before a": {a.Before, {1, 7}}, "after a": {a.After, {2}},
		"call pay": {p.CallGates("pay"), {3, 4}}, "call mcp": {p.CallGates("mcp:files/read"), {4, 5}},
		"call other": {p.CallGates("x"), {4}},
	} {
		if !slices.Equal(pair[0], pair[1]) {
			t.Errorf("%s: %v, want %v", name, pair[0], pair[1])
		}
	}
	for i, g := range p.Gates {
		if at, ok := p.GateByID(g.Gate.ID); !ok || at != i || g.Index != i {
			t.Errorf("gate %d is found as %d", i, at)
		}
	}
	ask, own := p.Gates[p.Nodes[1].Human], p.Gates[p.Nodes[2].Human]
	if ask.Gate.ID != "ask" || ask.Gate.Kind != gate.KindChoice || ask.Spot != (Spot{Kind: SpotHuman, Step: "ask"}) ||
		ask.Step != 1 {
		t.Errorf("ask: %+v", ask)
	}
	if own.Gate.ID != "form" || own.Gate.Kind != gate.KindInput || own.InputSchema == nil {
		t.Errorf("own: %+v", own)
	}
	if a.Human != -1 || a.Agent == nil || p.Nodes[1].Agent != nil {
		t.Error("who does the work is mixed up")
	}
	if g := p.Gates[6]; g.When == nil || len(g.Show) != 2 || !slices.Equal(g.Show[1], []string{"a", "b", "0"}) ||
		g.Step != -1 || g.Gate.Kind != gate.KindApproval {
		t.Errorf("g6: %+v", g)
	}
	if _, ok := p.GateByID("a"); ok {
		t.Error("a step is found as a gate")
	}
	if i, ok := p.Step("own"); !ok || i != 2 {
		t.Error("a step is not found")
	}
	if _, ok := p.Step("form"); ok {
		t.Error("a gate is found as a step")
	}
}

func TestRevises(t *testing.T) {
	p := mustCompile(t, `steps: [{"id": "a", "agent": "plain"}, {"id": "b", "agent": "plain"}, {"id": "c", "agent": "plain", "needs": []}, {"id": "d", "agent": "plain", "needs": ["b", "c"]}, {"id": "e", "agent": "plain", "needs": ["b"]}]
gates: [{"id": "after", "at": "after b"}, {"id": "named", "at": "after d", "revise": "a"}, {"id": "before", "at": "before b", "on_reject": "revise"}, {"id": "end", "at": "end"},
  {"id": "end_named", "at": "end", "revise": "c"}, {"id": "two", "at": "before d"}, {"id": "start", "at": "start"}, {"id": "call", "at": "call *"}]
`)
	for id, want := range map[string]string{"after": "b", "named": "a", "before": "a", "end": "e", "end_named": "c",
		"two": "", "start": "", "call": ""} {
		g, _ := p.GateByID(id)
		step, ok := p.Revises(g)
		if got := ""; ok {
			got = p.Nodes[step].Step.ID
			if got != want {
				t.Errorf("%s revises %q, want %q", id, got, want)
			}
		} else if want != "" {
			t.Errorf("%s revises nothing, want %q", id, want)
		}
	}
}

func TestDefaults(t *testing.T) {
	p := mustCompile(t, `steps: [{"id": "a", "agent": "plain"}, {"id": "b", "workflow": "x"}, {"id": "c", "human": {}},
  {"id": "d", "agent": "plain", "timeout": "1m", "each": "input.x", "retry": {"max": 1, "backoff": "5m", "factor": 1.5}, "with": {}},
  {"id": "e", "agent": "plain", "timeout": 0, "each": "input.x", "width": 3, "with": {"n": 3, "t": "true", "s": "\"x\"", "p": "input.y"}}]
`)
	if !p.StopsOnError() || p.Timeout() != 15*time.Minute {
		t.Errorf("stops %t, timeout %s", p.StopsOnError(), p.Timeout())
	}
	for i, want := range []time.Duration{5 * time.Minute, 0, 0, time.Minute, 0} {
		if got := p.Nodes[i].Timeout(); got != want {
			t.Errorf("timeout of %d: %s, want %s", i, got, want)
		}
	}
	if got, want := p.Nodes[0].RetryPolicy(), (RetryPolicy{3, time.Second, 2, time.Minute, false}); got != want {
		t.Errorf("retry %+v", got)
	}
	retry := p.Nodes[3].RetryPolicy()
	if want := (RetryPolicy{1, 5 * time.Minute, 1.5, 5 * time.Minute, true}); retry != want {
		t.Errorf("retry %+v", retry)
	}
	if p.Nodes[3].Width != 8 || p.Nodes[4].Width != 3 || p.Nodes[0].Width != 0 {
		t.Error("widths")
	}
	if p.Nodes[0].With != nil || p.Nodes[3].With == nil || len(p.Nodes[3].With) != 0 {
		t.Error("no mapping and an empty one are not the same")
	}
	want := []Assign{
		{"n", Source{Literal: json.RawMessage("3")}}, {"t", Source{Literal: json.RawMessage("true")}},
		{"s", Source{Literal: json.RawMessage(`"x"`)}}, {"p", Source{Path: []string{"input", "y"}}},
	}
	if !reflect.DeepEqual(p.Nodes[4].With, want) {
		t.Errorf("with %+v", p.Nodes[4].With)
	}
	if mustCompile(t, `stop_on_error: false`).StopsOnError() {
		t.Error("stops on error")
	}
	for doc, want := range map[string]time.Duration{
		`steps: [{"id": "a", "agent": "model"}]`:                       0,
		"timeout: \"1h\"\n" + `steps: [{"id": "a", "agent": "model"}]`: time.Hour,
		`timeout: 0`: 0,
	} {
		if got := mustCompile(t, doc).Timeout(); got != want {
			t.Errorf("%s: %s, want %s", doc, got, want)
		}
	}
}

func TestDelay(t *testing.T) {
	r := RetryPolicy{Max: 100, Backoff: time.Second, Factor: 2, MaxBackoff: time.Minute}
	for failed, want := range map[int]time.Duration{0: time.Second, 1: time.Second, 2: 2 * time.Second,
		6: 32 * time.Second, 7: time.Minute, 100: time.Minute} {
		if got := r.Delay(failed); got != want {
			t.Errorf("after %d: %s, want %s", failed, got, want)
		}
	}
	r.Factor, r.Backoff = 1e300, 2*time.Minute
	if r.Delay(1) != time.Minute || r.Delay(99) != time.Minute {
		t.Error("not bounded")
	}
}

func TestCheckAgent(t *testing.T) {
	a := Agent{Kind: "htp", Input: json.RawMessage(`{"type": 3}`),
		Limits: &Limits{Duration: -1, CostUSD: quantity.Money(-1)}}
	var paths []string
	for _, p := range CheckAgent(&a) {
		paths = append(paths, p.Path)
	}
	if want := []string{"kind", "limits.duration", "limits.cost_usd", "input"}; !slices.Equal(paths, want) {
		t.Errorf("%v, want %v", paths, want)
	}
	if got := CheckAgent(&Agent{Kind: AgentGo}); got != nil {
		t.Errorf("%v", got)
	}
}

func TestDefinitionRoundTrips(t *testing.T) {
	p := mustCompile(t, `input: {"type":"object"}
output: {}
labels: {"team": "x"}
steps: [{"id": "a", "agent": "plain", "needs": [], "with": {}}, {"id": "b", "agent": "plain", "with": {"z": "a.x", "a": "\"lit\"", "m": 1.50}, "retry": {"backoff": "90s"}}, {"id": "c", "human": {"title": "?"}}]
gates: [{"id": "g", "at": "end", "timeout": {"after": "1h", "then": "default", "default": {"b": 1, "a": 2}}, "roles": {"x": 1}}]
`)
	raw, err := json.Marshal(p.Definition)
	if err != nil {
		t.Fatal(err)
	}
	var back Definition
	if err := Decode(raw, &back); err != nil {
		t.Fatal(err)
	}
	again, _ := json.Marshal(&back)
	if string(raw) != string(again) || Digest(&back) != Digest(p.Definition) {
		t.Errorf("%s\n%s", raw, again)
	}
	if w := back.Workflow; w.Output == nil || w.Steps[0].With == nil || w.Steps[0].Needs == nil ||
		w.Steps[1].Needs != nil {
		t.Error("empty and missing are mixed up")
	}
	if back.Workflow.Steps[1].With[0].Target != "z" || back.Workflow.Steps[1].With[2].Source != "1.50" {
		t.Errorf("the order of a mapping is lost: %v", back.Workflow.Steps[1].With)
	}
	back.Version++
	if Digest(&back) == Digest(p.Definition) {
		t.Error("another version has the same digest")
	}
}

// Many runs read a plan concurrently; this test is for the race detector.
func TestConcurrentReads(t *testing.T) {
	p := mustCompile(t, `steps: [{"id": "a", "agent": "plain"}, {"id": "b", "agent": "plain"}]
gates: [{"id": "g", "at": "call *"}]
`)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			p.Ancestors(1)
			p.CallGates("x")
			p.Timeout()
			if _, _, err := p.Inject([]Step{{ID: "c", Agent: "plain", NeededBy: []string{"b"}}}, nil, nil, nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(p.Nodes) != 2 || len(p.Nodes[1].Needs) != 1 {
		t.Error("injecting changed the plan it was made from")
	}
}
