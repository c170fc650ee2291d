package run_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// planted is what people and agents sent. Where a fact may keep it, it is a word
// of ours, and listed.
const planted = "planted-in-"

// keptPlaces are the fields that tell what happened. A field that is new is not
// among them: whoever adds one decides here whether it stays.
var keptPlaces = strings.Fields(`
	id run workflow step agent gate tool operation owner by on_behalf_of role roles call requester kind type mime_type policy code key
	cost_usd estimated_cost_usd approval rule child parent retry_of family status was needs redo assignees also to from want definition
	action option value limit act failed steps`)

// fill puts something into every field of a fact.
func fill(v reflect.Value, name string, depth int) {
	switch v.Kind() {
	case reflect.Pointer:
		if depth < 6 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), name, depth+1)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1, 0).UTC()))
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				fill(v.Field(i), tag, depth)
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"x":"` + planted + name + `"}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), name, depth)
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.String {
			one := reflect.New(v.Type().Elem()).Elem()
			fill(one, name, depth)
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(reflect.ValueOf("k").Convert(v.Type().Key()), one)
		}
	case reflect.String:
		if v.Type() != reflect.TypeFor[string]() {
			name = "word" // one of ours
		}
		v.SetString(planted + name)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	}
}

// TestStripLeavesNothing: of every kind of fact nothing is left that is not known
// to be a word of ours.
func TestStripLeavesNothing(t *testing.T) {
	check := func(what string, got any) {
		raw, err := value.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		for part := range strings.SplitSeq(string(raw), planted) {
			name := part[:max(strings.IndexByte(part, '"'), 0)]
			if strings.HasPrefix(part, "{") || strings.HasPrefix(part, "/") || strings.HasPrefix(part, "[") || strings.HasPrefix(part, "word/") /* the key of a parent */ || slices.Contains(keptPlaces, name) || intactPlace(name) {
				continue
			}
			t.Errorf("%s keeps %q: %s", what, name, raw)
			return
		}
	}
	for _, name := range run.Types() {
		f, err := run.DecodeFact(name, json.RawMessage(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		if name == "payloads.removed" || name == "plan.changed" {
			continue // what it says is for ever; see below
		}
		fill(reflect.ValueOf(f).Elem(), "", 0)
		before, _ := value.Marshal(f)
		stripped := run.Strip(f)
		if after, _ := value.Marshal(f); string(after) != string(before) {
			t.Errorf("%s was changed itself", name)
		}
		check(name, stripped)
		if again := run.Strip(stripped); !reflect.DeepEqual(again, stripped) {
			t.Errorf("%s stripped again is another", name)
		}
	}
	a := &gate.Approval{}
	fill(reflect.ValueOf(a).Elem(), "", 0)
	check("an approval", run.StripApproval(a))
}

// intactPlace are parts of approvals that come from documents, and names.
func intactPlace(name string) bool {
	return slices.Contains([]string{"word", "name", "args_schema", "input_schema", "notify", "default", "revise", "only_owner"}, name)
}

// TestStripNames: people and rules keep their names, and deliverables do not.
func TestStripNames(t *testing.T) {
	for _, f := range []run.Fact{
		&run.DeliverableCreated{Deliverable: run.Deliverable{Name: planted, URL: planted, Description: planted, Content: json.RawMessage(`"` + planted + `"`)}},
		&run.DeliverableMarked{Name: planted},
		&run.RunStarted{Labels: map[string]string{planted: planted}},
		&run.ApprovalNeeded{Content: planted, Request: gate.Request{Action: gate.Action{Digest: planted}, Rule: &gate.Rule{Name: "small", Reason: planted}}},
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

// TestStripFolds: a log without what was sent tells the same story.
func TestStripFolds(t *testing.T) {
	walks := uint64(600)
	if testing.Short() {
		walks = 100
	}
	for seed := range walks {
		r := rand.New(rand.NewPCG(seed, 7))
		w := newWalk(t, r.IntN)
		for range 20 + r.IntN(100) {
			w.step()
		}
		log := make([]run.Event, len(w.log))
		for i, e := range w.log {
			e.Fact = run.Strip(e.Fact)
			log[i] = e
		}
		if len(log) == 0 {
			continue
		}
		s := run.Fold("run_w", w.plan, log)
		if s.Status != w.s.Status || s.Seq != w.s.Seq || len(s.Steps) != len(w.s.Steps) || len(s.Approvals) != len(w.s.Approvals) || !s.EndedAt.Equal(w.s.EndedAt) {
			t.Fatalf("seed %d: %s at %d with %d steps and %d approvals, not %s at %d with %d and %d", seed,
				s.Status, s.Seq, len(s.Steps), len(s.Approvals), w.s.Status, w.s.Seq, len(w.s.Steps), len(w.s.Approvals))
		}
		for i, st := range s.Steps {
			if st.Status != w.s.Steps[i].Status {
				t.Fatalf("seed %d: step %d is %s, not %s", seed, i, st.Status, w.s.Steps[i].Status)
			}
			id := s.Plan().Nodes[i].Step.ID
			_ = s.InputFor(id, -1)
			_ = s.InputFor(id, 3)
		}
		for i, a := range s.Approvals {
			if was := w.s.Approvals[i]; a.Status != was.Status || a.ID != was.ID || len(a.Decisions) != len(was.Decisions) {
				t.Fatalf("seed %d: approval %d differs", seed, i)
			}
		}
		_ = s.Merged()
	}
}
