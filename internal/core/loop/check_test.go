package loop_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
)

// TestDescribe: people see the tool's own description of the call, unless a gate has a message.
func TestDescribe(t *testing.T) {
	const words = "Refund 5 EUR\nto Ann"
	told := run.ToolSpec{Description: words, Operation: "refund", CostUSD: 2_000_000_000, IfDenied: "Nothing is paid."}
	rule, schema := &gate.Rule{Name: "big"}, json.RawMessage(`{}`)
	for name, c := range map[string]struct {
		spec        run.ToolSpec
		q           gate.Request
		title, says string
	}{
		"told":     {told, gate.Request{}, "Refund 5 EUR", words},
		"not told": {run.ToolSpec{}, gate.Request{}, "Pay clerk wants to use send money", ""},
		"a rule":   {told, gate.Request{Rule: rule}, "big: Refund 5 EUR", words},
		"a rule with a sum": {told, gate.Request{Rule: rule, Description: "12 today"}, "big: Refund 5 EUR",
			words + "\n\n12 today"},
		"a gate":            {told, gate.Request{Gate: "g", Title: "Pay?"}, "Pay?", words},
		"a gate with words": {told, gate.Request{Gate: "g", Title: "Pay?", Description: "Look."}, "Pay?", "Look."},
		"a gate and a rule": {told, gate.Request{Gate: "g", Rule: rule, Title: "Pay?", Description: "Look."},
			"Pay?", "Look."},
		"a question":  {told, gate.Request{Title: "Which?", InputSchema: schema}, "Which?", words},
		"a choice":    {told, gate.Request{Title: "Which?", Options: []gate.Option{{}}}, "Which?", words},
		"other words": {told, gate.Request{Description: "Look."}, "Refund 5 EUR", "Look."},
		"words, and not told": {run.ToolSpec{}, gate.Request{Rule: rule, Description: "Look."},
			"big: Pay clerk wants to use send money", "Look."},
	} {
		call := &loop.Call{Call: run.Call{ID: "c1", Tool: "send_money", Spec: c.spec}}
		q := c.q
		q.Risk.Reasons = []string{"a limit is near"}
		call.Describe(&q, "pay_clerk", risk.High, []string{"it pays"})
		if q.Title != c.title || q.Description != c.says {
			t.Errorf("%s: %q, %q", name, q.Title, q.Description)
		}
		if q.Call != "c1" || q.Agent != "pay_clerk" || q.Action.Tool != "send_money" ||
			q.Action.Operation != c.spec.Operation || q.Risk.Level != risk.High ||
			strings.Join(q.Risk.Reasons, ", ") != "it pays, a limit is near" {
			t.Errorf("%s: %+v", name, q)
		}
		cost, denied := "2", "Nothing is paid."
		if c.spec.Description == "" {
			cost, denied = "", "The agent gets your comment and can try something else."
		}
		if q.CostUSD != cost || q.IfDenied != denied {
			t.Errorf("%s: costs %q; %q", name, q.CostUSD, q.IfDenied)
		}
	}
}

// TestWhatAToolIs: how risk and policies see a call.
func TestWhatAToolIs(t *testing.T) {
	call := func(tool string, spec run.ToolSpec) *loop.Call {
		return &loop.Call{Call: run.Call{Tool: tool, Spec: spec}}
	}
	spec := run.ToolSpec{Class: "caution", Operation: "pay", ReadOnly: true, Destructive: true, CostUSD: 3}
	want := risk.Tool{Name: "send", Class: "caution", Operation: "pay", ReadOnly: true, Destructive: true, CostUSD: 3}
	if got := call("send", spec).Tool(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	for _, c := range []struct {
		tool, class, operation string
		wantClass, does        string
	}{
		{tool: run.ToolAskHuman, wantClass: string(risk.Safe), does: run.ToolAskHuman},
		{tool: run.ToolAskHuman, class: "danger", wantClass: "danger", does: "ask", operation: "ask"},
		{tool: "send", does: ""},
		{tool: "send", does: "pay", operation: "pay"},
		{tool: run.ToolHandOff, does: run.ToolHandOff},
	} {
		got := call(c.tool, run.ToolSpec{Class: risk.Class(c.class), Operation: c.operation})
		if string(got.Tool().Class) != c.wantClass || got.Operation() != c.does {
			t.Errorf("%s: class %q, operation %q", c.tool, got.Tool().Class, got.Operation())
		}
	}
	for want, specs := range map[bool][]run.ToolSpec{
		true:  {{Effects: plan.EffectsNone}, {Class: risk.Safe, Operation: "read"}},
		false: {{}, {Class: risk.Safe, Operation: "pay"}, {Class: "danger", Operation: "read"}},
	} {
		for _, s := range specs {
			if call("x", s).Harmless() != want {
				t.Errorf("%+v is harmless: %v", s, !want)
			}
		}
	}
	if (&loop.Call{}).Attempted() || !(&loop.Call{Try: 1}).Attempted() {
		t.Error("a call is attempted with its first try")
	}
}

// TestArgumentsBecomeJSON: invalid JSON becomes a string, which matches no schema.
func TestArgumentsBecomeJSON(t *testing.T) {
	for args, want := range map[string]string{
		``: `{}`, `{ "a": 1 }`: `{"a":1}`, `{"a":`: `"{\"a\":"`,
	} {
		c := loop.Normalise(run.Call{Args: json.RawMessage(args)})
		if string(c.Args) != want || (c.Spec.ArgsSchema != nil) != (want[0] == '"') {
			t.Errorf("%s: %s, schema %s", args, c.Args, c.Spec.ArgsSchema)
		}
	}
}

// TestQuestionsOfTools: bounded, valid, and in the form used in logs.
func TestQuestionsOfTools(t *testing.T) {
	big := json.RawMessage(`"` + strings.Repeat("x", run.InputMax-1) + `"`)
	fits := big[:0:0]
	fits = append(append(fits, big[:run.InputMax-1]...), '"')
	for name, c := range map[string]struct {
		round int
		in    run.CallInput
		why   string
	}{
		"plain":         {0, run.CallInput{Message: "which?"}, ""},
		"the last":      {run.InputsMax - 1, run.CallInput{}, ""},
		"one too many":  {run.InputsMax, run.CallInput{}, "the tool asked for input"},
		"at the limit":  {0, run.CallInput{State: fits}, ""},
		"too large":     {0, run.CallInput{State: big}, "the tool's request for input is over"},
		"both count":    {0, run.CallInput{State: fits, Schema: json.RawMessage(`{}`)}, "the tool's request"},
		"broken state":  {0, run.CallInput{State: json.RawMessage(`{`)}, "the tool's request for input is not valid"},
		"broken schema": {0, run.CallInput{Schema: json.RawMessage(`{"type":7}`)}, "the schema of the tool's request"},
	} {
		call := &loop.Call{Round: c.round}
		out, why := call.Sound(c.in)
		if !strings.HasPrefix(why, c.why) || c.why == "" && why != "" {
			t.Errorf("%s: %q", name, why)
		}
		if why == "" && out.Message != c.in.Message {
			t.Errorf("%s: %+v", name, out)
		}
	}
	out, why := (&loop.Call{}).Sound(run.CallInput{From: "a\xff", Message: "b\xff", Schema: json.RawMessage{},
		State: json.RawMessage(`{ "n": 1 }`)})
	if why != "" || out.From != "a\ufffd" || out.Message != "b\ufffd" || out.Schema != nil ||
		string(out.State) != `{"n":1}` {
		t.Errorf("%+v: %s", out, why)
	}
}
