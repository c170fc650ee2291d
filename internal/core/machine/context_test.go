package machine

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

const gated = `{"workflow":"w","steps":[{"id":"a","agent":"x","needs":[]},{"id":"b","agent":"x","needs":["a"]},
	{"id":"h","needs":["b"],"human":{"kind":"input","input_schema":{"type":"object"}}},
	{"id":"c","agent":"x","needs":["a"]},{"id":"z","agent":"x","needs":["h","c"]}],
	"gates":[{"id":"g1","at":"start"},{"id":"g2","at":"before b"},{"id":"g3","at":"after b"},{"id":"g4","at":"after a"}]}`

// One field of the context has the same value and source as in the merged context, whatever else has that
// name.
func TestFieldsOfTheContext(t *testing.T) {
	s := begun(t, gated, `{}`)
	keys := []string{"g1", "g2", "g3", "g4", "h", "free", "too", "also", "else"}
	r := rand.New(rand.NewPCG(1, 1))
	document := func(by string) json.RawMessage {
		switch r.IntN(6) {
		case 0:
			return json.RawMessage(`["` + by + `"]`)
		case 1:
			return nil
		}
		var members []value.Member
		for _, key := range keys {
			if r.IntN(2) == 0 {
				members = append(members, value.Member{Key: key, Value: value.Quote(by)})
			}
		}
		return value.Object(members...)
	}
	found, fromSteps := 0, 0
	for range 3_000 {
		s.Input, s.Context, s.Answers = document("given"), nil, nil
		if r.IntN(2) == 0 {
			s.Context = value.Merge(document("given"))
		}
		for i, st := range s.Steps {
			st.Status, st.Output, st.Copied = run.PendingStep, nil, r.IntN(2) == 0
			if r.IntN(4) > 0 {
				st.Status, st.Output = run.DoneStep, document(s.plan.Nodes[i].Step.ID)
			}
		}
		for range r.IntN(4) {
			s.Answers = append(s.Answers, GateAnswer{Gate: keys[r.IntN(5)], Value: value.Quote("given"), Copied: r.IntN(2) == 0})
		}
		for i := -1; i < len(s.Steps); i++ {
			merged := s.contextFor(i, true)
			for _, key := range keys {
				want, known := value.Get(merged, key)
				got, from, ok := s.contextFind(i, key)
				by := "given"
				if from != given {
					by = s.plan.Nodes[from].Step.ID
					fromSteps++
				}
				if ok != known || string(got) != string(want) || ok && string(got) != `"`+by+`"` {
					state, _ := s.Snapshot()
					t.Fatalf("%s of step %d is %s by %s, and %s in %s\n%s", key, i, got, by, want, merged, state)
				}
				found++
			}
		}
	}
	if fromSteps < found/10 {
		t.Errorf("only %d of %d came from steps", fromSteps, found)
	}
}

// Later values replace earlier ones, in plan order, but no answers at gates; a fork's edits replace what the fork
// copied and not what came after it.
func TestOrderOfTheContext(t *testing.T) {
	for name, c := range map[string]struct {
		answered string // the gate that has the field's name; * marks what a fork copied
		outputs  string // steps that return the field
		edited   bool
		want     string
	}{
		"the input":                                 {"", "", false, "input"},
		"the start over the input":                  {"g1", "", false, "g1"},
		"no step over the start":                    {"g1", "a", false, "g1"},
		"a step over an earlier one":                {"", "a b", false, "b"},
		"no step over a gate before it":             {"g2", "b", false, "g2"},
		"a gate after a step":                       {"g3", "b", false, "g3"},
		"an edit over the input":                    {"", "", true, "edit"},
		"an edit over copied steps":                 {"", "a* b*", true, "edit"},
		"a later step over an edit":                 {"", "a* b", true, "b"},
		"an edit over a copied answer":              {"g3*", "a*", true, "edit"},
		"a later answer over an edit":               {"g3", "b*", true, "g3"},
		"a copied step after one that was repeated": {"", "a b*", true, "b"},
	} {
		t.Run(name, func(t *testing.T) {
			gate, isCopy := strings.CutSuffix(c.answered, "*")
			s := begun(t, strings.Replace(gated, `"id":"`+gate+`"`, `"id":"field"`, 1), `{"field":"input"}`)
			if gate != "" {
				s.Answers = []GateAnswer{{Gate: "field", Value: value.Quote(gate), Copied: isCopy}}
			}
			for _, id := range strings.Fields(c.outputs) {
				step, isCopy := strings.CutSuffix(id, "*")
				s.puts(`{"field":"`+step+`"}`, step)
				st, _ := s.StepByID(step)
				st.Copied = isCopy
			}
			if c.edited {
				s.Context = json.RawMessage(`{"field":"edit"}`)
			}
			z, _ := s.plan.Step("z")
			if got, _ := value.Get(s.contextFor(z, true), "field"); string(got) != `"`+c.want+`"` {
				t.Error(string(got))
			}
		})
	}
}
