package planner_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool/catalogue"
	"github.com/assent-run/assent/internal/tool/planner"
)

const pathArgs = `{"type":"object","properties":{"path":{"type":"string","description":"path of the file"}},"required":["path"]}`

// shop is what can be called in these tests.
var shop = []port.Callable{
	{Name: "mcp:xml/parse_xml", Source: port.SourceMCP, Server: "xml", Description: "Parse XML files",
		Args: json.RawMessage(pathArgs), Output: json.RawMessage(`{"type":"object","properties":{"document":{"type":"object"}}}`)},
	{Name: "parse_json", Source: port.SourceHTTP, Description: "Parse JSON files", Args: json.RawMessage(pathArgs),
		Harmless: true},
	{Name: "validate_document", Source: port.SourceHTTP, Description: "Validate a document against the rules",
		Args: json.RawMessage(`{"type":"object","properties":{"document":{"type":"object"}},"required":["document"]}`)},
	{Name: "send_mail", Source: port.SourceHTTP, Description: "Send an e-mail to a customer",
		Risk: risk.ApprovalRequired, Operation: "send_email",
		Args: json.RawMessage(`{"type":"object","properties":{"to":{"type":"string","format":"email"},"text":{"type":"string"}},"required":["to","text"]}`)},
	{Name: "web_lookup", Source: port.SourceHTTP, Description: "Search the web for news",
		Args: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`)},
	{Name: "mirror_download", Source: port.SourceHTTP, Description: "Download a package from the mirror",
		Args: json.RawMessage(`{"type":"object","properties":{"package":{"type":"string"}},"required":["package"]}`)},
	{Name: "agent:translator", Source: port.SourceAgent, Description: "Translates letters into French", Harmless: true},
	{Name: "ask_human", Source: port.SourceBuiltin, Description: "Ask a person about wombats", AgentsOnly: true},
}

func newPlanner(t testing.TB, own []port.Callable) *planner.Planner {
	c := catalogue.New(catalogue.Options{Own: func() []port.Callable { return own }})
	t.Cleanup(c.Close)
	return planner.New(planner.Options{Catalogue: c, Agent: func(name string) (plan.Agent, bool) {
		return plan.Agent{Name: name, Kind: plan.AgentScripted}, name == "translator"
	}})
}

// discovery is specification 001's plan, after its first layer.
func discovery(t testing.TB, files string) port.Need {
	t.Helper()
	p, problems := plan.Compile(&plan.Definition{
		Workflow: plan.Workflow{Name: "parse-files", Steps: []plan.Step{
			{ID: "list", Agent: "files"},
			{ID: "parse_json", Agent: "json", With: plan.Mapping{{Target: "path", Source: "list.files[0]"}}},
			{ID: "analyze", Agent: "analyst"},
			{ID: "report", Agent: "analyst"},
		}},
		Agents: map[string]plan.Agent{"files": {Kind: plan.AgentScripted}, "json": {Kind: plan.AgentScripted},
			"analyst": {Kind: plan.AgentScripted}},
	})
	if p == nil {
		t.Fatal(problems)
	}
	return port.Need{Plan: p, Requirement: "parse XML files", Input: json.RawMessage(`{"dir":"/data"}`),
		Done:    []port.StepOutput{{Step: "list", Output: json.RawMessage(`{"files":` + files + `}`)}},
		Pending: []string{"parse_json", "analyze", "report"}}
}

func find(t *testing.T, n port.Need) port.NewSteps {
	t.Helper()
	found, err := newPlanner(t, shop).Find(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Steps) > 0 {
		if _, _, err := n.Plan.Inject(found.Steps, found.Agents, nil, nil); err != nil {
			t.Errorf("the steps do not fit the plan: %v", err)
		}
	}
	return found
}

// TestDiscovery is specification 001's workflow 4: the parser runs beside the other one, gets the file that
// nobody expected, and the next step that reads everything waits for it.
func TestDiscovery(t *testing.T) {
	found := find(t, discovery(t, `["data.json","config.xml"]`))
	want := plan.Step{ID: "parse_xml", Tool: "mcp:xml/parse_xml", Needs: &[]string{"list"}, NeededBy: []string{"analyze"},
		With: plan.Mapping{{Target: "path", Source: "list.files[1]"}}}
	if len(found.Steps) != 1 || !reflect.DeepEqual(found.Steps[0], want) {
		t.Fatalf("%+v", found.Steps)
	}
	if b := found.Because; len(b) != 1 || b[0].Tool != "mcp:xml/parse_xml" || b[0].Score <= 0 ||
		!strings.Contains(b[0].Because, "parse") || len(b[0].Unset) > 0 || found.Harmless {
		t.Errorf("%+v, harmless: %v", b, found.Harmless)
	}
}

// TestEveryMatch: each of several files gets a step of its own.
func TestEveryMatch(t *testing.T) {
	found := find(t, discovery(t, `["a.xml","data.json","b.xml"]`))
	if len(found.Steps) != 2 || found.Steps[0].With[0].Source != "list.files[0]" ||
		found.Steps[1].With[0].Source != "list.files[2]" || found.Steps[1].ID != "parse_xml_2" {
		t.Errorf("%+v", found.Steps)
	}
}

// TestUnset: an argument that nothing speaks for stays unset, and is named.
func TestUnset(t *testing.T) {
	n := discovery(t, `["data.json"]`)
	n.Requirement = "send an e-mail to the customer"
	found := find(t, n)
	if b := found.Because[0]; b.Risk != risk.ApprovalRequired || b.Operation != "send_email" {
		t.Errorf("%+v", b)
	}
	if len(found.Steps) != 1 || found.Steps[0].Tool != "send_mail" ||
		!slices.Equal(found.Because[0].Unset, []string{"to", "text"}) || len(found.Steps[0].With) != 0 {
		t.Errorf("%+v %+v", found.Steps, found.Because)
	}
}

// TestByName: an argument gets the value that is called the same, if it fits.
func TestByName(t *testing.T) {
	n := discovery(t, `[]`)
	n.Input = json.RawMessage(`{"to":"ann@example.com","text":7}`)
	n.Requirement = "send an e-mail to the customer"
	found := find(t, n)
	if len(found.Steps) != 1 || len(found.Steps[0].With) != 1 || found.Steps[0].With[0].Source != "input.to" ||
		!slices.Equal(found.Because[0].Unset, []string{"text"}) {
		t.Errorf("%+v %+v", found.Steps, found.Because)
	}
}

// TestWords: what the requirement itself says becomes an argument.
func TestWords(t *testing.T) {
	n := discovery(t, `[]`)
	n.Requirement = "search the web for news about tea"
	found := find(t, n)
	if len(found.Steps) != 1 || found.Steps[0].Tool != "web_lookup" ||
		found.Steps[0].With[0].Source != `"search the web for news about tea"` {
		t.Errorf("%+v", found.Steps)
	}
	n.Requirement = `download the package "left-pad" from the mirror`
	if found = find(t, n); len(found.Steps) != 1 || found.Steps[0].With[0].Source != `"left-pad"` {
		t.Errorf("%+v", found.Steps)
	}
}

// TestChain: the second wish uses the result of the first, where the schemas fit.
func TestChain(t *testing.T) {
	n := discovery(t, `["config.xml"]`)
	n.Requirement = "parse XML files, then validate the document"
	found := find(t, n)
	if len(found.Steps) != 2 || found.Steps[1].Tool != "validate_document" ||
		found.Steps[1].With[0].Source != "parse_xml.document" ||
		!slices.Equal(*found.Steps[1].Needs, []string{"parse_xml"}) ||
		len(found.Steps[0].NeededBy) != 0 || !slices.Equal(found.Steps[1].NeededBy, []string{"analyze"}) {
		t.Errorf("%+v", found.Steps)
	}
}

// TestNothing: no steps are invented, not even for half of a requirement.
func TestNothing(t *testing.T) {
	for _, requirement := range []string{"translate into Klingon opera", "ask a person about wombats",
		"parse XML files, then brew some coffee"} {
		n := discovery(t, `["config.xml"]`)
		n.Requirement = requirement
		if found := find(t, n); len(found.Steps) != 0 || !strings.HasPrefix(found.Reason, "No tool fits “") ||
			strings.ContainsAny(found.Reason, "_/\"") {
			t.Errorf("%s: %+v, %q", requirement, found.Steps, found.Reason)
		}
	}
}

// TestAgents: an agent does a step, too; one that the plan does not have comes along.
func TestAgents(t *testing.T) {
	n := discovery(t, `[]`)
	n.Requirement = "translate the letters into French"
	found := find(t, n)
	if len(found.Steps) != 1 || found.Steps[0].Agent != "translator" || found.Steps[0].With != nil || !found.Harmless ||
		found.Agents["translator"].Name != "translator" {
		t.Errorf("%+v %+v", found.Steps, found.Agents)
	}
}

// TestReplacement: what is found takes the place of a step that failed, and is not the same tool again.
func TestReplacement(t *testing.T) {
	p, problems := plan.Compile(&plan.Definition{
		Workflow: plan.Workflow{Name: "fetch", Steps: []plan.Step{
			{ID: "prepare", Agent: "a"},
			{ID: "download", Tool: "parse_json", With: plan.Mapping{{Target: "path", Source: "prepare.package"}}},
			{ID: "use", Agent: "a", With: plan.Mapping{{Target: "file", Source: "download.file"}}},
		}}, Agents: map[string]plan.Agent{"a": {Kind: plan.AgentScripted}},
	})
	if p == nil {
		t.Fatal(problems)
	}
	n := port.Need{Plan: p, Requirement: "download the package from the mirror", Failed: "download",
		Done: []port.StepOutput{{Step: "prepare", Output: json.RawMessage(`{"package":"tea"}`)}}, Pending: []string{"use"}}
	found := find(t, n)
	if len(found.Steps) != 1 || found.Steps[0].Replaces != "download" || found.Steps[0].Tool != "mirror_download" ||
		found.Steps[0].NeededBy != nil {
		t.Fatalf("%+v", found.Steps)
	}
	next, _, err := p.Inject(found.Steps, nil, func(i int) bool { return i < 2 }, nil)
	if err != nil {
		t.Fatal(err)
	}
	use, _ := next.Step("use")
	if got := next.Nodes[use]; len(got.Needs) != 1 || next.Nodes[got.Needs[0]].Step.ID != "mirror_download" ||
		got.With[0].Source.Path.String() != "mirror_download.file" {
		t.Errorf("%+v", got)
	}
	n.Requirement = "parse JSON files"
	if found := find(t, n); len(found.Steps) > 0 && found.Steps[0].Tool == "parse_json" {
		t.Errorf("the tool that failed is used again: %+v", found.Steps)
	}
}

// TestSlowCatalogue: a search that does not end in time is an error.
func TestSlowCatalogue(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newPlanner(t, shop).Find(ctx, discovery(t, `[]`)); err == nil {
		t.Error("a cancelled search gives an answer")
	}
}

// BenchmarkFind: from a requirement to the steps, among many tools.
func BenchmarkFind(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			all := slices.Clone(shop)
			for i := range n {
				all = append(all, port.Callable{Name: fmt.Sprintf("tool_%d", i), Source: port.SourceHTTP,
					Description: fmt.Sprintf("Can parse, send and list the files of customer number %d", i),
					Args:        json.RawMessage(pathArgs)})
			}
			p, need := newPlanner(b, all), discovery(b, `["data.json","config.xml"]`)
			for deadline := time.Now().Add(time.Minute); ; { // until the index is built
				if found, _ := p.Find(b.Context(), need); len(found.Steps) > 0 || time.Now().After(deadline) {
					break
				}
			}
			took := make([]time.Duration, 0, b.N)
			b.ResetTimer()
			for b.Loop() {
				began := time.Now()
				if found, err := p.Find(b.Context(), need); err != nil || len(found.Steps) == 0 {
					b.Fatalf("%+v: %v", found, err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
