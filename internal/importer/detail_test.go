package importer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/definition/tree"
)

// checkpointWith is a workflow with one checkpoint, after the agent scorer,
// that has these members in addition to the required ones.
func checkpointWith(kind, members string) Source {
	if members != "" {
		members = ", " + members
	}
	return Source{"w.json", fmt.Appendf(nil, `{"workflow_id": "w", "hitl_checkpoints": [
{"checkpoint_id": "c", "checkpoint_type": %q, "trigger_point": "after_agent", "agent_id": "scorer", "required_role": %q%s}]}`, kind, roleFor(kind), members)}
}

// roleFor is a built-in role that may answer a kind of checkpoint.
func roleFor(kind string) string {
	if kind == "decision" {
		return "fraud_investigator"
	}
	return "reviewer"
}

func gateOf(t *testing.T, files ...Source) (plan.Gate, Result) {
	t.Helper()
	res, set := mustImport(t, files...)
	for _, w := range set.Workflows {
		return w.Gates[0], res
	}
	t.Fatal("there is no workflow")
	return plan.Gate{}, res
}

// tells reports whether the report has a line of this level with these words.
func tells(res Result, level Level, words string) bool {
	return slices.ContainsFunc(res.Report, func(m Mapping) bool {
		return m.Level == level &&
			strings.Contains(m.String(), words)
	})
}

func TestConditions(t *testing.T) {
	condition := func(kind, text string) string {
		return fmt.Sprintf(`"trigger_condition": {"type": %q, "condition": %q}`, kind, text)
	}
	cases := []struct {
		members, want string
		level         Level
		words         string
	}{
		{condition("output_based", "fraud_score > 0.7"), "fraud_score > 0.7", Mapped, "when (fraud_score > 0.7)"},
		{condition("output_based", "nested.field == \"x\" and signals.length > 3"),
			`nested.field == "x" and signals.length > 3`, Mapped, "when"},
		{condition("input_based", "claim_amount > 1000"), "input.claim_amount > 1000", Mapped, "input.claim_amount"},
		{condition("input_based", "a.b > 1 and `odd-name`.c contains 'a or b' or len(a.input) > 2 and not d"),
			"input.a.b > 1 and input.`odd-name`.c contains 'a or b' or len(input.a.input) > 2 and not input.d", Mapped, "when"},
		// What has a meaning of its own at our gates is a field of the output there.
		{condition("output_based", "confidence < 0.5 or score > 1e3"),
			"scorer.confidence < 0.5 or score > 1e3", Mapped, "when"},
		{condition("output_based", "input.amount > 5"), "scorer.input.amount > 5", Mapped, "when"},
		{condition("always", "x > 1"), "", Dropped, "has no effect"},
		{`"trigger_condition": {"type": "always"}`, "", Mapped, "no when: always"},
		{condition("moon_based", "x > 1"), "", Warning, "the gate always asks"},
		{condition("output_based", "x >"), "", Warning, "cannot be read"},
		{condition("output_based", "x = 3"), "", Warning, "write =="},
		{`"trigger_condition": {"condition": "x > 1"}`, "", Warning, "type is missing"},
		{`"trigger_condition": {"type": "output_based"}`, "", Warning, "the condition is missing"},
		{`"trigger_condition": {}`, "", Warning, "the gate always asks"},
		{`"trigger_condition": null`, "", Mapped, "checkpoint_id"},
	}
	for _, c := range cases {
		g, res := gateOf(t, checkpointWith("approval", c.members))
		if g.When != c.want || !tells(res, c.level, c.words) {
			t.Errorf("%s: %q\n%s", c.members, g.When, shown(res))
		}
	}
}

// TestConditionsElsewhere: before anything ran there is no output, and at the end
// there is no name for the run's.
func TestConditionsElsewhere(t *testing.T) {
	at := func(point, kind, text string) Source {
		return Source{"w.json", fmt.Appendf(nil,
			`{"checkpoint_id": "c", "checkpoint_type": "approval", "trigger_point": %q, "required_role": "r",
			"trigger_condition": {"type": %q, "condition": %q}}`, point, kind, text)}
	}
	for _, c := range []struct {
		src   Source
		want  string
		words string
	}{
		{at("pre_workflow", "input_based", "amount > 3"), "input.amount > 3", ""},
		{at("pre_workflow", "output_based", "amount > 3"), "", "no output exists"},
		{at("before_completion", "output_based", "amount > 3"), "amount > 3", ""},
		{at("before_completion", "output_based", "confidence > 0.3"), "", "another meaning"},
		{at("before_completion", "output_based", "orchestrator.x > 0.3"), "orchestrator.x > 0.3",
			"means the output of the step"},
	} {
		g, res := gateOf(t, c.src)
		if g.When != c.want || c.words != "" && !tells(res, Warning, c.words) {
			t.Errorf("%s: %q\n%s", c.src.Body, g.When, shown(res))
		}
	}
}

func TestTimeouts(t *testing.T) {
	const options = `"ui_schema": {"decision_options": [{"value": "a"}, {"value": "b"}]}, `
	const fields = `"ui_schema": {"editable_fields": ["x"]}, `
	cases := []struct {
		kind, members string
		then          gate.Then
		preset        string
		level         Level
		words         string
	}{
		{"decision", options + `"timeout_config": {"enabled": true, "timeout_seconds": 60, "on_timeout": "proceed_with_default"}`, gate.ThenDefault, `"a"`, Defaulted, "the first option, a"},
		{"decision", options + `"timeout_config": {"enabled": true, "timeout_seconds": 60, "on_timeout": "proceed_with_default", "default_decision": "b"}`, gate.ThenDefault, `"b"`, Mapped, "timeout.default"},
		{"decision", options + `"default_option": "b", "timeout_config": {"timeout_seconds": 60, "on_timeout": "proceed_with_default"}`, gate.ThenDefault, `"b"`, Defaulted, "enabled is not set"},
		{"decision", options + `"default": "b", "timeout_config": {"enabled": true, "timeout_seconds": 60, "on_timeout": "auto_reject"}`, gate.ThenReject, "", Dropped, "no default is taken"},
		{"decision", options + `"timeout_config": {"enabled": true, "timeout_seconds": 60, "on_timeout": "auto_approve"}`,
			gate.ThenApprove, "", Warning, "selects no option"},
		{"input", fields + `"timeout_config": {"enabled": true, "timeout_seconds": 60, "on_timeout": "proceed_with_default"}`, gate.ThenApprove, "", Defaulted, "continues with the data unchanged"},
		{"input", fields + `"timeout_config": {"enabled": true, "timeout_seconds": 60, "on_timeout": "proceed_with_default", "default": {"x": 1}}`, gate.ThenDefault, `{"x":1}`, Mapped, "timeout.default"},
		{"approval", `"timeout_config": {"enabled": true, "timeout_seconds": 60, "on_timeout": "proceed_with_default"}`,
			gate.ThenApprove, "", Defaulted, "as if it were approved"},
		{"approval", `"timeout_config": {"enabled": true, "timeout_seconds": 60, "on_timeout": "proceed_with_default", "default": "reject"}`, gate.ThenReject, "", Mapped, "timeout.default"},
		{"approval", `"timeout_config": {"enabled": true, "timeout_seconds": 60}`, gate.ThenPause, "",
			Defaulted, "the run is paused"},
		{"approval", `"timeout_config": {"enabled": true, "timeout_seconds": 60, "on_timeout": "cancel"}`, gate.ThenCancel,
			"", Mapped, "timeout.then"},
	}
	for _, c := range cases {
		g, res := gateOf(t, checkpointWith(c.kind, c.members))
		if g.Timeout == nil || g.Timeout.Then != c.then || string(g.Timeout.Default) != c.preset ||
			!tells(res, c.level, c.words) {
			t.Errorf("%s: %+v\n%s", c.members, g.Timeout, shown(res))
		}
	}
	g, res := gateOf(t, checkpointWith("approval",
		`"timeout_config": {"enabled": false, "timeout_seconds": 60, "on_timeout": "cancel"}`))
	if g.Timeout != nil || g.PauseAfter == nil || *g.PauseAfter != 0 ||
		!tells(res, Dropped, "on_timeout (the timeout is not enabled)") {
		t.Errorf("a timeout that is switched off: %+v\n%s", g, shown(res))
	}
	g, _ = gateOf(t, checkpointWith("approval",
		`"timeout_config": {"enabled": true, "timeout_seconds": 432000, "on_timeout": "cancel"}`))
	if g.PauseAfter == nil || *g.PauseAfter != 0 {
		t.Error("a timeout after five days comes after the pause")
	}
}

func TestTimeoutLimitsAreWarnings(t *testing.T) {
	limits := Source{"g.yaml", []byte("hitl_access_control:\n  checkpoint_timeout_limits: { min_timeout_seconds: 300, " +
		"max_timeout_seconds: 86400, default_timeout_seconds: 3600, grace: 1 }\n")}
	for seconds, words := range map[string]string{"299": "shorter than the 5m0s", "86401": "longer than the 24h0m0s",
		"300": "", "86400": ""} {
		_, res := gateOf(t, checkpointWith("approval",
			`"timeout_config": {"enabled": true, "timeout_seconds": `+seconds+`, "on_timeout": "cancel"}`), limits)
		if told := tells(res, Warning, "timeout_seconds"); told != (words != "") ||
			words != "" && !tells(res, Warning, words) {
			t.Errorf("%s: %s", seconds, shown(res))
		}
		if !tells(res, Dropped, "grace") {
			t.Errorf("grace: %s", shown(res))
		}
	}
	g, res := gateOf(t, limits, checkpointWith("approval", `"timeout_config": {"enabled": true, "on_timeout": "cancel"}`))
	if g.Timeout.After.String() != "1h" || !tells(res, Defaulted, "g.yaml:2:3") {
		t.Errorf("the default is not taken: %+v\n%s", g.Timeout, shown(res))
	}
}

func TestEscalation(t *testing.T) {
	g, res := gateOf(t, checkpointWith("escalation",
		`"escalation": {"enabled": true, "after_seconds": 1800, "escalate_to": ["manager@example.com", "role:director", "auditor", "ann"]}`),
		Source{"g.json", []byte(`{"policies": {"hitl_access_control": {"roles": [{"role_id": "auditor", "permissions": ["*"]}, {"role_id": "reviewer", "permissions": ["approve"]}]}}}`)})
	want := "[{30m manager@example.com} {30m1s role:director} {30m2s role:auditor} {30m3s ann}]"
	if got := fmt.Sprint(g.Escalate); got != want || !tells(res, Mapped, "the person with that address") {
		t.Errorf("%s\n%s", got, shown(res))
	}
	g, res = gateOf(t, checkpointWith("approval",
		`"escalation": {"enabled": false, "after_seconds": 1800, "escalate_to": ["a@b"]}`))
	if g.Escalate != nil || !tells(res, Dropped, "the escalation is not enabled") {
		t.Errorf("%v", g.Escalate)
	}
}

func TestFields(t *testing.T) {
	g, res := gateOf(t, checkpointWith("input",
		`"ui_schema": {"editable_fields": ["n", "s", "d", "l", "e", "a.b", "n"], "validation_rules": {
		"n": {"type": "number", "min": 0, "max": 10, "required": true, "message": "too much"}, "s": {"type": "string", "min": 2, "max_length": 9, "pattern": "^a"},
		"d": {"type": "date"}, "l": {"type": "list", "max": 3}, "e": {"type": "colour", "enum": ["x", 1]}, "other": {"type": "number"}}}`))
	want := `{"type":"object","additionalProperties":false,"properties":{"n":{"type":"number","minimum":0,"maximum":10},` +
		`"s":{"type":"string","minLength":2,"maxLength":9,"pattern":"^a"},"d":{"type":"string","format":"date"},"l":{"type":"array","maxItems":3},` +
		`"e":{"enum":["x",1]},"a.b":{}},"required":["n"]}`
	if string(g.InputSchema) != want {
		t.Errorf("%s", g.InputSchema)
	}
	for _, words := range []string{"rules.n.message", "rules.e.type", "rules.other", "editable_fields[6]"} {
		if !tells(res, Dropped, words) {
			t.Errorf("%s is not reported:\n%s", words, shown(res))
		}
	}
	g, res = gateOf(t, checkpointWith("input", `"ui_schema": {}`))
	if string(g.InputSchema) != `{"type":"object"}` || !tells(res, Warning, "any data is accepted") {
		t.Errorf("%s\n%s", g.InputSchema, shown(res))
	}
}

func TestActionsAndShow(t *testing.T) {
	g, res := gateOf(t, checkpointWith("approval",
		`"ui_schema": {"display_fields": ["score", "confidence", "odd name", "a.b", "score"],
		"actions": ["approve", "request_more_info", "edit_data", "escalate", "cancel_workflow", "dance", "approve"]}`))
	if got := fmt.Sprint(g.Acts); got != "[approve request_revision modify escalate]" {
		t.Errorf("acts %s", got)
	}
	if got := strings.Join(g.Show, " "); got != `score scorer.confidence ["odd name"] a.b` {
		t.Errorf("show %s", got)
	}
	for _, words := range []string{"actions[4]", "actions[5]", "actions[6]", "display_fields[4]"} {
		if !tells(res, Dropped, words) {
			t.Errorf("%s is not reported:\n%s", words, shown(res))
		}
	}
	g, _ = gateOf(t, checkpointWith("decision",
		`"ui_schema": {"decision_options": ["a", "b"], "actions": ["approve", "escalate"]}`))
	if got := fmt.Sprint(g.Acts); got != "[choose escalate]" {
		t.Errorf("acts %s", got)
	}
}

// TestAgentsOfSpecification000: the workflow of specification 000, as its model
// names the fields.
func TestAgentsOfSpecification000(t *testing.T) {
	res, set := mustImport(t, Source{"w.yaml", []byte(`
workflow_id: IT Triage
workflow_name: "IT: Ticket Triage"
agents:
  - { agent_id: b-2, agent_name: Second, order: 2, input_mapping: { ticket: ticket_id, "odd key": "a b" }, retry_on_failure: true, max_retries: 2 }
  - { agent_id: a, agent_name: First, order: 1, output_schema: { type: object }, timeout_seconds: 30, retry_on_failure: false, max_retries: 0 }
global_timeout_seconds: 900
stop_on_error: true
save_checkpoints: true
`)})
	got := string(set.Workflows["it_triage"].JSON())
	want := `{"workflow":"it_triage","description":"IT: Ticket Triage","timeout":"15m","stop_on_error":true,"steps":[` +
		`{"id":"a","agent":"a","timeout":"30s","retry":{"max":1}},{"id":"b-2","agent":"b-2","with":{"ticket":"context.ticket_id","odd key":"context[\"a b\"]"},"retry":{"max":3}}]}`
	if got != want {
		t.Errorf("%s\n%s", got, shown(res))
	}
	if a := set.Agents["a"]; a.Description != "First" || string(a.Output) != `{"type":"object"}` {
		t.Errorf("%s", a.JSON())
	}
	if !tells(res, Warning, `"IT Triage" is not a name`) || !tells(res, Dropped, "save_checkpoints") {
		t.Errorf("%s", shown(res))
	}
}

func TestRolesThatCannotAnswer(t *testing.T) {
	governed := func(role string) Source {
		return Source{"g.json", []byte(`{"policies": {"hitl_access_control": {"roles": [` + role +
			`]}, "data_retention": {"days": 30}}}`)}
	}
	for role, words := range map[string]string{
		`{"role_id": "reviewer", "allowed_checkpoint_types": ["decision"]}`:                "its kinds do not include approval",
		`{"role_id": "reviewer", "permissions": ["approve"], "allowed_workflows": ["x*"]}`: "its workflows do not include",
	} {
		res, err := Import([]Source{checkpointWith("approval", ""), governed(role)})
		if err == nil || !strings.Contains(fmt.Sprint(res.Problems), words) {
			t.Errorf("%s: %v\n%v", role, err, res.Problems)
		}
	}
	_, res := gateOf(t, checkpointWith("approval", ""), governed(`{"role_id": "other"}`))
	if !tells(res, Warning, "no governance policy here defines this role") ||
		!tells(res, Dropped, "policies.data_retention") {
		t.Error(shown(res))
	}
	res, set := mustImport(t, governed(`{"role_id": "r", "permissions": ["view", "edit_data", "fly"], "can_act_as": ["other"], "allowed_workflows": ["Claims Triage", "a*", "*"]}`))
	r := set.Roles["r"]
	if fmt.Sprint(r.Permissions, r.CanActAs, r.Workflows) != "[view modify] [other] [claims_triage a* *]" ||
		!tells(res, Dropped, "permissions[2]") {
		t.Errorf("%s\n%s", r.JSON(), shown(res))
	}
}

// TestUnknownKeysAreReported puts an unknown key into every mapping of
// the printed files of specification 003, one at a time.
func TestUnknownKeysAreReported(t *testing.T) {
	const odd = "zzz_unknown"
	for _, file := range []string{"registry.json", "example_1.json", "example_3.json", "example_4.json",
		"governance_policies.json"} {
		src := printed(t, file)
		docs, _ := tree.NewSource(src.Name, src.Body).Read(tree.JSON)
		places := 0
		var each func(n *tree.Node)
		each = func(n *tree.Node) {
			if n.Kind == tree.Map {
				places++
				members := n.Members
				n.Members = append(slices.Clip(members), tree.Member{Key: odd, Value: &tree.Node{Kind: tree.Number, Text: "1"}})
				res, err := Import([]Source{{Name: src.Name, Body: docs[0].Root.JSON()}})
				if err != nil || !tells(res, Dropped, odd) {
					t.Errorf("%s: an unknown key beside %s is not reported: %v\n%s", file, members[0].Key, err, shown(res))
				}
				n.Members = members
			}
			for _, m := range n.Members {
				each(m.Value)
			}
			for _, item := range n.Items {
				each(item)
			}
		}
		each(docs[0].Root)
		if places < 3 {
			t.Errorf("%s: only %d mappings", file, places)
		}
	}
}

func TestReportIsJSON(t *testing.T) {
	res, _ := mustImport(t, printed(t, "registry.json"))
	raw, err := json.Marshal(res.Report[0])
	if err != nil || string(raw) != `{"level":"mapped","file":"claims_triage.json","line":2,"column":3,"from":"workflow_id","to_file":"claims_triage.yaml","to":"workflow"}` {
		t.Errorf("%s %v", raw, err)
	}
}
