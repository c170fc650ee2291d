package definition

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/plan"
)

func TestParseDocument(t *testing.T) {
	for name, c := range map[string]struct {
		format Format
		src    string
		kind   Kind
		want   string
	}{
		"yaml":     {YAML, "agent: a\nkind: go\n", KindAgent, ""},
		"json":     {JSON, `{"agent": "a", "kind": "go"}`, KindAgent, ""},
		"as yaml":  {YAML, `{"agent": "a", "kind": "go"}`, KindAgent, ""},
		"prices":   {YAML, "prices: {gpt: {in_usd_per_mtok: 1, out_usd_per_mtok: 2}}", KindPrices, ""},
		"policy":   {YAML, "checkpoints: []\n", KindPolicy, ""},
		"mcp":      {YAML, "tool: read\nserver: files\nkind: mcp\nagent: a\n", KindAgent, ""},
		"none":     {YAML, "# nothing\n", "", "1:1: expected exactly one document"},
		"two":      {YAML, "role: a\n---\nrole: b\n", "", "1:1: expected exactly one document"},
		"json yes": {JSON, "agent: a\n", "", `1:1: a text must be in double quotes: "agent"`},
		"bad": {YAML, "role: a\nkind: x\n", "",
			`2:1: kind: unknown key "kind" here: it belongs to an agent, a channel or a tool`},
		"ref": {YAML, "agent: a\nkind: go\ninput: {$ref: x.json}\n", "",
			"3:15: input: x.json cannot be read here: a file can be referred to when a folder is loaded; otherwise " +
				"write the schema itself"},
		"twice": {YAML, "role: a\nrole: b\n", "", `2:1: duplicate key "role": the first is in line 1, column 1`},
	} {
		doc, problems := ParseDocument(c.format, []byte(c.src))
		if lines(problems) != c.want {
			t.Errorf("%s: %s", name, lines(problems))
		}
		if c.kind == "" {
			if doc != nil {
				t.Errorf("%s: got %s", name, doc.JSON())
			}
			continue
		}
		if k, _ := doc.Ident(); k != c.kind {
			t.Errorf("%s: a %s", name, k)
		}
	}
}

func TestProblemString(t *testing.T) {
	for want, p := range map[string]Problem{
		"a.yaml:3:4: steps[0]: bad": {File: "a.yaml",
			Problem: fault.Problem{Path: "steps[0]", Message: "bad", Line: 3, Column: 4}},
		"a.yaml: bad":          {File: "a.yaml", Problem: fault.Problem{Message: "bad"}},
		"3:4: warning: x: bad": {Problem: fault.Problem{Path: "x", Message: "bad", Line: 3, Column: 4, Warning: true}},
		"bad":                  {Problem: fault.Problem{Message: "bad"}},
	} {
		if p.String() != want {
			t.Errorf("got %q, want %q", p, want)
		}
	}
	raw, _ := json.Marshal(Problem{File: "a.yaml", Problem: fault.Problem{Path: "x", Message: "bad", Line: 3, Column: 4}})
	if string(raw) != `{"file":"a.yaml","path":"x","message":"bad","line":3,"column":4}` {
		t.Error(string(raw))
	}
}

func TestSet(t *testing.T) {
	a, _ := Parse("a.yaml", []byte("agent: x\nkind: go\n---\nrole: r\n---\npolicy: p\nrules: []\n---\nprices: {m: "+
		"{in_usd_per_mtok: 1}}\n---\ntool: t\nkind: builtin\n---\nmcp_server: s\nurl: http://x\n"))
	b, _ := Parse("b.yaml", []byte("agent: x\nkind: go\n---\nagent: y\nkind: go\n---\npolicy: q\n---\nprices: {m: "+
		"{in_usd_per_mtok: 2}, n: {}}\n---\nworkflow: w\nsteps: [{id: a, agent: x}]\n---\nagent: broken\n"))
	problems := a.Merge(b)
	want := `b.yaml:1:8: agent: the agent "x" is defined twice: the other is in a.yaml:1
b.yaml:7:9: policy: there is one policy, and it is in a.yaml:6 already: merge the rules
b.yaml:9:13: prices.m: the price of "m" is given twice: the other is in a.yaml:9`
	if lines(problems) != want {
		t.Errorf("got\n%s", lines(problems))
	}
	var names []string
	for _, d := range a.Documents() {
		k, name := d.Ident()
		names = append(names, string(k)+" "+name)
		if got, ok := a.Get(k, name); !ok || string(got.JSON()) != string(d.JSON()) {
			t.Errorf("%s %s: %v", k, name, got)
		}
	}
	if got := strings.Join(names, ", "); got != "workflow w, agent x, agent y, tool t, mcp_server s, "+
		"policy p, role r, prices " {
		t.Error(got)
	}
	if a.Prices["m"].In.String() != "1" || a.Policy.Name != "p" || len(a.Files) != 2 {
		t.Errorf("%v %v %v", a.Prices, a.Policy.Name, a.Files)
	}
	for _, k := range Kinds {
		if d, ok := NewSet().Get(k, "x"); ok {
			t.Errorf("%s: got %v", k, d)
		}
	}
}

// TestCheckWithoutSource: documents that a program made have no places.
func TestCheckWithoutSource(t *testing.T) {
	set := NewSet()
	set.Add(&Workflow{Workflow: plan.Workflow{Name: "w", Steps: []plan.Step{{ID: "a", Agent: "registerd", If: "x >"}}}})
	set.Add(&Agent{Agent: plan.Agent{Name: "h", Kind: plan.AgentHTTP}, HTTP: &HTTP{}})
	got := lines(set.Check(known()))
	want := `steps[0].agent: unknown agent "registerd"; did you mean "registered"?
url: the url is missing
1:4: steps[0].if: it ends after >; expected a value`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAgentsAndToolsAreJSON(t *testing.T) {
	var a Agent
	if err := json.Unmarshal([]byte(`{"agent":"a","kind":"http","url":"http://x","headers":{"A":"${env:B}"}}`),
		&a); err != nil || a.HTTP.URL != "http://x" {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]any{"agent": &a})
	if err != nil || string(raw) != `{"agent":{"agent":"a","kind":"http","url":"http://x","headers":{"A":"${env:B}"}}}` {
		t.Errorf("%s %v", raw, err)
	}
	var tool Tool
	if err := json.Unmarshal([]byte(`{"tool":"t","kind":"command","command":["x"],"timeout":"5s"}`), &tool); err != nil ||
		tool.Command.Argv[0] != "x" {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"agent":"t","kind":"go"}`), &tool); err == nil {
		t.Error("an agent became a tool")
	}
	if err := json.Unmarshal([]byte(`{"tool":"t","kind":"command","url":"x"}`), &tool); err == nil ||
		!strings.Contains(err.Error(), "url: unknown key") {
		t.Errorf("got %v", err)
	}
}

func TestRights(t *testing.T) {
	r := Role{Permissions: []string{"view", "edit_data", "request_more_info", "add_comments", "*"}}
	if got := strings.Join(r.Rights(), " "); got != "view modify request_revision comment *" {
		t.Error(got)
	}
}

// TestNothingIsNotAll: a role for no workflow stays one when it is written.
func TestNothingIsNotAll(t *testing.T) {
	doc, _ := ParseDocument(YAML, []byte("role: r\nkinds: []\nworkflows: []\n"))
	if got := string(doc.YAML()); got != "role: r\nkinds: []\nworkflows: []\n" {
		t.Error(got)
	}
}
