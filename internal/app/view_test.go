package app

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

var t0 = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// waiting is a run that waits for an approval about a long text, and the rows it left.
func waiting(t *testing.T) (*machine.State, port.Write) {
	t.Helper()
	def := &plan.Definition{Version: 3, Agents: map[string]plan.Agent{"x": {Name: "x", Kind: plan.AgentGo}}}
	err := plan.Decode(json.RawMessage(`{"workflow":"refund","steps":[{"id":"draft","agent":"x"},{"id":"send","agent":"x"}],
		"gates":[{"id":"review","at":"after draft","title":"Check the text","role":"approver","quorum":2,"timeout":{"after":"1h","then":"cancel"}}]}`), &def.Workflow)
	if err != nil {
		t.Fatal(err)
	}
	p, problems := plan.Compile(def)
	if p == nil {
		t.Fatal(problems)
	}
	s := machine.New("run_1", p)
	projector := engine.NewProjector(s)
	var all []run.Event
	take := func(c run.Command) {
		events, err := decide.Handle(s, decide.Env{Now: t0}, c)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			projector.Apply(e)
		}
		all = append(all, events...)
	}
	take(run.Command{Do: run.Start{Input: json.RawMessage(`{"amount":9007199254740993}`), Owner: "ann"}})
	take(run.Command{Do: run.Complete{Key: s.Effects()[0].Key,
		Result: run.Result{Output: json.RawMessage(`{"text":"` + strings.Repeat("é", 50_000) + `"}`)}}})
	w, err := projector.Write(all)
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

// members reads the top-level names of what the API would send.
func members(t *testing.T, v any) map[string]json.RawMessage {
	t.Helper()
	raw, err := value.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]json.RawMessage{}
	for k, m := range value.Members(raw) {
		out[k] = m
	}
	return out
}

func TestRunsAreShownAsPromised(t *testing.T) {
	s, w := waiting(t)
	got := members(t, view.RunOf(s, t0, false))
	for _, name := range strings.Fields("id workflow version status owner input context output steps progress " +
		"pending_approvals usage warnings error seq started_at ended_at parent retry_of forked_from") {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
	for name, want := range map[string]string{
		"status": `"waiting"`, "input": `{"amount":9007199254740993}`, "output": `null`, "error": `null`, "parent": `null`,
		"pending_approvals": `["apr_1_1"]`, "progress": `{"done":0,"total":2,"percent":0,"eta_s":null}`,
		"usage": `{"llm_calls":0,"tokens_in":0,"tokens_out":0,"cost_usd":"0"}`, "warnings": `[]`,
	} {
		if string(got[name]) != want {
			t.Errorf("%s is %s, not %s", name, got[name], want)
		}
	}
	if w.Row.Status != run.Waiting || w.Row.Pending != 1 || w.Row.Busy || w.Row.DueAt.IsZero() {
		t.Errorf("%+v", w.Row)
	}
}

func TestApprovalsAreShownAsPromised(t *testing.T) {
	_, w := waiting(t)
	if len(w.Approvals) != 1 {
		t.Fatalf("%+v", w.Approvals)
	}
	a := New(Config{})
	show := func(who Who, full bool) map[string]json.RawMessage {
		v, err := a.sight.ShowApproval(t.Context(), a.guard.Viewer(who), w.Approvals[0], full)
		if err != nil {
			t.Fatal(err)
		}
		return members(t, v)
	}
	got := show(Who{Name: "bob", Kind: run.Person, Roles: []string{"approver"}}, false)
	for _, name := range strings.Fields("id run workflow step gate kind reason status version title description action " +
		"proposed reasoning confidence risk estimated_cost_usd show so_far if_denied options input_schema role assignees " +
		"quorum decisions acts requested_at deadline_at on_timeout remind_at pause_at rule outcome") {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
	for name, want := range map[string]string{
		"acts": `["approve","modify","reject","delegate"]`, "quorum": `{"needed":2,"given":0}`,
		"deadline_at": `"2026-01-05T10:00:00Z"`,
		"on_timeout":  `"cancel"`, "outcome": `null`, "rule": `null`, "options": `[]`, "decisions": `[]`,
	} {
		if string(got[name]) != want {
			t.Errorf("%s is %s, not %s", name, got[name], want)
		}
	}
	// A long value is a reference unless it is asked for whole; no character is cut in two.
	var ref struct {
		Blob    string `json:"$blob"`
		Size    int    `json:"size"`
		Preview string `json:"preview"`
	}
	if err := json.Unmarshal(got["proposed"], &ref); err != nil || ref.Size != 100_011 ||
		strings.ContainsRune(ref.Preview, '\uFFFD') {
		t.Errorf("%+v, %v", ref, err)
	}
	if full := show(Who{Name: "ann", Kind: run.Person, Roles: []string{"admin"}},
		true); len(full["proposed"]) != 100_011 || string(full["acts"]) != `[]` {
		t.Errorf("%d bytes, acts %s", len(full["proposed"]), full["acts"])
	}
	// Who asked for it sees it, and may do nothing.
	if acts := show(Who{Name: "ann", Kind: run.Person, Roles: []string{"approver", "admin"}},
		false)["acts"]; string(acts) != `[]` {
		t.Errorf("ann may %s", acts)
	}
}
