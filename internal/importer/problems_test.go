package importer

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition/tree"
)

func TestProblems(t *testing.T) {
	flow := func(checkpoints string) Source {
		return Source{"w.json", []byte("{\"workflow_id\": \"w\", \"hitl_checkpoints\": [\n" + checkpoints + "]}")}
	}
	whole := func(members string) Source {
		return checkpointWith("approval", members)
	}
	rules := func(name, body string) Source { return Source{name, []byte(body)} }
	cases := []struct {
		name  string
		files []Source
		want  string // where and what, with words left out as …
	}{
		{"no id", []Source{flow(`{"checkpoint_type": "approval", "trigger_point": "pre_workflow", "required_role": "r"}`)},
			"w.json:2:1: hitl_checkpoints[0]: checkpoint_id is missing"},
		{"no type", []Source{flow(`{"checkpoint_id": "c", "trigger_point": "pre_workflow", "required_role": "r"}`)},
			"w.json:2:1: hitl_checkpoints[0]: checkpoint_type is missing"},
		{"no place", []Source{flow(`{"checkpoint_id": "c", "checkpoint_type": "approval", "required_role": "r"}`)},
			"w.json:2:1: hitl_checkpoints[0]: trigger_point is missing"},
		{"nobody", []Source{flow(`{"checkpoint_id": "c", "checkpoint_type": "approval", "trigger_point": "pre_workflow", "required_role": ""}`)}, "w.json:2:88: hitl_checkpoints[0].required_role: required_role is missing: who may decide?"},
		{"no agent", []Source{flow(`{"checkpoint_id": "c", "checkpoint_type": "approval", "trigger_point": "after_agent", "required_role": "r"}`)}, "w.json:2:55: hitl_checkpoints[0].trigger_point: agent_id is missing"},
		{"odd type", []Source{checkpointWith("vote", "")},
			`w.json:2:24: hitl_checkpoints[0].checkpoint_type: "vote" is not a checkpoint type: use approval, decision, input or escalation`},
		{"odd place", []Source{flow(`{"checkpoint_id": "c", "checkpoint_type": "approval", "trigger_point": "never", "required_role": "r"}`)}, `trigger_point: "never" is not a trigger point`},
		{"odd timeout", []Source{whole(`"timeout_config": {"enabled": true, "timeout_seconds": 1, "on_timeout": "sing"}`)},
			`timeout_config.on_timeout: "sing" is not a timeout action`},
		{"no time", []Source{whole(`"timeout_config": {"enabled": true, "on_timeout": "cancel"}`)},
			`timeout_config: timeout_seconds is missing`},
		{"time 0", []Source{whole(`"timeout_config": {"enabled": true, "timeout_seconds": 0, "on_timeout": "cancel"}`)},
			`timeout_seconds: 0 is not a number of seconds above 0`},
		{"time as text", []Source{whole(`"timeout_config": {"enabled": true, "timeout_seconds": "1h", "on_timeout": "cancel"}`)}, `timeout_seconds: expected a number, got a text`},
		{"escalate to nobody", []Source{whole(`"timeout_config": {"enabled": true, "timeout_seconds": 1, "on_timeout": "escalate"}`)}, `on_timeout: the person or role to escalate to is missing`},
		{"escalate to a sentence", []Source{whole(`"escalation": {"after_seconds": 1, "escalate_to": "the boss"}`)},
			`"the boss" is not a person or role`},
		{"one option", []Source{checkpointWith("decision", `"ui_schema": {"decision_options": [{"value": "a"}]}`)},
			`decision_options: a decision needs at least 2 decision_options, not 1`},
		{"no options", []Source{checkpointWith("decision", "")},
			`hitl_checkpoints[0]: a decision needs at least 2 decision_options, not 0`},
		{"options alike", []Source{checkpointWith("decision",
			`"ui_schema": {"decision_options": [{"value": "a"}, {"value": "a"}]}`)},
			`decision_options[1].value: the value "a" is given twice`},
		{"default is no option", []Source{checkpointWith("decision",
			`"ui_schema": {"decision_options": ["a", "b"]}, "default": "c", "timeout_config": {"enabled": true, "timeout_seconds": 1, "on_timeout": "proceed_with_default"}`)}, `hitl_checkpoints[0].default: "c" is not one of the options`},
		{"default does not fit", []Source{checkpointWith("input",
			`"ui_schema": {"editable_fields": ["a"]}, "default": {"b": 1}, "timeout_config": {"enabled": true, "timeout_seconds": 1, "on_timeout": "proceed_with_default"}`)}, `hitl_checkpoints[0].default: the default does not match`},
		{"bad pattern", []Source{checkpointWith("input",
			`"ui_schema": {"editable_fields": ["a"], "validation_rules": {"a": {"pattern": "("}}}`)},
			`ui_schema.validation_rules.a.pattern: `},
		{"no action", []Source{whole(`"ui_schema": {"actions": ["dance"]}`)}, `actions: none of these actions`},
		{"twice", []Source{flow(`{"checkpoint_id": "c", "checkpoint_type": "approval", "trigger_point": "pre_workflow", "required_role": "r"},
{"checkpoint_id": "c", "checkpoint_type": "approval", "trigger_point": "pre_workflow", "required_role": "r"}`)},
			`w.json:3:2: hitl_checkpoints[1].checkpoint_id: the checkpoint "c" is given twice: the other is in w.json:2:2`},
		{"the printed ones together", []Source{printed(t, "registry.json"), printed(t, "example_2.json")},
			`example_2.json:2:3: checkpoint_id: the checkpoint "fraud_review" is given twice: the other is in claims_triage.json:8:7`},
		{"a workflow twice", []Source{{"a.json", []byte(`{"workflow_id": "w", "hitl_checkpoints": []}`)},
			{"b.json", []byte(`{"workflow_id": "w", "hitl_checkpoints": []}`)}},
			`b.json:1:2: workflow_id: the workflow "w" is defined twice: the other is in a.json:1:2`},
		{"whose checkpoint", []Source{{"a.json",
			[]byte(`[{"workflow_id": "w", "hitl_checkpoints": []}, {"workflow_id": "v", "hitl_checkpoints": []}]`)},
			printed(t, "example_2.json")}, `example_2.json:1:1: there are 2 workflows`},
		{"an agent twice", []Source{{"a.json", []byte(`{"workflow_id": "w", "agents": ["a", "a"]}`)}},
			`agents[1]: the agent "a" is listed twice`},
		{"agents alike", []Source{{"a.json", []byte(`{"workflow_id": "w", "agents": ["a b", "a_b"]}`)}},
			`agents[1]: "a_b" and "a b" would both be called a_b`},
		{"a role twice", []Source{{"g.json", []byte(`{"hitl_access_control": {"roles": [{"role_id": "a"}, {"role_id": "a"}]}}`)}}, `hitl_access_control.roles[1].role_id: the role "a" is defined twice`},
		{"a role of an odd type", []Source{{"g.json",
			[]byte(`{"hitl_access_control": {"roles": [{"role_id": "a", "allowed_checkpoint_types": ["vote"]}]}}`)}},
			`allowed_checkpoint_types[0]: "vote" is not a checkpoint type`},
		{"priorities", []Source{rules("a.yaml",
			"checkpoints:\n  - { name: A, priority: 1, trigger: { tool: x }, action: {} }\n"),
			rules("b.yaml", "rules:\n  - { name: B, priority: 1, trigger: { tool: y }, action: {} }\n")},
			`b.yaml:2:16: rules[0].priority: "B" has priority 1, and so has "A" in a.yaml:2:5: which one comes first?`},
		{"names of rules", []Source{rules("a.yaml",
			"checkpoints:\n  - { name: A, priority: 1, trigger: { tool: x }, action: {} }\n"),
			rules("b.yaml", "rules:\n  - { name: A, priority: 2, trigger: { tool: y }, action: {} }\n")},
			`b.yaml:2:7: rules[0].name: "A" is the name of a rule in a.yaml:2:5 as well`},
		{"switches", []Source{rules("a.yaml", "auto_approval: { enabled: true }\n"),
			rules("b.yaml", "auto_approval: { enabled: false }\n")},
			`b.yaml:1:1: auto_approval: auto_approval is set otherwise in a.yaml:1:1`},
		{"an unknown key of a rule", []Source{rules("a.yaml",
			"checkpoints:\n  - { name: A, priority: 1, trigger: { risc_level: low }, action: {} }\n")},
			`a.yaml:2:40: checkpoints[0].trigger.risc_level: unknown key`},
		{"a rule that makes no sense", []Source{rules("a.yaml",
			"checkpoints:\n  - { name: A, priority: 1, trigger: { risk_level: purple }, action: {} }\n")},
			`a.yaml:2:5: checkpoints[0]: "purple"`},
		{"an empty file", []Source{printed(t, "registry.json"), {"a.yaml", nil}}, `a.yaml:1:1: the file is empty`},
		{"no name", []Source{{"", []byte("rules: []")}}, `file 1 has no name`},
		{"broken", []Source{{"a.json", []byte(`{"workflow_id": `)}}, `a.json:2:1: the file ends`},
		{"a key twice", []Source{{"a.yaml", []byte("hitl_checkpoints: []\nhitl_checkpoints: []\n")}}, `a.yaml:2:1: `},
		{"a file twice", []Source{printed(t, "governance_policies.json"), printed(t, "governance_policies.json")},
			`this file is given twice`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			res, err := Import(c.files)
			if !fault.Is(err, fault.Invalid) || len(res.Files) > 0 {
				t.Fatalf("%v, %d files", err, len(res.Files))
			}
			var got []string
			for _, p := range res.Problems {
				got = append(got, p.String())
			}
			if !strings.Contains(strings.Join(got, "\n"), c.want) {
				t.Errorf("got\n%s", strings.Join(got, "\n"))
			}
		})
	}
}

// TestEveryProblemAtOnce: one import tells them all.
func TestEveryProblemAtOnce(t *testing.T) {
	res, err := Import([]Source{
		checkpointWith("vote", `"timeout_config": {"timeout_seconds": -1, "on_timeout": "sing"}`),
		{"x.json", []byte(`{"hello": 1}`)},
		{"y.json", []byte(`{`)},
	})
	if err == nil || len(res.Problems) != 5 {
		t.Errorf("%d problems: %v", len(res.Problems), err)
	}
}

func TestLimits(t *testing.T) {
	if _, err := Import(nil); !fault.Is(err, fault.Invalid) {
		t.Errorf("nothing: %v", err)
	}
	many := make([]Source, SourcesMax)
	for i := range many {
		many[i] = Source{fmt.Sprintf("%d.json", i),
			fmt.Appendf(nil, `{"hitl_access_control": {"roles": [{"role_id": "r%d", "permissions": ["view"]}]}}`, i)}
	}
	if res, err := Import(many); err != nil || len(res.Files) != 1 {
		t.Errorf("%d files: %v", len(many), err)
	}
	if _, err := Import(append(many, Source{Name: "more.json"})); !fault.Is(err, fault.TooLarge) {
		t.Errorf("%d files: %v", len(many)+1, err)
	}
	if _, err := Import([]Source{{"a.json", make([]byte, BytesMax/2)},
		{"b.json", make([]byte, BytesMax/2+1)}}); !fault.Is(err, fault.TooLarge) {
		t.Errorf("too many bytes: %v", err)
	}
	big := Source{"a.json", append([]byte(`{"workflow_id": "w", "hitl_checkpoints": [], "pad": "`),
		append(bytes.Repeat([]byte("x"), tree.SizeMax), `"}`...)...)}
	if res, err := Import([]Source{big}); err == nil || len(res.Problems) != 1 {
		t.Errorf("a large file: %v", err)
	}
}

// TestNamesOfFiles: what a workflow is called never hides another file.
func TestNamesOfFiles(t *testing.T) {
	var body []string
	for _, name := range []string{"agents", "roles", "policy", ".hidden", "workflow-agents", "plain"} {
		body = append(body, fmt.Sprintf(`{"workflow_id": %q, "agents": ["a"]}`, name))
	}
	res, set := mustImport(t, Source{"dir/many\nlines\u2028.json", []byte("[" + strings.Join(body, ",") + "]")},
		printed(t, "governance_policies.json"), printed(t, "auto_approval.yaml"))
	if len(set.Workflows) != 6 || len(res.Files) != 9 {
		t.Errorf("%d workflows in %d files", len(set.Workflows), len(res.Files))
	}
}

// TestSteppingAside: a gate keeps its name, and a step makes way for it.
func TestSteppingAside(t *testing.T) {
	_, set := mustImport(t, Source{"w.json",
		[]byte(`{"workflow_id": "w", "agents": ["review", "in", "in.2", "a b"], "hitl_checkpoints": [
		{"checkpoint_id": "review", "checkpoint_type": "approval", "trigger_point": "after_agent", "agent_id": "review", "required_role": "r"}]}`)})
	var got []string
	for _, s := range set.Workflows["w"].Steps {
		got = append(got, s.ID+"="+s.Agent)
	}
	if at := set.Workflows["w"].Gates[0].At; strings.Join(got, " ") != "review_2=review x_in=in in_2=in.2 a_b=a_b" ||
		at != "after review_2" {
		t.Errorf("%v, %s", got, at)
	}
}
