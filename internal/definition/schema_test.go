package definition

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition/tree"
)

// TestSchemasAreCurrent: each schema has exactly the keys that are read, and
// says something about every one.
func TestSchemasAreCurrent(t *testing.T) {
	union := func(family string) []string {
		var out []string
		for name, keys := range formKeys() {
			if strings.HasPrefix(name, family) {
				out = append(out, keys...)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	of := func(v any) []string { return keysOf(reflect.TypeOf(v)) }
	trigger := of(policy.Trigger{})
	for at, want := range map[string][]string{
		"workflow":                             formKeys()["workflow"],
		"workflow /$defs/step":                 of(plan.Step{}),
		"workflow /$defs/gate":                 of(plan.Gate{}),
		"workflow loops":                       of(plan.Loops{}),
		"workflow loops agent":                 of(plan.AgentLoop{}),
		"workflow /$defs/human_loop":           of(plan.HumanLoop{}),
		"workflow /$defs/step retry":           of(plan.Retry{}),
		"workflow /$defs/gate timeout":         of(plan.GateTimeout{}),
		"workflow /$defs/gate escalate":        of(plan.Escalation{}),
		"workflow /$defs/gate options":         of(gate.Option{}),
		"agent":                                union("agent"),
		"agent limits":                         of(plan.Limits{}),
		"agent answers":                        of(Answer{}),
		"agent answers usage":                  of(run.Usage{}),
		"agent answers deliverables":           of(Deliverable{}),
		"agent turns":                          of(Turn{}),
		"agent turns calls":                    of(TurnCall{}),
		"agent turns usage":                    of(run.Usage{}),
		"tool":                                 union("tool"),
		"mcp_server":                           formKeys()["mcp_server"],
		"role":                                 formKeys()["role"],
		"prices":                               formKeys()["prices"],
		"channel":                              union("channel"),
		"channel dkim":                         of(DKIM{}),
		"channel bot":                          of(TeamsBot{}),
		"notifications":                        formKeys()["notifications"],
		"notifications quiet_hours":            of(QuietHours{}),
		"notifications digest":                 of(Digest{}),
		"policy":                               formKeys()["policy"],
		"policy /$defs/rule":                   of(policy.Rule{}),
		"policy /$defs/rule trigger":           trigger,
		"policy /$defs/action":                 of(policy.Action{}),
		"policy /$defs/action escalation":      of(policy.Chain{}),
		"policy /$defs/field":                  of(policy.Field{}),
		"policy auto_approval":                 of(policy.AutoApproval{}),
		"policy auto_approval global_settings": of(policy.Settings{}),
		"policy auto_approval global_settings business_hours": of(policy.Hours{}),
		"policy /$defs/autorule":                              of(policy.AutoRule{}),
		"policy /$defs/autorule conditions": slices.Sorted(slices.Values(append([]string{"confidence"},
			trigger...))),
	} {
		words := strings.Fields(at)
		node := Schema(words[0])
		for _, w := range words[1:] {
			if rest, ok := strings.CutPrefix(w, "/"); ok {
				node, _ = value.Get(node, strings.Split(rest, "/")...)
				continue
			}
			node, _ = value.Get(node, "properties", w)
			if items, ok := value.Get(node, "items"); ok {
				node = items
			}
		}
		properties, _ := value.Get(node, "properties")
		var got []string
		for key, sub := range value.Members(properties) {
			got = append(got, key)
			_, described := value.Get(sub, "description")
			if _, isRef := value.Get(sub, "$ref"); !described && !isRef {
				t.Errorf("%s: %s has no description", at, key)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the schema has\n%v, but read are\n%v", at, got, want)
		}
	}
}

// TestSchemasKnowTheWords: vocabularies agree with the core's.
func TestSchemasKnowTheWords(t *testing.T) {
	for at, want := range map[string][]string{
		"agent properties kind enum":                                  texts(plan.AgentKinds),
		"agent properties autonomy enum":                              texts(risk.Autonomies),
		"agent properties provider enum":                              texts(Providers),
		"tool properties kind enum":                                   texts(ToolKinds),
		"tool properties risk enum":                                   texts(risk.Classes),
		"channel properties kind enum":                                texts(ChannelKinds),
		"workflow $defs step properties risk enum":                    texts(risk.Levels),
		"workflow $defs gate properties kind enum":                    texts(gate.Kinds),
		"workflow $defs gate properties on_reject enum":               texts(gate.OnRejects),
		"workflow $defs gate properties acts items enum":              texts(gate.Acts),
		"workflow $defs gate properties timeout properties then enum": texts(gate.Thens),
	} {
		words := strings.Fields(at)
		raw, _ := value.Get(Schema(words[0]), words[1:]...)
		var got []string
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatalf("%s: %v", at, err)
		}
		slices.Sort(got)
		if want = slices.Sorted(slices.Values(want)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, but the core has %v", at, got, want)
		}
	}
}

func TestSchemasRefuse(t *testing.T) {
	for name, src := range map[string]string{
		"workflow without steps": "workflow: a",
		"workflow name":          "workflow: A B\nsteps: [{id: a}]",
		"unknown key":            "workflow: a\nsteps: [{id: a, agnet: b}]",
		"timeout":                "workflow: a\ntimeout: soon\nsteps: [{id: a}]",
		"gate at":                "workflow: a\nsteps: [{id: a}]\ngates: [{id: g, at: sometimes}]",
		"quorum":                 "workflow: a\nsteps: [{id: a}]\ngates: [{id: g, at: end, quorum: 0}]",
		"agent without kind":     "agent: a",
		"agent without url":      "agent: a\nkind: http",
		"key of another kind":    "agent: a\nkind: http\nurl: http://x\nmodel: gpt",
		"go with command":        "agent: a\nkind: go\ncommand: [x]",
		"confidence":             "agent: a\nkind: scripted\nanswers: [{confidence: 2}]",
		"a script without turns": "agent: a\nkind: llm\nprovider: scripted",
		"turns of another kind":  "agent: a\nkind: scripted\nanswers: [{output: 1}]\nturns: [{say: x}]",
		"a call without a tool":  "agent: a\nkind: llm\nprovider: scripted\nturns: [{calls: [{args: {}}]}]",
		"a key of no turn":       "agent: a\nkind: llm\nprovider: scripted\nturns: [{output: 1}]",
		"no model":               "agent: a\nkind: llm\nprovider: openai",
		"files that are lists":   "agent: a\nkind: llm\nprovider: scripted\nturns: [{say: x}]\nfiles: {a: [b]}",
		"builtin of a service":   "tool: a\nkind: http\nurl: http://x\nbuiltin: read_file",
		"tool kind":              "tool: a\nkind: magic",
		"server of both":         "mcp_server: a\ncommand: [x]\nurl: http://x",
		"server of none":         "mcp_server: a",
		"rule without name":      "policy: a\nrules: [{priority: 1, trigger: {}, action: {}}]",
		"risk level":             "policy: a\nrules: [{name: b, priority: 1, trigger: {risk_level: [odd]}, action: {}}]",
		"permission":             "role: a\npermissions: [fly]",
		"price":                  "prices: {m: {in: 1}}",
		"nothing of ours":        "hello: world",
	} {
		docs, problems := tree.NewSource("x", []byte(src)).Read(YAML)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for _, kind := range []string{strings.Split(src, ":")[0], ""} {
			raw := Schema(kind)
			if raw == nil {
				continue
			}
			s, err := schema.Compile(raw)
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Validate(docs[0].Root.JSON())) == 0 {
				t.Errorf("%s: schema %q accepts\n%s", name, kind, src)
			}
		}
	}
	if Schema("nonsense") != nil || Schema("../doc") != nil {
		t.Error("a schema of nothing")
	}
}
