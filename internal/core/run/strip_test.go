package run_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/holds"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// planted is content that people and agents sent, and ours is the part that a fact may keep.
const (
	planted = "planted-in-"
	ours    = "ours"
)

// fill sets every field of a fact: to planted, unless its tag keeps it.
func fill(v reflect.Value, f holds.Field, depth int) {
	stays := f.Removal == holds.Kept
	switch v.Kind() {
	case reflect.Pointer:
		if depth < 6 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), f, depth+1)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1, 0).UTC()))
			return
		}
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				held, _ := holds.Of(field)
				if stays {
					held.Removal = holds.Kept // everything in it
				}
				fill(v.Field(i), held, depth)
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes(fmt.Appendf(nil, `{"x":%q}`, plant(stays, v.Type())))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), f, depth)
	case reflect.Map:
		one := reflect.New(v.Type().Elem()).Elem()
		key := "k"
		if f.Kind == holds.Labels {
			key = planted
		}
		if one.Kind() == reflect.Struct {
			f = holds.Field{}
		}
		fill(one, f, depth)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), one)
	case reflect.String:
		text := plant(stays, v.Type())
		if f.Kind == holds.Source {
			text = strconv.Quote(text)
		}
		v.SetString(text)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	}
}

func plant(stays bool, typ reflect.Type) string {
	if stays {
		return ours
	}
	return planted + typ.String()
}

// TestStripLeavesNothing: every kind of fact keeps exactly what its tags keep.
func TestStripLeavesNothing(t *testing.T) {
	check := func(what string, before, after any) {
		was, err := value.Marshal(before)
		if err != nil {
			t.Fatal(err)
		}
		left, err := value.Marshal(after)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(left), planted) {
			t.Errorf("%s keeps something: %s", what, left)
		}
		if had, has := strings.Count(string(was), `"`+ours+`"`), strings.Count(string(left), `"`+ours+`"`); had != has {
			t.Errorf("%s keeps %d of %d words of ours: %s", what, has, had, left)
		}
	}
	for _, name := range run.Types() {
		f, err := run.DecodeFact(name, json.RawMessage(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		fill(reflect.ValueOf(f).Elem(), holds.Field{}, 0)
		before, _ := value.Marshal(f)
		stripped := run.Strip(f)
		if after, _ := value.Marshal(f); string(after) != string(before) {
			t.Errorf("%s was changed itself", name)
		}
		check(name, f, stripped)
		if again := run.Strip(stripped); !reflect.DeepEqual(again, stripped) {
			t.Errorf("%s stripped again is another", name)
		}
	}
	a := &gate.Approval{}
	fill(reflect.ValueOf(a).Elem(), holds.Field{}, 0)
	check("an approval", a, run.StripApproval(a))
}

// TestStripNames: people and rules keep their names, deliverables do not.
func TestStripNames(t *testing.T) {
	for _, f := range []run.Fact{
		&run.DeliverableCreated{Deliverable: run.Deliverable{Name: planted, URL: planted, Description: planted,
			Content: json.RawMessage(`"` + planted + `"`)}},
		&run.DeliverableMarked{Name: planted},
		&run.RunStarted{Labels: map[string]string{planted: planted}},
		&run.ApprovalNeeded{Content: planted, Request: gate.Request{Action: gate.Action{Digest: planted},
			Rule: &gate.Rule{Name: "small", Reason: planted}}},
	} {
		if raw, err := value.Marshal(run.Strip(f)); err != nil || strings.Contains(string(raw), planted) {
			t.Errorf("%s, %v", raw, err)
		}
	}
}

func TestStripPlan(t *testing.T) {
	f := &run.PlanChanged{Why: planted, Steps: []plan.Step{{
		ID: "a", Agent: "x", If: `input.name == "` + planted + `"`, Sample: json.RawMessage(`"` + planted + `"`),
		With:  plan.Mapping{{Target: "to", Source: "input.to"}, {Target: "body", Source: `"` + planted + `"`}},
		Human: &plan.Gate{Title: planted, Description: planted, When: `x == "` + planted + `"`, Role: "approver"},
	}}}
	raw, err := value.Marshal(run.Strip(f))
	if err != nil || strings.Contains(string(raw), planted) {
		t.Fatalf("%s, %v", raw, err)
	}
	if !strings.Contains(string(raw), `"to":"input.to"`) || !strings.Contains(string(raw), `"role":"approver"`) {
		t.Errorf("%s", raw)
	}
}

// TestStripExactly: what stays is byte for byte what the tags say: steps keep their names in maps, conditions are left
// out because any other text would not compile, and what was not there is not there afterwards.
func TestStripExactly(t *testing.T) {
	for _, c := range []struct {
		f    run.Fact
		want string
	}{
		{&run.RunForked{From: "run_1", AtSeq: 3, Edits: run.Edits{Outputs: map[string]json.RawMessage{
			"a": json.RawMessage(`{"n":1}`), "b": json.RawMessage(`2`)}}},
			`{"from":"run_1","at_seq":3,"edits":{"outputs":{"a":{"$removed":true},"b":{"$removed":true}}}}`},
		{&run.PlanChanged{Why: "because", Steps: []plan.Step{{ID: "a", Agent: "x", If: "input.n > 1"}},
			Agents: map[string]plan.Agent{"x": {Name: "x", Kind: plan.AgentHTTP,
				ToolRisk: map[string]risk.Class{"pay": "high"}}}},
			`{"steps":[{"id":"a","agent":"x"}],"agents":{"x":{"agent":"x","kind":"http",` +
				`"tool_risk":{"pay":"high"}}},"why":"[removed]"}`},
		{&run.ReplanRequested{N: 2, Requirement: "because", Deadline: time.Unix(1_800_000_000, 5).UTC()},
			`{"n":2,"requirement":"[removed]","deadline":"2027-01-15T08:00:00.000000005Z"}`},
		{&run.RunStarted{Labels: map[string]string{"customer": "ann"}}, ""},
		{&run.PlanChanged{Steps: []plan.Step{{ID: "a", Agent: "x"}}}, ""},
	} {
		out := run.Strip(c.f)
		raw, err := value.Marshal(out)
		if err != nil || c.want != "" && string(raw) != c.want {
			t.Errorf("%s, %v, want %s", raw, err, c.want)
		}
		switch out := out.(type) {
		case *run.RunStarted:
			if out.Labels != nil {
				t.Errorf("labels: %v", out.Labels)
			}
		case *run.PlanChanged:
			if had := c.f.(*run.PlanChanged).Agents; (out.Agents == nil) != (had == nil) {
				t.Errorf("agents: %v, before: %v", out.Agents, had)
			}
		}
	}
	empty := &run.RunCompleted{Output: json.RawMessage{}}
	if out := run.Strip(empty); !reflect.DeepEqual(out, empty) {
		t.Errorf("%+v", out)
	}
	named := &run.StepStarted{}
	if out := run.Strip(named); !reflect.DeepEqual(out, named) {
		t.Errorf("%+v", out)
	}
}
